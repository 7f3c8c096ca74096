"""The operations as tools."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from mcp import types

from bridge.errors import BridgeError, ConfirmationRequired, NoSuchOperation
from bridge.mcp.caller import Caller, Context, caller
from bridge.mcp.confirming import Consent, Unanswered, can_ask
from bridge.mcp.forms import form_of
from bridge.mcp.progress import reporting
from bridge.mcp.refusals import of_tool, told
from bridge.mcp.schemas import PRESUMED, UNTOLD, input_schema
from bridge.mcp.text import written
from bridge.operations import Operation, arguments_schema, internal, named, offered, result_schema, tool_named

if TYPE_CHECKING:
    from bridge.engine import Bridge


@dataclass(frozen=True, slots=True)
class Tools:
    """Lists and calls the tools."""

    bridge: "Bridge"
    consent: Consent = field(default_factory=Consent)

    async def list(self, context: Context, _: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        """List the tools of the caller's preset: the same ones in the same order each time, all on one page."""
        with told(context):
            who = caller(context, self.bridge)
            vaults = [engine.name for engine in who.engines]
            tools = [described(tool, vaults, full=who.preset == "full") for tool in offered(who.preset).values()]
            return types.ListToolsResult(tools=tools)

    async def call(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Call a tool; what goes wrong is an answer that a model can act on."""
        try:
            who = caller(context, self.bridge)
            operation = offered_tool(who, params.name)
            given = {**presumed(operation, full=who.preset == "full"), **(params.arguments or {})}
            write = partial(written, form_of(operation.name), quotes=operation.vault or operation.name == "run_tool")
            async with reporting(context) as progress:
                # A model's word does not stand in for the user's where the user can be asked.
                consent = False if can_ask(context) else None
                try:
                    answer, text = await who.ask(operation, given, write, progress, consent)
                except ConfirmationRequired as error:
                    await self.consent.obtain(context, params, who, operation, given, error)
                    answer, text = await who.ask(operation, given, write, progress, consent=True)
        except Unanswered as unanswered:
            return unanswered.question
        except BridgeError as error:
            return of_tool(error)
        except Exception as error:  # noqa: BLE001  # the top of a call: whatever is left is our own fault
            return of_tool(internal(error))
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=text)],
            structured_content=dict(answer) if who.preset == "full" else None,
        )


def described(operation: Operation, vaults: Sequence[str], *, full: bool) -> types.Tool:
    """Describe an operation as a tool; only in full with what it answers."""
    return types.Tool(
        name=operation.name,
        title=operation.title,
        description=" ".join(filter(None, (operation.summary, operation.details))),
        input_schema=input_schema(
            operation, vaults, presumed(operation, full=full), () if full else UNTOLD.get(operation.name, ())
        ),
        output_schema=result_schema(operation.result) if full else None,
        annotations=annotations(operation),
    )


def schema(name: str) -> dict[str, Any] | None:
    """Return what a tool takes; None when there is no such tool."""
    try:
        return arguments_schema(named(name))
    except NoSuchOperation:
        return None


def presumed(operation: Operation, *, full: bool) -> Mapping[str, Any]:
    """Return what a model means that leaves an argument out; in full all is as over HTTP."""
    return {} if full else PRESUMED.get(operation.name, {})


def annotations(operation: Operation) -> types.ToolAnnotations:
    """Say what a call may do to the vault; what the protocol presumes of a tool goes without saying."""
    if operation.reads:
        return types.ToolAnnotations(read_only_hint=True, open_world_hint=False)
    return types.ToolAnnotations(
        read_only_hint=False,
        destructive_hint=operation.destructive,
        idempotent_hint=operation.idempotent or None,
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
    these = f"These are: {', '.join(tools)}."
    try:
        known = tool_named(name)
    except NoSuchOperation as error:
        hint = error.hint if "find_tool" in tools else these
        raise NoSuchOperation(error.message, hint=hint, **error.facts) from None
    raise NoSuchOperation(
        f"`{known.name}` is not offered in the preset `{who.preset}`.",
        hint="Call it through `run_tool`." if "run_tool" in tools else these,
    )
