"""Estimates tokens without a model, and cuts text to a budget counted in English characters."""

import bisect
import itertools
from collections.abc import Sequence

ASCII_PER_TOKEN = 4.2
OTHER_PER_TOKEN = 2.5


def estimate_tokens(text: str) -> int:
    """Estimate the number of tokens of a text without a model.

    In UTF-8 a character of Greek, Cyrillic, Hebrew or Arabic takes two bytes; one of a script where it is about a token
    takes three or more.
    """
    if text.isascii():
        return round(len(text) / ASCII_PER_TOKEN)
    plain = len(text.encode("ascii", "ignore"))
    beyond = len(text) - plain
    wide = min(beyond, len(text.encode("utf-8", "replace")) - plain - 2 * beyond)
    return round(wide + (beyond - wide) / OTHER_PER_TOKEN + plain / ASCII_PER_TOKEN)


def around_match(snippet: str, most: int) -> str:
    """Shorten a snippet to the words around its first match, without the marks, which a model does not need."""
    before, _, after = snippet.partition("==")
    if not after:
        before, after = "", snippet
    after = after.replace("==", "")
    head, tail = fit_words(before[::-1], most // 3)[::-1], fit_words(after, most - most // 3)
    return ("…" if len(head) < len(before) else "") + head + tail + ("…" if len(tail) < len(after) else "")


def fit_words(text: str, most: int) -> str:
    if text.isascii():
        end = max(0, min(most, len(text)))
    else:
        end = bisect.bisect_right(list(itertools.accumulate(map(weight, text[: most + 1]))), most)
    return text if end == len(text) else text[:end].rpartition(" ")[0] or text[:end]


def cut(text: str, most: int) -> str:
    words = fit_words(text, most)
    return words if len(words) == len(text) else f"{words}…"


def shorten(text: str, most: int) -> str:
    """Return a text of at most so many characters; a longer one ends in an ellipsis, in the middle of a word or not."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def cut_start(text: str, most: int) -> str:
    """Return a text of at most so many characters, or an ellipsis and its last whole words."""
    if len(text) <= most:
        return text
    end = text[-most:]
    return f"…{end[end.find(' ') + 1 :]}"


def cost(text: str) -> int:
    return len(text) if text.isascii() else sum(map(weight, text))


def weight(character: str) -> int:
    """Return the cost of a character: one of another script is a larger part of a token, or a whole one."""
    return 1 if character < "\u0250" else 2 if character < "\u2e80" else 4


def share_room(sizes: Sequence[int], room: int) -> list[int]:
    """Return how much room each gets: a small one as much as it needs, the larger ones equal shares of the rest."""
    shares = [0] * len(sizes)
    for done, at in enumerate(sorted(range(len(sizes)), key=sizes.__getitem__)):
        shares[at] = min(sizes[at], room // (len(sizes) - done))
        room -= shares[at]
    return shares


MAX_REASONS_TOKENS = 80
"""Budget for the reasons of a hit or a suggestion."""


def cut_reasons(reasons: Sequence[str]) -> str:
    """Join as many reasons as fit, each of them whole."""
    shown: list[str] = []
    for reason in reasons:
        if cost("; ".join([*shown, reason])) <= MAX_REASONS_TOKENS:
            shown.append(reason)
    return "; ".join(shown) or cut("; ".join(reasons), MAX_REASONS_TOKENS)
