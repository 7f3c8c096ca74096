"""Embeds texts with a pool of worker processes: queries first, dead workers replaced, fatal texts rejected."""

import asyncio
import contextlib
import logging
import time
from collections import deque
from collections.abc import Collection, Coroutine, Iterator, Sequence
from typing import Any

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from bridge.errors import ModelUnusable, Unready
from bridge.models.folder import InstalledModel
from bridge.models.worker_process import FEATURE_LEVELS, WorkerDied, WorkerProcess, make_task
from bridge.records import Record

log = logging.getLogger(__name__)

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
        super().__init__("A text stops the model each time it is tried.")
        self.indexes = tuple(indexes)
        self.embeddings = embeddings


class EmbeddingCall(Struct, eq=False):
    """The texts of one call and their vectors so far."""

    texts: Sequence[str]
    first: bool
    """Whether a caller waits for it, as for a query."""
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


class Worker(WorkerProcess):
    """A running worker that embeds, at low priority if it is for passages."""

    low = True
    used = 0.0
    """When it last did something."""

    async def embed(self, texts: Sequence[str]) -> Embeddings:
        frame = await self.ask(texts)
        self.used = time.monotonic()
        vectors = np.frombuffer(frame.body, dtype="<f4").reshape(len(texts), self.head["dimensions"])
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit = (vectors / np.where(norms > 0, norms, 1)).astype(np.float32)
        return Embeddings(unit, tuple(frame.head["truncated"]), tuple(frame.head["tokens"]))


_DEATHS_TO_REJECT = 2
_DEATHS_IN_A_ROW = 4
_FAILURE_LASTS_S = 30.0

_COMMON_WORD, _NO_WORD = "the", "zqxjkvw"
"""A word that every model reads as one token, and one that none does."""


