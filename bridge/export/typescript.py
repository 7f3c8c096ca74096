"""The registry as TypeScript, for the plugin: operations with their arguments and results, and events."""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

import bridge
from bridge.api.schemas import result_schema
from bridge.events import Event
from bridge.export.catalogue import catalogue
from bridge.export.openapi import COMMON_ERRORS
from bridge.features import operations

HEAD = "// Written by `python -m bridge.export`: {}. Do not edit."
TYPE_NAMES: Mapping[str | None, str] = {
    "string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null", None: "unknown"
}  # fmt: skip
TAB = "\t"
ANY_CALL = "AnyCallError"


def called_operations(sources: Path) -> frozenset[str]:
    texts = (path.read_text(encoding="utf-8") for path in sources.rglob("*.ts"))
    named = {name for text in texts if not text.startswith(HEAD[:12]) for name in re.findall(r'"([a-z_]+)"', text)}
    return frozenset(named & {entry["name"] for entry in catalogue()})


def operations_module(called: Collection[str]) -> str:
    entries = [entry for entry in catalogue() if entry["name"] in called]
    return "\n\n".join(
        [
            HEAD.format("what the plugin calls of the bridge"),
            f'/** The bridge that this was written from. */\nexport const VERSION = "{bridge.__version__}";',
            schema_digests(entries),
            admin_operations(called),
            any_call_error(),
            *interfaces(entries),
            operations_interface(entries),
            "export type OperationName = keyof Operations;\n",
        ]
    )


def schema_digests(entries: Iterable[Mapping[str, Any]]) -> str:
    lines = "\n".join(f'\t{entry["name"]}: "{entry["form"]}",' for entry in entries)
    meaning = comment(
        "The form of each operation that the plugin calls; with another it is called or answered differently.", ""
    )
    return f"{meaning}\nexport const FORMS = {{\n{lines}\n}} as const;"


def admin_operations(called: Collection[str]) -> str:
    """Generate the set of operations that only the vault's owner may call, or gets the complete result of."""
    admin = [operation.name for operation in operations() if operation.complete == "admin"]
    names = ", ".join(json.dumps(name) for name in admin if name in called)
    meaning = comment("What only the owner may call, or gets a complete answer to.", "")
    return f"{meaning}\nexport const ADMIN: ReadonlySet<string> = new Set([{names}]);"


def events_module() -> str:
    records: dict[str, Mapping[str, Any]] = {}
    kinds = get_args(Event)
    members = " | ".join(kind.__name__ for kind in kinds)
    for record in kinds:
        schema = result_schema(record)
        records.update(schema.get("$defs", {}))
        vault = {"anyOf": [{"type": "string"}, {"type": "null"}], "description": "The vault; null for all."}
        tagged = {"kind": {"const": record.kind}, "vault": vault, **schema.get("properties", {})}
        records[record.__name__] = {**schema, "properties": tagged, "required": list(tagged)}
    return "\n\n".join(
        [
            HEAD.format("what the bridge publishes"),
            *(interface(name, schema) for name, schema in sorted(records.items())),
            f"{comment('What happened.', '')}\nexport type BridgeEvent = {members};\n",
        ]
    )


def any_call_error() -> str:
    meaning = comment("What any call can be refused with.", "")
    return f"{meaning}\nexport type {ANY_CALL} = {literal_union(error.code for error in COMMON_ERRORS)};"


def operations_interface(entries: Iterable[Mapping[str, Any]]) -> str:
    return "\n".join(["export interface Operations {", *("\n".join(operation_member(entry)) for entry in entries), "}"])


def operation_member(entry: Mapping[str, Any]) -> Iterator[str]:
    yield comment(entry["description"].partition("\n")[0], "\t")
    yield f"\t{entry['name']}: {{"
    yield f"\t\targuments: {arguments_type_name(entry)};"
    yield f"\t\tresult: {entry['result_name']};"
    yield f"\t\terror: {ANY_CALL} | {literal_union(error['code'] for error in entry['errors'])};"
    yield "\t};"


def arguments_type_name(entry: Mapping[str, Any]) -> str:
    return "".join(word.capitalize() for word in entry["name"].split("_")) + "Arguments"


def interfaces(entries: Iterable[Mapping[str, Any]]) -> list[str]:
    found: dict[str, Mapping[str, Any]] = {}
    for entry in entries:
        for name, schema in ((arguments_type_name(entry), entry["arguments"]), (entry["result_name"], entry["result"])):
            found[name] = schema
            found.update(schema.get("$defs", {}))
    return [interface(name, schema) for name, schema in sorted(found.items())]


def interface(name: str, schema: Mapping[str, Any]) -> str:
    if "properties" not in schema:
        return f"{doc_comment(schema, '')}export type {name} = {type_expression(schema)};"
    required = schema.get("required", [])
    lines = [
        f"{doc_comment(held, TAB)}\treadonly {field}{'' if field in required else '?'}: {type_expression(held)};"
        for field, held in schema["properties"].items()
    ]
    return "\n".join([f"{doc_comment(schema, '')}export interface {name} {{", *lines, "}"])


def type_expression(schema: Mapping[str, Any]) -> str:
    match schema:
        case {"$ref": str(reference)}:
            written = reference.rpartition("/")[2]
        case {"anyOf": list(options)} | {"oneOf": list(options)}:
            written = " | ".join(dict.fromkeys(map(type_expression, options)))
        case {"const": value}:
            written = literal_union([value])
        case {"enum": list(values)}:
            written = literal_union(values)
        case {"type": "array", **rest}:
            written = array_type(rest)
        case {"type": "object", **rest}:
            held = rest.get("additionalProperties")
            written = f"Readonly<Record<string, {type_expression(held if isinstance(held, dict) else {})}>>"
        case _:
            written = TYPE_NAMES[schema.get("type")]
    return written


def array_type(schema: Mapping[str, Any]) -> str:
    if "prefixItems" in schema:
        return f"readonly [{', '.join(map(type_expression, schema['prefixItems']))}]"
    return f"readonly {parenthesize(type_expression(schema.get('items', {})))}[]"


def literal_union(values: Iterable[Any]) -> str:
    return " | ".join(json.dumps(value) for value in dict.fromkeys(values))


def parenthesize(text: str) -> str:
    """Parenthesize a union, whose last member alone would otherwise get the suffix."""
    return f"({text})" if " " in text else text


def doc_comment(schema: Mapping[str, Any], indent: str) -> str:
    return f"{comment(schema['description'], indent)}\n" if "description" in schema else ""


def comment(text: str, indent: str) -> str:
    return f"{indent}/** {' '.join(text.split()).replace('*/', '*∕')} */"
