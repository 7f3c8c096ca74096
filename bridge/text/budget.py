"""Cuts text to a token budget, counted in English characters, three or four of which make a token."""

import bisect
import itertools


def around_match(snippet: str, most: int) -> str:
    """Shorten a snippet to the words around its first match, without the marks, which a model does not need."""
    before, _, after = snippet.partition("==")
    if not after:
        before, after = "", snippet
    after = after.replace("==", "")
    head, tail = fit_words(before[::-1], most // 3)[::-1], fit_words(after, most - most // 3)
    return ("…" if len(head) < len(before) else "") + head + tail + ("…" if len(tail) < len(after) else "")


def fit_words(text: str, most: int) -> str:
    """Return the leading words that fit."""
    end = bisect.bisect_right(list(itertools.accumulate(map(weight, text))), most)
    return text if end == len(text) else text[:end].rpartition(" ")[0] or text[:end]


def cut(text: str, most: int) -> str:
    """Return a text, or its start and an ellipsis."""
    kept = fit_words(text, most)
    return kept if len(kept) == len(text) else f"{kept}…"


def cost(text: str) -> int:
    """Return the cost of a text."""
    return sum(map(weight, text))


def weight(character: str) -> int:
    """Return the cost of a character: one of another script is a larger part of a token, or a whole one."""
    return 1 if character < "\u0250" else 2 if character < "\u2e80" else 4
