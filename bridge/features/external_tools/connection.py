"""One connection to a server: it starts, lists its tools, is called and is closed, in a task of its own."""

import asyncio
import contextlib
import importlib
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from bridge.errors import BridgeError, ServerFailed
from bridge.features.external_tools.server_file import redact_line, redact_secrets, replace_values
from bridge.features.external_tools.stdio import MAX_LINE_BYTES, Launch, Program, exchange_messages, start_program
from bridge.records import Record
from bridge.text.budget import cut, cut_start, fit_words, shorten

if TYPE_CHECKING:
    from mcp import Client
    from mcp.client import Transport
    from mcp_types import CallToolResult, ReadResourceResult, Tool


MAX_TOKENS = 8_000
CHARACTERS_PER_TOKEN = 4
"""As a budget counts them: a script of which a character is a token counts four for each."""
MAX_DESCRIPTION_CHARS = 500
MAX_SCHEMA_CHARS = 2_000
MAX_NAME_CHARS = 128


class Reply(Record):
    """The visible text of a server's answer, whether it says that it failed, and whether more was said."""

    text: str
    failed: bool
    cut: bool


class ExternalTool(Record):
    """A tool of a server, in that program's words.

    Attributes:
        server: The server.
        tool: Its name there.
        description: Its description, shortened; empty if the server does not run.
        arguments: The JSON schema of its arguments, shortened; empty if the server does not run.
    """

    server: str
    tool: str
    description: str = ""
    arguments: str = ""

    @property
    def name(self) -> str:
        return f"{self.server}__{self.tool}"


def make_reply(answer: "CallToolResult | ReadResourceResult | Refusal", secrets: Mapping[str, str]) -> Reply:
    if isinstance(answer, Refusal):
        text, failed = answer.message, True
    else:
        parts: Sequence[Any] = getattr(answer, "content", ()) or getattr(answer, "contents", ())
        text = "\n".join(filter(None, map(part_text, parts)))
        failed, structured = getattr(answer, "is_error", False), getattr(answer, "structured_content", None)
        if not text and structured is not None:
            text = write_json(structured, indent=2)
    most = MAX_TOKENS * CHARACTERS_PER_TOKEN
    whole = replace_values(text, secrets)
    # Twice the limit, since only part of it may be visible; looking for comments in more would take too long.
    visible = redact_secrets(whole[: 2 * most], secrets).strip()
    shown = fit_words(visible, most)
    return Reply(shown, failed, len(shown) < len(visible) or len(whole) > 2 * most)


def write_json(value: Any, indent: int | None = None) -> str:
    """Return a value as JSON; not by orjson, which refuses numbers of more than 64 bits."""
    separators = (",", ":") if indent is None else None
    return json.dumps(value, ensure_ascii=False, indent=indent, separators=separators)


def part_text(part: Any) -> str:
    """Return a part of an answer as text; of one that is not text, what it is."""
    match getattr(part, "type", None):
        case "resource":
            return part_text(part.resource)
        case "resource_link":
            return f"[{part.name}: {part.uri}]"
        case "image" | "audio":
            return f"[{part.type} of {len(part.data):,} characters, left out: {part.mime_type}]"
        case _ if (text := getattr(part, "text", None)) is not None:
            return str(text)
        case _:
            return f"[data of {len(getattr(part, 'blob', '')):,} characters, left out]"


def summarise_tools(server: str, tools: "Mapping[str, Tool]", secrets: Mapping[str, str]) -> tuple[ExternalTool, ...]:
    """Return the tools of a server; those whose names cannot be shown are left out."""
    return tuple(
        ExternalTool(
            server,
            name,
            shorten_line(tool.description or "", secrets, MAX_DESCRIPTION_CHARS),
            shorten_line(write_json(tool.input_schema), secrets, MAX_SCHEMA_CHARS),
        )
        for name, tool in tools.items()
        if name and len(name) <= MAX_NAME_CHARS and redact_line(name, secrets) == name
    )


def shorten_line(text: str, secrets: Mapping[str, str], most: int) -> str:
    return cut(redact_line(replace_values(text, secrets)[: 4 * most], secrets), most)


LIBRARY_LOGS = ("client", "mcp.client.streamable_http")
"""Loggers of the library that write parts of a server's messages."""


