"""One embedding worker as the bridge sees it: started, asked, and ended."""

import asyncio
import contextlib
import json
import logging
import tempfile
import time
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING

from bridge.errors import ModelUnusable
from bridge.models.frames import SIZES, Frame, lengths, request
from bridge.models.job import Work, command, surroundings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

log = logging.getLogger(__name__)

_START_S = 120.0
_ANSWER_S = 120.0


class WorkerDied(Exception):
    """The process ended, or stopped answering, without a word about why."""


class Worker:
    """A running worker with its model loaded."""

    def __init__(self, process: asyncio.subprocess.Process, complaints: IO[bytes], *, low: bool) -> None:
        self._process = process
        self._complaints = complaints
        self.low = low
        self.used = time.monotonic()
        self.dimensions = 0
        self.tokens = 0
        self.seconds = 0.0

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @classmethod
    async def start(cls, task: Work, dimensions: int) -> "Worker":
        """Start a process and wait until its model is loaded and has embedded a sentence.

        Args:
            task: The model and how to run it.
            dimensions: How long its vectors have to be.

        Raises:
            ModelUnusable: llama.cpp refuses the file; the message says why.
            WorkerDied: It ended or hung before it was ready.
        """
        complaints = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the worker
        try:
            process = await asyncio.create_subprocess_exec(*command(task), stderr=complaints, **surroundings(task))
        except BaseException as error:
            complaints.close()
            if isinstance(error, OSError):
                raise WorkerDied(f"No embedding worker can be started: {error}") from None
            raise
        worker = cls(process, complaints, low=task.low)
        try:
            head = (await worker._read(_START_S)).head
            if "failed" in head:
                raise ModelUnusable(f"llama.cpp cannot use {task.path}: {head['failed']}")
            if head["dimensions"] != dimensions:
                raise ModelUnusable(f"{task.path} has {head['dimensions']} dimensions instead of {dimensions}.")
            worker.dimensions = dimensions
        except BaseException:
            await worker.end()
            raise
        return worker

    async def embed(self, texts: Sequence[str]) -> tuple["NDArray[np.float32]", tuple[bool, ...]]:
        """Return unit vectors of the texts, and which of them had to be truncated.

        Raises:
            WorkerDied: The process ended or hung over these texts.
        """
        import numpy as np

        began = time.perf_counter()
        stream = self._process.stdin
        assert stream is not None  # noqa: S101 - it was asked for
        stream.write(request(texts).packed())
        with contextlib.suppress(ConnectionError):
            await stream.drain()
        frame = await self._read(_ANSWER_S)
        self.tokens += frame.head["tokens"]
        vectors = np.frombuffer(frame.body, dtype="<f4").reshape(len(texts), self.dimensions)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit = (vectors / np.where(norms > 0, norms, 1)).astype(np.float32)
        self.seconds += time.perf_counter() - began
        self.used = time.monotonic()
        return unit, tuple(frame.head["truncated"])

    async def end(self) -> None:
        """End the process now; whatever it was doing is lost."""
        try:
            if self._ended():
                # Signalling would collect a dead child behind the back of the event loop's own watch.
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(1):
                        await self._process.wait()
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()
        finally:
            self._complaints.close()

    def _ended(self) -> bool:
        stream = self._process.stdout
        return stream is None or stream.at_eof()

    async def _read(self, within: float) -> Frame:
        stream = self._process.stdout
        assert stream is not None  # noqa: S101 - it was asked for
        try:
            async with asyncio.timeout(within):
                head, body = lengths(await stream.readexactly(SIZES))
                values = json.loads(await stream.readexactly(head))
                return Frame(values, await stream.readexactly(body))
        except (asyncio.IncompleteReadError, ConnectionError):
            reason = "ended"
        except TimeoutError:
            reason = f"did not answer within {within:.0f} s"
        raise WorkerDied(f"The embedding worker {self.pid} {reason}. {self._last_words()}".strip()) from None

    def _last_words(self) -> str:
        size = self._complaints.seek(0, 2)
        self._complaints.seek(max(0, size - 400))
        return self._complaints.read().decode("utf-8", "replace").strip()
