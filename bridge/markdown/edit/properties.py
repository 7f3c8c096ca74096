"""Changes a note's properties line by line; all others stay as they are, byte by byte."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from yaml import YAMLError

from bridge.errors import InvalidArguments, InvalidProperties
from bridge.markdown.decode import BOM
from bridge.markdown.edit.yaml_nodes import YamlEntry, line_end_span, read_entries
from bridge.markdown.edit.yaml_write import (
    Replacement,
    apply_replacements,
    indent_lines,
    is_same_value,
    replace_value,
    write_entry,
)
from bridge.markdown.frontmatter import MAX_BLOCK, cut_frontmatter, explain_error, load_properties
from bridge.markdown.note import Value
from bridge.markdown.yaml12 import resolve_scalar
from bridge.records import dataclass
from bridge.text.fold import fold_case
from bridge.text.invisible import is_line, visible_text
from bridge.text.lines import LineIndex
from bridge.types import Span, VaultPath

BY_HAND: Final = "Change it by hand in the note, or set other properties."


@dataclass(frozen=True, slots=True)
class PropertyBlock:
    """A note's text, and its properties."""

    text: str
    span: Span
    """The span between the `---` lines."""
    body: int
    """Offset after the block; 0 when there is none."""
    newline: str
    values: Mapping[str, Value]
    entries: tuple[YamlEntry, ...]

    @classmethod
    def read(cls, path: VaultPath, text: str) -> "PropertyBlock":
        """Find the properties of a note."""
        cut = cut_frontmatter(text)
        if cut is None:
            first_line = text.partition("\n")[0]
            return cls(text, (0, 0), 0, "\r\n" if first_line.endswith("\r") else "\n", {}, ())
        (start, end), body = cut
        yaml, lines = text[start:end], LineIndex(text)
        if end - start > MAX_BLOCK:
            raise InvalidProperties(f"The properties of `{path}` are larger than {MAX_BLOCK // 1024} KiB.")
        try:
            yaml.encode()
        except UnicodeEncodeError as error:
            line = lines.at(start + error.start)
            raise InvalidProperties(f"Line {line} of `{path}` contains bytes that are not UTF-8.", line=line) from None
        try:
            values = load_properties(yaml).values
        except YAMLError as error:
            raise InvalidProperties(explain_error(error, start, lines), path=path) from None
        entries = read_entries(yaml)
        if entries is None:
            raise InvalidProperties(
                f"The properties of `{path}`, line 2, are in braces.", hint="Write them as `name: value` lines first."
            )
        newline = text[slice(*line_end_span(text, 0))]
        return cls(text, (start, end), body, newline, values, entries)

    def own(self, name: str) -> str:
        """Return the note's own spelling of a name."""
        if name in self.values:
            return name
        found = [own for own in self.values if fold_case(own) == fold_case(name)]
        if len(found) > 1:
            raise InvalidProperties(
                f"`{name}` may be {' or '.join(f'`{own}`' for own in found)}.", hint="Give its exact name."
            )
        return found[0] if found else name

    def entry(self, name: str) -> YamlEntry:
        """Return the entry of a property."""
        found = [entry for entry in self.entries if entry.name == name]
        if not found:
            raise InvalidProperties(f"`{name}` is written in a way that cannot be changed safely.", hint=BY_HAND)
        if len(found) > 1:
            where = LineIndex(self.text)
            lines = " and ".join(str(where.at(self.span[0] + entry.lines[0])) for entry in found)
            raise InvalidProperties(f"`{name}` occurs more than once, in lines {lines}.", hint=BY_HAND)
        others = frozenset[str]().union(*(entry.value.aliases for entry in self.entries if entry.name != name))
        if found[0].value.anchors & others:
            anchor = min(found[0].value.anchors & others)
            raise InvalidProperties(f"Another property refers to `{name}` as `*{anchor}`.", hint=BY_HAND)
        return found[0]

    def without(self, names: Collection[str]) -> str:
        """Return the block without the lines of some properties."""
        parts, end = [], 0
        yaml = self.text[slice(*self.span)]
        for entry in self.entries:
            if entry.name in names:
                parts.append(yaml[end : entry.lines[0]])
                end = entry.lines[1]
        return "".join([*parts, yaml[end:]])


LONGEST_NAME: Final = 200
_LISTS: Final = frozenset({"multitext", "tags", "aliases"})


def edit_properties(
    path: VaultPath,
    data: bytes,
    values: Mapping[str, Value],
    remove: Collection[str] = (),
    types: Mapping[str, str] | None = None,
) -> bytes:
    """Set and remove properties of a Markdown note.

    A name matches the note's own spelling in any case, as in Obsidian. A block that becomes empty is removed.
    """
    text = data.removeprefix(BOM).decode("utf-8", "surrogateescape")
    _check(path, values, remove)
    before = PropertyBlock.read(path, text)
    new_values = {before.own(name): _coerce(value, _type_of(name, types or {})) for name, value in values.items()}
    leaving = {before.own(name) for name in remove}
    if len(new_values) < len(values) or leaving & new_values.keys():
        raise InvalidArguments("A property is named twice; upper and lower case are the same to Obsidian.")
    setting = {n: v for n, v in new_values.items() if n not in before.values or not is_same_value(before.values[n], v)}
    leaving &= before.values.keys()
    if not setting and not leaving:
        return data
    changed = _apply_change(before, setting, leaving)
    _verify(path, before, changed, setting, leaving)
    return data[: len(BOM) if data.startswith(BOM) else 0] + changed.encode("utf-8", "surrogateescape")


