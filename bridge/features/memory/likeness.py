"""Finds the memories that a new one may repeat or contradict."""

import asyncio
from collections.abc import Mapping
from typing import Final

from bridge.api.call import Call
from bridge.features.memory.access import read_body
from bridge.index.fulltext_query import TextQuery
from bridge.notebook.catalogue import MemoryCatalogue
from bridge.notebook.comparison import NEARLY_SAME, compare_statements, text_digest
from bridge.notebook.memory_note import Memory
from bridge.notebook.visibility import VisibleMemories
from bridge.records import dataclass
from bridge.text.stopwords import content_words
from bridge.text.words import words_of
from bridge.types import VaultPath

CANDIDATES: Final = 8
"""Memories compared for their words."""

MOST_WORDS: Final = 40
"""Words of a text by which others like it are found."""

MOST_NAMED: Final = 12
"""Memories compared for their names."""

SHOWN: Final = 0.5
"""The least share of words that is worth showing."""

NEARLY_SAME_COSINE: Final = 0.92
"""The similarity in meaning from which two memories say nearly the same."""


@dataclass(frozen=True, slots=True)
class LikeMemory:
    """A memory that says something similar.

    Attributes:
        path: Its note.
        share: The share of words in common, 0–1.
        contradicts: Whether it has another value for the same thing.
        cosine: Similarity in meaning; null without a model.
    """

    path: VaultPath
    share: float
    contradicts: bool
    cosine: float | None = None

    @property
    def is_same(self) -> bool:
        return not self.contradicts and (self.share >= NEARLY_SAME or (self.cosine or 0.0) >= NEARLY_SAME_COSINE)


def find_same(
    call: Call, catalogue: MemoryCatalogue, visible: VisibleMemories, new: Memory, text: str
) -> Memory | None:
    """Return the memory of the same scope that has the same text; None without one. Blocks.

    Those that are over count as well, but not those that the caller may not know.
    """
    digest = text_digest(text)
    for memory in catalogue.with_text(digest):
        known = memory.path in visible.memories or (memory.is_over and memory.is_for(new.agent))
        if known and set(memory.scope) == set(new.scope) and text_digest(read_body(call, memory.path)) == digest:
            return memory
    return None


async def find_like(
    call: Call, catalogue: MemoryCatalogue, visible: VisibleMemories, new: Memory, text: str
) -> list[LikeMemory]:
    """Return the memories that have much in common with a new one, the most similar first."""
    if not visible.memories:
        return []
    index = call.vault.index.view("agents")
    words = content_words(list(dict.fromkeys(words_of(f"{new.title} {text}"))))[:MOST_WORDS]
    hits = await index.whole(TextQuery(should=tuple(words)), 4 * CANDIDATES)
    names = [
        path for name in (*new.names, *new.about) for path in catalogue.names.named(name) if path in visible.memories
    ]
    cosines = await find_near(call, visible, text)
    said = [hit.path for hit in hits if hit.path in visible.memories][:CANDIDATES]
    paths = list(dict.fromkeys([*said, *sorted(set(names))[:MOST_NAMED], *cosines]))

    def compare() -> list[LikeMemory]:
        others = {path: (visible.memories[path], read_body(call, path)) for path in paths}
        return [
            LikeMemory(path, round(one.share, 2), one.contrary, cosines.get(path))
            for path, one in zip(others, compare_statements(new, text, others), strict=True)
        ]

    like = [one for one in await asyncio.to_thread(compare) if one.is_same or one.contradicts or one.share >= SHOWN]
    return sorted(like, key=lambda one: (-max(one.share, one.cosine or 0.0), one.path))


async def find_near(call: Call, visible: VisibleMemories, text: str) -> Mapping[VaultPath, float]:
    """Return the memories nearest in meaning, with their cosines; none without a model."""
    vector = await call.vault.embed_query(text[:2_000]) if call.vault.index.answering_model else None
    if vector is None:
        return {}
    hits = await call.vault.index.nearest(vector, CANDIDATES, frozenset(visible.memories))
    return {hit.path: round(hit.score, 2) for hit in hits if hit.score >= NEARLY_SAME_COSINE}
