"""Which tools an agent is offered: few by default, since each costs its reader some two hundred tokens."""

from collections.abc import Mapping
from typing import get_args

from bridge.errors import InvalidArguments, NoSuchOperation
from bridge.operations.call import Principal
from bridge.operations.registry import Operation, named, operations
from bridge.types import Preset

DEFAULT = (
    "search",
    "read_note",
    "find_notes",
    "related_notes",
    "note_links",
    "list_tags",
    "suggest_links",
    "create_note",
    "edit_note",
    "set_properties",
    "undo_change",
    "find_tool",
    "run_tool",
)
"""The contract's twelve, and what runs a tool that `find_tool` names."""

META = frozenset({"find_tool", "run_tool", "give_feedback"})
"""Tools about tools: they lead out of a preset."""


def chosen(principal: Principal, asked: str | None, setting: Preset) -> Preset:
    """Choose: what the token says, else what the address asks for, else the setting.

    Raises:
        InvalidArguments: The address asks for a preset that does not exist.
    """
    if principal.preset is not None:
        return principal.preset
    if asked is None:
        return setting
    known: dict[str, Preset] = {preset: preset for preset in get_args(Preset)}
    if asked not in known:
        raise InvalidArguments(f"There is no preset `{asked[:40]}`.", hint=f"Presets: {', '.join(known)}.")
    return known[asked]


def tool_named(name: str) -> Operation:
    """Find an operation that agents may be offered.

    Raises:
        NoSuchOperation: There is none, or it is for applications only.
    """
    known = named(name)
    if not known.tool:
        raise NoSuchOperation(f"`{known.name}` is for applications and no tool.", hint="`find_tool` finds tools.")
    return known


def offered(preset: Preset) -> Mapping[str, Operation]:
    """Return a preset's tools by name, in a fixed order."""
    known = {operation.name: operation for operation in operations() if operation.tool}
    if preset == "full":
        return known
    listed = {name: known[name] for name in DEFAULT if name in known}
    if preset == "default":
        return listed
    return {name: tool for name, tool in listed.items() if tool.reads and name not in META}
