"""Calls by which a chat model looks further while it answers: their form, their grammar, and how one is read."""

import json
from collections.abc import Iterator, Mapping

from bridge.records import dataclass
from bridge.text.invisible import one_line

OPENING = '{"tool"'
"""How a call begins; an answer that begins so is held back until it is known to be none."""

_LONGEST = 200
_STRING_RULES = (
    f'string ::= "\\"" character{{1,{_LONGEST}}} "\\""\n'
    'character ::= [^"\\\\\\x00-\\x1F] | "\\\\" ["\\\\/bfnrt]\n'
    'gap ::= " "?\n'
)


@dataclass(frozen=True, slots=True)
class LookupTool:
    """An operation that a chat model may call, with the arguments that it must and may give, which are all texts."""

    name: str
    activity: str
    """What the user is told meanwhile, before the arguments."""
    required: tuple[str, ...]
    optional: tuple[str, ...] = ()


LOOKUP_TOOLS = (
    LookupTool("search", "Searching for", ("query",)),
    LookupTool("read_note", "Reading", ("path",), ("section",)),
    LookupTool("find_notes", "Listing notes tagged", ("tag",)),
    LookupTool("list_tasks", "Listing tasks:", ("status",), ("text",)),
)
"""What may be called; each only reads."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that a chat model wrote."""

    tool: str
    arguments: Mapping[str, str]


def describe_calls() -> str:
    """Return what a prompt shows of the calls, one a line."""
    return "\n".join(
        write_call(ToolCall(tool.name, dict.fromkeys((*tool.required, *tool.optional), "…"))) for tool in LOOKUP_TOOLS
    )


def call_rules() -> str:
    """Return the rule `call` of a grammar in GBNF."""
    calls = " | ".join(_rule_name(tool) for tool in LOOKUP_TOOLS)
    rules = "\n".join(_call_rule(tool) for tool in LOOKUP_TOOLS)
    return f"call ::= {calls}\n{rules}\n{_STRING_RULES}"


def parse_call(text: str) -> ToolCall | None:
    """Return the call that a chat model wrote; None if the text is none."""
    try:
        found = json.loads(text)
    except ValueError:
        return None
    if not isinstance(found, dict) or found.keys() != {"tool", "arguments"} or not isinstance(found["arguments"], dict):
        return None
    tool = next((one for one in LOOKUP_TOOLS if one.name == found["tool"]), None)
    arguments = found["arguments"]
    if tool is None or not set(tool.required) <= arguments.keys() <= {*tool.required, *tool.optional}:
        return None
    if not all(isinstance(value, str) and value.strip() for value in arguments.values()):
        return None
    return ToolCall(tool.name, {name: value.strip() for name, value in arguments.items()})


def describe_activity(call: ToolCall) -> str:
    """Return what the user is told while a call runs."""
    activity = next(tool.activity for tool in LOOKUP_TOOLS if tool.name == call.tool)
    return f"{activity} {one_line(', '.join(call.arguments.values()))}"


def write_call(call: ToolCall) -> str:
    """Return a call as a chat model writes it."""
    return json.dumps({"tool": call.tool, "arguments": dict(call.arguments)}, ensure_ascii=False)


def _rule_name(tool: LookupTool) -> str:
    return f"call-{tool.name.replace('_', '-')}"


def _call_rule(tool: LookupTool) -> str:
    arguments = "".join(_argument_rules(tool))
    return (
        f'{_rule_name(tool)} ::= "{{\\"tool\\":" gap "\\"{tool.name}\\"," gap "\\"arguments\\":" gap'
        f' "{{"{arguments} "}}" gap "}}"'
    )


def _argument_rules(tool: LookupTool) -> Iterator[str]:
    for place, name in enumerate((*tool.required, *tool.optional)):
        comma = '"," gap ' if place else ""
        rule = f'{comma}"\\"{name}\\":" gap string'
        yield f" ({rule})?" if name in tool.optional else f" {rule}"
