"""Changes a note's properties line by line; all others stay as they are, byte by byte."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from yaml import YAMLError

from bridge.errors import InvalidArguments, InvalidProperties
from bridge.markdown.decode import BOM, encode_like
from bridge.markdown.edit.draft import normalise_newlines, open_draft
from bridge.markdown.edit.yaml_write import (
    QUOTES,
    YamlEntry,
    YamlReplacement,
    apply_replacements,
    indent_lines,
    is_same_value,
    line_end_span,
    read_entries,
    replace_value,
    write_entry,
    write_scalar,
)
from bridge.markdown.frontmatter import MAX_BLOCK, cut_frontmatter, explain_error, load_properties
from bridge.markdown.note import Value
from bridge.markdown.yaml12 import resolve_scalar
from bridge.records import Record
from bridge.text.fold import fold_case
from bridge.text.invisible import is_line, visible_text
from bridge.text.lines import LineIndex
from bridge.types import Span, VaultPath

BY_HAND: Final = "Change it by hand in the note, or set other properties."


class PropertyBlock(Record):
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

    def spelling_of(self, name: str) -> str:
        if name in self.values:
            return name
        found = [own for own in self.values if fold_case(own) == fold_case(name)]
        if len(found) > 1:
            raise InvalidProperties(
                f"`{name}` may be {' or '.join(f'`{own}`' for own in found)}.", hint="Give its exact name."
            )
        return found[0] if found else name

    def entry(self, name: str) -> YamlEntry:
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


MAX_NAME_CHARS: Final = 200
_DOCUMENT_END: Final = re.compile(r"(?:^|(?<=\r))\.\.\.", re.MULTILINE)
_NOT_UTF_8: Final = re.compile("[\udc80-\udcff]")
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
    if "\0" in text and _NOT_UTF_8.search(text):
        # UTF-16, or no text at all: with a block of UTF-8 no program could read it any more.
        raise InvalidArguments(f"`{path}` is not text in UTF-8.", hint="Save the note as UTF-8 first.", path=path)
    _check(path, values, remove)
    before = PropertyBlock.read(path, text)
    new_values = {
        before.spelling_of(name): _coerce(value, _type_of(name, types or {})) for name, value in values.items()
    }
    leaving = {before.spelling_of(name) for name in remove}
    if len(new_values) < len(values) or leaving & new_values.keys():
        raise InvalidArguments("A property is named twice; upper and lower case are the same to Obsidian.")
    setting = {n: v for n, v in new_values.items() if n not in before.values or not is_same_value(before.values[n], v)}
    leaving &= before.values.keys()
    if not setting and not leaving:
        return data
    changed = _apply_change(before, setting, leaving)
    _verify(path, before, changed, setting, leaving)
    return encode_like(data, changed)


def _apply_change(before: PropertyBlock, setting: Mapping[str, Value], leaving: Collection[str]) -> str:
    (start, end), text = before.span, before.text
    yaml = text[start:end]
    done = [YamlReplacement(before.entry(name).lines, "") for name in leaving]
    for name, value in setting.items():
        if name in before.values:
            done += replace_value(yaml, before.entry(name), before.values[name], value, before.newline)
    added = {name: value for name, value in setting.items() if name not in before.values}
    indent = " " * (before.entries[0].indent if before.entries else 0)
    lines = [line for name, value in added.items() for line in indent_lines(write_entry(name, value), indent)]
    at = _append_offset(yaml, before.entries)
    done.append(YamlReplacement((at, at), "".join(line + before.newline for line in lines)))
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
    ending = _DOCUMENT_END.search(yaml, end)
    return ending.start() if ending else len(yaml)


def _verify(
    path: VaultPath, before: PropertyBlock, changed: str, setting: Mapping[str, Value], leaving: Collection[str]
) -> None:
    expected = {name: value for name, value in before.values.items() if name not in leaving} | dict(setting)
    touched = {*setting, *leaving}
    try:
        after = PropertyBlock.read(path, changed)
    except InvalidProperties as error:
        raise unsafe_error(touched, error.message) from None
    if not _has_values(after.values, expected):
        raise unsafe_error(touched, "it would not read back the same")
    stands = not after.body or _keeps_lines(before.without(touched), after.without(touched))
    if not stands or changed[after.body :] != before.text[before.body :]:
        raise unsafe_error(touched, "other lines would change")


def _has_values(after: Mapping[str, Value], expected: Mapping[str, Value]) -> bool:
    return list(after) == list(expected) and all(is_same_value(after[name], expected[name]) for name in expected)


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
    if not is_line(name) or name != visible_text(name).strip() or len(name) > MAX_NAME_CHARS:
        raise InvalidArguments(f"A property's name is one line of 1 to {MAX_NAME_CHARS} characters.")


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
        return [value] if value else value
    scalar = resolve_scalar(value.strip())
    if kind == "checkbox" and isinstance(scalar, bool):
        return scalar
    if kind == "number" and isinstance(scalar, int | float) and not isinstance(scalar, bool):
        return scalar
    return value


def build_note(
    path: VaultPath, text: str, properties: Mapping[str, Value] | None = None, types: Mapping[str, str] | None = None
) -> bytes:
    """Build the bytes of a new note, with LF line endings."""
    text = normalise_newlines(text).removeprefix("\ufeff")
    data = (text if not text or text.endswith("\n") else f"{text}\n").encode("utf-8")
    open_draft(path, data)
    return edit_properties(path, data, properties, (), types) if properties else data


_COMMENT: Final = re.compile(r"(?:^|[ \t])#", re.MULTILINE)


def read_items(value: Value) -> tuple[Value, ...]:
    """Return the items of a list, or a single value as the only item."""
    return tuple(value) if isinstance(value, list | tuple) else (value,)


def _require_values(changed: str, expected: Mapping[str, Value], names: Mapping[str, object]) -> None:
    cut = cut_frontmatter(changed)
    try:
        after = load_properties(changed[slice(*cut[0])]).values if cut else {}
    except YAMLError:
        raise unsafe_error(names.keys(), "it would not read back") from None
    if not _has_values(after, expected):
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
    quote = next((each for each in QUOTES if yaml.startswith(each, span[0])), None)
    if yaml[span[0]] in "!&*?":
        raise unsafe_error({name}, "its name is not a plain one")
    written = write_scalar(to, quote=quote, name=True)
    changed = block.text[:start] + apply_replacements(yaml, [YamlReplacement(span, written)]) + block.text[end:]
    renamed = {to if own == name else own: value for own, value in block.values.items()}
    _require_values(changed, renamed, {name: None})
    return encode_like(data, changed)


def _key_span(yaml: str, entry: YamlEntry) -> tuple[int, int]:
    start = entry.lines[0] + entry.indent
    return start, start + len(yaml[start : entry.colon - 1].rstrip(" \t"))
