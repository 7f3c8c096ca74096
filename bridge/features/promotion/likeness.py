"""Finds the notes of the global vault that a note would repeat."""

import asyncio
from typing import Final

from bridge.api.call import Call
from bridge.api.note_text import read_text
from bridge.markdown.note import Note
from bridge.records import dataclass
from bridge.search.related import find_related
from bridge.text.overlap import find_overlaps
from bridge.types import VaultPath

CANDIDATES: Final = 8
"""Notes compared, the most related ones."""

MOST: Final = 20_000
"""Characters of a text that are compared."""

LEAST_SHARE: Final = 0.6
"""The share of a note's word sequences from which another repeats it."""

LEAST_COSINE: Final = 0.9
"""The similarity in meaning from which it does."""


@dataclass(frozen=True, slots=True)
class LikeNote:
    """A note of the global vault that says much of the same.

    Attributes:
        vault: The global vault, by name.
        path: The note.
        share: The share of the text that it contains, 0–1.
        cosine: Similarity in meaning; null without a model.
    """

    vault: str
    path: VaultPath
    share: float
    cosine: float | None = None


async def find_like_notes(call: Call, other: Call, note: Note) -> tuple[LikeNote, ...]:
    """Return the notes of the global vault that repeat a note, the most similar first."""
    vault, text = other.vault, note.text[note.body :][:MOST]
    cosines = await _cosines(call, other, note.path)
    near = await find_related(await vault.sources_among("all"), path=None, text=text, limit=CANDIDATES)
    paths = dict.fromkeys((*(hit.path for hit in near.hits), *cosines))
    texts = {path: await asyncio.to_thread(read_text, vault, path) for path in paths}
    shares = dict(await asyncio.to_thread(find_overlaps, text, texts, least=LEAST_SHARE))
    found = (
        LikeNote(other.host.name, path, round(shares.get(path, 0.0), 2), cosines.get(path))
        for path in paths
        if path in shares or path in cosines
    )
    return tuple(sorted(found, key=lambda one: (-max(one.share, one.cosine or 0.0), one.path)))


async def _cosines(call: Call, other: Call, path: VaultPath) -> dict[VaultPath, float]:
    """Return the notes that are close in meaning to a note of another vault; none unless one model reads both."""
    index, there = call.vault.index, other.vault.index.view("all")
    vector = index.vector_of(path) if index.answering_model == there.answering_model else None
    if vector is None:
        return {}
    found = {}
    for hit in await there.nearest(vector, CANDIDATES):
        # By its best passage so far; what counts is the whole note.
        if (whole := there.vector_of(hit.path)) is not None and (cosine := float(vector @ whole)) >= LEAST_COSINE:
            found[hit.path] = round(cosine, 2)
    return found
