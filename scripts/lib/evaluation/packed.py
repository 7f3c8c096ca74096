"""Measures how often packed context contains every document that answers a question."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from bridge.api.note_text import cut_found
from bridge.markdown.documents import read_document
from bridge.markdown.note import Note
from bridge.models.embedder import Embedder
from bridge.search.model import SearchRequest, Sources
from bridge.search.pack import PackedNotes, pack
from bridge.search.pipeline import search
from bridge.types import VaultPath
from scripts.lib.evaluation.indexing import open_index
from scripts.lib.evaluation.sets import JudgedSet, read_set, write_vault
from scripts.lib.evaluation.systems import Bench

BUDGETS: Final = (500, 1_000, 2_000, 4_000)
NOTES: Final = 20


async def print_packed(folders: Sequence[Path], limit: int | None, cache: Path, embedder: Embedder | None) -> None:
    """Print for each set and budget the share of questions whose answering documents are all packed whole.

    Args:
        folders: The judged sets.
        limit: Most questions of each.
        cache: The folder of indexes.
        embedder: The model, if there is one.
    """
    mode = "keyword" if embedder is None else "hybrid"
    for folder in folders:
        judged = read_set(folder, limit)
        notes = read_notes(judged)
        indexed = await open_index(judged, cache, embedder)
        sources = Bench(judged, indexed, embedder).sources()
        whole = dict.fromkeys(BUDGETS, 0)
        over = 0
        try:
            for question in judged.questions:
                for budget in BUDGETS:
                    request = SearchRequest(question.text, limit=NOTES, passage_tokens=budget)
                    packed = await pack_found(sources, request, notes)
                    shown = {indexed.document_of[path] for path in _whole_notes(packed, notes)}
                    whole[budget] += shown >= {one for one, grade in question.relevant.items() if grade > 0}
                    over += packed.tokens > budget
        finally:
            await indexed.index.close()
        shares = "".join(f"  {budget:,}: {whole[budget] / len(judged.questions):.3f}" for budget in BUDGETS)
        print(f"{judged.name:22} {len(judged.questions):5} questions  {mode}, all documents within tokens{shares}")
        print(f"{'':22} {over} of {len(judged.questions) * len(BUDGETS)} over budget")


async def pack_found(sources: Sources, request: SearchRequest, notes: Mapping[VaultPath, Note]) -> PackedNotes:
    """Search, and pack what is found as `search` does with `passage_tokens`."""
    found = (await search(sources, request)).hits
    cut = await cut_found(sources, request, found, notes)
    return pack(cut, request.passage_tokens)


def read_notes(judged: JudgedSet) -> Mapping[VaultPath, Note]:
    with tempfile.TemporaryDirectory() as folder:
        return {
            path: read_document(path, (Path(folder) / path).read_bytes()) for path in write_vault(judged, Path(folder))
        }


def _whole_notes(packed: PackedNotes, notes: Mapping[VaultPath, Note]) -> set[VaultPath]:
    """Return the notes whose whole text is in the packed context."""
    shown: dict[VaultPath, str] = {}
    for item in packed.items:
        shown[item.path] = shown.get(item.path, "") + item.excerpt.text
    return {path for path, text in shown.items() if len(text.split()) >= len(notes[path].text.split())}
