"""The notes of search hits as they are on disk now, and the excerpts into which they are cut."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from bridge.api.note_text import open_content
from bridge.engine.open_vault import OpenVault
from bridge.errors import NoteNotFound
from bridge.markdown.kinds import kind_of
from bridge.markdown.note import Note
from bridge.search.excerpts import Excerpts, cut_excerpts, keep_passages
from bridge.search.model import SearchHit, SearchRequest, Sources
from bridge.search.pack import cut_long_notes
from bridge.types import VaultPath


def open_hits(vault: OpenVault, hits: Iterable[SearchHit]) -> dict[VaultPath, Note]:
    """Read the notes of hits; one that is gone, and other files such as PDFs, are left out. Blocks."""
    found = {}
    for hit in hits:
        if kind_of(hit.path) == "note":
            with suppress(NoteNotFound):
                found[hit.path] = open_content(vault, hit.path, whole=True)
    return found


async def cut_found(
    sources: Sources, request: SearchRequest, hits: Sequence[SearchHit], notes: Mapping[VaultPath, Note]
) -> list[Excerpts]:
    """Cut hits into excerpts, and long notes to the blocks that match."""
    return await cut_long_notes(sources, request, await asyncio.to_thread(cut_hits, hits, notes, request.query), notes)


def cut_hits(hits: Sequence[SearchHit], notes: Mapping[VaultPath, Note], query: str) -> list[Excerpts]:
    found = []
    for hit in hits:
        passages = sorted(hit.passages, key=lambda one: one.lines != hit.lines)
        if kind_of(hit.path) != "note":
            found.append(keep_passages(hit.path, hit.score, passages))
        elif (note := notes.get(hit.path)) is not None:
            found.append(cut_excerpts(note, hit.score, passages, query))
    return found
