"""Which tools an agent is offered: few by default, since each costs its reader some two hundred tokens."""

from collections.abc import Mapping
from typing import get_args

from bridge.api.call import Principal
from bridge.api.operation import Operation
from bridge.api.registry import get_operation, operations
from bridge.errors import InvalidArguments, NoSuchOperation
from bridge.types import Preset

DEFAULT_TOOLS = (
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
"""The contract's twelve, of which `find_tool` finds all others, and what runs these; finding only reads."""

NOTEBOOK_TOOLS = (
    "brief",
    "remember",
    "recall",
    "save_session",
    "hand_over",
    "search",
    "read_note",
    "create_note",
    "edit_note",
    "undo_change",
    "find_tool",
    "run_tool",
)
"""For agents that work in many sessions: what they keep for the next one, and what they read and write most."""

WRITING_TOOLS = (
    *DEFAULT_TOOLS[:2],
    "read_notes",
    *DEFAULT_TOOLS[2:-2],
    "move_note",
    "rename_heading",
    "delete_note",
    "change_set",
    "daily_note",
    "list_tasks",
    "toggle_task",
    "add_task",
    "list_changes",
    "list_folders",
    "link_report",
    "find_tool",
    "run_tool",
)
"""For agents that write much: further tools that change notes, and the reading tools they need before."""

READ_ONLY_TOOLS = (
    "search",
    "read_note",
    "read_notes",
    "find_notes",
    "related_notes",
    "note_links",
    "list_tags",
    "list_folders",
    "list_tasks",
    "daily_note",
    "suggest_links",
    "link_report",
    "list_changes",
    "graph_path",
    "graph_insights",
    "find_tool",
    "run_tool",
)
"""For agents that change nothing."""

PRESET_TOOLS: Mapping[Preset, tuple[str, ...]] = {
    "default": DEFAULT_TOOLS,
    "notebook": NOTEBOOK_TOOLS,
    "writing": WRITING_TOOLS,
    "read-only": READ_ONLY_TOOLS,
}
"""The tools that each preset lists; the others are listed by `full`."""

META_TOOLS = frozenset({"find_tool", "run_tool", "give_feedback"})
"""Tools about tools: they reach beyond a preset."""

BOTH_WAYS = frozenset({"daily_note", "tidy_rules", "take_over"})
"""Tools that write only on request, so that callers that may only read can use them too."""


def choose_preset(principal: Principal, name: str | None, setting: Preset) -> Preset:
    """Choose the preset: the token's, else the one the address asks for, else the setting's."""
    if principal.preset is not None:
        return principal.preset
    if name is None:
        return setting
    presets: dict[str, Preset] = {preset: preset for preset in get_args(Preset)}
    if name not in presets:
        raise InvalidArguments(f"There is no preset `{name[:40]}`.", hint=f"Presets: {', '.join(presets)}.")
    return presets[name]


def get_tool(name: str) -> Operation:
    operation = get_operation(name)
    if not operation.tool:
        raise NoSuchOperation(
            f"`{operation.name}` is for applications; it is not a tool.", hint="`find_tool` finds tools."
        )
    return operation


def listed_tools(preset: Preset) -> Mapping[str, Operation]:
    tools = {operation.name: operation for operation in operations() if operation.tool}
    return {name: tools[name] for name in PRESET_TOOLS.get(preset, tools) if name in tools}


def callable_tools(preset: Preset) -> Mapping[str, Operation]:
    """Return all tools that can be called in a preset, including those it does not list."""
    tools = listed_tools("full")
    if preset != "read-only":
        return tools
    return {name: tool for name, tool in tools.items() if tool.reads or name in {"find_tool", "run_tool", *BOTH_WAYS}}