class Embedder:
    """Embeds with one model. Workers start on demand and end when idle.

    Belongs to the event loop that calls it first.
    """

    def __init__(self, model: InstalledModel, workers: int, unload_after_s: int) -> None:
        self.model = model
        self._workers = self._most = max(1, workers)
        self._unload_after_s = unload_after_s
        self._queries: deque[Group] = deque()
        self._passages: deque[Group] = deque()
        self._calls: set[EmbeddingCall] = set()
        self._idle: list[Worker] = []
        self._busy: set[Worker] = set()
        self._starting = {True: 0, False: 0}
        self._query_pending = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False
        self.starts = self.deaths = self.level = 0
        self._in_a_row = self._stillborn = 0
        self._failure: tuple[float, ModelUnusable] | None = None

    async def embed(self, texts: Sequence[str], *, query: bool = False, first: bool = False) -> Embeddings:
        """Return the vectors of some texts, of passages as soon as of queries if they come first.

        The model's prefixes are added here.
        """
        self._refuse()
        if not texts:
            return Embeddings(np.empty((0, self.model.spec.dimensions), np.float32), (), ())
        call = EmbeddingCall(
            texts=texts,
            first=query or first,
            prefix=self.model.spec.query_prefix if query else self.model.spec.passage_prefix,
            done=asyncio.get_running_loop().create_future(),
            rows=np.zeros((len(texts), self.model.spec.dimensions), np.float32),
            truncated=[False] * len(texts),
            tokens=[0] * len(texts),
            left=len(texts),
        )
        self._calls.add(call)
        self._query_pending = self._query_pending or call.first
        (self._queries if call.first else self._passages).extend(call.groups())
        self._dispatch()
        try:
            await call.done
        finally:
            # Cancelled or failed: what still waits is dropped, what is being processed is ignored when done.
            self._forget(call)
        answer = Embeddings(call.rows, tuple(call.truncated), tuple(call.tokens))
        if call.poison:
            raise RejectedText(sorted(call.poison), answer)
        return answer

    async def known_words(self, words: Collection[str]) -> frozenset[str]:
        """Return those of some words that the model reads as one token, as the common words of its training."""
        one, many, *counts = (await self.embed([_COMMON_WORD, _NO_WORD, *words], query=True)).tokens
        # Some vocabularies have one token for all that they do not know.
        return frozenset(word for word, count in zip(words, counts, strict=True) if count <= one < many)

    @property
    def failure(self) -> ModelUnusable | None:
        """Why the model could not be used when it was last needed; None if it could."""
        return self._failure[1] if self._failure else None

    @property
    def pids(self) -> tuple[int, ...]:
        return tuple(sorted(worker.pid for worker in self._live_workers()))

    async def close(self) -> None:
        """End every worker; waiting calls fail."""
        self._closed = True
        self._refuse_all(ModelUnusable("The embedding workers are stopping.", hint="Start the bridge again."))
        if self._timer is not None:
            self._timer.cancel()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        # A task cancelled before its first step could not return its worker.
        await _end_all(self._live_workers())
        self._idle.clear()
        self._busy.clear()

    def _refuse(self) -> None:
        if self._closed:
            raise ModelUnusable("The embedding workers are stopped.", hint="Start the bridge again.")
        if self._failure is not None:
            since, failure = self._failure
            # Memory may become available later; a corrupt file fails again at once.
            if time.monotonic() - since < _FAILURE_LASTS_S:
                raise failure
            self._failure, self.level = None, 0

    def _dispatch(self) -> None:
        while self._queries and (worker := self._free(low=False) or self._free(low=True)):
            self._hand(worker, self._queries.popleft())
        while self._passages and (worker := self._free(low=True) or (None if self._most else self._free(low=False))):
            self._hand(worker, self._passages.popleft())
        running = self._live_workers()
        low = sum(worker.low for worker in running)
        alone = not running and not any(self._starting.values())
        for _ in range(min(self._most - low or alone, len(self._passages)) - self._starting[True]):
            self._begin(low=True)
        # Searches come in series: queries get a worker that no passage blocks.
        if (self._query_pending or (self._queries and alone)) and low == len(running) and not self._starting[False]:
            self._begin(low=False)
        if self._idle and self._timer is None:
            oldest = min(worker.used for worker in self._idle)
            left = max(0.0, oldest + self._unload_after_s - time.monotonic())
            self._timer = asyncio.get_running_loop().call_later(left, self._expire)

    def _free(self, *, low: bool) -> Worker | None:
        return next((worker for worker in reversed(self._idle) if worker.low is low), None)

    def _hand(self, worker: Worker, group: Group) -> None:
        self._idle.remove(worker)
        self._busy.add(worker)
        self._spawn(self._run(worker, group))

    def _begin(self, *, low: bool) -> None:
        self._starting[low] += 1
        self._spawn(self._start(low=low))

    async def _start(self, *, low: bool) -> None:
        try:
            worker = await Worker.start(
                "embedding worker", make_task(self.model.path, self.model.spec, self.level, low=low)
            )
            if (found := worker.head["dimensions"]) != (right := self.model.spec.dimensions):
                await worker.end()
                raise ModelUnusable(f"{self.model.path} has {found} dimensions instead of {right}.")
        except WorkerDied as death:
            self._record_death(death)
            self._stillborn += 1
            # The others continue without one more; if there are none, the lower levels are worth trying.
            if self._stillborn >= _DEATHS_IN_A_ROW * (1 if self._live_workers() else FEATURE_LEVELS):
                self._fail(ModelUnusable(f"The model {self.model.spec.id} cannot be loaded. {death}"))
        except ModelUnusable as failure:
            self._fail(failure)
        else:
            self._stillborn = 0
            self.starts += 1
            worker.low, worker.used = low, time.monotonic()
            self._idle.append(worker)
        finally:
            self._starting[low] -= 1
        if not self._closed:
            self._dispatch()

    async def _run(self, worker: Worker, group: Group) -> None:
        window = self.model.spec.window
        alive = began = False
        try:
            if group.deaths:
                # No text is to blame for a worker that was already dead.
                await worker.embed(())
            began = True
            done = await worker.embed(group.heads(window))
            alive = True
        except WorkerDied as death:
            self._record_death(death)
            self._blame(group, began)
        else:
            self._in_a_row = 0
            group.deliver(done, window)
        finally:
            self._busy.discard(worker)
            if alive:
                self._idle.append(worker)
            else:
                await worker.end()
        self._dispatch()

    def _record_death(self, death: WorkerDied) -> None:
        log.warning("%s", death)
        self.deaths += 1
        self._in_a_row += 1
        if self._in_a_row % _DEATHS_IN_A_ROW == 0 and self.level < FEATURE_LEVELS - 1:
            self.level += 1
            log.warning("Embedding workers keep dying; going on with fewer features (level %d).", self.level)

    def _blame(self, group: Group, began: bool) -> None:
        call = group.call
        if call.done.done():
            return
        group.deaths += began
        if len(group.places) == 1 and group.deaths >= _DEATHS_TO_REJECT:
            call.poison.append(group.places[0])
            call.settle(1)
            return
        # Any of them may be the cause: each is tried alone, before anything else.
        alone = [Group(call, range(place, place + 1), group.deaths) for place in group.places]
        (self._queries if call.first else self._passages).extendleft(reversed(alone))

    def _fail(self, failure: ModelUnusable) -> None:
        log.warning("%s", failure.message)
        self._in_a_row = self._stillborn = 0
        if running := self._live_workers():
            # There is no memory for one more.
            self._most = sum(worker.low for worker in running)
            self._query_pending = False
            return
        self._failure = (time.monotonic(), failure)
        self._refuse_all(failure)

    def _refuse_all(self, failure: ModelUnusable) -> None:
        for call in self._calls:
            if not call.done.done():
                call.done.set_exception(failure)
        self._queries.clear()
        self._passages.clear()

    def _forget(self, call: EmbeddingCall) -> None:
        self._calls.discard(call)
        if call.left:
            for queue in (self._queries, self._passages):
                others = [group for group in queue if group.call is not call]
                queue.clear()
                queue.extend(others)

    def _live_workers(self) -> tuple[Worker, ...]:
        return (*self._idle, *self._busy)

    def _expire(self) -> None:
        self._timer = None
        now = time.monotonic()
        leaving = [worker for worker in self._idle if worker.used + self._unload_after_s <= now]
        if leaving:
            self._query_pending = self._query_pending and all(worker.low for worker in leaving)
            self._idle = [worker for worker in self._idle if worker not in leaving]
            self._spawn(_end_all(leaving))
        if not self._live_workers():
            self._most = self._workers
        self._dispatch()

    def _spawn(self, work_: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work_)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _end_all(workers: Sequence[Worker]) -> None:
    await asyncio.gather(*(worker.end() for worker in workers))
