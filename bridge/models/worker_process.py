"""A worker process, seen from the bridge: its task, the frames that both speak in, its start and its end."""

import asyncio
import contextlib
import json
import logging
import os
import struct
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, BinaryIO, ClassVar, Self

from msgspec.structs import asdict, replace

from bridge.errors import ModelUnusable
from bridge.models.catalogue import ModelSpec, Pooling
from bridge.records import Record

log = logging.getLogger(__name__)

_SIZES = struct.Struct("<II")
"""Before a frame: the lengths of its head and its body."""


class Frame(Record):
    """One message: named values, and bytes that would be expensive as JSON."""

    head: Mapping[str, Any]
    body: bytes = b""

    def pack(self) -> bytes:
        head = json.dumps(self.head).encode()
        return _SIZES.pack(len(head), len(self.body)) + head + self.body


def read_frame(stream: BinaryIO) -> Frame | None:
    """Read the next frame; None at the end, also in the midst of one."""
    sizes = stream.read(_SIZES.size)
    if len(sizes) < _SIZES.size:
        return None
    head, body = _SIZES.unpack(sizes)
    whole = stream.read(head + body)
    return Frame(json.loads(whole[:head]), whole[head:]) if len(whole) == head + body else None


def write_frame(stream: BinaryIO, frame: Frame) -> None:
    stream.write(frame.pack())
    stream.flush()


def embed_request(texts: Sequence[str]) -> Frame:
    raw = [text.encode("utf-8", "replace") for text in texts]
    return Frame({"lengths": [len(text) for text in raw]}, b"".join(raw))


def request_texts(frame: Frame) -> list[bytes]:
    texts, at = [], 0
    for length in frame.head["lengths"]:
        texts.append(frame.body[at : at + length])
        at += length
    return texts


POOLING: dict[Pooling, int] = {"mean": 1, "cls": 2, "last": 3}
"""llama.cpp's numbers for the pooling types."""

RANK_POOLING = 4
"""llama.cpp's number for the pooling of a reranker."""

PIECES = "bert.pieces"
"""Key of the length of the vocabulary that follows a GGUF, for `Pieces`."""


class WorkerTask(Record):
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
    threads: int = 1


class ChatTask(Record):
    """A chat model and how to run it."""

    path: str
    window: int
    threads: int
    flash: bool = True
    mmap: bool = True


FEATURE_LEVELS = 3
"""Number of feature levels, including the full one; a model that fails at all of them is unusable."""


def make_task(path: Path, spec: ModelSpec, level: int = 0, **more: Any) -> WorkerTask:
    pooling = RANK_POOLING if spec.purpose == "rerank" else POOLING[spec.pooling]
    task = WorkerTask(str(path), spec.window, pooling, flash=level < 1, **more)
    return task if level < FEATURE_LEVELS - 1 else replace(task, mmap=False, window=min(spec.window, 128))


class WorkerDied(Exception):
    """The process ended or stopped responding without an error message."""


_LOAD_S = 120.0
_ANSWER_S = 120.0


class WorkerProcess:
    """A running worker process with its model loaded."""

    module = "bridge.models.worker"

    def __init__(self, name: str, process: asyncio.subprocess.Process, complaints: IO[bytes]) -> None:
        self.head: Mapping[str, Any] = {}
        """What it said of the model when it was loaded."""
        self.has_ended = False
        """Whether it was ended."""
        self._name, self._process, self._complaints = name, process, complaints

    @property
    def pid(self) -> int:
        return self._process.pid

    @classmethod
    async def start(cls, name: str, task: WorkerTask | ChatTask) -> Self:
        """Start a process, and wait until its model is loaded."""
        worker = await cls.spawn(name, [sys.executable, "-P", "-m", cls.module, json.dumps(asdict(task))])
        try:
            worker.head = (await worker.read(_LOAD_S)).head
            if "failed" in worker.head:
                raise ModelUnusable(f"llama.cpp cannot use {Path(task.path).name}: {worker.head['failed']}")
        except BaseException:
            await worker.end()
            raise
        return worker

    @classmethod
    async def spawn(cls, name: str, command: Sequence[str]) -> Self:
        package = str(Path(__file__).parents[2])
        paths = os.pathsep.join(p for p in (package, os.environ.get("PYTHONPATH", "")) if p)
        # One thread each, and no debugger started by an abort.
        env = {**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1", "GGML_NO_BACKTRACE": "1"}
        flags = getattr(subprocess, "CREATE_NO_WINDOW", 0)
        complaints = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=complaints,
                env=env,
                creationflags=flags,
            )
        except BaseException as error:
            complaints.close()
            if isinstance(error, OSError):
                raise WorkerDied(f"No {name} can be started: {error}") from None
            raise
        return cls(name, process, complaints)

    async def ask(self, texts: Sequence[str]) -> Frame:
        """Have some texts embedded, or the first one compared with the others."""
        await self.send(embed_request(texts))
        return await self.read(_ANSWER_S)

    async def send(self, frame: Frame) -> None:
        """Write a frame; that the process is gone shows when its answer is read."""
        stream = self._process.stdin
        assert stream is not None  # noqa: S101 - it was asked for
        stream.write(frame.pack())
        with contextlib.suppress(ConnectionError):
            await stream.drain()

    async def read(self, within: float) -> Frame:
        stream = self._process.stdout
        assert stream is not None  # noqa: S101 - it was asked for
        try:
            async with asyncio.timeout(within):
                head, body = _SIZES.unpack(await stream.readexactly(_SIZES.size))
                values = json.loads(await stream.readexactly(head))
                return Frame(values, await stream.readexactly(body))
        except (asyncio.IncompleteReadError, ConnectionError):
            reason = "ended"
        except TimeoutError:
            reason = f"did not answer within {within:.0f} s"
        size = self._complaints.seek(0, 2)
        self._complaints.seek(max(0, size - 400))
        last_words = self._complaints.read().decode("utf-8", "replace").strip()
        raise WorkerDied(f"The {self._name} {self.pid} {reason}. {last_words}".strip())

    async def end(self) -> None:
        """End the process now; its current work is lost."""
        self.has_ended = True
        stream = self._process.stdout
        try:
            if stream is None or stream.at_eof():
                # A signal would reap a dead child without the event loop's child watcher noticing.
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(1):
                        await self._process.wait()
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()
        finally:
            self._complaints.close()


