"""Cuts words to what they may cost a model, counted in characters of English, of which three or four are a token."""

import bisect
import itertools


def around_match(snippet: str, most: int) -> str:
    """Shorten a snippet to the words around its first match, which needs no marks for a model."""
    before, _, after = snippet.partition("==")
    if not after:
        before, after = "", snippet
    after = after.replace("==", "")
    head, tail = fit_words(before[::-1], most // 3)[::-1], fit_words(after, most - most // 3)
    return ("…" if len(head) < len(before) else "") + head + tail + ("…" if len(tail) < len(after) else "")


def fit_words(text: str, most: int) -> str:
    """Return the words from the start that fit."""
    end = bisect.bisect_right(list(itertools.accumulate(map(weight, text))), most)
    return text if end == len(text) else text[:end].rpartition(" ")[0] or text[:end]


def cut(text: str, most: int) -> str:
    """Return a text, or its start and a sign that there is more."""
    kept = fit_words(text, most)
    return kept if len(kept) == len(text) else f"{kept}…"


def cost(text: str) -> int:
    """Return what a text costs."""
    return sum(map(weight, text))


def weight(character: str) -> int:
    """Return what a character costs: those of other scripts are more of a token, some a whole one."""
    return 1 if character < "\u0250" else 2 if character < "\u2e80" else 4
