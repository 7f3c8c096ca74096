"""The schemas of tools, without what costs tokens and does not help a model; operations check all of it anyway."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from bridge.api.arguments import VAULT
from bridge.api.registry import Operation
from bridge.api.schemas import arguments_schema

DROPPED_KEYWORDS = frozenset({"maxLength", "minimum", "minItems", "maxItems", "additionalProperties"})
TOOL_DEFAULTS: Mapping[str, Mapping[str, Any]] = {"read_note": {"max_chars": 24_000}, "note_links": {"limit": 20}}
"""Defaults for models that omit an argument: neither a book nor a hub should fill their context unasked."""

HIDDEN_ARGUMENTS: Mapping[str, Sequence[str]] = {
    "search": ("explain", "types", "paths", "min_score", "among", "everywhere"),
    "find_notes": ("linked_from", "excerpts", "types", "among"),
    "related_notes": ("line", "among"),
    "create_note": ("if_exists", "append_links"),
    "edit_note": ("append_links",),
    "daily_note": ("if_exists",),
    "list_tags": ("among",),
    "suggest_links": ("lines", "strictness"),
    "undo_change": ("hunks", "redo"),
    "brief": ("tags", "parts", "limit", "recency_days", "everywhere"),
    "remember": ("files", "metadata", "private", "confidence", "expires", "pinned", "reason", "dry_run"),
    "recall": ("kinds", "tiers", "tags", "about", "since", "among_private", "archived", "text_chars", "everywhere"),
    "save_session": ("actions", "problems", "model", "cost_usd", "excerpt", "reason", "dry_run"),
    "hand_over": ("unknowns", "to", "reason", "dry_run", "confirm"),
}
"""Arguments that agents do not need: for what text views omit, or for an editor's cursor."""

SUMMARY_ONLY = frozenset({"suggest_links", "brief", "recall", "save_session"})
"""Tools whose summary is description enough."""

SELF_EXPLANATORY = frozenset({"limit", "sort", "dry_run", "confirm"})
"""Arguments whose names explain them; beside a `limit`, `offset` does too."""

PLAIN_PATH = "The note."
"""The description of a path that needs none."""

SAID_IN_WORDS: Mapping[str, Sequence[str]] = {"hand_over": ("Claim", "properties", "proof")}
"""Where a record of many fields has a description that names those which a model needs."""

REPEATED_SCHEMAS: Mapping[str, Sequence[str]] = {"change_set": ("edits", "items", "properties", "edits", "items")}
"""Where a schema repeats that of another listed tool: a change set's edits of a note are those of `edit_note`."""

EMPTY_DEFAULTS: tuple[Any, ...] = (None, False, 0, "", [], {})


def input_schema(
    operation: Operation, vaults: Sequence[str], presumed: Mapping[str, Any], unsaid: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the input schema of a tool.

    Args:
        operation: The tool.
        vaults: The names of the vaults; with only one, the tool takes no `vault`.
        presumed: Arguments with another default than elsewhere.
        unsaid: Arguments that are left out.
    """
    made: dict[str, Any] = simplify(flatten_unions(arguments_schema(operation)))
    if unsaid and (way := SAID_IN_WORDS.get(operation.name)):
        definitions = prune(made.pop("$defs"), way, keep=("description",))
        made = with_definitions(made, definitions)
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


def prune(part: Mapping[str, Any], way: Sequence[str], keep: Sequence[str] = ()) -> dict[str, Any]:
    """Return a part of a schema in which the value at the end of a path is any object, with some of its facts."""
    step, *rest = way
    if rest:
        return {**part, step: prune(part[step], rest, keep)}
    return {**part, step: {"type": "object", **{name: part[step][name] for name in keep}}}


def flatten_unions(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Merge each union of records into one record: of eight schemas, a model uses only the names anyway."""
    records = schema.get("$defs", {})

    def plain(part: Any) -> Any:
        if isinstance(part, list):
            return [plain(item) for item in part]
        if not isinstance(part, Mapping):
            return part
        rest = {name: plain(value) for name, value in part.items() if name != "$defs"}
        if rest.pop("oneOf", None):
            chosen = [records[option["$ref"].rpartition("/")[2]] for option in part["oneOf"]]
            return {**merge_variants([plain(one) for one in chosen]), **rest}
        return rest

    made: dict[str, Any] = plain(schema)
    return with_definitions(made, {name: plain(record) for name, record in records.items()})


def with_definitions(schema: Mapping[str, Any], records: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema with those definitions that it refers to, also by way of others."""
    used: dict[str, Any] = {}
    while more := {
        name: record
        for name, record in records.items()
        if name not in used and f'#/$defs/{name}"' in json.dumps([schema, used])
    }:
        used |= more
    return {**schema, "$defs": used} if used else dict(schema)


def merge_variants(records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return one record that covers all of the records, whose tag's description says which fields each takes."""
    tag = next(name for name, field in records[0]["properties"].items() if "const" in field)
    fields: dict[str, Any] = {}
    calls: list[str] = []
    for record in records:
        fields_shown = [name for name in record["properties"] if name != tag]
        needed = record.get("required", ())
        calls.append(
            f"{record['properties'][tag]['const']}({', '.join(n + '?' * (n not in needed) for n in fields_shown)})"
        )
        for name in fields_shown:
            fields.setdefault(name, record["properties"][name])
    names = [record["properties"][tag]["const"] for record in records]
    tag_schema = {"type": "string", "enum": names, "description": " ".join(calls)}
    return {"type": "object", "properties": {tag: tag_schema, **fields}, "required": [tag]}


def simplify(part: Any) -> Any:
    """Say the same in fewer keywords, and without those that some clients do not know."""
    if isinstance(part, list):
        return [simplify(item) for item in part]
    if not isinstance(part, Mapping):
        return part
    schema = {
        name: simplify(value)
        for name, value in part.items()
        if name not in DROPPED_KEYWORDS and not (name == "default" and value in EMPTY_DEFAULTS)
    }
    if first := schema.pop("prefixItems", None):
        schema["items"] = first[0]
    if options := [option for option in schema.pop("anyOf", ()) if option != {"type": "null"}]:
        schema = {**(options[0] if len(options) == 1 else {"anyOf": options}), **schema}
    return schema
