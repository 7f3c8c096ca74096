"""Checks a caller's arguments against an operation's signature; callers of this module do not see pydantic."""

import functools
import itertools
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin, get_type_hints

import orjson
from annotated_types import Interval, MaxLen
from msgspec import Struct, field
from msgspec.structs import fields, replace

from bridge.api.characters import require_plain_name, require_writable_text
from bridge.api.hints import (
    Folder,
    Period,
    bounds,
    describe_hint,
    field_names,
    hint_at,
    is_record,
    is_union,
    json_name,
    marks_of,
    record_hints,
    role_of,
    strip_hint,
    union_tag,
)
from bridge.api.moments import day, first_day, period
from bridge.api.note_names import find_file
from bridge.api.signature import Argument
from bridge.errors import InvalidArguments
from bridge.markdown.names import Names
from bridge.records import Record
from bridge.text.closest import find_closest
from bridge.types import SHORT_DIGEST, START, Day, Digest, PathRole, VaultPath
from bridge.vault.paths import parents
from bridge.vault.vault import Vault

if TYPE_CHECKING:
    from pydantic import BaseModel

    from bridge.api.registry import Operation

RANGE = re.compile(r"\s*(\d{1,9})\s*[-–]\s*(\d{1,9})\s*")
"""Lines as results format them: `3-9`."""

PYTHON: Mapping[str, Any] = {"True": True, "False": False, "None": None}
"""Python literals that differ from JSON."""


def coerce(value: Any, hint: Any) -> Any:
    """Convert a value to what a hint asks for, or return it as it is where its meaning is not certain.

    JSON written as a string is parsed, a single item becomes a list of one, and a number without a fraction an integer.
    Where a string is expected, every string stays as it is. Null for an optional field of a record leaves it out.
    """
    bare = strip_hint(hint)
    if isinstance(value, str) and not takes_text(hint):
        return coerce_text(value, hint, bare)
    if isinstance(value, float) and bare is int and value.is_integer():
        return int(value)
    if get_origin(bare) is tuple:
        return coerce_list(value, get_args(bare))
    if isinstance(value, Mapping):
        return coerce_object(value, hint, bare)
    return value


def takes_text(hint: Any) -> bool:
    bare = strip_hint(hint)
    if union_tag(hint):
        return False
    if is_union(bare):
        return any(map(takes_text, get_args(bare)))
    return bare not in (int, float, bool) and get_origin(bare) not in (tuple, Mapping) and not is_record(bare)


def coerce_text(text: str, hint: Any, bare: Any) -> Any:
    if get_origin(bare) is not tuple:
        read = parse_literal(text)
        return text if isinstance(read, str) else coerce(read, hint)
    items = get_args(bare)
    if items == (int, int) and (found := RANGE.fullmatch(text)):
        return [int(found[1]), int(found[2])]
    read = parse_literal(text)
    # `2024` is a valid tag.
    return coerce_list(text if takes_text(items[0]) and not isinstance(read, list) else read, items)


def parse_literal(text: str) -> Any:
    """Parse text as JSON or as a Python literal; return the text itself if it is neither."""
    if text in PYTHON:
        return PYTHON[text]
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text


def coerce_list(value: Any, items: tuple[Any, ...]) -> Any:
    """Return a list with its items converted; a single item becomes a list of one."""
    many = items[-1] is Ellipsis
    if isinstance(value, list | tuple):
        hints = [items[0]] * len(value) if many else items
        return [*(coerce(*pair) for pair in zip(value, hints, strict=False)), *value[len(hints) :]]
    alone = bool(value) and isinstance(value, str) == takes_text(items[0])
    return [coerce(value, items[0])] if many and alone else value


def coerce_object(value: Mapping[str, Any], hint: Any, bare: Any) -> Mapping[str, Any]:
    """Return an object with its fields converted.

    Of several records, agents are told the fields of all as those of one; null for another's leaves it out, too.
    """
    others = set[str]()
    if options := union_tag(hint):
        field, records = options
        bare = records.get(str(value.get(field)))
        others = {json_name(name) for record in records.values() for name in record_hints(record)}
    if is_record(bare):
        hints = {json_name(name): item for name, item in record_hints(bare).items()}
        optional = others - hints.keys() | {json_name(one.name) for one in fields(bare) if not one.required}
        coerced = {name: coerce(item, hints[name]) if name in hints else item for name, item in value.items()}
        return {name: item for name, item in coerced.items() if item is not None or name not in optional}
    if get_origin(bare) is not None and len(get_args(bare)) == 2:
        return {name: coerce(item, get_args(bare)[1]) for name, item in value.items()}
    return value


MAX_INTEGER = 2**53 - 1
"""The largest integer that every JSON reader keeps."""


