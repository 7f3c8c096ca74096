"""The schemas of tools, without what costs tokens and tells a model nothing; the operation checks all of it anyway."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from bridge.api.arguments import VAULT
from bridge.api.registry import Operation
from bridge.api.schemas import arguments_schema

DROPPED_KEYWORDS = frozenset({"maxLength", "minimum", "minItems", "maxItems", "additionalProperties"})
TOOL_DEFAULTS: Mapping[str, Mapping[str, Any]] = {"read_note": {"max_chars": 24_000}, "note_links": {"limit": 20}}
"""Arguments that a model means when it leaves them out: neither a book nor a hub must fill its memory unasked."""

HIDDEN_ARGUMENTS: Mapping[str, Sequence[str]] = {
    "search": ("explain", "types"),
    "find_notes": ("linked_from",),
    "related_notes": ("line",),
    "suggest_links": ("lines", "strictness"),
    "undo_change": ("hunks",),
}
"""Arguments that agents can do without: for what the text of an answer leaves out, or for an editor's cursor."""

SUMMARY_ONLY = frozenset({"suggest_links"})
"""Tools of which the summary says enough."""

SELF_EXPLANATORY = frozenset({"limit", "sort", "dry_run", "confirm"})
"""Arguments whose names say what they do; where there is a `limit`, `offset` does too."""

PLAIN_PATH = "The note."
"""What a path means that goes without saying."""

REPEATED_SCHEMAS: Mapping[str, Sequence[str]] = {"change_set": ("edits", "items", "properties", "edits", "items")}
"""Where a schema repeats the one of a tool that is listed too: a change set's edits of a note are `edit_note`'s."""

EMPTY_DEFAULTS: tuple[Any, ...] = (None, False, 0, "", [], {})


def input_schema(
    operation: Operation, vaults: Sequence[str], presumed: Mapping[str, Any], unsaid: Sequence[str] = ()
) -> dict[str, Any]:
    """Return what a tool takes.

    Args:
        operation: The tool.
        vaults: The names of the vaults; with a single one the tool does not ask which.
        presumed: Arguments that have another default here than elsewhere.
        unsaid: Arguments that are not told of.
    """
    made: dict[str, Any] = simplify(flatten_unions(arguments_schema(operation)))
    properties = {name: part for name, part in made["properties"].items() if name not in {VAULT, *unsaid}}
    if way := REPEATED_SCHEMAS.get(operation.name):
        properties = prune(properties, way)
    evident = SELF_EXPLANATORY | ({"offset"} if "limit" in properties else set())
    for name in [name for name, part in properties.items() if name in evident or part.get("description") == PLAIN_PATH]:
        properties[name] = {fact: value for fact, value in properties[name].items() if fact != "description"}
    for name in [name for name, part in properties.items() if "examples" in part][1:]:
        properties[name] = {fact: value for fact, value in properties[name].items() if fact != "examples"}
    for name, value in presumed.items():
        properties[name] = {**properties[name], "default": value}
    required = list(made.get("required", ()))
    if len(vaults) > 1:
        properties[VAULT] = {"type": "string", "enum": list(vaults)}
        required += [VAULT] if operation.vault else []
    return {**made, "properties": properties, **({"required": required} if required else {})}


def prune(part: Mapping[str, Any], way: Sequence[str]) -> dict[str, Any]:
    """Return a part of a schema with less at the end of a way through it: any object."""
    step, *rest = way
    return {**part, step: prune(part[step], rest) if rest else {"type": "object"}}


def flatten_unions(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Write each choice between records as one record: what a model reads of eight schemas is their names anyway."""
    records = schema.get("$defs", {})

    def plain(part: Any) -> Any:
        if isinstance(part, list):
            return [plain(item) for item in part]
        if not isinstance(part, Mapping):
            return part
        kept = {name: plain(value) for name, value in part.items() if name != "$defs"}
        if kept.pop("oneOf", None):
            chosen = [records[option["$ref"].rpartition("/")[2]] for option in part["oneOf"]]
            return {**merge_variants([plain(one) for one in chosen]), **kept}
        return kept

    made: dict[str, Any] = plain(schema)
    left = {name: plain(record) for name, record in records.items() if f'#/$defs/{name}"' in json.dumps(made)}
    return {**made, "$defs": left} if left else made


def merge_variants(records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return one record that each of some records is, and tell in its tag's words which fields each takes."""
    tag = next(name for name, field in records[0]["properties"].items() if "const" in field)
    fields: dict[str, Any] = {}
    calls: list[str] = []
    for record in records:
        asked = [name for name in record["properties"] if name != tag]
        needed = record.get("required", ())
        calls.append(f"{record['properties'][tag]['const']}({', '.join(n + '?' * (n not in needed) for n in asked)})")
        for name in asked:
            fields.setdefault(name, record["properties"][name])
    names = [record["properties"][tag]["const"] for record in records]
    told = {"type": "string", "enum": names, "description": " ".join(calls)}
    return {"type": "object", "properties": {tag: told, **fields}, "required": [tag]}


def simplify(part: Any) -> Any:
    """Say the same in fewer words, and in none that some clients do not know."""
    if isinstance(part, list):
        return [simplify(item) for item in part]
    if not isinstance(part, Mapping):
        return part
    kept = {
        name: simplify(value)
        for name, value in part.items()
        if name not in DROPPED_KEYWORDS and not (name == "default" and value in EMPTY_DEFAULTS)
    }
    if first := kept.pop("prefixItems", None):
        kept["items"] = first[0]
    if options := [option for option in kept.pop("anyOf", ()) if option != {"type": "null"}]:
        kept = {**(options[0] if len(options) == 1 else {"anyOf": options}), **kept}
    return kept
