"""One embedding worker, seen from the bridge: starting, requests, and ending."""

import asyncio
import contextlib
import json
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from msgspec import Struct, field
from msgspec.structs import asdict, replace
from numpy.typing import NDArray

from bridge.errors import ModelUnusable, Unready
from bridge.models.catalogue import ModelSpec, Pooling
from bridge.models.frame_process import Frame, FrameProcess
from bridge.records import Record

_GROUP_TEXTS = 16
# About one passage per round trip, the longest time that a query waits for a worker.
_GROUP_CHARACTERS = 800
_CHARACTERS_PER_TOKEN = 8


class Embeddings(Record):
    """Unit vectors, one row per text, which texts were truncated for the model, and the number of tokens of each."""

    vectors: NDArray[np.float32]
    truncated: tuple[bool, ...]
    tokens: tuple[int, ...]


class RejectedText(Unready):
    """A text crashes the model each time it is tried.

    The other texts of the call are embedded: `embeddings` holds them, with zeros at `indexes`.
    """

    code = "not_ready"
    hint = "The passage is left out of search by meaning; keyword search finds it."

    def __init__(self, indexes: Sequence[int], embeddings: Embeddings) -> None:
        """Build the error for some texts."""
        super().__init__("A text stops the model each time it is tried.")
        self.indexes = tuple(indexes)
        self.index = self.indexes[0]
        self.embeddings = embeddings


class EmbeddingCall(Struct, eq=False):
    """The texts of one call and their vectors so far."""

    texts: Sequence[str]
    query: bool
    prefix: str
    done: asyncio.Future[None]
    rows: NDArray[np.float32]
    truncated: list[bool]
    tokens: list[int]
    left: int
    poison: list[int] = field(default_factory=list)

    def groups(self) -> "Iterator[Group]":
        """Split the call into groups: long texts alone, short ones together."""
        start = characters = 0
        for place, text in enumerate(self.texts):
            if place > start and (place - start == _GROUP_TEXTS or characters + len(text) > _GROUP_CHARACTERS):
                yield Group(self, range(start, place))
                start, characters = place, 0
            characters += len(text)
        yield Group(self, range(start, len(self.texts)))

    def settle(self, count: int) -> None:
        """Count texts as done; the last ones complete the call."""
        self.left -= count
        if not self.left:
            with contextlib.suppress(asyncio.InvalidStateError):
                self.done.set_result(None)


class Group(Struct, eq=False):
    """Consecutive texts of a call that go to a worker together, and how many workers died on them."""

    call: EmbeddingCall
    places: range
    deaths: int = 0

    def heads(self, window: int) -> list[str]:
        """Return the texts with their prefix, cut where the model certainly stops reading."""
        most = _CHARACTERS_PER_TOKEN * window
        return [self.call.prefix + self.call.texts[place][:most] for place in self.places]

    def deliver(self, done: Embeddings, window: int) -> None:
        most, places = _CHARACTERS_PER_TOKEN * window, self.places
        here = slice(places.start, places.stop)
        self.call.rows[here] = done.vectors
        self.call.tokens[here] = done.tokens
        self.call.truncated[here] = [
            cut or len(self.call.texts[place]) > most for place, cut in zip(places, done.truncated, strict=True)
        ]
        self.call.settle(len(places))

    def singly(self) -> "list[Group]":
        return [Group(self.call, range(place, place + 1), self.deaths) for place in self.places]


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

RANK = 4
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


LEVELS = 3
"""Number of feature levels, including the full one; a model that fails at all of them is unusable."""


def make_task(
    path: Path,
    spec: ModelSpec,
    level: int = 0,
    *,
    low: bool = True,
    memory: int = 0,
    cpu_seconds: int = 0,
    threads: int = 1,
) -> WorkerTask:
    """Return how to run a model, with fewer features at each level."""
    pooling = RANK if spec.purpose == "rerank" else POOLING[spec.pooling]
    full = WorkerTask(str(path), spec.window, pooling, low=low, memory=memory, cpu_seconds=cpu_seconds, threads=threads)
    match level:
        case 0:
            return full
        case 1:
            return replace(full, flash=False)
        case _:
            return replace(full, flash=False, mmap=False, window=min(spec.window, 128))


def worker_command(task: WorkerTask) -> list[str]:
    # -P: the current folder may contain a `json.py`.
    return [sys.executable, "-P", "-m", "bridge.models.worker", json.dumps(asdict(task))]


_START_S = 120.0
_ANSWER_S = 120.0


class Worker:
    """A running worker with its model loaded."""

    def __init__(self, process: FrameProcess, *, low: bool) -> None:
        self._process = process
        self.low = low
        self.used = time.monotonic()
        self.dimensions = 0
        self.tokens = 0
        self.seconds = 0.0

    @property
    def pid(self) -> int:
        return self._process.pid

    @classmethod
    async def start(cls, task: WorkerTask, dimensions: int) -> "Worker":
        """Start a process, and wait until its model is loaded and has embedded a sentence."""
        worker = cls(await FrameProcess.start("embedding worker", worker_command(task)), low=task.low)
        try:
            head = (await worker._process.read(_START_S)).head
            if "failed" in head:
                raise ModelUnusable(f"llama.cpp cannot use {task.path}: {head['failed']}")
            if head["dimensions"] != dimensions:
                raise ModelUnusable(f"{task.path} has {head['dimensions']} dimensions instead of {dimensions}.")
            worker.dimensions = dimensions
        except BaseException:
            await worker.end()
            raise
        return worker

    async def embed(self, texts: Sequence[str]) -> Embeddings:
        """Embed some texts."""
        began = time.perf_counter()
        await self._process.send(embed_request(texts))
        frame = await self._process.read(_ANSWER_S)
        self.tokens += sum(frame.head["tokens"])
        vectors = np.frombuffer(frame.body, dtype="<f4").reshape(len(texts), self.dimensions)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit = (vectors / np.where(norms > 0, norms, 1)).astype(np.float32)
        self.seconds += time.perf_counter() - began
        self.used = time.monotonic()
        return Embeddings(unit, tuple(frame.head["truncated"]), tuple(frame.head["tokens"]))

    async def end(self) -> None:
        """End the process now; its current work is lost."""
        await self._process.end()
