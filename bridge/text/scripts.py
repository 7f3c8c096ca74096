"""Writing systems: how long a text is for a model, and which characters need no space between words."""

import re

UNSPACED = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\u1780-\u17ff"  # Myanmar, Khmer
    "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
)
"""Ranges of scripts that write words without spaces, for use inside a character class."""

HANGUL = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
"""Korean: words are spaced, but carry their particles, so that a dictionary form matches inside them."""

ASCII_PER_TOKEN = 4.2
OTHER_PER_TOKEN = 2.5


def estimate_tokens(text: str) -> int:
    """Estimate how many tokens a text is, without any model.

    In UTF-8 a character of Greek, Cyrillic, Hebrew or Arabic takes two bytes; one of a script in which it is about a
    token of its own takes three or more.
    """
    if text.isascii():
        return round(len(text) / ASCII_PER_TOKEN)
    plain = len(text.encode("ascii", "ignore"))
    beyond = len(text) - plain
    wide = min(beyond, len(text.encode("utf-8", "replace")) - plain - 2 * beyond)
    return round(wide + (beyond - wide) / OTHER_PER_TOKEN + plain / ASCII_PER_TOKEN)


_UNSEEN = re.compile("[\u00ad\u200b\u2060\ufeff]")
"""They only say where a line may break. Not the joiners, which are letters' business in Persian and Hindi."""


def strip_invisible(text: str) -> str:
    """Return text as a reader sees it: a word is one word, whatever invisible characters were pasted into it."""
    return text if text.isascii() else _UNSEEN.sub("", replace_surrogates(text))


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates, which no file on disk can hold."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
