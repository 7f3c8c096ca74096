"""Changes a note's properties line by line: whatever is not asked for stays as it is, byte by byte."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from bridge.errors import InvalidArguments, InvalidProperties
from bridge.types import VaultPath
from bridge.vault.decode import BOM
from bridge.vault.edit.entries import Entry, line_end
from bridge.vault.edit.property_block import BY_HAND, PropertyBlock
from bridge.vault.edit.values import Replacement, replaced, same
from bridge.vault.edit.yaml_text import indented, named
from bridge.vault.note import Value
from bridge.vault.properties import cut_frontmatter
from bridge.vault.property_yaml import resolve_scalar

LONGEST_NAME: Final = 200
_LISTS: Final = frozenset({"multitext", "tags", "aliases"})


def with_properties(
    path: VaultPath,
    data: bytes,
    values: Mapping[str, Value],
    remove: Collection[str] = (),
    types: Mapping[str, str] | None = None,
) -> bytes:
    """Set and remove properties of a Markdown note.

    A name is the note's own name in any case, as in Obsidian. Where the block holds nothing any more, it goes too.

    Args:
        path: Where the note lies.
        data: The whole file.
        values: What each property shall be.
        remove: Properties to take away; those that are not there are none to take.
        types: Obsidian's type of properties, by which a text becomes the list, number or truth that it says.

    Raises:
        InvalidProperties: The block cannot be read, or not be changed without touching what was not asked for.
        InvalidArguments: A name or a value cannot be a property's, or the file has none.
    """
    text = data.removeprefix(BOM).decode("utf-8", "surrogateescape")
    _check(path, values, remove)
    before = PropertyBlock.read(path, text)
    wanted = {before.own(name): _typed(value, _type_of(name, types or {})) for name, value in values.items()}
    leaving = {before.own(name) for name in remove}
    if len(wanted) < len(values) or leaving & wanted.keys():
        raise InvalidArguments("A property is named twice; upper and lower case are the same to Obsidian.")
    setting = {n: v for n, v in wanted.items() if n not in before.values or not same(before.values[n], v)}
    leaving &= before.values.keys()
    if not setting and not leaving:
        return data
    changed = _changed(before, setting, leaving)
    _prove(path, before, changed, setting, leaving)
    return data[: len(BOM) if data.startswith(BOM) else 0] + changed.encode("utf-8", "surrogateescape")


def _changed(before: PropertyBlock, setting: Mapping[str, Value], leaving: Collection[str]) -> str:
    """Return the note's text with the change."""
    (start, end), text = before.span, before.text
    yaml = text[start:end]
    done = [Replacement(before.entry(name).lines, "") for name in leaving]
    done += [
        replaced(yaml, before.entry(name), before.values[name], value, before.newline)
        for name, value in setting.items()
        if name in before.values
    ]
    added = {name: value for name, value in setting.items() if name not in before.values}
    indent = " " * (before.entries[0].indent if before.entries else 0)
    lines = [line for name, value in added.items() for line in indented(named(name, value), indent)]
    at = _last(yaml, before.entries)
    done.append(Replacement((at, at), "".join(line + before.newline for line in lines)))
    for change in sorted(done, key=lambda each: each.span, reverse=True):
        yaml = yaml[: change.span[0]] + change.text + yaml[change.span[1] :]
    if not before.body:
        return f"---{before.newline}{yaml}---{before.newline}{text}"
    rest = text[before.body :]
    if not yaml.strip() and leaving and cut_frontmatter(rest) is None:
        return rest
    return text[:start] + yaml + text[end:]


def _last(yaml: str, entries: Sequence[Entry]) -> int:
    """Return where a new property goes: to the end, but before a line that ends the document."""
    end = entries[-1].lines[1] if entries else 0
    ending = next((at for at in _line_starts(yaml, end) if yaml.startswith("...", at)), len(yaml))
    return max(end, ending)


def _line_starts(text: str, start: int) -> list[int]:
    starts = []
    while start < len(text):
        starts.append(start)
        start = line_end(text, start)[1]
    return starts


def _prove(
    path: VaultPath, before: PropertyBlock, changed: str, setting: Mapping[str, Value], leaving: Collection[str]
) -> None:
    """Read the changed note again: the wanted change, and nothing else.

    Raises:
        InvalidProperties: Something else would change.
    """
    wanted = {name: value for name, value in before.values.items() if name not in leaving} | dict(setting)
    touched = {*setting, *leaving}
    try:
        after = PropertyBlock.read(path, changed)
    except InvalidProperties as error:
        raise _unsafe(touched, error.message) from None
    if list(after.values) != list(wanted) or not all(same(after.values[name], wanted[name]) for name in wanted):
        raise _unsafe(touched, "it would not read back the same")
    stands = not after.body or _stands(before.without(touched), after.without(touched))
    if not stands or changed[after.body :] != before.text[before.body :]:
        raise _unsafe(touched, "other lines would change")


def _stands(before: str, after: str) -> bool:
    """Say whether all lines still stand in their order; comments that were inside a value may stand between."""
    rest = iter(after.splitlines(keepends=True))
    for line in before.splitlines(keepends=True):
        if next((other for other in rest if other == line or not _is_comment(other)), None) != line:
            return False
    return all(map(_is_comment, rest))


def _is_comment(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def _unsafe(names: Collection[str], why: str) -> InvalidProperties:
    shown = ", ".join(f"`{name}`" for name in sorted(names))
    return InvalidProperties(f"{shown} cannot be changed safely: {why.rstrip('.')}.", hint=BY_HAND)


def _check(path: VaultPath, values: Mapping[str, Value], remove: Collection[str]) -> None:
    """Refuse what no property can be.

    Raises:
        InvalidArguments: A name or value cannot be written, or the file is not Markdown.
    """
    if not path.lower().endswith(".md"):
        raise InvalidArguments(f"`{path}` is no Markdown note; it has no properties.")
    for name in (*values, *remove):
        if not name.strip() or name != name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
            raise InvalidArguments(f"A property's name is one line of 1 to {LONGEST_NAME} characters.")
    for name, value in values.items():
        if not _is_writable(value):
            raise InvalidArguments(f"The value of `{name}` holds something that a note cannot.")


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
    return next((kind for own, kind in types.items() if own.casefold() == name.casefold()), None)


def _typed(value: Value, kind: str | None) -> Value:
    """Give a text the type that the user gave its property, when it says such a value."""
    if not isinstance(value, str):
        return value
    if kind in _LISTS:
        return [value]
    meant = resolve_scalar(value.strip())
    if kind == "checkbox" and isinstance(meant, bool):
        return meant
    if kind == "number" and isinstance(meant, int | float) and not isinstance(meant, bool):
        return meant
    return value
