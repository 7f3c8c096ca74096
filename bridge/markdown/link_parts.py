"""The parts of a link in its markup: file, subpath and displayed text."""

import html
import re
from typing import Final, Literal
from urllib.parse import quote

from bridge.markdown.link_targets import SUBPATH, inside_wiki
from bridge.markdown.links import LONGEST_LABEL, POINTED
from bridge.records import dataclass
from bridge.types import Span

Syntax = Literal["wiki", "markdown", "path"]
"""How a link is written: `[[file#place|words]]`, `[words](file#place)`, or only the path of a file."""

_BARE: Final = re.compile(r"[^ \t\r\n]*")


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of one link, as offsets into its markup."""

    file: Span
    """The file name; empty in a link to a place in the note itself."""
    place: Span
    """From the first `#` or `^` on; empty when the link names the whole file."""
    shown: Span | None = None


def wiki_parts(markup: str) -> Parts:
    """Locate the parts of `[[…]]` or `![[…]]`."""
    first, last = markup.index("[[") + 2, len(markup) - 2
    bar = markup.find("|", first + 1, last)
    if bar < 0:
        return _target(markup, first, last)
    # Inside a table the bar is written `\|`.
    end = bar - 1 if markup[bar - 1] == "\\" else bar
    found = _target(markup, first, end)
    return Parts(found.file, found.place, _strip(markup, bar + 1, last))


def markdown_parts(markup: str, label: int) -> Parts:
    """Locate the parts of `[…](…)` or `![…](…)`.

    Args:
        markup: The link.
        label: The length of its label in characters; at least this long for a very long one.
    """
    first = markup.index("[") + 1
    end = first + label if label < LONGEST_LABEL else markup.rindex("](")
    found = destination_parts(markup, end + 2, len(markup) - 1)
    return Parts(found.file, found.place, (first, end))


def destination_parts(text: str, start: int, end: int) -> Parts:
    """Locate the parts of a Markdown destination between two offsets, with or without a title after it."""
    while start < end and text[start] in " \t\r\n":
        start += 1
    if pointed := POINTED.match(text, start, end):
        return _target(text, *pointed.span(1))
    bare = _BARE.match(text, start, end)
    return _target(text, start, bare.end() if bare else end)


def _target(text: str, start: int, end: int) -> Parts:
    """Split the text between two offsets into file and subpath."""
    cut = SUBPATH.search(text, start, end)
    at = cut.start() if cut else end
    return Parts(_strip(text, start, at), _strip(text, at, end))


def _strip(text: str, start: int, end: int) -> Span:
    inside = text[start:end]
    first = start + len(inside) - len(inside.lstrip())
    return first, max(first, start + len(inside.rstrip()))


_NOT_IN_WIKI: Final = re.compile(r"[|#^\\\r\n]|%%")
_PAIRED: Final = re.compile(rf"{inside_wiki()}*")

NOT_IN_PLACE: Final = re.compile(r"(?:[:#|^\\\r\n\s]|%%|\[\[|\]\])+")
"""Characters not allowed in the heading part of any link."""

_NOT_IN_ADDRESS: Final = re.compile(r"[\x00-\x20%#^|<>\[\]\\\"]")
_NOT_IN_POINTED: Final = re.compile(r"[\x00-\x1f%#^|<>\\]")
_PARENTHESIS: Final = re.compile(r"[()]")
_ENCODED_LETTER: Final = re.compile(r"%[89A-Fa-f][0-9A-Fa-f]")


def percent_encode(name: str) -> str:
    """Encode a file name for a new Markdown link."""
    return _PARENTHESIS.sub(_percent, _NOT_IN_ADDRESS.sub(_percent, name))


def find_flaw(name: str) -> str | None:
    """Return what a wiki link, which has no escapes, cannot have in the name of a file; None if it can name it."""
    if found := _NOT_IN_WIKI.search(name):
        return found[0]
    return "[" if name.startswith("[") else find_lone_bracket(name)


def find_lone_bracket(text: str) -> str | None:
    """Return the first bracket that is not one of a pair, or None."""
    paired = _PAIRED.match(text)
    return text[paired.end() if paired else 0 :][:1] or None


def wiki_file_name(way: str) -> str | None:
    """Return a file name for a wiki link; None when a wiki link cannot contain it."""
    return None if find_flaw(way) else way


def encode_destination(way: str, before: str, *, pointed: bool) -> str:
    """Write a file name for a Markdown link, encoded as the old name was.

    Args:
        way: The new name.
        before: The old destination.
        pointed: Whether it is between `<` and `>`.
    """
    if pointed:
        text = _NOT_IN_POINTED.sub(_percent, way)
    elif _ENCODED_LETTER.search(before):
        text = quote(way, safe="/!$&'()*+,;=:@~-._")
    else:
        text = _NOT_IN_ADDRESS.sub(_percent, way)
    if not pointed and not _is_balanced(text):
        text = _PARENTHESIS.sub(_percent, text)
    return text if html.unescape(text) == text else text.replace("&", "%26")


def _is_balanced(text: str) -> bool:
    depth = 0
    for each in _PARENTHESIS.findall(text):
        depth += 1 if each == "(" else -1
        if depth < 0:
            return False
    return depth == 0


def _percent(found: re.Match[str]) -> str:
    return f"%{ord(found[0]):02X}"
