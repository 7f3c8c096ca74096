"""What of a passage a model should read: the words without markup, addresses and program blocks."""

import re
from collections.abc import Iterator

from bridge.types import Span

PROGRAMS = frozenset({"dataview", "dataviewjs", "tasks", "query", "button", "buttons", "base", "meta-bind", "tracker"})
"""Languages of code blocks that a plugin runs: their text is not what the reader sees."""

_FENCE = re.compile(r"^[ \t>]*(`{3,}|~{3,})[ \t]*\{?\.?([\w-]*)[^\n]*$", re.MULTILINE)
_Steps = tuple[tuple[str, re.Pattern[str], str], ...]
"""What is taken away, in order: what must be there for the pattern to match, the pattern, and what takes its place."""

_LINKS: _Steps = (
    ("%%", re.compile(r"%%.*?%%", re.DOTALL), " "),
    ("<!--", re.compile(r"<!--.*?-->", re.DOTALL), " "),
    ("![[", re.compile(r"!\[\[(?:[^\[\]|\n]*\|)?([^\[\]\n]*)\]\]"), r"\1"),
    ("[[", re.compile(r"\[\[(?:[^\[\]|\n]*\|)?([^\[\]\n]*)\]\]"), r"\1"),
    (
        "](",
        re.compile(r"!?\[([^\[\]\n]*)\]\((?:<[^>\n]*>|[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s+\"[^\"\n]*\")?\)"),
        r"\1",
    ),
    ("<", re.compile(r"<(?:https?|mailto)[^>\s]*>"), " "),
    ("://", re.compile(r"\bhttps?://(?:www\.)?([^\s/?#<>)\]]{1,80})[^\s<>)\]]*"), r"\1"),
    ("<", re.compile(r"</?[A-Za-z][^<>\n]{0,400}>"), " "),
    ("&nbsp;", re.compile(r"&nbsp;"), " "),
)
_TAG = re.compile(
    r"</?[A-Za-z][\w-]*+(?:\s++[^\s\"'<>/=]++(?:\s*+=\s*+(?:\"[^\"<>]*+\"|'[^'<>]*+'|[^\s\"'<>=]++))?)*+\s*+/?>|&nbsp;"
)
"""A tag of HTML with its attributes, or a blank written as an entity."""

_TICKS = re.compile(r"`+")

_SIGNS: _Steps = (
    ("[^", re.compile(r"\[\^[^\]\s]+\]:?"), ""),
    ("*", re.compile(r"\*{1,3}"), ""),
    ("`", re.compile(r"`+"), ""),
    ("_", re.compile(r"(?<!\w)_{1,3}|_{1,3}(?!\w)"), ""),
    ("~~", re.compile(r"~~"), ""),
    ("==", re.compile(r"=="), ""),
    ("|", re.compile(r"[ \t]*\|[ \t]*"), " "),
)
_MARKED = re.compile(r"[ \t]*[|>#*+_:\d-]")
"""How a line begins that any of the next three may change."""
_RULE = re.compile(
    # Possessive: else the ways to share out the blanks of a row of empty cells multiply from cell to cell.
    r"[ \t]*+>?[ \t]*+\|?[ \t]*+:?-{2,}+:?[ \t]*+(?:\|[ \t]*+:?-*+:?[ \t]*+)++|[ \t]*+(?:[-*_][ \t]*+){3,}+"
)
_QUOTE = re.compile(r"[ \t]*(?:>[ \t]?)+(?:\[![\w|-]+\][+-]?)?")
_ITEM = re.compile(r"[ \t]*(?:#{1,6}|(?:[-*+]|\d{1,9}[.)])(?:[ \t]+\[.\])?)[ \t]+")
_BLOCK_ID = re.compile(r"[ \t]\^[A-Za-z0-9-]+[ \t]*\Z")
_DATA = re.compile(r"(?<![!-~])[!-~]{120,}")
_DATA_HAS = "/=+_#&%.-"
_BLANKS = re.compile(r"[\t\r\f\v\u00a0]")
_MANY_BLANKS = re.compile(r" {2,}")


