"""Changes single values of a property, and its name, where they stand; comments, quotes and order stay."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from yaml import YAMLError

from bridge.errors import InvalidProperties
from bridge.markdown.decode import BOM
from bridge.markdown.edit.properties import (
    PropertyBlock,
    edit_properties,
    require_property_name,
    unsafe_error,
)
from bridge.markdown.edit.yaml_nodes import Node, YamlEntry, yaml_line_start
from bridge.markdown.edit.yaml_write import Quote, Replacement, apply_replacements, is_same_value, write_scalar
from bridge.markdown.frontmatter import cut_frontmatter, load_properties
from bridge.markdown.note import Value
from bridge.text.fold import fold_case
from bridge.types import VaultPath

Items = Sequence[Value | None]

_MARKER: Final = re.compile(r"[ \t]*-[ \t]+")
_QUOTES: Final[tuple[Quote, ...]] = ("'", '"')
_COMMENT: Final = re.compile(r"(?:^|[ \t])#", re.MULTILINE)


class Removal:
    """Stands for an item that is taken out of a list."""


REMOVED: Final = Removal()


def read_items(value: Value) -> tuple[Value, ...]:
    """Return the items of a list, or a single value as the only item."""
    return tuple(value) if isinstance(value, list | tuple) else (value,)


def replace_items(
    block: PropertyBlock, changes: Mapping[str, Sequence[Value | Removal]]
) -> tuple[str, Mapping[str, Value]]:
    """Return the whole text with other items in some properties, and the values that it then has."""
    start, end = block.span
    yaml = block.text[start:end]
    done: list[Replacement] = []
    expected = dict(block.values)
    for name, items in changes.items():
        old, value = block.values[name], block.entry(name).value
        nodes = (value,) if not isinstance(old, list | tuple) else value.items
        if nodes is None or len(nodes) != len(items):
            raise unsafe_error({name}, "it is not written as a list")
        done += _item_replacements(yaml, name, value, nodes, read_items(old), items)
        stays = [item for item in items if not isinstance(item, Removal)]
        expected[name] = stays if isinstance(old, list | tuple) else stays[0]
    changed = block.text[:start] + apply_replacements(yaml, done) + block.text[end:]
    _require_values(changed, expected, changes)
    return changed, expected


def _item_replacements(
    yaml: str, name: str, value: Node, nodes: Sequence[Node], old: Items, items: Sequence[Value | Removal]
) -> list[Replacement]:
    flow = value.style == "flow"
    done: list[Replacement] = []
    has_kept = False
    for at, (node, before, after) in enumerate(zip(nodes, old, items, strict=True)):
        if isinstance(after, Removal):
            cut = _cut_in_flow(nodes, at, has_kept=has_kept) if flow else _cut_line(yaml, node)
            if cut is None or (flow and "#" in yaml[slice(*cut.span)]) or node.anchors or node.aliases:
                raise unsafe_error({name}, "an item shares its line")
            done.append(cut)
            continue
        has_kept = True
        if is_same_value(before, after):
            continue
        if node.style not in ("plain", *_QUOTES) or node.anchors or yaml[node.span[0]] in "!&":
            raise unsafe_error({name}, "a value is not written in a plain line")
        quote = next((each for each in _QUOTES if each == node.style), None)
        if not isinstance(after, str | int | float | None):
            raise unsafe_error({name}, "a value is not a single one")
        done.append(Replacement(node.span, write_scalar(after, quote=quote, inside=flow)))
    return done


def _cut_in_flow(nodes: Sequence[Node], at: int, *, has_kept: bool) -> Replacement | None:
    if has_kept:
        return Replacement((nodes[at - 1].span[1], nodes[at].span[1]), "")
    if at + 1 < len(nodes):
        return Replacement((nodes[at].span[0], nodes[at + 1].span[0]), "")
    return None


def _cut_line(yaml: str, node: Node) -> Replacement | None:
    """Return the removal of an item's line; a comment in it stays. None when it shares the line."""
    first = yaml_line_start(yaml, node.span[0])
    if not _MARKER.fullmatch(yaml, first, node.span[0]) or node.style == "literal":
        return None
    rest = re.compile(r"[ \t]*(#[^\r\n]*)?(?:\r\n|\n|\r|\Z)").match(yaml, node.span[1])
    if rest is None:
        return None
    if rest[1] is None:
        return Replacement((first, rest.end()), "")
    indent = first + len(yaml[first:]) - len(yaml[first:].lstrip(" \t"))
    return Replacement((indent, rest.start(1)), "")


def _require_values(changed: str, expected: Mapping[str, Value], names: Mapping[str, object]) -> None:
    cut = cut_frontmatter(changed)
    try:
        after = load_properties(changed[slice(*cut[0])]).values if cut else {}
    except YAMLError:
        raise unsafe_error(names.keys(), "it would not read back") from None
    if list(after) != list(expected) or not all(is_same_value(after[name], expected[name]) for name in expected):
        raise unsafe_error(names.keys(), "it would not read back the same")


def rename_key(path: VaultPath, data: bytes, block: PropertyBlock, name: str, to: str, *, merge: bool = False) -> bytes:
    """Rename a property where it stands; its value is not touched."""
    require_property_name(to)
    entry = block.entry(name)
    start, end = block.span
    yaml = block.text[start:end]
    other = next((own for own in block.values if own != name and fold_case(own) == fold_case(to)), None)
    if other is not None:
        if not merge:
            raise InvalidProperties(f"`{path}` has both `{name}` and `{other}`.", path=path)
        if _COMMENT.search(yaml, *entry.lines):
            raise unsafe_error({name}, "it holds a comment")
        values = [*read_items(block.values[other])]
        for item in read_items(block.values[name]):
            values += [] if any(is_same_value(item, own) for own in values) else [item]
        stays = [item for item in values if item is not None]
        is_single = len(stays) <= 1 and not isinstance(block.values[other], list | tuple)
        value = next(iter(stays), None) if is_single else stays
        return edit_properties(path, data, {other: value}, (name,))
    span = _key_span(yaml, entry)
    quote = next((each for each in _QUOTES if yaml.startswith(each, span[0])), None)
    if yaml[span[0]] in "!&*?":
        raise unsafe_error({name}, "its name is not a plain one")
    written = write_scalar(to, quote=quote, name=True)
    changed = block.text[:start] + apply_replacements(yaml, [Replacement(span, written)]) + block.text[end:]
    renamed = {to if own == name else own: value for own, value in block.values.items()}
    _require_values(changed, renamed, {name: None})
    head = BOM if data.startswith(BOM) else b""
    return head + changed.encode("utf-8", "surrogateescape")


def _key_span(yaml: str, entry: YamlEntry) -> tuple[int, int]:
    start = entry.lines[0] + entry.indent
    return start, start + len(yaml[start : entry.colon - 1].rstrip(" \t"))
