"""The operations as tools."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson
from mcp import types

from bridge.errors import BridgeError, InvalidArguments, NoSuchOperation
from bridge.mcp.caller import Caller, Context, caller
from bridge.mcp.forms import FORMS
from bridge.mcp.presets import offered
from bridge.mcp.progress import told
from bridge.mcp.schemas import input_schema
from bridge.mcp.text import written
from bridge.operations import VAULT, Call, Operation, encode, internal, named, result_schema

if TYPE_CHECKING:
    from bridge.engine import Bridge


@dataclass(frozen=True, slots=True)
class Tools:
    """Lists and calls the tools."""

    bridge: "Bridge"

    async def list(self, context: Context, _: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        """List the tools of the caller's preset: the same ones in the same order each time, all on one page."""
        preset = caller(context, self.bridge.settings).preset
        tools = [self.described(tool, full=preset == "full") for tool in offered(preset).values()]
        return types.ListToolsResult(tools=tools)

    def described(self, operation: Operation, *, full: bool) -> types.Tool:
        """Describe an operation as a tool; only in full with what it answers."""
        return types.Tool(
            name=operation.name,
            title=operation.title,
            description=" ".join(filter(None, (operation.summary, operation.details))),
            input_schema=self.schema(operation.name) or {},
            output_schema=result_schema(operation.result) if full else None,
            annotations=annotations(operation),
        )

    def schema(self, name: str) -> dict[str, Any] | None:
        """Return what a tool takes; None when there is no such tool."""
        try:
            return input_schema(named(name), [engine.name for engine in self.bridge.vaults.values()])
        except NoSuchOperation:
            return None

    async def call(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        """Call a tool; what goes wrong is an answer that a model can act on."""
        try:
            who = caller(context, self.bridge.settings)
            operation = offered_tool(who, params.name)
            answer = await self.answer(context, who, operation, params.arguments or {})
        except BridgeError as error:
            return refusal(error)
        except Exception as error:  # noqa: BLE001  # the top of a call: whatever is left is our own fault
            return refusal(internal(error))
        text = types.TextContent(type="text", text=written(FORMS.get(operation.name), answer, quotes=operation.vault))
        return types.CallToolResult(content=[text], structured_content=answer if who.preset == "full" else None)

    async def answer(
        self, context: Context, who: Caller, operation: Operation, arguments: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Run an operation and return its answer as it goes over HTTP."""
        given = dict(arguments)
        vault = given.pop(VAULT, None)
        if vault is not None and not isinstance(vault, str):
            raise InvalidArguments(f"`{VAULT}` must be the name or id of a vault.")
        async with told(context) as progress:
            call = Call(self.bridge, who.principal, vault, who.client, progress)
            answer: dict[str, Any] = orjson.loads(encode(await operation.run(call, given)))
        return answer


def annotations(operation: Operation) -> types.ToolAnnotations:
    """Say what a call may do to the vault; for what only reads, the rest goes without saying."""
    if operation.reads:
        return types.ToolAnnotations(read_only_hint=True, open_world_hint=False)
    return types.ToolAnnotations(
        read_only_hint=False,
        destructive_hint=operation.destructive,
        idempotent_hint=operation.idempotent,
        open_world_hint=False,
    )


def offered_tool(who: Caller, name: str) -> Operation:
    """Find a tool of the caller's preset.

    Raises:
        NoSuchOperation: There is none; the hint says how to reach one of another preset.
    """
    tools = offered(who.preset)
    if name in tools:
        return tools[name]
    known = named(name)
    raise NoSuchOperation(
        f"`{known.name}` is not offered in the preset `{who.preset}`.",
        hint="Call it through `run_tool`." if "run_tool" in tools else f"These are: {', '.join(tools)}.",
    )


def refusal(error: BridgeError) -> types.CallToolResult:
    """Say what went wrong and what to do."""
    lines = [f"{error.code}: {error.message}", error.hint]
    lines += [
        f"{name}: {' | '.join(map(str, value))}"
        for name, value in error.facts.items()
        if isinstance(value, list | tuple) and value and str(value[0]) not in error.message
    ]
    text = "\n".join(filter(None, lines))
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=True)
