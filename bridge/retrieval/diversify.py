"""Keeps near-duplicates from filling an answer."""

from collections.abc import Sequence
from typing import TypeVar

from bridge.retrieval.matching import words_of

SAME = 0.9
"""Share of common word triples above which two passages say the same."""

_ROUGHLY = 0.7
_FEW = 8
"""Words below which a passage is too short to be told from another, unless its script sets no words apart."""

_Item = TypeVar("_Item")


def shingles(text: str) -> frozenset[int]:
    """Return the text's word triples (character triples where words are not set apart); none of a short text."""
    words = words_of(text)
    if len(words) < _FEW:
        joined = "".join(words)
        if joined.isascii() or len(joined) < 3 * _FEW:
            return frozenset()
        return frozenset(hash(joined[at : at + 3]) for at in range(len(joined) - 2))
    return frozenset(map(hash, zip(words, words[1:], words[2:], strict=False)))


def collapse(items: Sequence[tuple[_Item, str]]) -> tuple[list[_Item], dict[int, int]]:
    """Keep the first of each group of near-duplicate passages.

    Args:
        items: Things with their passages, best first.

    Returns:
        What is kept in order, and how many each kept one stands for beside itself, by its place in the result.
    """
    kept: list[tuple[_Item, str, frozenset[str]]] = []
    others: dict[int, int] = {}
    for item, text in items:
        bag = frozenset(text.split())
        twin = next(
            (at for at, (_, other, words) in enumerate(kept) if _may_be_alike(bag, words) and _alike(text, other)), None
        )
        if twin is None:
            kept.append((item, text, bag))
        else:
            others[twin] = others.get(twin, 0) + 1
    return [item for item, _, _ in kept], others


def _may_be_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Compare words without their order, which is cheap and rules nearly all pairs out."""
    fewer, more = sorted((len(one), len(other)))
    return (fewer >= _ROUGHLY * more and len(one & other) >= _ROUGHLY * more) or fewer == more < _FEW


def _alike(one: str, other: str) -> bool:
    mine, theirs = shingles(one), shingles(other)
    return bool(mine and theirs) and len(mine & theirs) >= SAME * len(mine | theirs)
