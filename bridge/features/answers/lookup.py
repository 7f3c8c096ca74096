"""Runs the calls by which a chat model looks further: within the places of the question, or by other programs."""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from msgspec.structs import replace

from bridge.api.call import Call
from bridge.api.note_names import find_place
from bridge.api.note_text import open_note
from bridge.api.registry import get_operation
from bridge.errors import BridgeError, Forbidden, InvalidArguments, NoteNotFound, ServerFailed, ServerNotFound
from bridge.features.answers.prompt import Source, ToolCall
from bridge.features.answers.records import AnswerStep
from bridge.features.answers.sources import Places, cut_place, number_sources, search_excerpts
from bridge.features.external_tools.public import (
    ExternalServer,
    ExternalTool,
    ServerPool,
    may_start,
    require_allowed,
    tools_of,
)
from bridge.features.injections.public import find_withheld, reader_of
from bridge.markdown.note import Note
from bridge.records import Record
from bridge.search.excerpts import Excerpts
from bridge.search.model import ShownPassage
from bridge.search.pack import PackedItem, pack
from bridge.text.budget import cut, fit_words
from bridge.text.invisible import one_line
from bridge.types import VaultPath

LOOKUP_S = 30.0
"""Seconds that a call may take."""

MAX_ITEMS = 20
"""Maximum number of notes or tasks that a call reads."""


class Lookup(Record):
    """What a call found that was not known, and the notes in which it stands."""

    step: AnswerStep
    sources: tuple[Source, ...]
    notes: Mapping[VaultPath, Note]


Found = tuple[Sequence[Source], Mapping[VaultPath, Note]]


async def look_up(asked: ToolCall, known: Sequence[Source], find: Awaitable[Found]) -> Lookup:
    """Run a call of the chat model; what goes wrong is part of the result."""
    started, error = time.perf_counter(), ""
    sources: tuple[Source, ...] = ()
    notes: Mapping[VaultPath, Note] = {}
    try:
        found, notes = await find
        sources = _number_new(found, known)
    except BridgeError as refusal:
        error = refusal.message
    except TimeoutError:
        error = f"It took more than {LOOKUP_S:.0f} s."
    took_ms = round(1000 * (time.perf_counter() - started), 1)
    numbers = tuple(one.number for one in sources)
    return Lookup(AnswerStep(asked.tool, asked.argument_texts(), numbers, took_ms, error), sources, notes)


async def read_places(call: Call, asked: ToolCall, where: Places, budget: int) -> Found:
    """Find what one of the bridge's own tools is asked for."""
    async with asyncio.timeout(LOOKUP_S):
        items, notes = await _READERS[asked.tool](call, asked.arguments, where, budget)
    return number_sources(items), notes


async def ask_program(call: Call, asked: ToolCall, tool: ExternalTool, budget: int, *, agreed: bool) -> Found:
    """Call a tool of another program as `call_server` does, with the consent that it needs."""
    given = {"server": tool.server, "tool": tool.tool, "arguments": asked.arguments, "confirm": agreed}
    answer = await get_operation("call_server").run(call, given)
    text = fit_words(answer.text, CHARACTERS_PER_TOKEN * budget).strip()
    if answer.failed:
        raise ServerFailed(f"The server says that it failed: {cut(one_line(text), MAX_FAILURE_CHARS)}")
    if not text:
        raise ServerFailed("The answer is empty.")
    return (Source(0, VaultPath(""), "", (1, len(text.splitlines())), text, tool.name),), {}


Read = tuple[Sequence[PackedItem], Mapping[VaultPath, Note]]


async def _search(call: Call, given: Mapping[str, str], where: Places, budget: int) -> Read:
    found = await search_excerpts(call, given["query"], where, budget)
    return found.items, found.notes


async def _read_note(call: Call, given: Mapping[str, str], where: Places, budget: int) -> Read:
    readable = await asyncio.to_thread(_find_readable, call, where)

    def read() -> tuple[Excerpts, Note]:
        path, heading = find_place(call.host.files, call.vault.names, given["path"])
        if not readable(path):
            raise NoteNotFound(f"`{path}` is no note from which the question may be answered.", path=path)
        return cut_place(call, path, given.get("section") or heading)

    cut, note = await asyncio.to_thread(read)
    return pack([cut], budget).items, {note.path: note}


async def _find_notes(call: Call, given: Mapping[str, str], where: Places, budget: int) -> Read:
    asked = {"tags": [given["tag"].lstrip("#")], "among": where.among, "limit": 500}
    listed = await get_operation("find_notes").run(call, asked)
    return await asyncio.to_thread(_cut_listed, call, (one.path for one in listed.notes), where, budget)


async def _list_tasks(call: Call, given: Mapping[str, str], where: Places, budget: int) -> Read:
    asked: dict[str, Any] = {**given, "among": where.among, "limit": 500}
    listed = await get_operation("list_tasks").run(call, asked)
    return await asyncio.to_thread(_cut_tasks, call, listed.tasks, where, budget)


_READERS = {"search": _search, "read_note": _read_note, "find_notes": _find_notes, "list_tasks": _list_tasks}


def _find_readable(call: Call, where: Places) -> Callable[[VaultPath], bool]:
    is_withheld = find_withheld(call.vault, reader_of(call))
    notes = call.vault.index.view(where.among).notes
    return lambda path: path in notes and where.includes(path) and not is_withheld(path)


def _cut_listed(call: Call, paths: Iterable[VaultPath], where: Places, budget: int) -> Read:
    readable = _find_readable(call, where)
    cut = [cut_place(call, path, None) for path in [one for one in paths if readable(one)][:MAX_ITEMS]]
    return pack([one for one, _ in cut], budget).items, {note.path: note for _, note in cut}


def _cut_tasks(call: Call, tasks: Sequence[Any], where: Places, budget: int) -> Read:
    readable = _find_readable(call, where)
    chosen = [one for one in tasks if readable(one.path)][:MAX_ITEMS]
    cut, notes = [], {}
    for path, of_note in groupby(chosen, key=lambda one: one.path):
        note = notes[path] = open_note(call.vault, path)
        lines = note.text.split("\n")
        passages = [
            ShownPassage(one.heading or "", (one.line, one.line), lines[one.line - 1].strip())
            for one in of_note
            if one.line <= len(lines)
        ]
        cut.append(Excerpts(path, 1.0, passages=tuple(passages)))
    return pack(cut, budget).items, notes


def _number_new(sources: Sequence[Source], known: Sequence[Source]) -> tuple[Source, ...]:
    """Number what is not among the known excerpts, after these."""
    new = [one for one in sources if one.tool or not any(_contains(other, one) for other in known)]
    first = max((one.number for one in known), default=0) + 1
    return tuple(replace(one, number=number) for number, one in enumerate(new, first))


def _contains(one: Source, other: Source) -> bool:
    return one.path == other.path and one.lines[0] <= other.lines[0] and other.lines[1] <= one.lines[1]


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
