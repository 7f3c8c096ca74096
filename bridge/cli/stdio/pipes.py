"""Lines on standard input and output, in threads: pipes cannot be awaited everywhere, and a full one blocks."""

import asyncio
import contextlib
import os
import queue
import threading
from collections.abc import AsyncIterator, Callable, Iterator

READ_LIMIT = 64 * 2**20
"""Bytes of a line that are read; far more than is passed on, so that what is refused can be answered by its id."""

CHUNK = 2**16


def read_lines(descriptor: int, limit: int = READ_LIMIT) -> Iterator[bytes]:
    """Yield each line without its end, as soon as it is there.

    Args:
        descriptor: What to read, to its end.
        limit: Bytes of a line; a longer one is cut, but not to less than a byte more than this.
    """
    held = bytearray()
    while chunk := os.read(descriptor, CHUNK):
        *ended, rest = chunk.split(b"\n")
        for part in ended:
            held += part
            yield bytes(held)
            held.clear()
        held += rest
        del held[limit + 1 :]
    if held:
        yield bytes(held)


class InputLines:
    """Lines that come in."""

    def __init__(self, descriptor: int) -> None:
        """Begin to read."""
        self.ended = asyncio.Event()
        """Set when nothing more will come, whether or not every line was taken."""
        self._lines: asyncio.Queue[bytes | None] = asyncio.Queue()
        tell = asyncio.get_running_loop().call_soon_threadsafe

        def read() -> None:
            # The loop may have ended before the input did.
            with contextlib.suppress(RuntimeError):
                with contextlib.suppress(OSError):
                    for line in read_lines(descriptor):
                        tell(self._lines.put_nowait, line)
                tell(self._lines.put_nowait, None)
                tell(self.ended.set)

        threading.Thread(target=read, name="input", daemon=True).start()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while (line := await self._lines.get()) is not None:
            yield line


class OutputLines:
    """Lines that go out, in order."""

    def __init__(self, descriptor: int, broken: Callable[[], object]) -> None:
        """Begin to write.

        Args:
            descriptor: Where to.
            broken: Called in the thread that writes when nobody reads any more.
        """
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
        """Write a line, which must not contain its end."""
        self._lines.put(line)

    def close(self, patience: float) -> None:
        """Write what is left, as far as it is read in time.

        Args:
            patience: Seconds.
        """
        self._lines.put(None)
        self._thread.join(patience)


def write_all(descriptor: int, data: bytes) -> None:
    """Write to the last byte."""
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]
