"""Calls by which a chat model looks further while it answers: their form, their grammar, and how one is read."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bridge.features.external_tools.public import ExternalTool
from bridge.records import Record
from bridge.text.budget import cut
from bridge.text.invisible import one_line

OPENING = '{"tool"'
"""How a call begins; an answer that begins so is held back until it is known to be none."""

_MAX_STRING_CHARS = 200
_STRING_RULES = (
    f'string ::= "\\"" character{{1,{_MAX_STRING_CHARS}}} "\\""\n'
    'character ::= [^"\\\\\\x00-\\x1F] | "\\\\" ["\\\\/bfnrt]\n'
    'gap ::= " "?\n'
)

_DEPTH = 3
"""How deep lists and objects may stand in each other in the arguments of a tool of another program."""

_MEMBERS = 16
"""Maximum number of members of such a list or object."""

_MAX_DESCRIPTION_CHARS = 800
"""Maximum characters that a prompt has of what another program says of a tool, and of its arguments."""

_MAX_ALL_DESCRIPTION_CHARS = 4_000
"""Maximum characters of all of these together."""


class LookupTool(Record):
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


class ToolCall(Record):
    """A call that a chat model wrote; the arguments of the bridge's own tools are all texts."""

    tool: str
    arguments: Mapping[str, Any]

    def argument_texts(self) -> Mapping[str, str]:
        """Return the arguments as they are shown: those that are no texts as JSON."""
        return {
            name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            for name, value in self.arguments.items()
        }


def describe_calls() -> str:
    return "\n".join(
        write_call(ToolCall(tool.name, dict.fromkeys((*tool.required, *tool.optional), "…"))) for tool in LOOKUP_TOOLS
    )


def describe_external(tools: Sequence[ExternalTool]) -> str:
    """Return what a prompt shows of the tools of other programs: how each is called, and how it is described."""
    most = min(_MAX_DESCRIPTION_CHARS, _MAX_ALL_DESCRIPTION_CHARS // (2 * len(tools) or 1))
    return "\n".join(
        "\n".join(
            [
                f'{{"tool": "{tool.name}", "arguments": {{…}}}}',
                *(f"> {cut(one_line(words), most)}" for words in (tool.description, tool.arguments) if words),
            ]
        )
        for tool in tools
    )


def call_rules(external: Sequence[ExternalTool] = ()) -> str:
    calls = " | ".join([*map(_rule_name, LOOKUP_TOOLS), *(f"call-external-{place}" for place in range(len(external)))])
    rules = "\n".join([*map(_call_rule, LOOKUP_TOOLS), *_external_rules(external)])
    return f"call ::= {calls}\n{rules}\n{_STRING_RULES}"


def parse_call(text: str, external: Sequence[ExternalTool] = ()) -> ToolCall | None:
    """Return the call that a chat model wrote; None if the text is none."""
    try:
        found = json.loads(text)
    except ValueError:
        return None
    if not isinstance(found, dict) or found.keys() != {"tool", "arguments"} or not isinstance(found["arguments"], dict):
        return None
    arguments = found["arguments"]
    if any(one.name == found["tool"] for one in external):
        return ToolCall(found["tool"], arguments)
    tool = next((one for one in LOOKUP_TOOLS if one.name == found["tool"]), None)
    if tool is None or not set(tool.required) <= arguments.keys() <= {*tool.required, *tool.optional}:
        return None
    if not all(isinstance(value, str) and value.strip() for value in arguments.values()):
        return None
    return ToolCall(tool.name, {name: value.strip() for name, value in arguments.items()})


def describe_activity(call: ToolCall) -> str:
    """Return what the user is told while a call runs."""
    activity = next((tool.activity for tool in LOOKUP_TOOLS if tool.name == call.tool), f"Calling {call.tool}:")
    return f"{activity} {one_line(', '.join(call.argument_texts().values()))}"


def write_call(call: ToolCall) -> str:
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


def _external_rules(external: Sequence[ExternalTool]) -> Iterator[str]:
    """Yield the rules of the tools of other programs, whose arguments are any objects: schemas are only described."""
    for place, tool in enumerate(external):
        yield (
            f'call-external-{place} ::= "{{\\"tool\\":" gap "\\"{tool.name}\\"," gap "\\"arguments\\":" gap'
            f' object-{_DEPTH} gap "}}"'
        )
    if not external:
        return
    yield 'any-text ::= "\\"\\"" | string'
    yield 'scalar ::= any-text | "-"? [0-9]{1,15} ("." [0-9]{1,15})? | "true" | "false" | "null"'
    for depth in range(1, _DEPTH + 1):
        inner = f"scalar | object-{depth - 1} | list-{depth - 1}" if depth > 1 else "scalar"
        yield f"value-{depth} ::= {inner}"
        yield f'member-{depth} ::= string ":" gap value-{depth}'
        yield f'object-{depth} ::= "{{" (member-{depth} ("," gap member-{depth}){{0,{_MEMBERS - 1}}})? "}}"'
        yield f'list-{depth} ::= "[" (value-{depth} ("," gap value-{depth}){{0,{_MEMBERS - 1}}})? "]"'
