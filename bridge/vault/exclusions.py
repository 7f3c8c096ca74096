"""Obsidian's excluded files, as patterns that are safe to run on any path."""

import re
import warnings

from bridge.vault.paths import nfc

MOST_REPEATS = 4
GROUP = re.compile(r"\(([^()]*)\)([*+{]?)")
NO_SYNTAX = re.compile(r"\\.|\[\^?\]?[^\]]*\]", re.DOTALL)


def is_expression(text: str) -> bool:
    """Say whether an excluded file is written as `/regular expression/`; else it is the beginning of paths."""
    return len(text) > 2 and text.startswith("/") and text.endswith("/")


def filter_pattern(text: str) -> re.Pattern[str] | None:
    """Compile one of Obsidian's excluded files; None when it is empty or cannot be used.

    Obsidian leaves out what does not compile. What only JavaScript compiles is left out here too, and what may run for
    hours on some path: a vault from somebody else may bring it.
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
            # What Python warns of, such as `[[`, JavaScript takes as written.
            warnings.simplefilter("ignore")
            return re.compile(text[1:-1], re.IGNORECASE)
    except (re.error, OverflowError, RecursionError):
        return None


def may_backtrack(expression: str) -> bool:
    """Say whether an expression repeats what itself repeats or has a choice, or repeats too often."""
    plain = NO_SYNTAX.sub("x", expression)
    if sum(plain.count(sign) for sign in "*+{") > MOST_REPEATS:
        return True
    while found := GROUP.search(plain):
        inside, repeat = found.groups()
        if repeat and re.search(r"[*+{|?]", inside.removeprefix("?:")):
            return True
        # What is left of a group tells the one around it what it holds.
        plain = plain[: found.start()] + re.sub(r"[^*+{|?]", "", inside) + repeat + plain[found.end() :]
    return False
