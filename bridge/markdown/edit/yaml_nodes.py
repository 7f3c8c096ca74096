"""Locates each property of a block, so that it can be changed and nothing else."""

import re
from collections.abc import Iterator
from typing import Any, Final, Literal

from yaml import (
    AliasEvent,
    CBaseLoader,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from bridge.records import dataclass
from bridge.types import Span

Style = Literal["plain", "'", '"', "literal", "flow", "block", "alias"]

_STYLES: Final[dict[str | None, Style]] = {"'": "'", '"': '"', "|": "literal", ">": "literal"}
_LINE_END: Final = re.compile(r"\r\n|\n|\r|\Z")
_COLON: Final = re.compile(r"[ \t]*:")


@dataclass(frozen=True, slots=True)
class Node:
    """A value as written; `span` ends after its last character and includes an anchor or tag in front."""

    span: Span
    style: Style
    items: tuple["Node", ...] | None = None
    """The items of a list."""
    anchors: frozenset[str] = frozenset()
    aliases: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class YamlEntry:
    """A property; offsets refer to the block."""

    name: str | None
    """None when it is not a plain name, such as a list."""
    colon: int
    """Offset after the `:`."""
    value: Node
    lines: Span
    """From the start of its first line to after the line end of its last."""
    indent: int


def yaml_line_start(text: str, offset: int) -> int:
    """Return the start of an offset's line."""
    return max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1


def line_end_span(text: str, offset: int) -> Span:
    """Return where an offset's line ends, and where the next one begins."""
    found = _LINE_END.search(text, offset)
    return found.span() if found else (len(text), len(text))


def read_entries(block: str) -> tuple[YamlEntry, ...] | None:
    """Return the properties of a block that the loader can read; None when they are inside `{…}`."""
    parser = CBaseLoader(block)
    while not isinstance(event := _next(parser), MappingStartEvent):
        if isinstance(event, StreamEndEvent):
            return ()
    return None if event.flow_style else tuple(_entries(block, parser))


def _entries(block: str, parser: CBaseLoader) -> Iterator[YamlEntry]:
    while not isinstance(event := _next(parser), MappingEndEvent):
        key = _node(block, parser, event)
        value = _node(block, parser, _next(parser))
        first = yaml_line_start(block, key.span[0])
        colon = _COLON.match(block, key.span[1])
        simple = isinstance(event, ScalarEvent) and colon is not None and not block[first : key.span[0]].strip()
        yield YamlEntry(
            name=event.value if simple else None,
            colon=colon.end() if colon else key.span[1],
            value=value,
            lines=(first, line_end_span(block, max(value.span[1], key.span[1]))[1]),
            indent=len(block[first:]) - len(block[first:].lstrip(" ")),
        )


def _is_end(event: Any) -> bool:
    return isinstance(event, SequenceEndEvent | MappingEndEvent)


def _next(parser: CBaseLoader) -> Any:
    return parser.get_event()


def _node(block: str, parser: CBaseLoader, event: Any) -> Node:
    start, end = event.start_mark.index, event.end_mark.index
    if isinstance(event, AliasEvent):
        return Node((start, end), "alias", aliases=frozenset({str(event.anchor)}))
    own: frozenset[str] = frozenset() if event.anchor is None else frozenset({event.anchor})
    if isinstance(event, ScalarEvent):
        # A block scalar's mark is after the empty lines that follow it.
        end = start + len(block[start:end].rstrip())
        return Node((start, end), _STYLES.get(event.style, "plain"), anchors=own)
    inner: list[Node] = []
    while not _is_end(following := _next(parser)):
        inner.append(_node(block, parser, following))
    last = following.end_mark.index if event.flow_style else max([end, *(node.span[1] for node in inner)])
    return Node(
        (start, last),
        "flow" if event.flow_style else "block",
        tuple(inner) if isinstance(event, SequenceStartEvent) else None,
        own.union(*(node.anchors for node in inner)),
        frozenset[str]().union(*(node.aliases for node in inner)),
    )