_DEATHS_TO_PAUSE = 3
_DEATHS_WITHIN_S = 300.0
_PAUSE_S = 300.0
_MAX_LEVEL = 3


class SoleWorker:
    """One process for one model: it starts on demand, with fewer features each time it died, and ends when idle.

    Belongs to the event loop that calls it first.
    """

    process: ClassVar[type[WorkerProcess]] = WorkerProcess
    what: ClassVar[str]
    """What the model is called in messages."""
    meanwhile: ClassVar[str] = ""
    """What is done instead while it rests because it kept dying."""

    def __init__(self, unload_after_s: float) -> None:
        self.starts = self.deaths = self.level = 0
        self.unload_after_s = unload_after_s
        self._worker: WorkerProcess | None = None
        self._turn = asyncio.Lock()
        self._idle: asyncio.TimerHandle | None = None
        self._ending: asyncio.Task[None] | None = None
        self._closed = False
        self._recent_deaths: deque[float] = deque(maxlen=_DEATHS_TO_PAUSE)
        self._paused_until = 0.0

    def task(self) -> WorkerTask | ChatTask:
        """Return how to run the model, by `level`."""
        raise NotImplementedError

    @property
    def pid(self) -> int | None:
        return self._worker.pid if self._worker else None

    @property
    def paused_s(self) -> float:
        """For how many seconds it rests, as its processes kept dying; not above 0 when it does not."""
        return self._paused_until - time.monotonic()

    async def close(self) -> None:
        """End the process; what it does fails."""
        self._closed = True
        if self._idle is not None:
            self._idle.cancel()
        if self._ending is not None:
            await self._ending
        await self._end()

    def _refuse(self) -> None:
        if self._closed:
            raise ModelUnusable(f"The {self.what} is stopped.", hint="Start the bridge again.")
        if self.paused_s > 0:
            raise ModelUnusable(
                f"The {self.what} died {_DEATHS_TO_PAUSE} times within {_DEATHS_WITHIN_S / 60:.0f} minutes.",
                hint=f"It is tried again in {self.paused_s:.0f} s{self.meanwhile}.",
            )

    async def _ready(self) -> WorkerProcess:
        """Return the process, and start it if it does not run; the caller holds `_turn`."""
        if self._idle is not None:
            self._idle.cancel()
        if self._ending is not None:
            await self._ending
        if self._worker is not None and self._worker.has_ended:
            self._worker = None
        self._refuse()
        while self._worker is None:
            try:
                self._worker = await self.process.start(f"{self.what} worker", self.task())
            except WorkerDied as death:
                await self._record_death(death)
            else:
                self.starts += 1
            if self._closed:
                await self._end()
            self._refuse()
        return self._worker

    async def _record_death(self, death: WorkerDied) -> None:
        log.warning("%s", death)
        self.deaths += 1
        self.level = min(self.level + 1, _MAX_LEVEL)
        now = time.monotonic()
        self._recent_deaths.append(now)
        if len(self._recent_deaths) == _DEATHS_TO_PAUSE and now - self._recent_deaths[0] <= _DEATHS_WITHIN_S:
            self._paused_until = now + _PAUSE_S
            self._recent_deaths.clear()
        await self._end()

    def _release(self) -> None:
        """Let another call have the turn, and end the process if none comes for long enough."""
        self._turn.release()
        if self._idle is not None:
            self._idle.cancel()
        if self._worker is not None and not self._closed:
            self._idle = asyncio.get_running_loop().call_later(self.unload_after_s, self._unload)

    def _unload(self) -> None:
        if not self._turn.locked():
            self._ending = asyncio.get_running_loop().create_task(self._end())

    async def _end(self) -> None:
        worker, self._worker = self._worker, None
        if worker is not None:
            await worker.end()
