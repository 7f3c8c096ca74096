"""Reads the arguments of an operation off the signature and the docstring of its function."""

import functools
import inspect
import operator
import re
import types
from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from msgspec import NODEFAULT, Struct, field
from msgspec.structs import FieldInfo, asdict, fields, replace

from bridge.api.hints import is_union, records_in, strip_hint
from bridge.changes.requests.base import KINDS, Request, operation_of
from bridge.docstrings import docstring_of
from bridge.records import Record

SECTIONS = ("Args", "Attributes", "Raises", "Returns")
ITEM = re.compile(r"(\w+): (.*)")


class Docstring(Record):
    """A parsed docstring; each item's text is one paragraph."""

    summary: str
    details: str
    items: Mapping[str, Mapping[str, str]]
    """By section, then by name."""

    def section(self, name: str) -> Mapping[str, str]:
        """Return the items of a section, empty if it is absent."""
        return self.items.get(name, {})


def parse_docstring(documented: type | Callable[..., Any]) -> Docstring:
    """Parse the docstring of a function or class; a class also has the attributes that its bases describe."""
    paragraphs: list[str] = []
    items: dict[str, dict[str, str]] = {}
    for base in documented.__bases__ if isinstance(documented, type) else ():
        if inherited := parse_docstring(base).section("Attributes"):
            items.setdefault("Attributes", {}).update(inherited)
    section: dict[str, str] | None = None
    name = ""
    for line in docstring_of(documented).splitlines():
        if line.rstrip(":") in SECTIONS and line.endswith(":"):
            section = items.setdefault(line.rstrip(":"), {})
        elif section is None:
            paragraphs.append(line)
        elif found := ITEM.fullmatch(line.strip()) if line.startswith("    ") and line[4:5] != " " else None:
            name = found[1]
            section[name] = found[2]
        elif line.strip() and name:
            section[name] += " " + line.strip()
    summary, _, details = "\n".join(paragraphs).strip().partition("\n\n")
    return Docstring(unwrap(summary), "\n\n".join(unwrap(p) for p in details.split("\n\n") if p.strip()), items)


def unwrap(paragraph: str) -> str:
    return " ".join(paragraph.split())


class Argument(Record):
    """One argument of an operation."""

    name: str
    hint: Any
    default: Any
    meaning: str

    @property
    def is_required(self) -> bool:
        return self.default is inspect.Parameter.empty


class Signature(Record, eq=False):
    """What the arguments of a call are checked against."""

    name: str
    reads: bool
    destructive: bool
    """Whether it can remove something that the user would miss."""
    arguments: tuple[Argument, ...]


class Spread(Record, eq=False):
    """Marks a parameter that takes a record, each of whose fields is an argument of the operation.

    The record's docstring describes them, and may add errors; a default of the parameter holds theirs.
    """

    required: tuple[str, ...] = ()
    """Fields that the operation requires, though the record has a default."""
    bounds: Mapping[str, Any] = field(default_factory=dict)
    """Bounds that the operation adds to fields."""


def read_arguments(
    function: Callable[..., Awaitable[Any]],
) -> tuple[tuple[Argument, ...], Mapping[str, type[Struct]], Mapping[str, str]]:
    """Return a function's arguments, the records that take several of them, and when it raises each error."""
    hints = {name: expand_kinds(hint) for name, hint in get_type_hints(function, include_extras=True).items()}
    text = parse_docstring(function)
    meanings, errors = dict(text.section("Args")), dict(text.section("Raises"))
    arguments: list[Argument] = []
    records: dict[str, type[Struct]] = {}
    for name, parameter in list(inspect.signature(function).parameters.items())[1:]:
        spread = next((mark for mark in get_args(hints[name])[1:] if isinstance(mark, Spread)), None)
        if spread is not None:
            records[name] = strip_hint(hints[name])
            arguments += spread_arguments(records[name], spread, parameter.default)
            raised = parse_docstring(records[name]).section("Raises")
            errors |= {error: when for error, when in raised.items() if error not in errors}
        elif name in meanings:
            arguments.append(Argument(name, hints[name], parameter.default, meanings.pop(name)))
        else:
            meanings[name] = ""
    if meanings or not text.summary:
        raise TypeError(f"the docstring of {function.__name__} does not describe exactly its arguments")
    return tuple(arguments), records, errors


def expand_kinds(hint: Any) -> Any:
    """Replace any request in a hint by one of the kinds of change, whose names tell them apart."""
    if hint is Request:
        return functools.reduce(operator.or_, sorted(KINDS, key=operation_of))
    match get_origin(hint), get_args(hint):
        case kind, (taken, *marks) if kind is Annotated:
            return Annotated[expand_kinds(taken), *marks]
        case kind, (item, end) if kind is tuple and end is ...:
            return types.GenericAlias(tuple, (expand_kinds(item), ...))
    return hint


def spread_arguments(record: type, spread: Spread, default: Any) -> list[Argument]:
    check_records(record)
    defaults = {} if default is inspect.Parameter.empty else asdict(default)
    hints, meanings = get_type_hints(record, include_extras=True), parse_docstring(record).section("Attributes")
    arguments = (spread_argument(one, hints[one.name], meanings[one.name], spread) for one in fields(record))
    return [replace(one, default=defaults.get(one.name, one.default)) for one in arguments]


def spread_argument(one: FieldInfo, hint: Any, meaning: str, spread: Spread) -> Argument:
    required = one.name in spread.required
    options = get_args(hint) if is_union(hint) else (hint,)
    taken = functools.reduce(operator.or_, (option for option in options if option is not type(None)))
    if one.name in spread.bounds:
        taken = Annotated[taken, spread.bounds[one.name]]
    if type(None) in options and not required:
        taken = taken | None
    default = one.default if one.default_factory is NODEFAULT else one.default_factory()
    return Argument(one.name, taken, inspect.Parameter.empty if required or one.required else default, meaning)


def check_records(hint: Any) -> None:
    for record in records_in(hint):
        described_fields = set(parse_docstring(record).section("Attributes"))
        if described_fields != set(record.__struct_fields__):
            raise TypeError(f"the docstring of {record} does not describe exactly its fields")


def gather_records(records: Mapping[str, type[Struct]], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments as the function takes them: those that are fields of a record together."""
    taken = dict(given)
    for parameter, record in records.items():
        taken[parameter] = record(**{name: taken.pop(name) for name in record.__struct_fields__ if name in taken})
    return taken
