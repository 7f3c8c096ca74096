"""Whole passages of the hits, within the reader's token budget."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from bridge.index.hits import PassageHit
from bridge.index.index import Index
from bridge.index.rows import StoredPassage
from bridge.search.fuse import FusedHit
from bridge.search.model import ShownPassage
from bridge.search.snippet import is_bare, keep_values
from bridge.text.budget import estimate_tokens
from bridge.text.invisible import visible_text, without_blank_lines
from bridge.types import VaultPath

Worth = Mapping[VaultPath, Mapping[int, float]]
"""By note: the passages that match the query, with their scores."""

MAX_PASSAGES = 4
"""Maximum number of passages per note."""

LEAD = 4
"""First passages of a note among which one is looked for that says something."""

NEARLY = 0.5
"""Minimum score of a further passage, as a share of its note's best."""


async def read_shown(index: Index, hits: Sequence[PassageHit]) -> list[StoredPassage]:
    """Read the passages that stand for notes; for one of headings only, the first of its note that says something.

    Where none does, it is one of labelled values, else without text. One of labelled values has a better one beside it.
    """
    found = await index.text_of(hits)
    silent = [one for one in found if _is_silent(index, one)]
    others = [
        PassageHit(one.path, ordinal, 0.0)
        for one in silent
        for ordinal in range(min(LEAD, index.notes[one.path].passages))
        if ordinal != one.ordinal
    ]
    leads: dict[VaultPath, StoredPassage] = {}
    values: dict[VaultPath, StoredPassage] = {}
    for one in await index.text_of(others) if others else ():
        if not _is_silent(index, one):
            leads.setdefault(one.path, one)
        elif not is_bare(one.text, index.notes[one.path].title):
            values.setdefault(one.path, one)

    def choose(one: StoredPassage) -> StoredPassage:
        if is_bare(one.text, index.notes[one.path].title):
            return leads.get(one.path) or values.get(one.path) or replace(one, text="", labels=())
        return replace(one, lead=leads.get(one.path))

    return [choose(one) if one in silent else one for one in found]


def _is_silent(index: Index, passage: StoredPassage) -> bool:
    said = keep_values(passage.text, passage.labels, lambda _: False) if passage.labels else passage.text
    return is_bare(said, index.notes[passage.path].title)


async def fill_passages(
    index: Index, ranked: Sequence[FusedHit], best: Mapping[VaultPath, int], worth: Worth, room: int
) -> dict[VaultPath, tuple[ShownPassage, ...]]:
    """Read the best passage of each note, then the next best of each, within the budget."""
    rounds = [_order_passages(best.get(hit.path, 0), worth.get(hit.path, {})) for hit in ranked]
    places = [
        PassageHit(hit.path, ordinals[place], hit.score)
        for place in range(MAX_PASSAGES)
        for hit, ordinals in zip(ranked, rounds, strict=True)
        if place < len(ordinals)
    ]
    found: dict[VaultPath, list[StoredPassage]] = {}
    left = room
    for passage in await index.text_of(places):
        cost = estimate_tokens(passage.text)
        if passage.text.strip() and (cost <= left or left == room):
            found.setdefault(passage.path, []).append(passage)
            left -= cost
    return {
        path: tuple(
            ShownPassage(one.heading, one.lines, without_blank_lines(visible_text(one.text)))
            for one in sorted(passages, key=lambda one: one.ordinal)
        )
        for path, passages in found.items()
    }


def _order_passages(best: int, worth: Mapping[int, float]) -> list[int]:
    """Order a note's passages: the shown one, then those that score nearly as high."""
    least = NEARLY * worth.get(best, 0.0)
    others = sorted((one for one in worth if one != best and worth[one] >= least), key=lambda one: (-worth[one], one))
    return [best, *others][:MAX_PASSAGES]
