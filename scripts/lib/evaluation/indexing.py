"""Indexes a judged set as a vault once; later runs find the index and its vectors in the cache."""

import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from bridge.engine.link_graph import resolve_targets
from bridge.engine.model_pool import model_key
from bridge.errors import ModelMissing
from bridge.graph.graph import Graph
from bridge.index.boilerplate import Boilerplate
from bridge.index.index import Index
from bridge.index.prepare import prepare
from bridge.markdown.documents import read_document
from bridge.markdown.names import Names
from bridge.markdown.note import Note
from bridge.models.embedder import Embedder
from bridge.models.folder import find_model
from bridge.search.vocabulary import Vocabulary
from bridge.types import VaultPath
from bridge.vault.rules import Rules
from bridge.vault.scan import Stat
from bridge.vault.vault import Vault
from scripts.lib.evaluation.graphs import Edge, build_graph
from scripts.lib.evaluation.sets import JudgedSet, write_vault

EMBEDDED_AT_ONCE = 64
LEARN_AT = 32
"""With fewer notes, no boilerplate is learned, as in the host."""

Write = Callable[[JudgedSet, Path], Mapping[VaultPath, str]]


@dataclass(frozen=True, slots=True)
class IndexedSet:
    """A set's index with the other inputs of a search."""

    index: Index
    graph: Graph
    vocabulary: Vocabulary
    document_of: Mapping[VaultPath, str]


def open_embedder(models_dir: Path, model: str, workers: int) -> Embedder | None:
    """Open a model; None if it is not installed."""
    try:
        return Embedder(find_model(models_dir, model), workers, 600)
    except ModelMissing:
        return None


async def open_index(
    judged: JudgedSet, cache: Path, embedder: Embedder | None, write: Write = write_vault
) -> IndexedSet:
    """Open the set's index, writing and embedding what is missing.

    Args:
        judged: The set.
        cache: The folder of indexes; sets from one folder share one index.
        embedder: The model, if there is one.
        write: Writes the documents as notes and returns the document of each.
    """
    with tempfile.TemporaryDirectory() as written:
        root = Path(written)
        document_of = write(judged, root)
        vault = Vault(root, Rules(exclude=(), max_file_bytes=50_000_000, ignored=()))
        scan = vault.scan()
        read = [(stat, read_document(path, data)) for path in scan.files for data, stat in [vault.read(path)]]
    names = Names([*scan.files, *scan.others])
    index = await _update_index(cache / judged.folder.name, read)
    if embedder is not None:
        await _embed(index, embedder, judged.name)
    edges = (Edge(path, target) for path, note in index.notes.items() for target in resolve_targets(note, names))
    return IndexedSet(index, build_graph(index.notes, edges), Vocabulary(), document_of)


async def _update_index(folder: Path, read: list[tuple[Stat, Note]]) -> Index:
    """Write the notes whose text or preparation version differs from the index."""
    index = Index.open(folder)
    learnt = Boilerplate.learn((note.path, note.text) for _, note in read) if len(read) >= LEARN_AT else Boilerplate()
    entries = [prepare(note, stat, learnt) for stat, note in read]
    news = [
        entry
        for entry in entries
        if (known := index.notes.get(entry.note.path)) is None
        or (known.digest, known.recipe) != (entry.note.digest, entry.note.recipe)
    ]
    if news:
        await index.write(news, index.notes.keys() - {entry.note.path for entry in entries})
        await index.optimise()
    return index


async def _embed(index: Index, embedder: Embedder, name: str) -> None:
    """Embed each passage and title."""
    index.use_model(model_key(embedder.model), embedder.model.spec.dimensions)
    due = index.pending_vectors()
    while batch := await index.find_missing_vectors(EMBEDDED_AT_ONCE):
        done = await embedder.embed([missing.text for missing in batch])
        await index.add_vectors([missing.digest for missing in batch], done.vectors)
        print(f"\r{name}: {due - index.pending_vectors():,} of {due:,} passages embedded", end="", file=sys.stderr)
    if due:
        print(file=sys.stderr)
