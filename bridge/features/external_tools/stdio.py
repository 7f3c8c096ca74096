"""Starts programs of the user's list and exchanges messages with them, one a line; other lines are ignored."""

import asyncio
import contextlib
import os
import shutil
import sys
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from bridge.errors import ServerFailed
from bridge.features.external_tools.server_file import ExternalServer, fill_in_secrets
from bridge.records import Record

INHERITED_VARIABLES = (
    (
        *("APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT", "PROCESSOR_ARCHITECTURE"),
        *("PROGRAMDATA", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE"),
    )
    if sys.platform == "win32"
    else ("HOME", "LOGNAME", "USER", "SHELL", "TERM", "TMPDIR", "TZ", "LANG", "LC_ALL", "LC_CTYPE")
)
"""Variables that a server gets from the bridge's own environment, beside PATH."""

BIN_FOLDERS = (
    *("~/.local/bin", "~/.cargo/bin", "~/.bun/bin", "~/.deno/bin", "~/.volta/bin", "~/go/bin"),
    *("/opt/homebrew/bin", "/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"),
)
"""Where programs usually are; one that starts from Obsidian has only the system's folders in its PATH."""


class Launch(Record):
    """A server as it is started, with its whole environment and the secrets in it; another one is another process."""

    server: ExternalServer
    env: Mapping[str, str]
    secrets: Mapping[str, str]

    @property
    def folder(self) -> Path:
        return Path(self.server.cwd).expanduser() if self.server.cwd else Path.home()

    def has_same_process(self, other: "Launch") -> bool:
        identity = attrgetter("server.command", "server.args", "server.cwd", "server.url", "env")
        return bool(identity(self) == identity(other))

    def command_line(self) -> list[str]:
        """Return the program's path and its arguments. Blocks."""
        name = str(Path(self.server.command or "").expanduser())
        if not self.folder.is_dir():
            raise ServerFailed(f"The folder `cwd` of `{self.server.name}` does not exist.", hint="Correct `cwd`.")
        place = str(self.folder / name) if os.path.dirname(name) else name  # noqa: PTH120 - "./x" has a folder
        path = shutil.which(place, path=self.env["PATH"])
        if path is None:
            raise ServerFailed(
                f"The program of `{self.server.name}` was not found.",
                hint="Install it, or give its whole path as `command`.",
            )
        return [path, *self.server.args]


def prepare_launch(server: ExternalServer, secrets: Mapping[str, str]) -> Launch:
    env, used = fill_in_secrets(server.env, secrets)
    inherited = {name: os.environ[name] for name in INHERITED_VARIABLES if name in os.environ}
    return Launch(server, {**inherited, **env, "PATH": search_path(env.get("PATH"))}, used)


def search_path(own: str | None) -> str:
    """Return the folders of programs: those of the server or else of the bridge, then the usual ones."""
    folders = (own or os.environ.get("PATH", "")).split(os.pathsep)
    if os.name == "posix":
        folders += [os.path.expanduser(folder) for folder in BIN_FOLDERS]  # noqa: PTH111 - PATH is text
    return os.pathsep.join(dict.fromkeys(filter(None, folders)))


if TYPE_CHECKING:
    from mcp.shared.message import SessionMessage

    Streams = tuple[MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]]

KEEPER = Path(__file__).with_name("keeper.py")
MAX_LINE_BYTES = 16 << 20
"""Most bytes of a message; a server that sends more is ended."""
MAX_ITEMS = 2_000
"""Most items of a list in an answer, such as its parts or tools; to check more would take seconds."""
CHUNK_BYTES = 1 << 16
MAX_BURST_BYTES, REST_S = 1 << 20, 0.25
"""Bytes of a standard error that are read until the reader rests, and for how many seconds."""
LAST_WORDS = 2_000
"""Bytes of the standard error that are kept."""
ENDS_WITHIN_S = 2.0
"""How long a server may take to end after its input was closed."""
KILLED_WITHIN_S = 5.0


