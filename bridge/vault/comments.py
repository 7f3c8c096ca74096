"""Obsidian's `%%comments%%`, found before the Markdown is parsed because they hide it."""

import re
from collections.abc import Iterator
from typing import Final

from bridge.types import Span

# What may hold `%%` without starting a comment is consumed whole, whichever comes first; runs are bounded so that
# a hostile line stays linear.
_NEXT: Final = re.compile(
    r"""
      ^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?P<fence>`{3,}|~{3,})
    | <!--[\s\S]*?(?:-->|\Z)
    | \$\$[^$]*\$\$
    | (?<!`)(?P<ticks>`+)(?!`)[^\n]{0,1000}?(?<!`)(?P=ticks)(?!`)
    | (?P<comment>%%)
    """,
    re.MULTILINE | re.VERBOSE,
)
_BLANK_LINE: Final = re.compile(r"\n[ \t]*\r?\n")


def find_comments(shadow: str) -> tuple[list[Span], list[Span]]:
    """Return the comments that are blocks of their own, and those inside a paragraph.

    One that is never closed is plain text: better to find what was meant to be hidden than to lose the rest of a note.
    """
    blocks: list[Span] = []
    inlines: list[Span] = []
    position = shadow.find("%%")
    position = 0 if position >= 0 else len(shadow)
    while found := _NEXT.search(shadow, position):
        start, position = found.span()
        if fence := found["fence"]:
            position = _fence_end(shadow, position, fence)
        elif found["comment"]:
            end = shadow.find("%%", position)
            if end < 0:
                break
            if _starts_line(shadow, start) and _fills_lines(shadow, start, end + 2):
                position = end + 2
                blocks.append((start, position))
            elif not _BLANK_LINE.search(shadow, start, end):
                position = end + 2
                inlines.append((start, position))
    return blocks, inlines


def html_comments(text: str, start: int, end: int, *, unclosed: bool = False) -> Iterator[Span]:
    """Yield where a stretch of text has HTML comments.

    Args:
        text: The text.
        start: Where the stretch starts.
        end: Where it ends.
        unclosed: Whether a comment without an end takes all that follows.
    """
    while (begin := text.find("<!--", start, end)) >= 0:
        close = text.find("-->", begin + 4, end)
        if close < 0:
            if unclosed:
                yield begin, end
            return
        start = close + 3
        yield begin, start


def _fence_end(shadow: str, position: int, fence: str) -> int:
    closing = re.compile(rf"^[ \t>]*{re.escape(fence)}{re.escape(fence[0])}*[ \t]*\r?$", re.MULTILINE)
    found = closing.search(shadow, position)
    return found.end() if found else len(shadow)


def _starts_line(shadow: str, start: int) -> bool:
    line = shadow.rfind("\n", max(0, start - 4), start) + 1
    return start - line <= 3 and shadow[line:start].isspace() if start > line else True


def _fills_lines(shadow: str, start: int, end: int) -> bool:
    """Tell whether a closed comment spans lines or leaves nothing else on its own."""
    if "\n" in shadow[start:end]:
        return True
    line_end = shadow.find("\n", end)
    return not shadow[end : line_end if line_end >= 0 else len(shadow)].strip()
