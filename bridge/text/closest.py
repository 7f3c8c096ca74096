"""Finds the known names that a misspelt one may mean."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches


def find_closest(name: str, known: Iterable[str], least: float = 0.6) -> str | None:
    """Return the known name that is most like another, in any case; None if none reaches this likeness (0-1)."""
    spellings = {each.casefold(): each for each in known}
    return next((spellings[each] for each in get_close_matches(name.casefold(), spellings, 1, least)), None)


def find_mistyped(word: str, words: Sequence[str], errors: int, limit: int | None = None) -> list[tuple[str, int]]:
    """Return the words within so many typing errors, the nearest first, with their number of errors."""
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    near = process.extract(word, words, scorer=OSA.distance, score_cutoff=errors, limit=limit)
    return [(other, int(distance)) for other, distance, _ in near]
