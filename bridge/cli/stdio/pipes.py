"""Reads and writes lines on standard streams in threads: not every pipe can be awaited, and a full one blocks."""

import asyncio
import contextlib
import os
import queue
import threading
from collections.abc import AsyncIterator, Callable, Iterator

READ_LIMIT = 64 * 2**20
"""Largest line in bytes that is read; far more than is forwarded, so that refused messages still get an answer."""

CHUNK = 2**16


def read_lines(descriptor: int, limit: int = READ_LIMIT) -> Iterator[bytes]:
    buffer = bytearray()
    while chunk := os.read(descriptor, CHUNK):
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
        """Start reading."""
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
        """Start the writing thread."""
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
