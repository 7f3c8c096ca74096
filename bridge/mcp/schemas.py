"""The schemas of tools, without what costs tokens and tells a model nothing; the operation checks all of it anyway."""

from collections.abc import Mapping, Sequence
from typing import Any

from bridge.operations import VAULT, Operation, arguments_schema

UNSAID = frozenset({"maxLength"})
EMPTY: tuple[Any, ...] = (None, [], {}, "")


def input_schema(operation: Operation, vaults: Sequence[str]) -> dict[str, Any]:
    """Return what a tool takes.

    Args:
        operation: The tool.
        vaults: The names of the vaults; with a single one the tool does not ask which.
    """
    made: dict[str, Any] = lean(arguments_schema(operation))
    properties = {name: part for name, part in made["properties"].items() if name != VAULT}
    required = list(made.get("required", ()))
    if len(vaults) > 1:
        properties[VAULT] = {"type": "string", "enum": list(vaults)}
        required += [VAULT] if operation.vault else []
    return {**made, "properties": properties, **({"required": required} if required else {})}


def lean(part: Any) -> Any:
    """Say the same in fewer words, and in none that some clients do not know."""
    if isinstance(part, list):
        return [lean(item) for item in part]
    if not isinstance(part, Mapping):
        return part
    kept = {name: lean(value) for name, value in part.items() if name not in UNSAID and not implied(name, value)}
    if first := kept.pop("prefixItems", None):
        kept["items"] = first[0]
    if options := [option for option in kept.pop("anyOf", ()) if option != {"type": "null"}]:
        kept = {**(options[0] if len(options) == 1 else {"anyOf": options}), **kept}
    return kept


def implied(name: str, value: Any) -> bool:
    """Say whether a word of a schema goes without saying: an empty default, and what an open object may hold."""
    return (name == "default" and value in EMPTY) or (name == "additionalProperties" and value is not False)
