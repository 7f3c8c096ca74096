"""The operations as tools."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from mcp import types

from bridge.api.dispatch import internal
from bridge.api.presets import offered, reachable, tool_named
from bridge.api.registry import Operation
from bridge.api.schemas import arguments_schema, result_schema
from bridge.errors import BridgeError, ConfirmationRequired, InvalidArguments, NoSuchOperation
from bridge.features import named
from bridge.mcp.caller import Caller, Context, caller
from bridge.mcp.confirm import Consent, Unanswered, can_ask
from bridge.mcp.errors import of_tool, told
from bridge.mcp.forms import form_of
from bridge.mcp.text import written
from bridge.mcp.tool_schemas import BRIEF, PRESUMED, UNTOLD, input_schema
from bridge.types import Preset

if TYPE_CHECKING:
    from bridge.engine.bridge import Bridge

Step = tuple[float, float | None, str]


@asynccontextmanager
async def reporting(context: Context) -> AsyncIterator[Callable[[float, float | None, str], None]]:
    """Hand out what an operation calls with its progress; at the end, all of it was sent."""
    steps: asyncio.Queue[Step | None] = asyncio.Queue()
    sending = asyncio.create_task(send(context, steps), name="mcp progress")
    try:
        yield lambda done, total, message: steps.put_nowait((done, total, message))
        steps.put_nowait(None)
        await asyncio.wait({sending})
    finally:
        sending.cancel()
        await asyncio.gather(sending, return_exceptions=True)


async def send(context: Context, steps: asyncio.Queue[Step | None]) -> None:
    """Send each step as it comes; a client that did not ask for progress gets none."""
    while (step := await steps.get()) is not None:
        done, total, message = step
        await context.session.report_progress(done, total, message)


FINDS, RUNS = "find_tool", "run_tool"

RUNS_TOO = "Then give its `name` and `arguments` here to run it."

WRITES: Mapping[str, Sequence[str]] = {
    "daily_note": ("append", "heading", "create_heading", "dry_run", "reason", "confirm")
}
"""Arguments of tools that may also write, which whoever only reads is not told of."""


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
            tools = [described(tool, vaults, who.preset) for tool in offered(who.preset).values()]
            return types.ListToolsResult(tools=tools)

    async def call(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Call a tool; what goes wrong is an answer that a model can act on."""
        try:
            who = caller(context, self.bridge)
            operation, arguments = called(who, params.name, params.arguments or {})
            given = {**presumed(operation, full=who.preset == "full"), **arguments}
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


def described(operation: Operation, vaults: Sequence[str], preset: Preset) -> types.Tool:
    """Describe an operation as a tool; only in full with what it answers."""
    full, reads = preset == "full", preset == "read-only"
    untold = () if full else (*UNTOLD.get(operation.name, ()), *(WRITES.get(operation.name, ()) if reads else ()))
    takes = input_schema(operation, vaults, presumed(operation, full=full), untold)
    details = operation.details if full or operation.name not in BRIEF else ""
    text = " ".join(filter(None, (operation.summary, details)))
    if operation.name == FINDS and not full:
        takes, text = with_run(takes), f"{text} {RUNS_TOO}"
    return types.Tool(
        name=operation.name,
        title=operation.title,
        description=text,
        input_schema=takes,
        output_schema=result_schema(operation.result) if full else None,
        annotations=annotations(operation, preset),
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


def annotations(operation: Operation, preset: Preset) -> types.ToolAnnotations:
    """Say what a call may do to the vault; what the protocol presumes of a tool goes without saying."""
    runs = named(RUNS) if operation.name == FINDS and preset != "full" else operation
    if runs.reads or preset == "read-only":
        return types.ToolAnnotations(read_only_hint=True, open_world_hint=False)
    return types.ToolAnnotations(
        read_only_hint=False,
        destructive_hint=runs.destructive,
        idempotent_hint=runs.idempotent or None,
        open_world_hint=False,
    )


def called(who: Caller, name: str, arguments: Mapping[str, Any]) -> tuple[Operation, Mapping[str, Any]]:
    """Return the operation that a call means, and its arguments.

    A tool that the preset does not list can be called all the same: `find_tool` runs it with the same rights.

    Raises:
        NoSuchOperation: There is no such tool, or the preset keeps it out.
    """
    if name == FINDS and who.preset != "full" and arguments.get("name") is not None:
        # Two tools in one, since each that is listed costs its reader tokens.
        return named(RUNS), {part: value for part, value in arguments.items() if part not in {"task", "limit"}}
    if name == FINDS and who.preset != "full" and arguments.get("task") is None:
        raise InvalidArguments(f"`{FINDS}` needs `task` to find a tool, or `name` and `arguments` to run one.")
    known = tool_named(name)
    if known.name not in reachable(who.preset):
        listed = ", ".join(offered(who.preset))
        raise NoSuchOperation(
            f"`{known.name}` is not offered in the preset `{who.preset}`.", hint=f"These are: {listed}."
        )
    return known, arguments


def with_run(takes: Mapping[str, Any]) -> dict[str, Any]:
    """Return what `find_tool` takes where it also runs what it finds."""
    runs = arguments_schema(named(RUNS))["properties"]
    properties = {
        **takes["properties"],
        "name": {"type": "string", "description": runs["name"]["description"]},
        "arguments": {"type": "object", "description": runs["arguments"]["description"]},
    }
    return {name: value for name, value in takes.items() if name != "required"} | {"properties": properties}