def root_cause(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def describe_cause(error: BaseException) -> str:
    """Return the kind and message of an error, without the lines that a validation adds."""
    error = root_cause(error)
    text = str(error).partition("\n")[0]
    return f"{type(error).__name__}{f' ({text})' if text else ''}"


@asynccontextmanager
async def open_http(url: str, timeout_s: float) -> "AsyncIterator[Transport]":
    """Yield the transport to a server that listens on this machine, which no proxy sees."""
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    limits = httpx2.Timeout(timeout_s, read=timeout_s * 2)
    async with httpx2.AsyncClient(trust_env=False, timeout=limits) as http:
        yield streamable_http_client(url, http_client=http, max_sse_event_size=MAX_LINE_BYTES)


def load_client() -> None:
    """Import the library's client, and keep what servers send out of its logs. Blocks the first time."""
    importlib.import_module("mcp.client.client")
    for name in LIBRARY_LOGS:
        logging.getLogger(name).addFilter(drop_details)


def drop_details(record: logging.LogRecord) -> bool:
    record.exc_info = None
    return True


T = TypeVar("T")

MAX_TOOL_PAGES = 20
MAX_TOOLS = 200
MAX_FAILURE_CHARS = 300
"""Most characters of what a server says about its failure."""


class Timeouts(Record):
    """How long servers may take, and are kept.

    Attributes:
        start_s: To start and to list the tools.
        call_s: To answer a call.
        idle_s: Without a call until a server is ended.
        look_s: Between two looks at the idle servers and at the files.
        backoff_s: Until a failed server is tried again; doubled with each further failure.
        most_backoff_s: The longest of these times.
    """

    start_s: float = 30.0
    call_s: float = 30.0
    idle_s: float = 600.0
    look_s: float = 2.0
    backoff_s: float = 1.0
    most_backoff_s: float = 60.0


class Refusal(Record):
    """What a server answered instead of a result."""

    message: str


class Connection:
    """A connection to one server."""

    def __init__(self, launch: Launch, timing: Timeouts, on_failure: Callable[[ServerFailed], None]) -> None:
        self.launch = launch
        self._on_failure = on_failure
        self.tools: Mapping[str, Tool] = {}
        """The tools of the last listing, by name."""
        self.summaries: tuple[ExternalTool, ...] = ()
        """What is shown of them."""
        self._timing = timing
        self._program: Program | None = None
        self._client: Client | None = None
        self._failure: ServerFailed | None = None
        self._opened = asyncio.Event()
        self._stopping = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @property
    def name(self) -> str:
        return self.launch.server.name

    @property
    def is_open(self) -> bool:
        return self._client is not None and not self._stopping.is_set() and not self.is_lost

    @property
    def is_lost(self) -> bool:
        program = self._program
        return program is not None and (program.gone.is_set() or program.process.returncode is not None)

    @property
    def protocol_version(self) -> str | None:
        return None if self._client is None else self._client.protocol_version

    async def open(self) -> None:
        """Connect and list the tools."""
        await asyncio.to_thread(load_client)
        self._task = asyncio.create_task(self._run(), name=f"mcp server {self.name}")
        opening = asyncio.create_task(self._opened.wait())
        try:
            await asyncio.wait({self._task, opening}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            await self.close()
            raise
        finally:
            opening.cancel()
        if not self._opened.is_set():
            raise self._failure or ServerFailed(f"`{self.name}` ended at its start.")

    async def close(self) -> None:
        self._stopping.set()
        if self._task is None:
            return
        if not self._opened.is_set():
            self._task.cancel()
        await asyncio.wait({self._task})

    async def call_tool(self, tool: str, arguments: Mapping[str, Any]) -> "CallToolResult | Refusal":
        from mcp_types import CallToolRequest, CallToolRequestParams, CallToolResult

        # Not the library's own method, which checks a result with the server's patterns: they may take for ever.
        request = CallToolRequest(params=CallToolRequestParams(name=tool, arguments=dict(arguments)))
        session = self._require_client().session
        return await self._wait_for(session.send_request(request, CallToolResult, self._timing.call_s))

    async def read_resource(self, uri: str) -> "ReadResourceResult | Refusal":
        from mcp_types import ReadResourceRequest, ReadResourceRequestParams, ReadResourceResult

        request = ReadResourceRequest(params=ReadResourceRequestParams(uri=uri))
        session = self._require_client().session
        return await self._wait_for(session.send_request(request, ReadResourceResult, self._timing.call_s))

    async def list_tools(self) -> Mapping[str, "Tool"]:
        listed = await self._wait_for(self._read_tools(self._require_client()))
        if isinstance(listed, Refusal):
            raise ServerFailed(f"`{self.name}` did not list its tools.")
        await self._keep_tools(listed)
        return listed

    async def _keep_tools(self, tools: "Mapping[str, Tool]") -> None:
        # Schemas may be long.
        self.summaries = await asyncio.to_thread(summarise_tools, self.name, tools, self.launch.secrets)
        self.tools = tools

    async def describe_answer(self, answer: "CallToolResult | ReadResourceResult | Refusal") -> Reply:
        return await asyncio.to_thread(make_reply, answer, self.launch.secrets)

    def redact(self, text: str) -> str:
        return shorten(redact_line(text, self.launch.secrets), MAX_FAILURE_CHARS)

    def _require_client(self) -> "Client":
        if self._client is None or not self.is_open:
            raise ServerFailed(f"`{self.name}` has ended.")
        return self._client

    async def _run(self) -> None:
        from mcp_types import CONNECTION_CLOSED

        try:
            async with asyncio.timeout(self._timing.start_s) as limit, self._reach() as client:
                if client.server_capabilities.tools is not None:
                    await self._keep_tools(await self._read_tools(client))
                self._client = client
                limit.reschedule(None)
                self._opened.set()
                await self._wait_for_end()
                if not self._stopping.is_set():
                    self._failure = self._server_failure("ended by itself")
        except TimeoutError:
            self._failure = self._server_failure(f"did not answer within {self._timing.start_s:g} s")
        except BridgeError as error:
            self._failure = error if isinstance(error, ServerFailed) else self._server_failure(error.message)
        except Exception as error:  # noqa: BLE001 - whatever the library raises, the server cannot be used
            is_end = getattr(root_cause(error), "code", None) == CONNECTION_CLOSED
            self._failure = self._server_failure(
                *(("ended at its start",) if is_end else ("could not be connected", error))
            )
        finally:
            self._client = None
            if self._failure is not None:
                self._on_failure(self._failure)

    async def _wait_for_end(self) -> None:
        stop = asyncio.create_task(self._stopping.wait())
        waits = {stop}
        if self._program is not None:
            waits.add(asyncio.create_task(self._program.gone.wait()))
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for task in waits:
            task.cancel()

    @asynccontextmanager
    async def _reach(self) -> "AsyncIterator[Client]":
        from mcp import Client

        async with contextlib.AsyncExitStack() as stack:
            transport: Transport
            if self.launch.server.url is None:
                self._program = await start_program(self.launch)
                stack.callback(self._program.release)
                transport = exchange_messages(self._program)
            else:
                transport = await stack.enter_async_context(open_http(self.launch.server.url, self._timing.call_s))
            yield await stack.enter_async_context(
                Client(transport, cache=None, read_timeout_seconds=self._timing.call_s)
            )

    async def _read_tools(self, client: "Client") -> Mapping[str, "Tool"]:
        tools: dict[str, Tool] = {}
        cursor: str | None = None
        for _ in range(MAX_TOOL_PAGES):
            page = await client.list_tools(cursor=cursor)
            tools |= {tool.name: tool for tool in page.tools[: MAX_TOOLS - len(tools)]}
            cursor = page.next_cursor
            if cursor is None or len(tools) >= MAX_TOOLS:
                break
        return tools

    async def _wait_for(self, answer: Awaitable[T]) -> T | Refusal:
        from mcp import MCPError
        from mcp_types import CONNECTION_CLOSED, INVALID_REQUEST, REQUEST_TIMEOUT

        try:
            async with asyncio.timeout(self._timing.call_s * 1.5):
                return await answer
        except MCPError as error:
            if error.code == REQUEST_TIMEOUT:
                raise self._server_failure(f"did not answer within {self._timing.call_s:g} s") from None
            # A server that listens and was started again does not know the session.
            is_forgotten = self.launch.server.url is not None and error.code == INVALID_REQUEST
            if error.code == CONNECTION_CLOSED or is_forgotten or not self.is_open:
                raise self._server_failure("ended before it answered") from None
            return Refusal(error.message)
        except TimeoutError:
            raise self._server_failure(f"did not answer within {self._timing.call_s:g} s") from None
        except ValueError:
            raise self._server_failure("answered something that the protocol does not know") from None
        except (OSError, RuntimeError, ExceptionGroup) as error:
            raise self._server_failure("could not be called", error) from None

    def _server_failure(self, what: str, error: Exception | None = None) -> ServerFailed:
        reason = f": {self.redact(describe_cause(error))}" if error is not None else ""
        words = redact_line(self._program.last_words, self.launch.secrets) if self._program is not None else ""
        written = f" It wrote: {cut_start(words, MAX_FAILURE_CHARS)}" if words else ""
        return ServerFailed(f"`{self.name}` {what}{reason}.{written}")
