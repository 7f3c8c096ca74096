"""Checks a caller's arguments against an operation's signature; callers of this module do not see msgspec."""

import functools
import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec
import orjson
from msgspec import UNSET, Struct, ValidationError, convert, defstruct, field
from msgspec.structs import asdict, fields, replace

from bridge.api.hints import (
    Folder,
    Period,
    bounds,
    describe_hint,
    field_names,
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
from bridge.api.signature import Signature
from bridge.errors import InvalidArguments
from bridge.markdown.frontmatter import read_frontmatter
from bridge.markdown.names import Names
from bridge.records import Record
from bridge.text.closest import find_closest
from bridge.text.lines import LineIndex
from bridge.types import SHORT_DIGEST, START_MARK, Day, Digest, PathRole, VaultPath
from bridge.vault.paths import display_path, parents
from bridge.vault.vault import Vault

RANGE = re.compile(r"\s*(\d{1,9})\s*(?:[-–:,]\s*(\d{1,9}))?\s*")
"""Lines as results format them, `3-9`, or one line."""

PYTHON_LITERALS: Mapping[str, Any] = {"True": True, "False": False, "None": None}
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
        return [int(found[1]), int(found[2] or found[1])]
    read = parse_literal(text)
    # `2024` is a valid tag.
    return coerce_list(text if takes_text(items[0]) and not isinstance(read, list) else read, items)


def parse_literal(text: str) -> Any:
    """Parse text as JSON or as a Python literal; return the text itself if it is neither."""
    if text in PYTHON_LITERALS:
        return PYTHON_LITERALS[text]
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

    Of several records, agents are told the fields of all as those of one; a blank for another's leaves it out, too.
    """
    others = set[str]()
    if options := union_tag(hint):
        field, records = options
        bare = records.get(str(value.get(field)))
        others = {json_name(name) for record in records.values() for name in record_hints(record)}
    if is_record(bare):
        hints = json_hints(bare)
        optional = others - hints.keys() | {json_name(one.name) for one in fields(bare) if not one.required}
        coerced = {name: coerce(item, hints[name]) if name in hints else item for name, item in value.items()}
        # An empty text fits no field of another record.
        blanks = {name for name in optional & coerced.keys() if is_blank(coerced[name], hints.get(name, int))}
        return {name: item for name, item in coerced.items() if name not in blanks}
    if get_origin(bare) is not None and len(get_args(bare)) == 2:
        return {name: coerce(item, get_args(bare)[1]) for name, item in value.items()}
    return value


def is_blank(value: Any, hint: Any) -> bool:
    """Return whether a value says nothing: null, or an empty text where none fits."""
    return value is None or (value == "" and mismatch("", hint) is not None)


MAX_INTEGER = 2**53 - 1
"""The largest integer that every JSON reader keeps."""


STEP = re.compile(r"\.([^.\[]+)|\[(\d+|\.\.\.)\]")
"""A step in the path of an error: a field, an item, or some value of an object."""

MISSING_FIELD = re.compile("Object missing required field `(.*)`")
UNKNOWN_FIELD = re.compile("Object contains unknown field `(.*)`")

DIGEST = re.compile(f"[0-9a-fA-F]{{{SHORT_DIGEST},64}}")

ITEMS_AT_ONCE = 1_000
"""Items of a list that are checked at once."""

LARGE_CALL_BYTES = 2**18
"""Bytes of arguments from which calls take turns."""

MAX_DESCRIBED_PROBLEMS = 3
"""Most problems that one message describes."""

VAULT = "vault"
"""The argument that the registry adds to every operation."""


def pop_vault(arguments: dict[str, Any], default: str | None = None) -> str | None:
    vault = arguments.pop(VAULT, default)
    if vault is not None and not isinstance(vault, str):
        raise InvalidArguments(f"`{VAULT}` must be the name or id of a vault.")
    return vault


def is_long(arguments: Mapping[str, Any]) -> bool:
    """Return whether there is a list of so many items that other calls would have to wait while each is checked."""
    return any(isinstance(value, list) and len(value) > ITEMS_AT_ONCE for value in arguments.values())


def is_large(arguments: Mapping[str, Any]) -> bool:
    """Return whether there is so much text that what becomes of it, such as a draft, takes tens of megabytes."""
    try:
        return len(orjson.dumps(arguments)) > LARGE_CALL_BYTES
    except TypeError:
        return False


def bind(operation: Signature, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments as the operation's function takes them, including defaults."""
    names = [argument.name for argument in operation.arguments]
    if unknown := [str(name) for name in arguments if name not in names]:
        raise unknown_argument(operation, unknown, names)
    try:
        bound = msgspec.json.decode(orjson.dumps(arguments), type=model_of(operation))
    except TypeError:
        raise InvalidArguments(describe_inexpressible(operation, arguments), operation=operation.name) from None
    except ValidationError:
        arguments = coerce_all(operation, arguments)
        try:
            bound = convert(arguments, model_of(operation))
        except ValidationError:
            raise InvalidArguments(describe_mismatch(operation, arguments), operation=operation.name) from None
    for name in integers_of(operation):
        if (getattr(bound, name) or 0) > MAX_INTEGER:
            raise InvalidArguments(f"`{name}` is at most {MAX_INTEGER:,}.", operation=operation.name)
    return asdict(bound)


@functools.cache
def integers_of(operation: Signature) -> tuple[str, ...]:
    return tuple(argument.name for argument in operation.arguments if strip_hint(argument.hint) is int)


def coerce_all(operation: Signature, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments that do not fit, each converted to what it should be where that is certain.

    Null or an empty text for an optional argument leaves it out, since some models must name every argument; not an
    empty text where something may be lost, as to leave it out may mean more notes.
    """
    hints = {argument.name: argument.hint for argument in operation.arguments}
    required = {argument.name for argument in operation.arguments if argument.is_required}
    coerced = {name: coerce(value, hints[name]) for name, value in arguments.items()}
    kept = {name: value for name, value in coerced.items() if value is not None or name in required}
    if operation.destructive:
        return kept
    return {name: value for name, value in kept.items() if name in required or not is_blank(value, hints[name])}


def describe_inexpressible(operation: Signature, arguments: Mapping[str, Any]) -> str:
    for name, value in arguments.items():
        try:
            orjson.dumps(value)
        except TypeError as error:
            if "ecursion" in str(error):
                return f"`{name}` has more values inside each other than JSON can express."
            if isinstance(value, int):
                return f"`{name}` is too large: it is at most {MAX_INTEGER:,}."
            return f"`{name}` contains a value that JSON cannot express, such as a number of over 19 digits."
    return f"The arguments of `{operation.name}` contain a value that JSON cannot express."


def unknown_argument(operation: Signature, unknown: Sequence[str], names: list[str]) -> InvalidArguments:
    # Callers with one vault are not shown that argument.
    near = [find_closest(name, [*names, VAULT]) for name in unknown[:MAX_DESCRIBED_PROBLEMS]]
    suggestion = (
        f"did you mean {', '.join(f'`{one}`' for one in near)}?"
        if all(near)
        else f"it takes {', '.join(f'`{k}`' for k in names) or 'none'}."
    )
    said = ", ".join(f"`{truncate(name)}`" for name in unknown[:MAX_DESCRIBED_PROBLEMS]) + (
        " …" if len(unknown) > MAX_DESCRIBED_PROBLEMS else ""
    )
    return InvalidArguments(
        f"`{operation.name}` has no argument {said}; {suggestion}", operation=operation.name, argument=unknown[0]
    )


def describe_mismatch(operation: Signature, arguments: Mapping[str, Any]) -> str:
    told = []
    for argument in operation.arguments:
        name = argument.name
        if name in arguments:
            if (error := mismatch(arguments[name], argument.hint)) is not None:
                told.append(describe_problem(name, arguments[name], argument.hint, error))
        elif argument.is_required:
            told.append(f"`{operation.name}` needs `{name}`: {argument.meaning[0].lower()}{argument.meaning[1:]}")
    return " ".join(told[:MAX_DESCRIBED_PROBLEMS]) + (
        f" And {len(told) - MAX_DESCRIBED_PROBLEMS} more." if len(told) > MAX_DESCRIBED_PROBLEMS else ""
    )


def mismatch(value: Any, hint: Any) -> str | None:
    try:
        convert(value, hint)
    except ValidationError as error:
        return str(error)
    return None


def describe_problem(where: str, value: Any, hint: Any, error: str) -> str:
    """Describe an error of msgspec in the words of a hint; its path leads to the value that does not fit."""
    what, _, path = error.partition(" - at `$")
    steps = STEP.findall(path.rstrip("`"))
    if missing := MISSING_FIELD.fullmatch(what):
        steps.append((missing[1], ""))
    for name, index in steps:
        if is_union(strip_hint(hint)) and not union_tag(hint):
            break
        step, hint = follow(name, index, value, hint)
        value = value.get(step, UNSET) if isinstance(value, Mapping) else value[step]
        where += f"[{step}]" if isinstance(step, int) else f".{step}"
    if unknown := UNKNOWN_FIELD.fullmatch(what):
        return describe_unknown_field(record_of(hint, value), where, unknown[1])
    if value is UNSET:
        return f"`{where}` must be {describe_hint(hint)}; it is missing."
    if isinstance(value, list) and get_origin(strip_hint(hint)) is tuple:
        length = describe_length(where, value, hint)
        if length is not None:
            return length
    if value == "" and strip_hint(hint) is str:
        return f"`{where}` is empty."
    return f"`{where}` must be {describe_hint(hint)}, not {describe_value(value)}."


def follow(field: str, index: str, value: Any, hint: Any) -> tuple[str | int, Any]:
    """Return a step in the path of an error, and the hint of what is there."""
    if field:
        tag, records = union_tag(hint) or ("", {})
        return field, Literal[tuple(records)] if field == tag else json_hints(record_of(hint, value))[field]
    items = get_args(strip_hint(hint))
    if index.isdigit():
        return int(index), items[0]
    return next(name for name, item in value.items() if mismatch(item, items[-1])), items[-1]


def describe_length(where: str, value: list[Any], hint: Any) -> str | None:
    items, most = get_args(strip_hint(hint)), bounds(hint).longest
    if items[-1] is not Ellipsis and len(value) < len(items):
        return f"`{where}[{len(value)}]` must be {describe_hint(items[len(value)])}; it is missing."
    if not value:
        return f"`{where}` is empty."
    if most is not None and len(value) > most:
        return f"`{where}` may have at most {most} items, not {len(value):,}."
    return None


def record_of(hint: Any, value: Mapping[str, Any]) -> Any:
    """Return the record that a hint asks for; of several the one that the value chose."""
    options = union_tag(hint)
    return options[1][value[options[0]]] if options else strip_hint(hint)


def json_hints(record: type) -> Mapping[str, Any]:
    return {json_name(name): hint for name, hint in record_hints(record).items()}


def describe_unknown_field(record: Any, where: str, name: str) -> str:
    names = field_names(record)
    near = find_closest(name, names)
    suggestion = f"did you mean `{near}`?" if near else f"it takes {', '.join(names)}."
    return f"`{where}` has no field `{truncate(name)}`; {suggestion}"


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
def model_of(operation: Signature) -> type[Struct]:
    required = [(one.name, one.hint) for one in operation.arguments if one.is_required]
    others = [(one.name, one.hint, one.default) for one in operation.arguments if not one.is_required]
    return defstruct(operation.name, [*required, *others], forbid_unknown_fields=True)


def locate(operation: Signature, bound: dict[str, Any], vault: Vault, names: Names | None = None) -> dict[str, Any]:
    """Check every path, digest and day among the arguments and convert them to the form that operations take."""
    locator = Locator(vault, names, writes=not operation.reads, drops_blanks=not operation.destructive)
    return {one.name: locator.locate(bound[one.name], one.hint, one.name) for one in operation.arguments}


class Locator(Struct):
    """Converts the paths of one call to vault paths."""

    vault: Vault
    names: Names | None
    writes: bool = False
    """Whether its texts may end up in notes."""
    drops_blanks: bool = False
    """Whether an empty path that may be null is."""
    made: list[VaultPath] = field(default_factory=list)
    """Paths that earlier records of the call create; a later one may refer to them by name."""
    source: VaultPath | None = None
    """The file or folder that the call, or one of its records, is about: the source of a move."""

    def locate(self, value: Any, hint: Any, name: str) -> Any:
        bare = strip_hint(hint)
        if value is None:
            return None
        if isinstance(value, str):
            is_blank_path = not value and bare is VaultPath and self.drops_blanks
            return None if is_blank_path and mismatch(None, hint) is None else self.parse(value, hint, name)
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
            return (first_day if START_MARK in marks_of(hint) else day)(name, value)
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
            if self.source is None:
                return found
            return self.destination(found, self.source) if value.endswith("/") else self.note(found, self.source)
        found = (
            self.vault.locate(value)
            if self.names is None
            else find_file(self.vault, self.names, value, self.made, folders=role is PathRole.FOLDER)
        )
        if role is PathRole.FOLDER:
            self.source = found
        return found

    def note(self, target: VaultPath, source: VaultPath) -> VaultPath:
        """Return the target of a move, with the extension that is left out for a note as in links."""
        is_note = source.lower().endswith(".md") and not self.vault.place(source).is_dir()
        bare = "." not in target.rpartition("/")[2] and not self.vault.has(target)
        return VaultPath(f"{target}{source[-3:]}") if is_note and bare else target

    def destination(self, folder: VaultPath, source: VaultPath) -> VaultPath:
        """Return the target of a move to a path with a slash at its end.

        A file moves into the folder of that path; so does a folder if that folder exists, else it becomes that folder.
        """
        moves_folder = self.vault.has(source) and self.vault.place(source).is_dir()
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


DIRECTION_CHANGE = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""They turn the direction of the text around them, so that a name reads as another. Marks, which only spell, do not."""

TAGS = re.compile(r"properties\.tags?(\[\d+\])?", re.IGNORECASE)
"""Where tags stand among properties."""

SOUGHT_ARGUMENTS = {"old"}
"""Arguments with text to find, which may be there already."""


def require_writable_text(name: str, value: Any) -> None:
    """Require text that a note can hold; names in properties are checked as well, and properties in a text."""
    if name in SOUGHT_ARGUMENTS:
        return
    for place, text in texts_in(name, value):
        if "\0" in text:
            raise InvalidArguments(
                f"`{place}` contains a NUL character, at {text.index(chr(0)) + 1:,} of {len(text):,}; "
                "a note with one is not text.",
                hint="Leave the character out.",
            )
        if TAGS.fullmatch(place):
            require_plain_name(text, "tag")
        if text.startswith("---"):
            require_writable_text("properties", read_frontmatter(text, LineIndex(text)).properties)


def require_plain_name(name: str, what: str, known: Collection[str] = ()) -> None:
    """Require a name, or the names of a path, without characters that reorder its text."""
    for part in name.split("/"):
        if part not in known and (found := DIRECTION_CHANGE.search(part)):
            character = f"U+{ord(found[0]):04X} ({unicodedata.name(found[0])})"
            raise InvalidArguments(
                f"The {what} `{display_path(name)}` contains {character}, which makes it read as another name.",
                hint="Leave the character out.",
            )


def texts_in(name: str, value: Any) -> Iterator[tuple[str, str]]:
    match value:
        case str():
            yield name, value
        case Mapping():
            for key, each in value.items():
                yield name, str(key)
                yield from texts_in(f"{name}.{key}", each)
        case list() | tuple():
            for at, each in enumerate(value):
                yield from texts_in(f"{name}[{at}]", each)
