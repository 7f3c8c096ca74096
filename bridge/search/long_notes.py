"""Cuts notes that are too long to be shown whole to the blocks that match, such as the lines of a chat or a journal."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bridge.markdown.note import Note
from bridge.search.block_search import search_blocks
from bridge.search.excerpts import Excerpts, cut_excerpts
from bridge.search.model import SearchRequest, ShownPassage, Sources
from bridge.search.pack import find_long
from bridge.types import VaultPath

LEAST = 5
"""Blocks, headings among them, that a note must have; one of fewer is as well cut to passages."""

BLOCKS = 60
"""Blocks of all notes together."""

SPARE = 3
"""How many times the budget is read, to fill the room that blocks leave which do not fit."""


async def cut_long_notes(
    sources: Sources, request: SearchRequest, cut: Sequence[Excerpts], notes: Mapping[VaultPath, Note]
) -> list[Excerpts]:
    """Return excerpts, those of long notes with the blocks that match in place of whole passages."""
    long = find_long(cut, request.passage_tokens)
    paths = tuple(path for path in long if path in notes and len(notes[path].pieces) >= LEAST)
    if not paths:
        return [*cut]
    wanted = replace(request, paths=paths, limit=BLOCKS, passage_tokens=SPARE * request.passage_tokens)
    blocks: dict[VaultPath, list[ShownPassage]] = {}
    for hit in (await search_blocks(sources, wanted)).hits:
        blocks.setdefault(hit.path, []).extend(hit.passages)

    def cut_again() -> list[Excerpts]:
        return [
            cut_excerpts(notes[one.path], one.score, blocks[one.path], request.query) if blocks.get(one.path) else one
            for one in cut
        ]

    return await asyncio.to_thread(cut_again)
