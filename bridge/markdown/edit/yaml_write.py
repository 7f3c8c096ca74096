"""Writes values as YAML in Obsidian's style, such that they read back the same."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, Literal, TypeGuard

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
from yaml.nodes import ScalarNode
from yaml.resolver import Resolver

from bridge.errors import InvalidProperties
from bridge.markdown.note import Value
from bridge.markdown.yaml12 import resolve_scalar
from bridge.records import Record
from bridge.text.diff import pieces
from bridge.types import Span

Style = Literal["plain", "'", '"', "literal", "flow", "block", "alias"]

_STYLES: Final[dict[str | None, Style]] = {"'": "'", '"': '"', "|": "literal", ">": "literal"}
_LINE_END: Final = re.compile(r"\r\n|\n|\r|\Z")
_COLON: Final = re.compile(r"[ \t]*:")


class Node(Record):
    """A value as written; `span` ends after its last character and includes an anchor or tag in front."""

    span: Span
    style: Style
    items: tuple["Node", ...] | None = None
    """The items of a list."""
    anchors: frozenset[str] = frozenset()
    aliases: frozenset[str] = frozenset()


class YamlEntry(Record):
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
    return max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1


def line_end_span(text: str, offset: int) -> Span:
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


_YAML_1_1: Final[Any] = Resolver()

Quote = Literal["'", '"']

# What Obsidian's YAML library quotes: leading indicators, `: ` and ` #` inside, spaces at the ends.
_NOT_PLAIN: Final = re.compile(r"^[\s,\[\]{}#&*!|>'\"%@`]|^[?:-]$|^[?:-]\s|[\n:]\s|\s\n|\s#|[\s:-]$")
_NOT_PLAIN_IN_FLOW: Final = re.compile(r"[\[\]{},:?]")
# What YAML does not count as printable, or some version of it counts as a line break; and tabs.
_ODD_CHARS: Final = "\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff"
_UNPRINTABLE_CHAR: Final = re.compile(f"[{_ODD_CHARS}]")
_ESCAPED_CHAR: Final = re.compile(rf'[{_ODD_CHARS}"\\]')
_ESCAPES: Final = {"\0": r"\0", "\t": r"\t", "\n": r"\n", "\r": r"\r", '"': r"\"", "\\": r"\\"}
_LITERAL: Final = re.compile(rf"(?=\S)(?:\n(?![ \t]+(?:\n|$))|[^{_ODD_CHARS}])*(?<=\S)\n?")


def write_block(value: Value) -> tuple[str, list[str]]:
    match value:
        case None:
            return "", []
        case str() if "\n" in value and _LITERAL.fullmatch(value):
            return ("|" if value.endswith("\n") else "|-"), value.removesuffix("\n").split("\n")
        case Mapping() if value:
            return "", [line for name, item in value.items() for line in write_entry(name, item)]
        case Sequence() if value and not isinstance(value, str):
            return "", [line for item in value for line in write_item("- ", item)]
        case _:
            return write_flow(value), []


def write_entry(name: str, value: Value) -> list[str]:
    head, below = write_block(value)
    return [f"{write_scalar(name, name=True)}: {head}".rstrip(), *indent_lines(below)]


def write_item(marker: str, value: Value, quote: Quote | None = None) -> list[str]:
    head, below = write_block(value)
    if quote and isinstance(value, str) and not below:
        head = write_scalar(value, quote=quote)
    first, rest = (below[0], below[1:]) if below and not head else (head, below)
    return [(marker + first).rstrip(), *indent_lines(rest, " " * len(marker))]


def indent_lines(lines: Sequence[str], by: str = "  ") -> list[str]:
    return [by + line if line else "" for line in lines]


def write_flow(value: Value, quote: Quote | None = None, *, inside: bool = False) -> str:
    match value:
        case Mapping():
            inner = ", ".join(
                f"{write_scalar(name, inside=True, name=True)}: {write_flow(item, quote, inside=True)}"
                for name, item in value.items()
            )
            return f"{{{inner}}}"
        case str() | int() | float() | None:
            return write_scalar(value, quote=quote, inside=inside)
        case _:
            return f"[{', '.join(write_flow(item, quote, inside=True) for item in value)}]"


def write_scalar(
    value: str | float | None, *, quote: Quote | None = None, inside: bool = False, name: bool = False
) -> str:
    """Format a text, number, boolean or null on one line."""
    if not isinstance(value, str):
        return _write_number(value)
    is_text = name or _reads_as_text(value)
    plain = is_text and value and not (_NOT_PLAIN.search(value) or _UNPRINTABLE_CHAR.search(value))
    if plain and quote is None and not (inside and _NOT_PLAIN_IN_FLOW.search(value)):
        return value
    quote = quote or ("'" if '"' in value and "'" not in value else '"')
    if quote == "'" and not _UNPRINTABLE_CHAR.search(value):
        return "'" + value.replace("'", "''") + "'"
    return '"' + _ESCAPED_CHAR.sub(_escape, value) + '"'


def _reads_as_text(value: str) -> bool:
    older = _YAML_1_1.resolve(ScalarNode, value, (True, False)).rpartition(":")[2]
    return isinstance(resolve_scalar(value), str) and older in {"str", "timestamp"}


def _write_number(value: float | None) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case float() if value.is_integer() and abs(value) < 1e15:
            return str(int(value))
        case _:
            return repr(value)


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return _ESCAPES.get(found[0]) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")


_COMMENT: Final = re.compile(r"[ \t]+#[^\r\n]*")
QUOTES: Final[tuple[Quote, ...]] = ("'", '"')
_MARKER: Final = re.compile(r"([ \t]*)-[ \t]+")


class YamlReplacement(Record):
    """A span and the text that replaces it."""

    span: Span
    text: str


def apply_replacements(text: str, changes: Iterable[YamlReplacement]) -> str:
    # Of two insertions in one place, the one that is listed first comes first.
    for change in sorted(changes, key=lambda each: each.span)[::-1]:
        text = text[: change.span[0]] + change.text + text[change.span[1] :]
    return text


def is_same_value(one: Value, other: Value) -> bool:
    """Return whether two values are the same to a reader: 1 equals 1.0, but not true."""
    match one, other:
        case (bool(), _) | (_, bool()) | (None, _) | (_, None) | (str(), _) | (_, str()):
            return type(one) is type(other) and one == other
        case Mapping(), Mapping():
            return list(one) == list(other) and all(is_same_value(one[name], other[name]) for name in one)
        case Sequence(), Sequence():
            return len(one) == len(other) and all(map(is_same_value, one, other))
        case _:
            return one == other


def replace_value(text: str, entry: YamlEntry, old: Value, new: Value, newline: str) -> list[YamlReplacement]:
    if entry.value.items and _is_list(old) and _is_list(new):
        found = _replace_items(text, entry.value, entry.value.items, old, new, newline)
        if found is not None:
            return found
    head, below = _write_like(entry.value, old, new)
    value, colon = entry.value, entry.colon
    same_line = line_end_span(text, colon)[0] >= value.span[0]
    gap = (text[colon : value.span[0]] if same_line else "") or " "
    line = (gap + head if head else "") + _comments(text, entry)
    lines = [line, *indent_lines(indent_lines(below), " " * entry.indent)]
    return [YamlReplacement((colon, line_end_span(text, max(colon, value.span[1]))[0]), newline.join(lines))]


def _write_like(node: Node, old: Value, new: Value) -> tuple[str, list[str]]:
    if node.style == "flow" and old and isinstance(new, Mapping | Sequence) and not isinstance(new, str):
        return write_flow(new), []
    quote = common_quote([node])
    return (write_scalar(new, quote=quote), []) if quote and isinstance(new, str) else write_block(new)


def _comments(text: str, entry: YamlEntry) -> str:
    (start, end), colon = entry.value.span, entry.colon
    own = [(colon, line_end_span(text, colon)[0])] if line_end_span(text, colon)[0] < start or start == end else []
    if entry.value.style == "literal":
        own.append((start, line_end_span(text, start)[0]))
    elif entry.value.style != "block":
        own.append((end, line_end_span(text, end)[0]))
    found = (_COMMENT.search(text, *place) for place in dict.fromkeys(own))
    return "".join(dict.fromkeys(comment[0] for comment in found if comment))


def _is_list(value: Value) -> TypeGuard[Sequence[Value]]:
    return isinstance(value, Sequence) and not isinstance(value, str) and len(value) > 0


def common_quote(nodes: Sequence[Node]) -> Quote | None:
    styles = {node.style for node in nodes}
    return next((quote for quote in QUOTES if styles == {quote}), None)


def _replace_items(
    text: str, value: Node, nodes: Sequence[Node], old: Sequence[Value], new: Sequence[Value], newline: str
) -> list[YamlReplacement] | None:
    """Replace the items of a list that differ; None where one shares its line with more than its dash."""
    flow, quote = value.style == "flow", common_quote(nodes)
    starts = [yaml_line_start(text, node.span[0]) for node in nodes]
    markers = [_MARKER.fullmatch(text, start, node.span[0]) for start, node in zip(starts, nodes, strict=True)]
    if not flow and not all(markers):
        return None
    done: list[YamlReplacement] = []
    for piece in pieces([*map(write_flow, old)], [*map(write_flow, new)]):
        first, end = piece.before.start, piece.before.stop
        gone, items = nodes[first:end], new[piece.after.start : piece.after.stop]
        if len(gone) == len(items) and all(map(_is_alone, [text] * len(gone), gone)) and all(map(_is_scalar, items)):
            done += [
                YamlReplacement(node.span, write_flow(item, common_quote([node]), inside=flow))
                for node, item in zip(gone, items, strict=True)
            ]
        elif flow and gone and "#" in "".join(text[one.span[1] : two.span[0]] for one, two in pairwise(nodes)):
            raise InvalidProperties("A comment stands between the items.", hint="Change them by hand in the note.")
        elif flow:
            done.append(_replace_in_flow(nodes, first, end, [write_flow(item, quote, inside=True) for item in items]))
        else:
            done += [_cut_line(text, node, start) for node, start in zip(gone, starts[first:end], strict=True)]
            at = starts[first] if gone or not first else line_end_span(text, nodes[first - 1].span[1])[1]
            lines = [line for item in items for line in write_item((markers[0] or [""])[0], item, quote)]
            done.append(YamlReplacement((at, at), "".join(line + newline for line in lines)))
    return done


def _is_alone(text: str, node: Node) -> bool:
    """Return whether a node is nothing but a scalar in one line."""
    return node.style in ("plain", *QUOTES) and not node.anchors and text[node.span[0]] not in "!&"


def _is_scalar(value: Value) -> bool:
    return isinstance(value, str | int | float | None) and not (isinstance(value, str) and "\n" in value)


def _replace_in_flow(nodes: Sequence[Node], first: int, end: int, written: Sequence[str]) -> YamlReplacement:
    gone = nodes[first:end]
    if gone and written:
        return YamlReplacement((gone[0].span[0], gone[-1].span[1]), ", ".join(written))
    if gone and first:
        return YamlReplacement((nodes[first - 1].span[1], gone[-1].span[1]), "")
    if gone:
        return YamlReplacement((gone[0].span[0], nodes[end].span[0]), "")
    if first:
        at = nodes[first - 1].span[1]
        return YamlReplacement((at, at), "".join(f", {each}" for each in written))
    at = nodes[0].span[0]
    return YamlReplacement((at, at), "".join(f"{each}, " for each in written))


def _cut_line(text: str, node: Node, start: int) -> YamlReplacement:
    """Return the removal of an item with its line; a comment behind it stays."""
    end, after = line_end_span(text, node.span[1])
    comment = None if node.style == "literal" else _COMMENT.fullmatch(text, node.span[1], end)
    if comment is None:
        return YamlReplacement((start, after), "")
    return YamlReplacement(
        (start + len(text[start:]) - len(text[start:].lstrip(" \t")), end - len(comment[0].lstrip())), ""
    )
