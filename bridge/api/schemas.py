"""Results and arguments as JSON: encoding, schemas with descriptions from the docstrings, and text views."""

import functools
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NewType, TypeVar, get_args

import msgspec
import orjson
from msgspec.structs import asdict, fields, replace

from bridge.api import signature
from bridge.api.arguments import VAULT, model_of
from bridge.api.hints import Period, When, json_name, record_hints, records_in, strip_hint, walk_hint
from bridge.api.markup import Diff, Document, Element, Line, RecordList, Section, Segment, Table
from bridge.api.operation import Operation
from bridge.api.registry import show
from bridge.records import Record
from bridge.text.invisible import may_hide, quote_freely, visible_text
from bridge.types import EXACT_MARK, Day

EXAMPLES = {When: ("2026-01-31", "7 days ago"), Day: ("2026-01-31", "tomorrow"), Period: ("2026-01-31", "this week")}
"""Examples of values whose schema is only a string."""

Seen = TypeVar("Seen")


@functools.cache
def arguments_schema(operation: Operation) -> dict[str, Any]:
    """Return the JSON schema of an operation's arguments, `vault` included."""
    made = describe_type(model_of(operation), [argument.hint for argument in operation.arguments])
    properties = made["properties"]
    for argument in operation.arguments:
        properties[argument.name]["description"] = argument.meaning
        if examples := EXAMPLES.get(strip_hint(argument.hint)):
            properties[argument.name]["examples"] = list(examples)
    properties[VAULT] = {
        "anyOf": [{"type": "string"}, {"type": "null"}],
        "default": None,
        "description": "The vault, by name or id; optional while there is one.",
    }
    return made


@functools.cache
def result_schema(record: type[Record]) -> dict[str, Any]:
    made = describe_type(record, [record])
    for part in (made, *made.get("$defs", {}).values()):
        # Later versions may have more fields.
        part.pop("additionalProperties", None)
    describe(made, record)
    return made


def describe_type(type_: type, hints: Sequence[Any]) -> dict[str, Any]:
    """Return the JSON schema of a struct, with the texts of the records in its hints."""
    _, parts = msgspec.json.schema_components([type_], ref_template="#/$defs/{name}")
    literals = {frozenset(get_args(hint)): [*get_args(hint)] for each in hints for hint in walk_hint(each)}
    records = {record.__name__: record for hint in hints for record in records_in(hint)}
    for name, part in parts.items():
        tidy(part, literals)
        part.pop("title", None)
        if name in records:
            describe(part, records[name])
    made: dict[str, Any] = parts.pop(type_.__name__)
    return made | ({"$defs": parts} if parts else {})


def tidy(part: Any, literals: Mapping[frozenset[Any], list[Any]]) -> None:
    """Put values in the order of the code, and leave out what few readers of schemas know."""
    if isinstance(part, list):
        for each in part:
            tidy(each, literals)
    if not isinstance(part, dict):
        return
    if isinstance(part.get("enum"), list):
        part.update(type="string", enum=literals.get(frozenset(part["enum"]), part["enum"]))
        if len(part["enum"]) == 1:
            part["const"] = part.pop("enum")[0]
    if part.get("items") is False:
        del part["items"]
    if part.pop("discriminator", None):
        part["oneOf"] = part.pop("anyOf")
    for each in part.values():
        tidy(each, literals)


def describe(part: dict[str, Any], record: type[Record]) -> None:
    """Copy the texts of a record's docstring into its schema."""
    text = signature.parse_docstring(record)
    part["description"] = text.summary
    for field, meaning in text.section("Attributes").items():
        part["properties"][json_name(field)]["description"] = meaning
    if tag := record.__struct_config__.tag_field:
        part["properties"][tag]["description"] = "The operation."


def encode(result: Any) -> bytes:
    """Encode a result as JSON.

    Fields whose default is None are omitted while they are None. File names that are not valid Unicode lose the
    offending bytes. Texts lose what a reader does not see, except in paths and in fields that are `Exact`.
    """
    return encode_seen(result)[1]


def encode_seen(result: Seen) -> tuple[Seen, bytes]:
    """Return a result as its reader sees it, and that as JSON."""
    try:
        formed = dump(result)
    except TypeError:
        result = sanitize(result)
        formed = dump(result)
    if isinstance(result, Record) and may_hide(formed):
        result = strip_unseen(result)
        formed = dump(result)
    return result, formed


def strip_text(text: str) -> str:
    seen = visible_text(text)
    return seen if seen == text or "\n" in seen else " ".join(seen.split())


