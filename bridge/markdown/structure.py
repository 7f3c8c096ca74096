"""The Markdown skeleton of a text: its blocks, its Markdown links, and where no link or tag can be.

Works on the text's ASCII shadow, so that all offsets count characters.
"""

from bisect import bisect_right
from collections.abc import Iterator
from typing import Any, Final, Literal

import pyromark
from msgspec import Struct, field

from bridge.types import Span

PartKind = Literal[
    "paragraph", "heading", "quote", "list", "item", "fence", "html", "table", "footnote", "rule", "math"
]

_OPTIONS = pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_FOOTNOTES | pyromark.Options.ENABLE_MATH
_MARKDOWN = pyromark.Markdown(options=_OPTIONS)

_PARTS: Final[dict[str, PartKind]] = {
    "Paragraph": "paragraph",
    "Heading": "heading",
    "BlockQuote": "quote",
    "List": "list",
    "Item": "item",
    "CodeBlock": "fence",
    "HtmlBlock": "html",
    "Table": "table",
    "FootnoteDefinition": "footnote",
}
_CONTAINERS: Final = frozenset({"quote", "list", "item", "footnote"})
_OPENERS: Final = {"Emphasis": 1, "Strong": 2, "TableCell": 0}
_LINKS: Final = frozenset({"Link", "Image"})
_SPACE: Final = frozenset(" \t\r\n")
_DIGITS: Final = frozenset("0123456789")
_MAX_OFFSET: Final = 1 << 62
_MAX_NESTING: Final = 100
"""Quotes and lists nested deeper are parsed but not recorded; a megabyte of `>` would be a million of them."""

MIN_PARTS: Final = 20_000
CHARACTERS_PER_PART: Final = 12
"""A text may have one block per this many characters, and at least `MIN_PARTS`; prose has far fewer."""


class Part(Struct):
    """A block of Markdown; `depth` counts the blocks around it, `level` is a heading's."""

    kind: PartKind
    start: int
    end: int
    depth: int
    level: int = 0


class MarkdownLink(Struct):
    """`[label](destination)` or an image; `label` is the offset where the label ends and `](` follows."""

    start: int
    end: int
    label: int
    image: bool
    inline: bool
    destination: str


class Structure(Struct):
    """What the Markdown parser found, in the order of the text."""

    parts: list[Part] = field(default_factory=list)
    links: list[MarkdownLink] = field(default_factory=list)
    holes: list[Span] = field(default_factory=list)
    """Code, math, HTML and link destinations, where Obsidian's own syntax is not read."""
    fresh: set[int] = field(default_factory=set)
    """Starts of plain text runs, where a tag needs no space before it."""
    hidden: list[Span] = field(default_factory=list)
    """Comments that are blocks of their own: tags count there, links do not."""
    end: int = 0
    """Offset at which reading ended: the rest of a text that is too long, or has too many blocks, is plain text."""

    def covers(self, offset: int) -> bool:
        return _contains(self.holes, offset)

    def hides(self, offset: int) -> bool:
        return _contains(self.hidden, offset)


def read_structure(shadow: str, into: Structure | None = None, base: int = 0) -> Structure:
    found = into if into is not None else Structure()
    found.end = _Walk(shadow, found, base).run()
    return found


_TOO_DEEP: Final = Part("quote", 0, 0, _MAX_NESTING)


def _contains(spans: list[Span], offset: int) -> bool:
    index = bisect_right(spans, (offset, _MAX_OFFSET))
    return index > 0 and offset < spans[index - 1][1]


