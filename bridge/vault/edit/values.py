"""One property's new value in place of its old one, in the old one's style where that can hold it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeGuard

from bridge.types import Span
from bridge.vault.edit.entries import Entry, Node, line_end, line_start
from bridge.vault.edit.yaml_text import Quote, block, flow, indented, item, scalar
from bridge.vault.note import Value

_COMMENT: Final = re.compile(r"[ \t]+#[^\r\n]*")
_QUOTES: Final[tuple[Quote, ...]] = ("'", '"')
_MARKER: Final = re.compile(r"([ \t]*)-[ \t]+")


@dataclass(frozen=True, slots=True)
class Replacement:
    """What stands at some place from now on."""

    span: Span
    text: str


def same(one: Value, other: Value) -> bool:
    """Say whether two values are the same to a reader: 1 is 1.0, but not true."""
    match one, other:
        case (bool(), _) | (_, bool()) | (None, _) | (_, None) | (str(), _) | (_, str()):
            return type(one) is type(other) and one == other
        case Mapping(), Mapping():
            return list(one) == list(other) and all(same(one[name], other[name]) for name in one)
        case Sequence(), Sequence():
            return len(one) == len(other) and all(map(same, one, other))
        case _:
            return one == other


def replaced(text: str, entry: Entry, old: Value, new: Value, newline: str) -> Replacement:
    """Write a new value in place of an old one.

    Args:
        text: The block.
        entry: Where the property stands in it.
        old: What it holds.
        new: What it shall hold.
        newline: How lines end.
    """
    nodes = entry.value.items
    if nodes and _is_list(old) and _is_list(new):
        if entry.value.style == "flow":
            return _in_flow(nodes, old, new)
        if (found := _in_block(text, nodes, old, new, newline)) is not None:
            return found
    head, below = _written(entry.value, old, new)
    value, colon = entry.value, entry.colon
    same_line = line_end(text, colon)[0] >= value.span[0]
    gap = (text[colon : value.span[0]] if same_line else "") or " "
    line = (gap + head if head else "") + _comments(text, entry)
    lines = [line, *indented(indented(below), " " * entry.indent)]
    return Replacement((colon, line_end(text, max(colon, value.span[1]))[0]), newline.join(lines))


def _written(node: Node, old: Value, new: Value) -> tuple[str, list[str]]:
    """Write a value in the style of the one that stood there."""
    if node.style == "flow" and old and isinstance(new, Mapping | Sequence) and not isinstance(new, str):
        return flow(new), []
    quote = _quote([node])
    return (scalar(new, quote=quote), []) if quote and isinstance(new, str) else block(new)


def _comments(text: str, entry: Entry) -> str:
    """Return the comments behind the name and behind the value."""
    (start, end), colon = entry.value.span, entry.colon
    own = [(colon, line_end(text, colon)[0])] if line_end(text, colon)[0] < start or start == end else []
    if entry.value.style == "literal":
        own.append((start, line_end(text, start)[0]))
    elif entry.value.style != "block":
        own.append((end, line_end(text, end)[0]))
    found = (_COMMENT.search(text, *place) for place in dict.fromkeys(own))
    return "".join(dict.fromkeys(comment[0] for comment in found if comment))


def _is_list(value: Value) -> TypeGuard[Sequence[Value]]:
    return isinstance(value, Sequence) and not isinstance(value, str) and len(value) > 0


def _kept(old: Sequence[Value], new: Sequence[Value]) -> tuple[int, int]:
    """Return how many items at the start and at the end stay."""
    most = min(len(old), len(new))
    first = next((at for at in range(most) if not same(old[at], new[at])), most)
    last = next((at for at in range(most - first) if not same(old[-1 - at], new[-1 - at])), most - first)
    return first, last


def _quote(nodes: Sequence[Node]) -> Quote | None:
    """Return how all the items of a list are quoted, if they are."""
    styles = {node.style for node in nodes}
    return next((quote for quote in _QUOTES if styles == {quote}), None)


def _in_flow(nodes: Sequence[Node], old: Sequence[Value], new: Sequence[Value]) -> Replacement:
    """Exchange the items of a `[…]` that change."""
    first, last = _kept(old, new)
    written = [flow([value], _quote(nodes))[1:-1] for value in new[first : len(new) - last]]
    gone = nodes[first : len(nodes) - last]
    if gone and written:
        return Replacement((gone[0].span[0], gone[-1].span[1]), ", ".join(written))
    if gone and first:
        return Replacement((nodes[first - 1].span[1], gone[-1].span[1]), "")
    if gone:
        return Replacement((gone[0].span[0], nodes[len(gone)].span[0]), "")
    if first:
        end = nodes[first - 1].span[1]
        return Replacement((end, end), "".join(f", {each}" for each in written))
    start = nodes[0].span[0]
    return Replacement((start, start), "".join(f"{each}, " for each in written))


def _in_block(
    text: str, nodes: Sequence[Node], old: Sequence[Value], new: Sequence[Value], newline: str
) -> Replacement | None:
    """Exchange the lines of those items that change; None where an item shares its line with more than its dash."""
    places = [(line_start(text, node.span[0]), line_end(text, node.span[1])[1]) for node in nodes]
    markers = [_MARKER.fullmatch(text, start, node.span[0]) for (start, _), node in zip(places, nodes, strict=True)]
    if not all(markers) or markers[0] is None:
        return None
    first, last = _kept(old, new)
    lines = [line for v in new[first : len(new) - last] for line in item(markers[0][0], v, _quote(nodes))]
    gone = places[first : len(places) - last]
    if gone:
        span = gone[0][0], gone[-1][1]
    else:
        at = places[first - 1][1] if first else places[0][0]
        span = at, at
    return Replacement(span, "".join(line + newline for line in lines))
