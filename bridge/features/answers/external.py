"""Tools of the user's own MCP servers, as the chat model may call them while it answers."""

import re
import time
from collections.abc import Iterable, Sequence

from bridge.api.call import Call
from bridge.api.registry import get_operation
from bridge.errors import BridgeError, Forbidden, InvalidArguments, ServerNotFound
from bridge.features.answers.lookup import Lookup
from bridge.features.answers.prompt import Source
from bridge.features.answers.records import AnswerStep
from bridge.features.answers.tool_calls import ToolCall
from bridge.features.external_tools.public import (
    ExternalServer,
    ExternalTool,
    ServerPool,
    may_start,
    require_allowed,
    tools_of,
)
from bridge.records import Record
from bridge.text.budget import cut, fit_words
from bridge.text.invisible import one_line
from bridge.types import VaultPath

MAX_TOOLS = 16
"""Maximum number of tools that a model is offered: their descriptions take room in its window."""

EVERY = "*"
"""Stands for all tools of a server."""

TOOL_NAME = re.compile(r"[A-Za-z0-9_./-]{1,128}")
"""Names that MCP allows; others could not be written by a grammar as they are."""

CHARACTERS_PER_TOKEN = 4

MAX_FAILURE_CHARS = 200
"""Maximum characters of what a server says of its failure."""

FORM_HINT = "Write `server__tool`, or `server__*` for all tools of a server; `list_servers` lists them."


class ChosenServer(Record):
    """A server, and the names there of the tools that the caller offers to the model; `*` for all."""

    server: ExternalServer
    tools: tuple[str, ...]


class ExternalTools(Record):
    """The tools that the model may call, why some are missing, and whether the user agreed to the calls."""

    tools: tuple[ExternalTool, ...] = ()
    notices: tuple[str, ...] = ()
    agreed: bool = False

    def find(self, name: str) -> ExternalTool | None:
        return next((one for one in self.tools if one.name == name), None)

    async def call(
        self, call: Call, asked: ToolCall, tool: ExternalTool, known: Sequence[Source], budget: int
    ) -> Lookup:
        """Call a tool as `call_server` does, with the consent that it needs; a failure is part of the result."""
        started = time.perf_counter()
        sources: tuple[Source, ...] = ()
        error = ""
        given = {"server": tool.server, "tool": tool.tool, "arguments": asked.arguments, "confirm": self.agreed}
        try:
            answer = await get_operation("call_server").run(call, given)
        except BridgeError as refusal:
            error = refusal.message
        else:
            text = fit_words(answer.text, CHARACTERS_PER_TOKEN * budget).strip()
            if answer.failed:
                error = f"The server says that it failed: {cut(one_line(text), MAX_FAILURE_CHARS)}"
            elif not text:
                error = "The answer is empty."
            else:
                number = max((one.number for one in known), default=0) + 1
                sources = (Source(number, VaultPath(""), "", (1, len(text.splitlines())), text, tool.name),)
        took_ms = round(1000 * (time.perf_counter() - started), 1)
        numbers = tuple(one.number for one in sources)
        return Lookup(AnswerStep(asked.tool, asked.argument_texts(), numbers, took_ms, error), sources, {})


async def choose_servers(call: Call, names: Sequence[str]) -> tuple[ChosenServer, ...]:
    """Return the servers whose tools a caller names; none is started."""
    chosen: dict[str, ChosenServer] = {}
    if names and call.preset == "read-only":
        raise Forbidden("Tools of other programs are not called in the preset `read-only`.", hint="Leave out `tools`.")
    if names:
        call.principal.require("write")
    for name in dict.fromkeys(names):
        server_name, parted, tool = name.partition("__")
        if not parted or not (tool == EVERY or TOOL_NAME.fullmatch(tool)):
            raise InvalidArguments(f"`{one_line(name)[:80]}` names no tool of a server.", hint=FORM_HINT)
        try:
            server = await call.bridge.part(ServerPool).find(server_name)
        except ServerNotFound as missing:
            raise InvalidArguments(missing.message, hint=missing.hint) from None
        if tool != EVERY:
            require_allowed(call, server, tool)
        before = chosen[server_name].tools if server_name in chosen else ()
        chosen[server_name] = ChosenServer(server, (*before, tool))
    return tuple(chosen.values())


async def offer_tools(call: Call, chosen: Iterable[ChosenServer], *, agreed: bool) -> ExternalTools:
    """Return the chosen tools as they are offered to the model.

    A server is started for that only where the user agrees or need not; of one that does not run, the tools that are
    named are offered without a description.
    """
    tools: list[ExternalTool] = []
    notices: list[str] = []
    for one in chosen:
        trouble = await _start(call, one, agreed=agreed)
        described = {tool.tool: tool for tool in tools_of(call, one.server)}
        if EVERY in one.tools:
            tools += [tool for tool in described.values() if TOOL_NAME.fullmatch(tool.tool)]
            notices += [f"The tools of `{one.server.name}` are not known: {trouble}"] if trouble else []
            continue
        is_running = call.bridge.part(ServerPool).find_connection(one.server.name) is not None
        if missing := [name for name in one.tools if is_running and name not in described]:
            known = ", ".join(f"`{name}`" for name in list(described)[:MAX_TOOLS]) or "none"
            raise InvalidArguments(f"`{one.server.name}` has no tool `{missing[0]}`.", hint=f"Its tools: {known}.")
        tools += [described.get(name) or ExternalTool(one.server.name, name) for name in one.tools]
    if len(tools) > MAX_TOOLS:
        notices.append(f"Only the first {MAX_TOOLS} of {len(tools)} tools are offered to the chat model.")
    return ExternalTools(tuple(tools[:MAX_TOOLS]), tuple(notices), agreed)


async def _start(call: Call, one: ChosenServer, *, agreed: bool) -> str:
    """Start a server that may be started, and list its tools where one is missing; return why it does not run."""
    if not await may_start(call, one.server, confirm=agreed):
        is_running = call.bridge.part(ServerPool).find_connection(one.server.name) is not None
        return "" if is_running else "it is not started before the user agrees."
    try:
        async with call.bridge.part(ServerPool).connect(one.server) as connection:
            if not {*one.tools} - {EVERY} <= connection.tools.keys():
                await connection.list_tools()
    except BridgeError as failure:
        return failure.message
    return ""
