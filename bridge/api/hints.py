"""Describes type hints in words, the same in error messages, documentation and `--help`."""

import types
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Annotated, Any, Literal, NewType, Union, get_args, get_origin, get_type_hints

from msgspec import Meta

from bridge.records import Record
from bridge.types import Day, Digest, PathRole, VaultPath

Reason = Annotated[str, Meta(max_length=500)]

Limit = Annotated[int, Meta(ge=1, le=100)]
Query = Annotated[str, Meta(max_length=10_000)]
WritingMode = Literal["auto", "extract", "chat"]
Scalar = str | int | float | bool | None
Properties = Mapping[str, Scalar | tuple[Scalar, ...]]

When = NewType("When", str)
"""A time: ISO 8601 or words such as `yesterday`; a day or period means its first local midnight."""

Period = NewType("Period", str)
"""A day, or a period such as `this week`; operations get `first/last`, both as `YYYY-MM-DD`."""

Folder = NewType("Folder", str)
"""A folder inside the vault, `/`-separated; empty for the whole vault."""

File = NewType("File", str)
"""A file of this machine that is no part of a vault, by its absolute path."""

BOUNDS = ("ge", "le", "max_length")
"""The bounds that hints have."""

WORDS: Mapping[Any, tuple[str, str]] = {
    VaultPath: ("a path inside the vault", "paths inside the vault"),
    Folder: ("a folder inside the vault", "folders inside the vault"),
    Digest: ("a digest, 12 hex digits at least", "digests, 12 hex digits each at least"),
    File: ("the absolute path of a file", "absolute paths of files"),
    When: ("a date such as 2026-01-31, yesterday or 7 days ago", "dates"),
    Period: ("a day or period such as 2026-01-31, tomorrow, this week, 2026-02 or 2026-Q1", "periods"),
    Day: ("a day such as 2026-01-31, tomorrow or friday", "days"),
    str: ("a string", "strings"),
    int: ("an integer", "integers"),
    float: ("a number", "numbers"),
    bool: ("true or false", "true or false values"),
}


def strip_hint(hint: Any) -> Any:
    if get_origin(hint) is Annotated:
        return strip_hint(get_args(hint)[0])
    if is_union(hint):
        rest = [option for option in get_args(hint) if option is not type(None)]
        return strip_hint(rest[0]) if len(rest) == 1 else hint
    return hint


@cache
def record_hints(record: type) -> Mapping[str, Any]:
    """Return the hints of a record's fields; cached, because to find them takes longer than to check a value."""
    return get_type_hints(record, include_extras=True)


def is_union(hint: Any) -> bool:
    return get_origin(hint) in (Union, types.UnionType)


def union_tag(hint: Any) -> tuple[str, Mapping[str, type]] | None:
    """Return the field that distinguishes a union's records, and each record by its value; None without one."""
    if not is_union(hint):
        return None
    records = [option for option in get_args(hint) if option is not type(None)]
    if len(records) == 1 or not all(map(is_record, records)):
        return None
    return records[0].__struct_config__.tag_field, {record.__struct_config__.tag: record for record in records}


def role_of(hint: Any) -> PathRole | None:
    """Return what a path may name besides an existing file; None if nothing."""
    return next((mark for mark in marks_of(hint) if isinstance(mark, PathRole)), None)


def marks_of(hint: Any) -> tuple[Any, ...]:
    if is_union(hint):
        return tuple(mark for option in get_args(hint) for mark in marks_of(option))
    return get_args(hint)[1:] if get_origin(hint) is Annotated else ()


def walk_hint(hint: Any) -> Iterator[Any]:
    yield hint
    if is_record(hint):
        for field in record_hints(hint).values():
            yield from walk_hint(field)
    for part in get_args(hint) if get_origin(hint) is not Literal else ():
        yield from walk_hint(part)


def records_in(hint: Any) -> Iterator[Any]:
    return (part for part in walk_hint(hint) if is_record(part))


def is_record(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, Record)


def bounds(hint: Any) -> Meta:
    """Return the minimum and maximum of a number, and the maximum length of a string or list."""
    marks = [mark for mark in marks_of(hint) if isinstance(mark, Meta)]
    told = {name: getattr(mark, name) for mark in marks for name in BOUNDS if getattr(mark, name) is not None}
    return Meta(**told)


def describe_hint(hint: Any) -> str:
    """Describe a hint: "an integer from 1 to 100", "a list of strings"."""
    bare, limits = strip_hint(hint), bounds(hint)
    if get_origin(bare) is Literal:
        return "one of " + ", ".join(map(str, get_args(bare)))
    if bare in WORDS:
        return WORDS[bare][0] + describe_bounds(limits)
    if get_origin(bare) is tuple:
        first, *rest = get_args(bare)
        return (
            f"a list of {describe_items(first)}"
            if rest == [Ellipsis]
            else f"a list of {len(rest) + 1} {describe_items(first)}"
        )
    if (options := union_tag(hint)) or is_record(bare):
        return f"an object with {describe_variants(*options) if options else ', '.join(field_names(bare))}"
    if is_union(bare):
        return "a string, number, true or false, or a list of these"
    return "an object"


def describe_items(hint: Any) -> str:
    bare = strip_hint(hint)
    if options := union_tag(hint):
        return f"objects with {describe_variants(*options)}"
    if bare in WORDS:
        return WORDS[bare][1]
    if get_origin(bare) is Literal:
        return " or ".join(map(str, get_args(bare)))
    return f"objects with {', '.join(field_names(bare))}"


def describe_variants(field: str, records: Mapping[str, type]) -> str:
    each = [
        f"{value} ({', '.join(rest)})" if (rest := [name for name in field_names(record) if name != field]) else value
        for value, record in records.items()
    ]
    return f"{field} {', '.join(each[:-1])} or {each[-1]}"


def describe_bounds(limits: Meta) -> str:
    if limits.max_length is not None:
        return f" of at most {limits.max_length:,} characters"
    match limits.ge, limits.le:
        case None, None:
            return ""
        case least, None:
            return f" of at least {least:,}"
        case None, most:
            return f" of at most {most:,}"
        case least, most:
            return f" from {least:,} to {most:,}"


def field_names(record: Any) -> list[str]:
    """Return the names of a record's fields in JSON: a Python keyword loses its underscore."""
    tag = record.__struct_config__.tag_field
    return [*([tag] if tag else []), *map(json_name, record.__struct_fields__)]


def json_name(name: str) -> str:
    return name.rstrip("_")
