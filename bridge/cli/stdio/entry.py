"""Wires up the relay for one client by its standard streams, and exits when the client does."""

import argparse
import asyncio
import contextlib
import os
import queue
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bridge.cli.serve import leave_on_signal
from bridge.cli.stdio.find import BridgeFinder, BridgeStarter, choose_vault
from bridge.cli.stdio.messages import READ_LIMIT
from bridge.data_folder import Folders, default_data_dir, vault_id
from bridge.server.runtime_file import Runtime

CHUNK_BYTES = 2**16


def read_lines(descriptor: int, limit: int = READ_LIMIT) -> Iterator[bytes]:
    buffer = bytearray()
    while chunk := os.read(descriptor, CHUNK_BYTES):
        *ended, rest = chunk.split(b"\n")
        for part in ended:
            buffer += part
            yield bytes(buffer)
            buffer.clear()
        buffer += rest
        del buffer[limit + 1 :]
    if buffer:
        yield bytes(buffer)


class InputLines:
    """Lines read from a file descriptor."""

    def __init__(self, descriptor: int) -> None:
        self.ended = asyncio.Event()
        """Set at the end of the input, whether or not every line was taken."""
        self._lines: asyncio.Queue[bytes | None] = asyncio.Queue()
        call_threadsafe = asyncio.get_running_loop().call_soon_threadsafe

        def read() -> None:
            # The loop may have closed before the input ended.
            with contextlib.suppress(RuntimeError):
                with contextlib.suppress(OSError):
                    for line in read_lines(descriptor):
                        call_threadsafe(self._lines.put_nowait, line)
                call_threadsafe(self._lines.put_nowait, None)
                call_threadsafe(self.ended.set)

        threading.Thread(target=read, name="input", daemon=True).start()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while (line := await self._lines.get()) is not None:
            yield line


class OutputLines:
    """Writes lines in order."""

    def __init__(self, descriptor: int, broken: Callable[[], object]) -> None:
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()

        def write() -> None:
            try:
                while (line := self._lines.get()) is not None:
                    write_all(descriptor, line + b"\n")
            except OSError:
                broken()

        self._thread = threading.Thread(target=write, name="output", daemon=True)
        self._thread.start()

    def say(self, line: bytes) -> None:
        """Write a line, which must not contain a line end."""
        self._lines.put(line)

    def close(self, patience: float) -> None:
        """Write the remaining lines, as far as they are read in time."""
        self._lines.put(None)
        self._thread.join(patience)


def write_all(descriptor: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]


LEAVE_AFTER_S = 600
LEAVE_AFTER_ELSEWHERE_S = 30
"""Seconds without a client after which a bridge started here exits: fewer if its data folder is not the default one,
since it is then only used to try something."""

LAST_START_S = 30.0
"""Most seconds to wait for a bridge that is still starting when the client's input has ended."""

LAST_ANSWERS_S = 10.0
"""Most seconds to wait for pending answers then, once the bridge is there."""

GOODBYE_S = 0.2
HEALTH_S = 2.0


def serve_client(given: argparse.Namespace) -> int:
    folders = Folders(given.data_dir.absolute())
    vault = choose_vault(folders, given.vault, Path.cwd()).resolve()
    # Whatever libraries print must not come between the messages.
    output = os.dup(1)
    os.dup2(2, 1)
    asyncio.run(relay(given, folders, vault, output))
    return 0


async def relay(given: argparse.Namespace, folders: Folders, vault: Path, descriptor: int) -> None:
    """Relay messages until standard input ends, nobody reads the output, or a signal arrives."""
    stop = asyncio.Event()
    leave_on_signal(stop)
    source = InputLines(0)
    call_threadsafe = asyncio.get_running_loop().call_soon_threadsafe
    output = OutputLines(descriptor, lambda: call_threadsafe(stop.set))
    id_ = vault_id(vault)
    finder = BridgeFinder(folders.runtime(id_), is_listening, make_starter(given, folders, vault))
    looking = finder.begin()
    # A bridge that must be started loads while this process loads aiohttp, which takes most of its own start.
    await asyncio.sleep(0)
    from bridge.cli.stdio.endpoint import Endpoint, http_session
    from bridge.cli.stdio.pump import Pump

    async with http_session() as http:
        query = {"vault": id_, **({"preset": given.preset} if given.preset else {})}
        pump = Pump(Endpoint(http, finder, query, given.client), output.say)
        carrying = asyncio.create_task(pump.run(source), name="carrying")
        await wait_for_first(carrying, source.ended, stop)
        if not carrying.done():
            await wait_for_first(looking, carrying, stop, within=LAST_START_S)
            await wait_for_first(carrying, stop, within=LAST_ANSWERS_S)
        carrying.cancel()
        finder.give_up()
        await asyncio.gather(carrying, return_exceptions=True)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(pump.end(), GOODBYE_S)
    output.close(GOODBYE_S)
    if not carrying.cancelled():
        carrying.result()


def make_starter(given: argparse.Namespace, folders: Folders, vault: Path) -> BridgeStarter:
    after = LEAVE_AFTER_S if folders.data == default_data_dir() else LEAVE_AFTER_ELSEWHERE_S
    return BridgeStarter(vault, folders.data, given.models_dir.absolute(), folders.log(vault_id(vault)), after)


async def is_listening(runtime: Runtime) -> bool:
    place = urlsplit(runtime.url)
    try:
        async with asyncio.timeout(HEALTH_S):
            reader, writer = await asyncio.open_connection(place.hostname, place.port)
            try:
                writer.write(f"GET /healthz HTTP/1.0\r\nHost: {place.netloc}\r\n\r\n".encode())
                return b" 200 " in await reader.readline()
            finally:
                writer.close()
    except (OSError, TimeoutError):
        return False


async def wait_for_first(*what: asyncio.Future[Any] | asyncio.Event, within: float | None = None) -> None:
    """Wait until a task is done, an event is set, or a number of seconds has passed."""
    events = {asyncio.ensure_future(one.wait()) for one in what if isinstance(one, asyncio.Event)}
    tasks = {one for one in what if not isinstance(one, asyncio.Event)}
    await asyncio.wait(tasks | events, timeout=within, return_when=asyncio.FIRST_COMPLETED)
    for event in events:
        event.cancel()


def main(given: argparse.Namespace) -> int:
    if given.print_config is not None or given.install is not None:
        from bridge.cli.stdio.install import set_up_agent

        return set_up_agent(given)

    return serve_client(given)