def reduced(text: str) -> str:
    """Return the words of a stretch of Markdown."""
    text = _without(_LINKS, text)
    text = "\n".join(map(_unmarked, text.split("\n")))
    text = _without(_SIGNS, text)
    # Wherever 120 characters without a blank begin, one of these twenties is among them.
    unbroken = any(" " not in text[at : at + 20] for at in range(0, len(text), 100))
    if unbroken and any(map(text.__contains__, _DATA_HAS)):
        text = _DATA.sub(" ", text)
    text = _MANY_BLANKS.sub(" ", _BLANKS.sub(" ", text))
    first, *rest = text.split("\n")
    said = [first, *filter(None, map(str.lstrip, rest))]
    return "\n".join(line.removesuffix(" ") for line in said).strip()


def without_tags(text: str) -> str:
    """Return text without tags of HTML, of which only what stands between them is read; those in code stay."""
    if "<" not in text and "&nbsp;" not in text:
        return text
    kept: list[str] = []
    at = 0
    for start, end in _code(text):
        kept += (_TAG.sub(" ", text[at:start]), text[start:end])
        at = end
    return "".join((*kept, _TAG.sub(" ", text[at:])))


def _code(text: str) -> Iterator[Span]:
    """Yield where a text is code: between fences, and between ticks of which as many open it as close it."""
    at = 0
    opening: re.Match[str] | None = None
    for fence in _FENCE.finditer(text) if "```" in text or "~~~" in text else ():
        if opening is None:
            yield from _ticked(text, at, fence.start())
            opening = fence
        elif fence[1].startswith(opening[1]) and not fence[2]:
            at = fence.end()
            yield opening.start(), at
            opening = None
    if opening is None:
        yield from _ticked(text, at, len(text))
    else:
        yield opening.start(), len(text)


def _ticked(text: str, start: int, end: int) -> Iterator[Span]:
    runs = list(_TICKS.finditer(text, start, end))
    closes: dict[int, int] = {}
    upcoming: dict[int, int] = {}
    for place in reversed(range(len(runs))):
        length = len(runs[place].group())
        closes[place] = upcoming.get(length, -1)
        upcoming[length] = place
    place = 0
    while place < len(runs):
        if (closed := closes[place]) > 0:
            yield runs[place].start(), runs[closed].end()
            place = closed
        place += 1


def _without(steps: _Steps, text: str) -> str:
    for needed, pattern, by in steps:
        if needed in text:
            text = pattern.sub(by, text)
    return text


def _unmarked(line: str) -> str:
    """Take the signs from a line that make it a quote, a heading or an item, and its block id."""
    if marked := _MARKED.match(line):
        sign = line[marked.end() - 1]
        if sign in "|>:-*_" and _RULE.fullmatch(line):
            return ""
        if sign == ">" and (quote := _QUOTE.match(line)):
            line = line[quote.end() :]
        if sign not in "|:_" and (item := _ITEM.match(line)):
            line = line[item.end() :]
    if "^" in line and (block_id := _BLOCK_ID.search(line)):
        line = line[: block_id.start()]
    return line


def without_programs(text: str) -> tuple[str, list[str]]:
    """Drop the code blocks that a plugin would run.

    Returns:
        The rest, and what each dropped block was.
    """
    if "```" not in text and "~~~" not in text:
        return text, []
    kept: list[str] = []
    dropped: list[str] = []
    at = 0
    opening: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opening is None:
            opening = fence
            continue
        if fence[1].startswith(opening[1]) and not fence[2]:
            if opening[2].casefold() in PROGRAMS:
                kept.append(text[at : opening.start()])
                dropped.append(f"a `{opening[2].casefold()}` block")
                at = fence.end()
            opening = None
    if opening is not None and opening[2].casefold() in PROGRAMS:
        kept.append(text[at : opening.start()])
        dropped.append(f"a `{opening[2].casefold()}` block")
        at = len(text)
    kept.append(text[at:])
    return "".join(kept), dropped
