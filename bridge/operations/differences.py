"""A change of a text, as a unified diff."""

import difflib
import re
from typing import Final

LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")
"""Lines as other programs count them; `splitlines` also ends one at characters that stand in the midst of a line."""


def unified(before: str, after: str, path: str) -> str:
    """Return what turns one text into the other; empty when nothing does."""
    ends = LINE.findall(before), LINE.findall(after)
    lines = difflib.unified_diff(*ends, f"a/{path}", f"b/{path}")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
