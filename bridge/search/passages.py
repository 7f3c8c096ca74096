"""Whole passages of the hits, within the reader's token budget."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from bridge.search.fuse import FusedHit
from bridge.search.model import ShownPassage
from bridge.text.budget import estimate_tokens
from bridge.text.invisible import visible_text
from bridge.types import VaultPath

if TYPE_CHECKING:
    from bridge.index.index import Index
    from bridge.index.rows import StoredPassage

Worth = Mapping[VaultPath, Mapping[int, float]]
"""By note: the passages that match the query, with their scores."""

MOST = 4
"""Maximum number of passages per note."""

NEARLY = 0.5
"""Minimum score of a further passage, as a share of its note's best."""


async def fill_passages(
    index: "Index", ranked: Sequence[FusedHit], best: Mapping[VaultPath, int], worth: Worth, room: int
) -> dict[VaultPath, tuple[ShownPassage, ...]]:
    """Read the best passage of each note, then the next best of each, within the budget.

    Args:
        index: The index that holds them.
        ranked: The notes, best first.
        best: By note: the passage shown anyway; the first by default.
        worth: The score of each passage.
        room: Token budget of all passages together; the first passage is read whatever its size.
    """
    from bridge.index.hits import PassageHit

    rounds = [_order_passages(best.get(hit.path, 0), worth.get(hit.path, {})) for hit in ranked]
    places = [
        PassageHit(hit.path, ordinals[place], hit.score)
        for place in range(MOST)
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
            ShownPassage(one.heading, one.lines, visible_text(one.text).strip("\n"))
            for one in sorted(passages, key=lambda one: one.ordinal)
        )
        for path, passages in found.items()
    }


def _order_passages(best: int, worth: Mapping[int, float]) -> list[int]:
    """Order a note's passages: the shown one, then those that score nearly as high."""
    least = NEARLY * worth.get(best, 0.0)
    others = sorted((one for one in worth if one != best and worth[one] >= least), key=lambda one: (-worth[one], one))
    return [best, *others][:MOST]
