"""Checks a caller's arguments against an operation's signature; callers of this module do not see msgspec."""

import functools
import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec
import orjson
from msgspec import Struct, ValidationError, convert, defstruct, field
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

BLANKS = (None, "null", "None", "")
"""What says nothing where it does not fit."""


class Misfit(Exception):
    """A value is not what a hint asks for; the message says where and how."""


def fit(value: Any, hint: Any, where: str) -> Any:
    """Convert a value to what a hint asks for, where that is certain; raises Misfit where something else is given.

    JSON written as a string is parsed, a single item becomes a list of one, and a number without a fraction an integer.
    Where a string is expected, every string stays as it is.
    """
    bare, options = strip_hint(hint), union_tag(hint)
    items = get_args(bare) if get_origin(bare) is tuple else ()
    if isinstance(value, str) and not takes_text(hint):
        value = parse_text(value, items)
    elif isinstance(value, float) and bare is int and value.is_integer():
        value = int(value)
    if items:
        return fit_list(value, hint, items, where)
    if isinstance(value, Mapping) and (options or is_record(bare)):
        return fit_record(value, bare, options, where)
    if isinstance(value, Mapping) and get_origin(bare) is Mapping:
        return {name: fit(item, get_args(bare)[1], f"{where}.{name}") for name, item in value.items()}
    require_fit(value, hint, where)
    return value


def takes_text(hint: Any) -> bool:
    bare = strip_hint(hint)
    if union_tag(hint):
        return False
    if is_union(bare):
        return any(map(takes_text, get_args(bare)))
    return bare not in (int, float, bool) and get_origin(bare) not in (tuple, Mapping) and not is_record(bare)


def parse_text(text: str, items: tuple[Any, ...]) -> Any:
    """Parse a text where something else is expected, such as a list with these items."""
    if items == (int, int) and (found := RANGE.fullmatch(text)):
        return [int(found[1]), int(found[2] or found[1])]
    read = parse_literal(text)
    # `2024` is a valid tag.
    return text if items and takes_text(items[0]) and not isinstance(read, list) else read


def parse_literal(text: str) -> Any:
    """Parse text as JSON or as a Python literal; return the text itself if it is neither."""
    if text in PYTHON_LITERALS:
        return PYTHON_LITERALS[text]
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text


def fit_list(value: Any, hint: Any, items: tuple[Any, ...], where: str) -> Any:
    """Return a list with its items converted; a single item becomes a list of one."""
    many, most = items[-1] is Ellipsis, bounds(hint).max_length
    if not isinstance(value, list | tuple):
        if many and value and isinstance(value, str) == takes_text(items[0]):
            return [fit(value, items[0], f"{where}[0]")]
        raise Misfit(describe_misfit(value, hint, where))
    if most is not None and len(value) > most:
        raise Misfit(f"`{where}` may have at most {most} items, not {len(value):,}.")
    if not many and len(value) < len(items):
        at = len(value)
        raise Misfit(f"`{where}[{at}]` must be {describe_hint(items[at])}; it is missing.")
    if not value and mismatch(value, hint) is not None:
        raise Misfit(f"`{where}` is empty.")
    hints = [items[0]] * len(value) if many else items
    fitted = [fit(item, one, f"{where}[{at}]") for at, (item, one) in enumerate(zip(value, hints, strict=False))]
    require_fit([*fitted, *value[len(hints) :]], hint, where)
    return fitted


def fit_record(
    value: Mapping[str, Any], record: Any, options: tuple[str, Mapping[str, Any]] | None, where: str
) -> Mapping[str, Any]:
    """Return an object with its fields converted; null for an optional field leaves it out.

    Of several records, agents are told the fields of all as those of one; a blank for another's leaves it out, too.
    """
    others = set[str]()
    if options:
        tag, records = options
        require_choice(value, tag, Literal[tuple(records)], where)
        record = records[value[tag]]
        others = {json_name(name) for each in records.values() for name in record_hints(each)}
    hints = {json_name(name): hint for name, hint in record_hints(record).items()}
    required = [json_name(one.name) for one in fields(record) if one.required]
    fitted: dict[str, Any] = {}
    for name, item in value.items():
        if name == record.__struct_config__.tag_field:
            fitted[name] = item
        elif name in hints:
            try:
                fitted[name] = fit(item, hints[name], f"{where}.{name}")
            except Misfit:
                # An empty text for an optional field says nothing where none fits.
                if item not in BLANKS or name in required:
                    raise
        elif name not in others or item not in BLANKS:
            raise Misfit(describe_unknown_field(record, where, name))
    for name in required:
        require_choice(fitted, name, hints[name], where)
    return fitted


def require_choice(value: Mapping[str, Any], name: str, hint: Any, where: str) -> None:
    if name not in value:
        raise Misfit(f"`{where}.{name}` must be {describe_hint(hint)}; it is missing.")
    require_fit(value[name], hint, f"{where}.{name}")


def require_fit(value: Any, hint: Any, where: str) -> None:
    if mismatch(value, hint) is not None:
        raise Misfit(describe_misfit(value, hint, where))


def describe_misfit(value: Any, hint: Any, where: str) -> str:
    if value == "" and strip_hint(hint) is str:
        return f"`{where}` is empty."
    return f"`{where}` must be {describe_hint(hint)}, not {describe_value(value)}."


MAX_INTEGER = 2**53 - 1
"""The largest integer that every JSON reader keeps."""


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
        bound = convert(fit_all(operation, arguments), model_of(operation))
    for name in integers_of(operation):
        if (getattr(bound, name) or 0) > MAX_INTEGER:
            raise InvalidArguments(f"`{name}` is at most {MAX_INTEGER:,}.", operation=operation.name)
    return asdict(bound)


@functools.cache
def integers_of(operation: Signature) -> tuple[str, ...]:
    return tuple(argument.name for argument in operation.arguments if strip_hint(argument.hint) is int)


def fit_all(operation: Signature, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments, each converted to what it should be where that is certain.

    Null or an empty text for an optional argument leaves it out, since some models must name every argument; not an
    empty text where something may be lost, as to leave it out may mean more notes.
    """
    fitted: dict[str, Any] = {}
    told = []
    for argument in operation.arguments:
        name, value = argument.name, arguments.get(argument.name)
        if name not in arguments and argument.is_required:
            told.append(f"`{operation.name}` needs `{name}`: {argument.meaning[0].lower()}{argument.meaning[1:]}")
        elif value is not None or argument.is_required:
            try:
                fitted[name] = fit(value, argument.hint, name)
            except Misfit as error:
                is_blank = value in BLANKS and not (value == "" and operation.destructive)
                told += [] if is_blank and not argument.is_required else [str(error)]
    if told:
        more = f" And {len(told) - MAX_DESCRIBED_PROBLEMS} more." if len(told) > MAX_DESCRIBED_PROBLEMS else ""
        raise InvalidArguments(" ".join(told[:MAX_DESCRIBED_PROBLEMS]) + more, operation=operation.name)
    return fitted


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


def mismatch(value: Any, hint: Any) -> str | None:
    try:
        convert(value, hint)
    except ValidationError as error:
        return str(error)
    return None


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
