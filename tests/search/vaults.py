"""Vaults indexed with the real components, for tests of search."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bridge.engine.link_graph import resolve_targets
from bridge.engine.model_pool import model_key
from bridge.index.boilerplate import Boilerplate
from bridge.index.index import Index
from bridge.index.prepare import prepare
from bridge.markdown.documents import read_document
from bridge.markdown.names import Names
from bridge.models.embedder import Embedder
from bridge.search.model import Sources
from bridge.search.vocabulary import Vocabulary
from bridge.types import VaultPath
from bridge.vault.rules import Rules
from bridge.vault.vault import Vault
from scripts.lib.evaluation.graphs import Edge, build_graph

if TYPE_CHECKING:
    import numpy as np


def write_vault(root: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


async def no_model(_text: str) -> "np.ndarray | None":
    return None


@asynccontextmanager
async def opened(root: Path, folder: Path, embedder: Embedder | None = None) -> AsyncIterator[Sources]:
    """Index a vault as it is now and yield the inputs of a search."""
    vault = Vault(root, Rules(exclude=(), max_file_bytes=10_000_000, ignored=()))
    scan = vault.scan()
    names = Names([*scan.files, *scan.others])
    index = Index.open(folder)
    read = [(path, *vault.read(path)) for path in scan.files]
    await index.write([prepare(read_document(path, data), stat, Boilerplate()) for path, data, stat in read])
    if embedder is not None:
        index.use_model(model_key(embedder.model), embedder.model.spec.dimensions)
        while batch := await index.find_missing_vectors(64):
            done = await embedder.embed([missing.text for missing in batch])
            await index.add_vectors([missing.digest for missing in batch], done.vectors)
    edges = [Edge(path, target) for path, note in index.notes.items() for target in resolve_targets(note, names)]

    async def embed_query(text: str) -> "np.ndarray | None":
        if embedder is None:
            return None
        vector: np.ndarray = (await embedder.embed([text], query=True)).vectors[0]
        return vector

    try:
        yield Sources(
            index=index,
            embed_query=embed_query,
            known_words=embedder.known_words if embedder else None,
            graph=build_graph([VaultPath(path) for path in index.notes], edges),
            vocabulary=Vocabulary(),
        )
    finally:
        await index.close()