class _Walk:
    """One pass over the parser's events; ranges of containers are trimmed to their last content."""

    __slots__ = ("base", "content", "found", "open", "open_links", "shadow")

    def __init__(self, shadow: str, found: Structure, base: int) -> None:
        self.shadow = shadow
        self.found = found
        self.base = base
        self.content = 0
        self.open: list[Part] = []
        self.open_links: list[MarkdownLink] = []

    def run(self) -> int:
        """Parse the text, and return where reading ended."""
        parts, open_links = self.found.parts, self.open_links
        most = len(parts) + max(MIN_PARTS, len(self.shadow) // CHARACTERS_PER_PART)
        for event, where in _MARKDOWN.events_with_range(self.shadow, merge_text=True):
            if len(parts) > most:
                return self.stop()
            if event.__class__ is str:
                if event == "Rule":
                    self.open_part("rule", where["start"], 0)
                    self.close_leaf(where["end"])
                continue
            [(name, value)] = event.items()
            if name == "Start":
                self.start(value, where["start"], where["end"])
                continue
            if name == "Text":
                self.content = where["end"]
            elif name == "End":
                self.close(value, where["end"])
            elif name == "Html":
                continue
            else:
                self.inline(name, where["start"], where["end"])
            if open_links:
                open_links[-1].label = self.content
        return self.base + len(self.shadow)

    def stop(self) -> int:
        """Close the open parts where their content ends so far."""
        for part in self.open:
            part.end = max(self.base + self.content, part.start + 1)
        return self.base + self.content

    def start(self, tag: Any, start: int, end: int) -> None:
        name: str
        value: Any
        name, value = (tag, None) if tag.__class__ is str else next(iter(tag.items()))
        kind = _PARTS.get(name)
        if kind is not None:
            start = self.line_start(start) if kind == "fence" and value == "Indented" else self.past_space(start, end)
            self.open_part(kind, start, int(value["level"][1]) if kind == "heading" else 0)
        elif name in _LINKS:
            label = start + (2 if name == "Image" else 1)
            inline = value["link_type"] == "Inline"
            self.open_links.append(MarkdownLink(start, end, label, name == "Image", inline, value["dest_url"]))
            self.found.fresh.add(self.base + label)
        else:
            self.found.fresh.add(self.base + start + _OPENERS.get(name, 0))

    def close(self, tag: Any, end: int) -> None:
        name = tag if tag.__class__ is str else next(iter(tag))
        kind = _PARTS.get(name)
        if kind is None:
            self.found.fresh.add(self.base + end)
            self.content = max(self.content, end)
            if name in _LINKS:
                self.close_link()
        elif kind in _CONTAINERS:
            part = self.open.pop()
            if part is not _TOO_DEEP:
                part.end = max(self.base + self.content, part.start + 1)
        else:
            self.close_leaf(end)

    def inline(self, name: str, start: int, end: int) -> None:
        self.content = end
        self.found.fresh.add(self.base + end)
        # Like Pandoc, Obsidian ignores `$5 or $6`: a digit may not follow the closing sign.
        if name == "InlineMath" and self.shadow[end : end + 1] in _DIGITS:
            return
        if name != "FootnoteReference":
            self.found.holes.append((self.base + start, self.base + end))

    def open_part(self, kind: PartKind, start: int, level: int) -> None:
        if len(self.open) >= _MAX_NESTING and kind in _CONTAINERS:
            self.open.append(_TOO_DEEP)
            return
        part = Part(kind, self.base + start, 0, len(self.open), level)
        self.open.append(part)
        self.found.parts.append(part)
        self.found.fresh.add(part.start)

    def close_leaf(self, end: int) -> None:
        part = self.open.pop()
        start = part.start - self.base
        shadow = self.shadow
        while end > start + 1 and shadow[end - 1] in _SPACE:
            end -= 1
        part.end = self.base + end
        self.content = end
        if part.kind in {"fence", "html"}:
            self.found.holes.append((part.start, part.end))
        elif part.kind == "heading" and "\n" in shadow[start:end].rstrip("=-\n\r \t"):
            # Obsidian underlines only headings of one line.
            part.kind = "paragraph"
        elif part.kind == "paragraph" and self.found.holes and self.found.holes[-1] == (part.start, part.end):
            part.kind = "math" if shadow.startswith("$$", start) else "paragraph"

    def close_link(self) -> None:
        link = self.open_links.pop()
        wiki = self.shadow.startswith(("[[", "![["), link.start) and self.shadow[link.label - 1] == "]"
        if not link.inline or wiki:
            # Obsidian's cache has no reference links, and in `[[a]](b)` the parentheses are plain text.
            return
        self.found.holes.append((self.base + link.label, self.base + link.end))
        if len(self.open_links) >= _MAX_NESTING:
            # Each image keeps its own copy of all that is nested in it.
            return
        link.start += self.base
        link.end += self.base
        link.label += self.base
        self.found.links.append(link)

    def past_space(self, start: int, end: int) -> int:
        # Below a tab the parser starts an item in its indentation, or even at the line break before it.
        while start < end - 1 and self.shadow[start] in _SPACE:
            start += 1
        return start

    def line_start(self, start: int) -> int:
        while start > 0 and self.shadow[start - 1] in " \t":
            start -= 1
        return start


def html_comments(text: str, start: int, end: int, *, unclosed: bool = False) -> Iterator[Span]:
    """Yield the spans of HTML comments between two offsets."""
    while (begin := text.find("<!--", start, end)) >= 0:
        close = text.find("-->", begin + 4, end)
        if close < 0:
            if unclosed:
                yield begin, end
            return
        start = close + 3
        yield begin, start
