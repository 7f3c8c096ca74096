"""Writing systems: token estimates, and the characters that need no space between words."""

import re

UNSPACED = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\u1780-\u17ff"  # Myanmar, Khmer
    "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
)
"""Ranges of scripts that write words without spaces, for use inside a character class."""

HANGUL = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
"""Korean: words are separated by spaces but carry particles, so that a dictionary form matches inside them."""

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


_UNSEEN = re.compile("[\u00ad\u200b\u2060\ufeff]")
"""They only mark line break opportunities. Joiners are not included, because Persian and Hindi spell with them."""


def strip_invisible(text: str) -> str:
    """Return text as a reader sees it: invisible characters pasted into a word do not split it."""
    return text if text.isascii() else _UNSEEN.sub("", replace_surrogates(text))


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates, which no file on disk can contain."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