def _apply_change(before: PropertyBlock, setting: Mapping[str, Value], leaving: Collection[str]) -> str:
    (start, end), text = before.span, before.text
    yaml = text[start:end]
    done = [Replacement(before.entry(name).lines, "") for name in leaving]
    done += [
        replace_value(yaml, before.entry(name), before.values[name], value, before.newline)
        for name, value in setting.items()
        if name in before.values
    ]
    added = {name: value for name, value in setting.items() if name not in before.values}
    indent = " " * (before.entries[0].indent if before.entries else 0)
    lines = [line for name, value in added.items() for line in indent_lines(write_entry(name, value), indent)]
    at = _append_offset(yaml, before.entries)
    done.append(Replacement((at, at), "".join(line + before.newline for line in lines)))
    yaml = apply_replacements(yaml, done)
    if not before.body:
        return f"---{before.newline}{yaml}---{before.newline}{text}"
    rest = text[before.body :]
    if not yaml.strip() and leaving and cut_frontmatter(rest) is None:
        return rest
    return text[:start] + yaml + text[end:]


def _append_offset(yaml: str, entries: Sequence[YamlEntry]) -> int:
    """Return where a new property goes: at the end, but before a line that ends the document."""
    end = entries[-1].lines[1] if entries else 0
    ending = next((at for at in _line_starts(yaml, end) if yaml.startswith("...", at)), len(yaml))
    return max(end, ending)


def _line_starts(text: str, start: int) -> list[int]:
    starts = []
    while start < len(text):
        starts.append(start)
        start = line_end_span(text, start)[1]
    return starts


def _verify(
    path: VaultPath, before: PropertyBlock, changed: str, setting: Mapping[str, Value], leaving: Collection[str]
) -> None:
    expected = {name: value for name, value in before.values.items() if name not in leaving} | dict(setting)
    touched = {*setting, *leaving}
    try:
        after = PropertyBlock.read(path, changed)
    except InvalidProperties as error:
        raise unsafe_error(touched, error.message) from None
    if list(after.values) != list(expected) or not all(
        is_same_value(after.values[name], expected[name]) for name in expected
    ):
        raise unsafe_error(touched, "it would not read back the same")
    stands = not after.body or _keeps_lines(before.without(touched), after.without(touched))
    if not stands or changed[after.body :] != before.text[before.body :]:
        raise unsafe_error(touched, "other lines would change")


def _keeps_lines(before: str, after: str) -> bool:
    """Return whether all lines are still there in order; comments from inside a value may lie between them."""
    rest = iter(after.splitlines(keepends=True))
    for line in before.splitlines(keepends=True):
        if next((other for other in rest if other == line or not _is_comment(other)), None) != line:
            return False
    return all(map(_is_comment, rest))


def _is_comment(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def unsafe_error(names: Collection[str], why: str) -> InvalidProperties:
    """Return the error for properties that cannot be changed without changing something else."""
    shown = ", ".join(f"`{name}`" for name in sorted(names))
    return InvalidProperties(f"{shown} cannot be changed safely: {why.rstrip('.')}.", hint=BY_HAND)


def _check(path: VaultPath, values: Mapping[str, Value], remove: Collection[str]) -> None:
    if not path.lower().endswith(".md"):
        raise InvalidArguments(f"`{path}` is not a Markdown note, so it has no properties.")
    for name in (*values, *remove):
        require_property_name(name)
    for name, value in values.items():
        if not _is_writable(value):
            raise InvalidArguments(f"The value of `{name}` contains something that a note cannot store.")


def require_property_name(name: str) -> None:
    """Reject a name that a property cannot have."""
    if not is_line(name) or name != visible_text(name).strip() or len(name) > LONGEST_NAME:
        raise InvalidArguments(f"A property's name is one line of 1 to {LONGEST_NAME} characters.")


def _is_writable(value: Value) -> bool:
    match value:
        case str():
            return not any("\ud800" <= c <= "\udfff" for c in value)
        case float():
            return value - value == 0
        case Mapping():
            return all(
                isinstance(name, str) and _is_writable(name) and _is_writable(held) for name, held in value.items()
            )
        case list() | tuple():
            return all(map(_is_writable, value))
        case _:
            return value is None or isinstance(value, int)


def _type_of(name: str, types: Mapping[str, str]) -> str | None:
    return next((kind for own, kind in types.items() if fold_case(own) == fold_case(name)), None)


def _coerce(value: Value, kind: str | None) -> Value:
    if not isinstance(value, str):
        return value
    if kind in _LISTS:
        return [value]
    scalar = resolve_scalar(value.strip())
    if kind == "checkbox" and isinstance(scalar, bool):
        return scalar
    if kind == "number" and isinstance(scalar, int | float) and not isinstance(scalar, bool):
        return scalar
    return value
