"""One embedding worker, seen from the bridge: starting, requests, and ending."""

import asyncio
import contextlib
import dataclasses
import json
import logging
import os
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from bridge.errors import ModelUnusable
from bridge.models.catalogue import ModelSpec, Pooling

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SIZES = struct.Struct("<II")
SIZES = _SIZES.size
"""Bytes before a frame that give the lengths of its head and its body."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One message: named values, and bytes that would be expensive as JSON."""

    head: Mapping[str, Any]
    body: bytes = b""

    def packed(self) -> bytes:
        """Return the message in its wire format."""
        head = json.dumps(self.head).encode()
        return _SIZES.pack(len(head), len(self.body)) + head + self.body


def frame_lengths(sizes: bytes) -> tuple[int, int]:
    """Return the lengths of the next frame's head and body."""
    head, body = _SIZES.unpack(sizes)
    return head, body


def unpack_frames(stream: bytes) -> list[Frame]:
    """Return all complete frames in a worker's output; a truncated last one is dropped."""
    frames, at = [], 0
    while at + SIZES <= len(stream):
        head, body = frame_lengths(stream[at : at + SIZES])
        start, at = at + SIZES, at + SIZES + head + body
        if at > len(stream):
            break
        frames.append(Frame(json.loads(stream[start : start + head]), stream[start + head : at]))
    return frames


def embed_request(texts: Sequence[str]) -> Frame:
    """Build the request for the vectors of some texts."""
    raw = [text.encode("utf-8", "replace") for text in texts]
    return Frame({"lengths": [len(text) for text in raw]}, b"".join(raw))


def request_texts(frame: Frame) -> list[bytes]:
    """Return the texts of a request, as valid UTF-8."""
    texts, at = [], 0
    for length in frame.head["lengths"]:
        texts.append(frame.body[at : at + length])
        at += length
    return texts


POOLING: dict[Pooling, int] = {"mean": 1, "cls": 2, "last": 3}
"""llama.cpp's numbers for the pooling types."""


@dataclass(frozen=True, slots=True)
class WorkerTask:
    """A model and how to run it; without a pooling, the worker only reports the facts in the file.

    `low` is for background work; `memory` (bytes of address space) and `cpu_seconds` limit a worker that opens a
    foreign file.
    """

    path: str
    window: int = 0
    pooling: int | None = None
    flash: bool = True
    mmap: bool = True
    memory: int = 0
    cpu_seconds: int = 0
    low: bool = True


LEVELS = 3
"""Number of feature levels, including the full one; a model that fails at all of them is unusable."""


def make_task(
    path: Path, spec: ModelSpec, level: int = 0, *, low: bool = True, memory: int = 0, cpu_seconds: int = 0
) -> WorkerTask:
    """Return how to run a model, with fewer features at each level."""
    full = WorkerTask(str(path), spec.window, POOLING[spec.pooling], low=low, memory=memory, cpu_seconds=cpu_seconds)
    match level:
        case 0:
            return full
        case 1:
            return dataclasses.replace(full, flash=False)
        case _:
            return dataclasses.replace(full, flash=False, mmap=False, window=min(spec.window, 128))


def worker_command(task: WorkerTask) -> list[str]:
    """Return the command line of a worker."""
    # -P: the current folder may contain a `json.py`.
    return [sys.executable, "-P", "-m", "bridge.models.worker", json.dumps(dataclasses.asdict(task))]


def process_options(task: WorkerTask) -> dict[str, Any]:
    """Return the keyword arguments for starting a worker process."""
    package = str(Path(__file__).parents[2])
    paths = os.pathsep.join(p for p in (package, os.environ.get("PYTHONPATH", "")) if p)
    # One thread each, and no debugger started by an abort.
    variables = {"PYTHONPATH": paths, "OMP_NUM_THREADS": "1", "GGML_NO_BACKTRACE": "1"}
    quiet: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    if sys.platform == "win32":
        priority = subprocess.BELOW_NORMAL_PRIORITY_CLASS if task.low else 0
        quiet["creationflags"] = subprocess.CREATE_NO_WINDOW | priority
    return {"env": {**os.environ, **variables}, **quiet}


log = logging.getLogger(__name__)

_START_S = 120.0
_ANSWER_S = 120.0


class WorkerDied(Exception):
    """The process ended or stopped responding without an error message."""


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
    async def start(cls, task: WorkerTask, dimensions: int) -> "Worker":
        """Start a process, and wait until its model is loaded and has embedded a sentence.

        Args:
            task: The model and how to run it.
            dimensions: The expected length of the vectors.

        Raises:
            ModelUnusable: llama.cpp rejects the file; the message says why.
            WorkerDied: The process ended or hung before it was ready.
        """
        complaints = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the worker
        try:
            process = await asyncio.create_subprocess_exec(
                *worker_command(task), stderr=complaints, **process_options(task)
            )
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
        """Return unit vectors of the texts, and which of them were truncated.

        Raises:
            WorkerDied: The process ended or hung on these texts.
        """
        import numpy as np

        began = time.perf_counter()
        stream = self._process.stdin
        assert stream is not None  # noqa: S101 - it was asked for
        stream.write(embed_request(texts).packed())
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
        """End the process now; its current work is lost."""
        try:
            if self._ended():
                # A signal would reap a dead child without the event loop's child watcher noticing.
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
                head, body = frame_lengths(await stream.readexactly(SIZES))
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