class Program:
    """A running server program."""

    def __init__(self, process: asyncio.subprocess.Process, lifeline: int | None) -> None:
        self.process = process
        self.gone = asyncio.Event()
        """Set when its output has ended."""
        self._lifeline = lifeline
        self._errors: deque[bytes] = deque()
        self._is_cut = False

    @property
    def last_words(self) -> str:
        """The last whole lines of what it wrote to its standard error."""
        written = b"".join(self._errors)
        if self._is_cut or len(written) > LAST_WORDS:
            # A line that is cut may begin in the midst of a secret.
            written = written[-LAST_WORDS:].partition(b"\n")[2]
        return written.decode("utf-8", "replace")

    async def read_errors(self) -> None:
        """Read its standard error to the end, so that it never waits for a reader."""
        stream, size = self.process.stderr, 0
        while stream is not None and (chunk := await stream.read(CHUNK_BYTES)):
            self._errors.append(chunk)
            if (size := size + len(chunk)) >= MAX_BURST_BYTES:
                # One that writes without end does not keep this process busy.
                size = 0
                await asyncio.sleep(REST_S)
            while len(self._errors) > 1 and sum(map(len, self._errors)) - len(self._errors[0]) > LAST_WORDS:
                self._errors.popleft()
                self._is_cut = True

    def release(self) -> None:
        """Let go of the pipe whose end makes the keeper end the program and all that it started."""
        if self._lifeline is not None:
            os.close(self._lifeline)
            self._lifeline = None
        elif self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self.process.kill()

    async def end(self) -> None:
        """Close its input, and kill it if it does not end by itself."""
        try:
            if self.process.stdin is not None:
                self.process.stdin.close()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(ENDS_WITHIN_S):
                    await self.process.wait()
        finally:
            self.release()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(KILLED_WITHIN_S):
                await self.process.wait()
        # What left the group may still hold the streams; nothing public lets go of them.
        if (transport := getattr(self.process, "_transport", None)) is not None:
            transport.close()


async def start_program(launch: Launch) -> Program:
    """Start a server's program, in a group of its own that ends with this process."""
    command = await asyncio.to_thread(launch.command_line)
    streams: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), asyncio.subprocess.PIPE)
    theirs, ours = os.pipe() if sys.platform != "win32" else (None, None)
    try:
        if theirs is not None:
            command = [sys.executable, "-I", "-S", str(KEEPER), str(theirs), *command]
            streams |= {"pass_fds": (theirs,), "start_new_session": True}
        process = await asyncio.create_subprocess_exec(
            *command, env=dict(launch.env), cwd=launch.folder, limit=MAX_LINE_BYTES, **streams
        )
    except BaseException as error:
        if ours is not None:
            os.close(ours)
        if isinstance(error, OSError | ValueError):
            reason = getattr(error, "strerror", None) or type(error).__name__
            raise ServerFailed(f"`{launch.server.name}` cannot be started: {reason}.") from None
        raise
    finally:
        if theirs is not None:
            os.close(theirs)
    return Program(process, ours)


@asynccontextmanager
async def exchange_messages(program: Program) -> "AsyncIterator[Streams]":
    import anyio

    incoming, received = anyio.create_memory_object_stream[Any](0)
    to_send, outgoing = anyio.create_memory_object_stream[Any](0)
    work = [
        asyncio.create_task(task, name="mcp server")
        for task in (read_messages(program, incoming), write_messages(program, outgoing), program.read_errors())
    ]
    try:
        yield received, to_send
    finally:
        try:
            await program.end()
        finally:
            for task in work:
                task.cancel()
            await asyncio.gather(*work, return_exceptions=True)
            for stream in (incoming, received, to_send, outgoing):
                stream.close()


async def read_messages(program: Program, incoming: "MemoryObjectSendStream[SessionMessage | Exception]") -> None:
    """Hand over answers and requests of a program until its output ends."""
    import anyio
    from mcp.shared.message import SessionMessage
    from mcp_types import JSONRPCNotification, JSONRPCResponse, jsonrpc_message_adapter

    stream = program.process.stdout
    with incoming, contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        while stream is not None and (line := await read_line(stream)):
            if not line.lstrip().startswith(b"{"):
                continue
            try:
                message = jsonrpc_message_adapter.validate_json(line, by_name=False)
            except ValueError:
                continue
            # Nothing here waits for notifications, and the library logs what is wrong with them.
            if not isinstance(message, JSONRPCNotification):
                if isinstance(message, JSONRPCResponse):
                    shorten_lists(message.result)
                await incoming.send(SessionMessage(message))
    program.gone.set()


def shorten_lists(result: dict[str, Any]) -> None:
    """Leave out the end of the lists in an answer that are too long; where it has parts, the last one says so."""
    for name, items in result.items():
        if isinstance(items, list) and len(items) > MAX_ITEMS:
            left_out = len(items) - MAX_ITEMS
            del items[MAX_ITEMS:]
            if name == "content":
                items.append({"type": "text", "text": f"[{left_out:,} more parts, left out]"})


async def read_line(stream: asyncio.StreamReader) -> bytes:
    try:
        return await stream.readline()
    except (ValueError, ConnectionError):
        return b""


async def write_messages(program: Program, outgoing: "MemoryObjectReceiveStream[SessionMessage]") -> None:
    stdin = program.process.stdin
    with outgoing, contextlib.suppress(OSError):
        async for item in outgoing:
            if stdin is None:
                return
            stdin.write(item.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
            await stdin.drain()