def bind_plain(taken: Sequence[Argument], given: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the arguments of a call with the defaults of others; None unless all are simple and plainly fit."""
    bound: dict[str, Any] = {}
    for argument in taken:
        if argument.name not in given:
            if argument.is_required:
                return None
            bound[argument.name] = argument.default
        elif fits_plainly(given[argument.name], argument.hint):
            bound[argument.name] = given[argument.name]
        else:
            return None
    return bound if given.keys() <= bound.keys() else None


def fits_plainly(value: Any, hint: Any) -> bool:
    bare = strip_hint(hint)
    if value is None:
        return is_union(hint) and type(None) in get_args(hint)
    if get_origin(bare) is Literal:
        return type(value) is str and value in get_args(bare)
    plain = getattr(bare, "__supertype__", bare)
    if type(value) is not plain or not all(map(is_known_mark, marks_of(hint))):
        return False
    limits = bounds(hint)
    if isinstance(value, str):
        return is_unicode(value) and (limits.longest is None or len(value) <= limits.longest)
    least = -MAX_INTEGER if limits.least is None else limits.least
    most = MAX_INTEGER if limits.most is None else limits.most
    return type(value) is bool or (type(value) is int and least <= value <= most)


def is_known_mark(mark: Any) -> bool:
    if isinstance(mark, Interval):
        return mark.gt is None and mark.lt is None
    return isinstance(mark, MaxLen | PathRole) or mark is START


def is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


DIGEST = re.compile(f"[0-9a-fA-F]{{{SHORT_DIGEST},64}}")

MAX_PROBLEMS, MAX_CHECKED_ITEMS = 1_000, 20
"""Problems of arguments that are listed to find the first one, and the items looked at where there are more."""

LONG = 1_000
"""Items of a list that are checked at once."""

TOLD = 3
"""Most problems that one message describes."""

VAULT = "vault"
"""The argument that the registry adds to every operation."""


def is_long(arguments: Mapping[str, Any]) -> bool:
    """Return whether there is a list of so many items that other calls would have to wait while each is checked."""
    return any(isinstance(value, list) and len(value) > LONG for value in arguments.values())


def bind(operation: "Operation", arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments as the operation's function takes them, including defaults."""
    if (plain := bind_plain(operation.arguments, arguments)) is not None:
        return plain
    from pydantic import ValidationError

    names = [argument.name for argument in operation.arguments]
    if unknown := [str(name) for name in arguments if name not in names]:
        raise unknown_argument(operation, unknown, names)
    require_lengths(operation, arguments)
    try:
        model = model_of(operation).model_validate_json(orjson.dumps(arguments))
    except ValidationError as error:
        arguments = coerce_all(operation, arguments, error.error_count())
        model = validate(operation, arguments)
    except TypeError:
        raise InvalidArguments(describe_inexpressible(operation, arguments), operation=operation.name) from None
    found = {name: getattr(model, name) for name in names}
    for argument in operation.arguments:
        if strip_hint(argument.hint) is int and (found[argument.name] or 0) > MAX_INTEGER:
            raise InvalidArguments(f"`{argument.name}` is at most {MAX_INTEGER:,}.", operation=operation.name)
    return found


def require_lengths(operation: "Operation", arguments: Mapping[str, Any]) -> None:
    for argument in operation.arguments:
        value, most = arguments.get(argument.name), bounds(argument.hint).longest
        if isinstance(value, list) and most is not None and len(value) > most:
            raise InvalidArguments(
                f"`{argument.name}` may have at most {most} items, not {len(value):,}.", operation=operation.name
            )


def coerce_all(operation: "Operation", arguments: Mapping[str, Any], problems: int) -> dict[str, Any]:
    """Return arguments that do not fit, each converted to what it should be where that is certain.

    Null for an optional argument leaves it out, since some models must name every argument.
    """
    hints = {argument.name: argument.hint for argument in operation.arguments}
    if problems > MAX_PROBLEMS:
        few = {name: shorten(value) for name, value in arguments.items()}
        if few != arguments:
            bind(operation, few)
    required = {argument.name for argument in operation.arguments if argument.is_required}
    coerced = {name: coerce(value, hints[name]) for name, value in arguments.items()}
    return {name: value for name, value in coerced.items() if value is not None or name in required}


def validate(operation: "Operation", arguments: Mapping[str, Any]) -> "BaseModel":
    from pydantic import ValidationError

    try:
        return model_of(operation).model_validate_json(orjson.dumps(arguments))
    except ValidationError as error:
        count = error.error_count()
        why = (
            f"{count:,} values in the arguments do not fit."
            if count > MAX_PROBLEMS
            else describe_mismatch(operation, arguments, error)
        )
        raise InvalidArguments(why, operation=operation.name) from None
    except TypeError:
        raise InvalidArguments(describe_inexpressible(operation, arguments), operation=operation.name) from None


def shorten(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [shorten(item) for item in value[:MAX_CHECKED_ITEMS]]
    if isinstance(value, dict):
        return {name: shorten(value[name]) for name in itertools.islice(value, MAX_CHECKED_ITEMS)}
    return value


def describe_inexpressible(operation: "Operation", arguments: Mapping[str, Any]) -> str:
    for name, value in arguments.items():
        try:
            orjson.dumps(value)
        except TypeError:
            if isinstance(value, int):
                return f"`{name}` is too large: it is at most {MAX_INTEGER:,}."
            return f"`{name}` contains a value that JSON cannot express, such as a number of over 19 digits."
    return f"The arguments of `{operation.name}` contain a value that JSON cannot express."


def unknown_argument(operation: "Operation", unknown: Sequence[str], names: list[str]) -> InvalidArguments:
    # Callers with one vault are not shown that argument.
    near = [find_closest(name, names) or find_closest(name, [VAULT], 0.8) for name in unknown[:TOLD]]
    suggestion = (
        f"did you mean {', '.join(f'`{one}`' for one in near)}?"
        if all(near)
        else f"it takes {', '.join(f'`{k}`' for k in names) or 'none'}."
    )
    said = ", ".join(f"`{truncate(name)}`" for name in unknown[:TOLD]) + (" …" if len(unknown) > TOLD else "")
    return InvalidArguments(
        f"`{operation.name}` has no argument {said}; {suggestion}", operation=operation.name, argument=unknown[0]
    )


def describe_mismatch(operation: "Operation", arguments: Mapping[str, Any], error: Any) -> str:
    problems = error.errors(include_url=False, include_context=False, include_input=True)
    # A misspelt field is also a missing one; the misspelling is the more useful report.
    misspelt = {one["loc"][:-1] for one in problems if one["type"] == "unexpected_keyword_argument"}
    problems = [one for one in problems if one["type"] != "missing" or one["loc"][:-1] not in misspelt]
    # A list whose items do not fit also counts as empty.
    outer = {one["loc"][:depth] for one in problems for depth in range(len(one["loc"]))}
    problems = [one for one in problems if one["loc"] not in outer]
    problems.sort(key=lambda one: one["type"] != "unexpected_keyword_argument")
    told = [*dict.fromkeys(describe_problem(operation, arguments, one) for one in problems)]
    return " ".join(told[:TOLD]) + (f" And {len(told) - TOLD} more." if len(told) > TOLD else "")


def describe_problem(operation: "Operation", arguments: Mapping[str, Any], problem: Mapping[str, Any]) -> str:
    name, *place = problem["loc"]
    argument = next(a for a in operation.arguments if a.name == name)
    if problem["type"] == "missing" and not place:
        return f"`{operation.name}` needs `{name}`: {argument.meaning[0].lower()}{argument.meaning[1:]}"
    if problem["type"] == "unexpected_keyword_argument":
        return describe_unknown_field(argument.hint, name, place)
    hint, way = hint_at(argument.hint, tuple(place))
    if problem["type"].startswith("union_tag") and (options := union_tag(hint)):
        return describe_missing_tag(format_location(name, way), *options, problem["input"])
    if problem["type"] == "too_short":
        return f"`{format_location(name, way)}` is empty."
    if problem["type"] == "too_long" and (most := bounds(hint).longest) is not None:
        return f"`{format_location(name, way)}` may have at most {most} items, not {len(problem['input']):,}."
    value = functools.reduce(lambda level, step: level[step], way, arguments[name]) if has_value(problem, way) else None
    detail = f", not {describe_value(value)}" if has_value(problem, way) else "; it is missing"
    return f"`{format_location(name, way)}` must be {describe_hint(hint)}{detail}."


def describe_missing_tag(where: str, field: str, records: Mapping[str, type], value: Mapping[str, Any]) -> str:
    detail = f", not {describe_value(value[field])}" if field in value else "; it is missing"
    return f"`{where}.{field}` must be one of {', '.join(records)}{detail}."


def describe_unknown_field(hint: Any, name: str, place: list[int | str]) -> str:
    record, way = hint_at(hint, tuple(place[:-1]))
    names = field_names(strip_hint(record))
    near = find_closest(str(place[-1]), names)
    suggestion = f"did you mean `{near}`?" if near else f"it takes {', '.join(names)}."
    return f"`{format_location(name, way)}` has no field `{truncate(str(place[-1]))}`; {suggestion}"


def format_location(name: str, way: tuple[int | str, ...]) -> str:
    return name + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in way)


def has_value(problem: Mapping[str, Any], way: tuple[int | str, ...]) -> bool:
    return problem["type"] != "missing" or not way or way[-1] != problem["loc"][-1]


def describe_value(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case str():
            return f"{len(value):,} characters" if len(value) > 200 else f'"{truncate(value)}"'
        case list() | tuple():
            return f"a list of {len(value)}"
        case Mapping():
            return "an object"
        case _:
            return truncate(str(value))


def truncate(text: str) -> str:
    """Cut a caller's text to fit on one line of a message."""
    line = "".join(c if unicodedata.category(c)[0] != "C" else "\N{REPLACEMENT CHARACTER}" for c in text[:60])
    return line if len(text) <= 60 else line + "…"


@functools.cache
def model_of(operation: "Operation") -> "type[BaseModel]":
    from pydantic import ConfigDict, create_model

    fields: dict[str, Any] = {a.name: (a.hint, ... if a.is_required else a.default) for a in operation.arguments}
    return create_model(operation.name, __config__=ConfigDict(strict=True, extra="forbid"), **fields)


def locate(operation: "Operation", bound: dict[str, Any], vault: Vault, names: Names | None = None) -> dict[str, Any]:
    """Check every path, digest and day among the arguments and convert them to the form that operations take."""
    locator = Locator(vault, names, writes=not operation.reads)
    return {one.name: locator.locate(bound[one.name], one.hint, one.name) for one in operation.arguments}


class Locator(Struct):
    """Converts the paths of one call to vault paths."""

    vault: Vault
    names: Names | None
    writes: bool = False
    """Whether its texts may end up in notes."""
    made: list[VaultPath] = field(default_factory=list)
    """Paths that earlier records of the call create; a later one may refer to them by name."""
    source: VaultPath | None = None
    """The file or folder that the call, or one of its records, is about: the source of a move."""

    def locate(self, value: Any, hint: Any, name: str) -> Any:
        bare = strip_hint(hint)
        if value is None:
            return None
        if isinstance(value, str):
            return self.parse(value, hint, name)
        if isinstance(value, tuple) and get_args(bare)[-1:] == (Ellipsis,):
            return tuple(self.item(each, get_args(bare)[0], name) for each in value)
        if isinstance(value, Record):
            hints = fields_of(type(value))
            self.source = None
            return replace(value, **{field: self.locate(getattr(value, field), hints[field], field) for field in hints})
        if self.writes and isinstance(value, Mapping):
            require_writable_text(name, value)
        return value

    def parse(self, value: str, hint: Any, name: str) -> str | None:
        bare = strip_hint(hint)
        if bare in (Digest, VaultPath):
            return parse_digest(value) if bare is Digest else self.path(value, role_of(hint))
        if bare is Folder:
            return self.vault.locate(value.rstrip("/")) if value.rstrip("/") else ""
        if bare is Period:
            return period(name, value)
        if bare is Day:
            return (first_day if START in marks_of(hint) else day)(name, value)
        if self.writes:
            require_writable_text(name, value)
        return value

    def item(self, value: Any, hint: Any, name: str) -> Any:
        found = self.locate(value, hint, name)
        if isinstance(found, Record):
            hints = fields_of(type(found))
            self.made += [getattr(found, each) for each in hints if role_of(hints[each]) is PathRole.NEW]
        return found

    def path(self, value: str, role: PathRole | None) -> VaultPath:
        """Convert a path to a vault path; one that must exist may also be given by name or as a link."""
        if role is PathRole.NEW:
            found = self.vault.locate(value)
            there = [parent.rpartition("/")[2] for parent in parents(found) if self.vault.has(VaultPath(parent))]
            require_plain_name(found, "path", {*there, *(self.source or "").split("/")})
            return self.destination(found, self.source) if value.endswith("/") and self.source else found
        found = (
            self.vault.locate(value)
            if self.names is None
            else find_file(self.vault, self.names, value, self.made, folders=role is PathRole.FOLDER)
        )
        if role is PathRole.FOLDER:
            self.source = found
        return found

    def destination(self, folder: VaultPath, source: VaultPath) -> VaultPath:
        """Return the target of a move to a path with a slash at its end.

        A file moves into the folder of that path; so does a folder if that folder exists, else it becomes that folder.
        """
        moves_folder = self.vault.has(source) and (self.vault.root / source).is_dir()
        there = self.vault.has(folder) or any(path.startswith(f"{folder}/") for path in self.made)
        return VaultPath(f"{folder}/{source.rpartition('/')[2]}") if there or not moves_folder else folder


@functools.cache
def fields_of(record: type[Record]) -> Mapping[str, Any]:
    hints = get_type_hints(record, include_extras=True)
    return {name: hints[name] for name in record.__struct_fields__}


def parse_digest(text: str) -> Digest:
    if not DIGEST.fullmatch(text):
        # A shorter prefix would make the note look changed, however often it is read again.
        raise InvalidArguments(
            f"A digest has {SHORT_DIGEST} to 64 digits from 0 to f, not {describe_value(text)}.",
            hint="`read_note` and `find_notes` return it.",
        )
    return Digest(text.lower())