def strip_unseen(value: Any, strip: Callable[[str], str] = strip_text) -> Any:
    """Strip from every text of a value what a reader does not see, except where it must be exact."""
    if isinstance(value, str):
        return strip(value)
    if isinstance(value, Record):
        given = asdict(value).items()
        return replace(value, **{name: strip_unseen(item, strip_of(type(value), name)) for name, item in given})
    if isinstance(value, Mapping):
        return {strip_unseen(key, strip): strip_unseen(item, strip) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return tuple(strip_unseen(item, strip) for item in value)
    return value


SENTENCES = frozenset({"problem", "problems", "notice", "notices", "warnings", "message"})
"""Fields with sentences of the bridge, which may name things of notes."""


def strip_of(record: type, name: str) -> Callable[[str], str]:
    return str if name in exact_fields(record) else quote_freely if name in SENTENCES else strip_text


@cache
def exact_fields(record: type) -> frozenset[str]:
    return frozenset(name for name, hint in record_hints(record).items() if is_exact(hint))


def is_exact(hint: Any) -> bool:
    return hint == EXACT_MARK or isinstance(hint, NewType) or any(map(is_exact, get_args(hint)))


def dump(result: Any) -> bytes:
    value = record_fields(result) if isinstance(result, Record) else result
    return orjson.dumps(value, default=encode_default)


def record_fields(record: Record) -> dict[str, Any]:
    left_out = optional_fields(type(record))
    return {name: value for name, value in asdict(record).items() if value is not None or name not in left_out}


@cache
def optional_fields(record: type) -> frozenset[str]:
    return frozenset(one.name for one in fields(record) if one.default is None)


def encode_default(value: Any) -> Any:
    if isinstance(value, Record):
        tag = value.__struct_config__.tag_field
        return asdict(value) | ({tag: value.__struct_config__.tag} if tag else {})
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, frozenset | set):
        return sorted(value)
    raise TypeError(f"{type(value).__name__} cannot be JSON")


def sanitize(value: Any) -> Any:
    """Replace lone surrogates in every string of a value, and convert integers beyond 64 bits to strings."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        return str(value)
    if isinstance(value, Mapping):
        return {sanitize(key): sanitize(item) for key, item in value.items()}
    if isinstance(value, Record):
        return replace(value, **{name: sanitize(item) for name, item in asdict(value).items()})
    if isinstance(value, list | tuple | frozenset | set):
        return tuple(sanitize(item) for item in value)
    return value


def to_json(result: Any) -> dict[str, Any]:
    """Return a result as a client would decode it from HTTP."""
    value: dict[str, Any] = orjson.loads(encode(result))
    return value


def view_json(result: Record) -> Sequence[Mapping[str, Any]]:
    return [element_json(element) for element in show(result)]


def element_json(element: Element) -> Mapping[str, Any]:
    match element:
        case str() | Line():
            return line_json(Line(element) if isinstance(element, str) else element)
        case Table():
            return {"kind": "table", **table_json(element)}
        case RecordList():
            return {"kind": "records", **records_json(element)}
        case Section(entries=entries):
            head = segments_json(element.head(element.size).segments)
            return {"kind": "section", "title": element.title, "head": head, **records_json(entries)}
        case Document(text=text, end=end):
            return {"kind": "document", "text": text, "end": end}
        case Diff(text=text):
            return {"kind": "diff", "text": text}


def records_json(entries: Table | RecordList | Sequence[Line | str]) -> Mapping[str, Any]:
    match entries:
        case Table():
            return {"records": table_json(entries), "lines": None}
        case RecordList(table=table, lines=lines):
            return {"records": table_json(table), "lines": [element_json(line) for line in lines]}
        case lines:
            return {"records": None, "lines": [element_json(line) for line in lines]}


def line_json(line: Line) -> Mapping[str, Any]:
    return {"kind": "line", "segments": segments_json(line.segments), "notice": line.notice}


def segments_json(segments: Sequence[Segment]) -> Sequence[tuple[str, str]]:
    return [(segment.text, segment.role) for segment in segments]


def table_json(table: Table) -> Mapping[str, Any]:
    names = [column.name for column in table.columns]
    return {
        "columns": names,
        "paths": [column.name for column in table.columns if column.role == "path"],
        "details": [column.name for column in table.columns if column.detail],
        "pipes": [column.name for column in table.columns if column.pipe],
        "shares": [column.name for column in table.columns if "%}" in str(column.form)],
        "rows": [{column.name: column.value_of(row) for column in table.columns} for row in table.rows],
    }
