"""Compiles Obsidian's excluded files to patterns that are safe to run on any path."""

import re
import warnings

from bridge.vault.paths import nfc

MOST_REPEATS = 4
GROUP = re.compile(r"\(([^()]*)\)([*+{]?)")
NO_SYNTAX = re.compile(r"\\.|\[\^?\]?[^\]]*\]", re.DOTALL)


def is_expression(text: str) -> bool:
    """Return whether an excluded file is written as `/regular expression/`; otherwise it is a path prefix."""
    return len(text) > 2 and text.startswith("/") and text.endswith("/")


def filter_pattern(text: str) -> re.Pattern[str] | None:
    """Compile one of Obsidian's excluded files; None when it is empty or unusable.

    Obsidian ignores what does not compile. A pattern that only JavaScript compiles is ignored here too, and so is one
    that may backtrack for hours on some path, since a vault from another person may contain it.
    """
    text = nfc(text).strip()
    if not text:
        return None
    if not is_expression(text):
        return re.compile(f"^{re.escape(text)}", re.IGNORECASE)
    if may_backtrack(text[1:-1]):
        return None
    try:
        with warnings.catch_warnings():
            # Python warns about syntax such as `[[`, which JavaScript takes literally.
            warnings.simplefilter("ignore")
            return re.compile(text[1:-1], re.IGNORECASE)
    except (re.error, OverflowError, RecursionError):
        return None


def may_backtrack(expression: str) -> bool:
    """Return whether an expression repeats a part that has a repeat or a choice, or has too many repeats."""
    plain = NO_SYNTAX.sub("x", expression)
    if sum(plain.count(sign) for sign in "*+{") > MOST_REPEATS:
        return True
    while found := GROUP.search(plain):
        inside, repeat = found.groups()
        if repeat and re.search(r"[*+{|?]", inside.removeprefix("?:")):
            return True
        # The remains of a group tell the surrounding group what it contains.
        plain = plain[: found.start()] + re.sub(r"[^*+{|?]", "", inside) + repeat + plain[found.end() :]
    return False
