"""Tags in running text, and the characters of a tag."""

import re
from collections.abc import Iterator
from typing import Final

from bridge.markdown.links import WIKI
from bridge.markdown.note import Tag
from bridge.markdown.structure import Structure
from bridge.text.lines import LineIndex
from bridge.types import Span

# The characters Obsidian excludes from tags: general punctuation, ASCII punctuation except `-`, `_` and `/`, white
# space; and control characters, which no index should contain.
_KEPT_OUT: Final = r"\u2000-\u206F\u2E00-\u2E7F'!\"#$%&()*+,.:;<=>?@^`{|}~\[\]\\\s\x00-\x1F\x7F\uFEFF"
_TAG: Final = re.compile(rf"#([^{_KEPT_OUT}]+)")
_NAME: Final = re.compile(rf"[^{_KEPT_OUT}]+")
_NUMBER: Final = re.compile(r"[0-9]+")
_DELIMITERS: Final = frozenset({"~~", "==", "]]"})
_MAX_QUOTE_CHARS: Final = 200
_QUOTED_LINE: Final = re.compile(r"[ \t>]*")


def is_tag(name: str) -> bool:
    """Return whether Obsidian accepts the text, without `#`, as a tag."""
    return _NAME.fullmatch(name) is not None and _NUMBER.fullmatch(name) is None


def read_tags(text: str, start: int, structure: Structure, lines: LineIndex) -> Iterator[Tag]:
    for name, (offset, _) in find_tags(text, start, structure):
        yield Tag(name, lines.at(offset))


def find_tags(text: str, start: int, structure: Structure) -> Iterator[tuple[str, Span]]:
    links: list[re.Match[str]] | None = None
    last = -1
    for found in _TAG.finditer(text, start, structure.end):
        offset, end = found.span()
        if not (offset == last or _may_start(text, offset, structure)) or structure.covers(offset):
            continue
        if links is None:
            links = list(WIKI.finditer(text, start, structure.end))[::-1]
        while links and links[-1].end() <= offset:
            links.pop()
        if links and links[-1].start() < offset:
            continue
        name = found[1]
        if name.endswith("_") and end in structure.fresh:
            name = name.rstrip("_")
        if name and _NUMBER.fullmatch(name) is None:
            last = end
            yield name, (offset, offset + 1 + len(name))


def _may_start(text: str, offset: int, structure: Structure) -> bool:
    if offset == 0 or offset in structure.fresh:
        return True
    before = text[offset - 1]
    if before.isspace() or before == "_" or text[offset - 2 : offset] in _DELIMITERS:
        return True
    if before == ">":
        line = text.rfind("\n", max(0, offset - _MAX_QUOTE_CHARS), offset) + 1
        return _QUOTED_LINE.fullmatch(text, line, offset) is not None
    return text[offset - 2 : offset - 1] == "\\" and before in "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
