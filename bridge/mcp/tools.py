"""The operations as tools."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import field
from functools import partial
from typing import TYPE_CHECKING, Any

from mcp import types

from bridge.api.arguments import VAULT, truncate
from bridge.api.dispatch import internal_error
from bridge.api.presets import callable_tools, get_tool, listed_tools
from bridge.api.registry import Operation, view_of
from bridge.api.schemas import arguments_schema, result_schema
from bridge.errors import BridgeError, ConfirmationRequired, InvalidArguments, NoSuchOperation
from bridge.features import get_operation
from bridge.mcp.caller import Caller, Context, read_caller
from bridge.mcp.confirm import ConfirmationPending, Consent, can_ask
from bridge.mcp.errors import protocol_errors, tool_error
from bridge.mcp.text import format_answer
from bridge.mcp.tool_schemas import HIDDEN_ARGUMENTS, SUMMARY_ONLY, TOOL_DEFAULTS, input_schema
from bridge.records import dataclass
from bridge.types import Preset

if TYPE_CHECKING:
    from bridge.engine.bridge import Bridge

Step = tuple[float, float | None, str]


@asynccontextmanager
async def progress_reporter(context: Context) -> AsyncIterator[Callable[[float, float | None, str], None]]:
    """Yield the function that an operation calls with its progress; all steps are sent before the block ends."""
    steps: asyncio.Queue[Step | None] = asyncio.Queue()
    sending = asyncio.create_task(send_progress(context, steps), name="mcp progress")
    try:
        yield lambda done, total, message: steps.put_nowait((done, total, message))
        steps.put_nowait(None)
        await asyncio.wait({sending})
    finally:
        sending.cancel()
        await asyncio.gather(sending, return_exceptions=True)


async def send_progress(context: Context, steps: asyncio.Queue[Step | None]) -> None:
    """Send each step as it comes; a client that did not request progress gets none."""
    while (step := await steps.get()) is not None:
        done, total, message = step
        await context.session.report_progress(done, total, message)


FINDS, RUNS = "find_tool", "run_tool"
RUN_ARGUMENTS = ("name", "arguments")

RUN_HINT = "Then give its `name` and `arguments` here to run it."

WRITE_ARGUMENTS: Mapping[str, Sequence[str]] = {
    "daily_note": ("append", "heading", "create_heading", "dry_run", "reason", "confirm"),
    "garden_rules": ("check", "muted", "ticked"),
}
"""Arguments of tools that may also write, which are hidden from callers that only read."""


@dataclass(frozen=True, slots=True)
class Tools:
    """Lists and calls the tools."""

    bridge: "Bridge"
    consent: Consent = field(default_factory=Consent)

    async def list(self, context: Context, _: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        """List the tools of the caller's preset, always in the same order and on one page."""
        with protocol_errors(context):
            who = read_caller(context, self.bridge)
            vaults = [host.name for host in who.hosts]
            tools = [describe_tool(tool, vaults, who.preset) for tool in listed_tools(who.preset).values()]
            return types.ListToolsResult(tools=tools)

    async def call(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Call a tool; errors become results that a model can act on."""
        try:
            who = read_caller(context, self.bridge)
            operation, arguments = resolve_call(who, params.name, params.arguments or {})
            presumed = default_arguments(operation, full=who.preset == "full")
            given = {**arguments, **{name: value for name, value in presumed.items() if arguments.get(name) is None}}
            write = partial(format_answer, view_of(operation.name), quotes=operation.quotes)
            async with progress_reporter(context) as progress:
                # A model's `confirm` does not count where the user can be asked.
                consent = False if can_ask(context) else None
                try:
                    answer, text = await who.ask(operation, given, write, progress, consent, adds=True)
                except ConfirmationRequired as error:
                    await self.consent.obtain(context, params, who, operation, given, error)
                    answer, text = await who.ask(operation, given, write, progress, consent=True, adds=True)
        except ConfirmationPending as unanswered:
            return unanswered.question
        except BridgeError as error:
            return tool_error(error)
        except Exception as error:  # noqa: BLE001  # the top of a call: anything else is a bug
            return tool_error(internal_error(error))
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=text)],
            structured_content=dict(answer) if who.preset == "full" else None,
        )


def describe_tool(operation: Operation, vaults: Sequence[str], preset: Preset) -> types.Tool:
    """Describe an operation as a tool; its result only in the preset `full`."""
    full, reads = preset == "full", preset == "read-only"
    untold = (
        ()
        if full
        else (*HIDDEN_ARGUMENTS.get(operation.name, ()), *(WRITE_ARGUMENTS.get(operation.name, ()) if reads else ()))
    )
    takes = input_schema(operation, vaults, default_arguments(operation, full=full), untold)
    details = operation.details if full or operation.name not in SUMMARY_ONLY else ""
    text = " ".join(filter(None, (operation.summary, details)))
    if operation.name == FINDS and not full:
        takes, text = with_run_arguments(takes), f"{text} {RUN_HINT}"
    return types.Tool(
        name=operation.name,
        title=operation.title,
        description=text,
        input_schema=takes,
        output_schema=result_schema(operation.result) if full else None,
        annotations=annotations(operation, preset),
    )


def tool_schema(name: str) -> dict[str, Any] | None:
    """Return the input schema of a tool; None if there is no such tool."""
    try:
        return arguments_schema(get_operation(name))
    except NoSuchOperation:
        return None


def default_arguments(operation: Operation, *, full: bool) -> Mapping[str, Any]:
    """Return the defaults for a model that omits arguments; in the preset `full`, the same as over HTTP."""
    return {} if full else TOOL_DEFAULTS.get(operation.name, {})


def annotations(operation: Operation, preset: Preset) -> types.ToolAnnotations:
    """Return what a call may do to the vault; the protocol's defaults are left out."""
    runs = get_operation(RUNS) if operation.name == FINDS and preset != "full" else operation
    if preset == "read-only" or (runs.reads and not runs.open_world):
        return types.ToolAnnotations(read_only_hint=True, open_world_hint=runs.open_world)
    if runs.reads:
        # It changes nothing of the bridge's, but on request calls programs of others, which may.
        return types.ToolAnnotations(read_only_hint=False, open_world_hint=True)
    return types.ToolAnnotations(
        read_only_hint=False,
        destructive_hint=runs.destructive,
        idempotent_hint=runs.idempotent or None,
        open_world_hint=runs.open_world,
    )


def resolve_call(who: Caller, name: str, arguments: Mapping[str, Any]) -> tuple[Operation, Mapping[str, Any]]:
    """Return the operation that a call runs, and its arguments.

    A tool that the preset does not list can still be called: `find_tool` runs it with the same rights.

    Raises:
        NoSuchOperation: There is no such tool, or the preset excludes it.
    """
    if name == FINDS and who.preset != "full" and arguments.get("name") is not None:
        # Two tools in one, since each listed tool costs its reader tokens.
        return get_operation(RUNS), {part: value for part, value in arguments.items() if part not in {"task", "limit"}}
    if name == FINDS and who.preset != "full":
        unknown = next((one for one in arguments if one not in {"task", "limit", *RUN_ARGUMENTS, VAULT}), None)
        if unknown is not None or arguments.get("task") is None:
            begins = "needs" if unknown is None else f"has no argument `{truncate(unknown)}`; it takes"
            raise InvalidArguments(
                f"`{FINDS}` {begins} `task` (and `limit`) to find a tool, or `name` and `arguments` to run one."
            )
    tool = get_tool(name)
    if tool.name not in callable_tools(who.preset):
        listed = ", ".join(listed_tools(who.preset))
        raise NoSuchOperation(f"`{tool.name}` is not part of the preset `{who.preset}`.", hint=f"These are: {listed}.")
    return tool, arguments


def with_run_arguments(takes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the input schema of `find_tool` where it also runs tools."""
    runs = arguments_schema(get_operation(RUNS))["properties"]
    properties = {
        **takes["properties"],
        "name": {"type": "string", "description": runs["name"]["description"]},
        "arguments": {"type": "object", "description": runs["arguments"]["description"]},
    }
    return {name: value for name, value in takes.items() if name != "required"} | {"properties": properties}
