"""Embeds passages in the background, newest notes first."""

import asyncio
import logging
import math
import time
from collections import deque
from collections.abc import Callable

from msgspec import Struct, field

from bridge.engine.model_pool import Embedders, model_key
from bridge.errors import BridgeError, IndexUnusable
from bridge.events import Signal
from bridge.index.index import Index
from bridge.index.vectors import MissingVector
from bridge.models.choice import ModelChoice
from bridge.models.embedder import Embedder, RejectedText
from bridge.state.store import Store

AVERAGED_STEPS = 16
"""Steps averaged over: enough for a steady rate, few enough to follow changes in the machine's load."""


class Pace:
    """Measures the rate of work."""

    def __init__(self) -> None:
        self._steps: deque[tuple[int, float]] = deque(maxlen=AVERAGED_STEPS)

    def step(self, done: int, seconds: float) -> None:
        """Record an amount of work and the seconds it took."""
        self._steps.append((done, seconds))

    def rest(self) -> None:
        self._steps.clear()

    @property
    def per_second(self) -> float | None:
        """Amount of work per second; None while there is none."""
        done, seconds = (sum(each) for each in zip((0, 0.0), *self._steps, strict=True))
        return done / seconds if done and seconds else None


log = logging.getLogger(__name__)

TEXTS_AT_ONCE = 64
"""Texts embedded between two writes; a crash can lose this many."""

QUIET_S, MAX_WAIT_S = 0.25, 10.0
"""Seconds without a change to wait for before each batch, since embedding takes a core from other writers; and at most.

A full batch keeps a core busy for up to five seconds: under constant writing, the writer has the cores to itself two
thirds of the time.
"""

MAX_QUICK_PASSAGES, QUICK_SHARE = 8, 0.3
"""Up to this many passages, such as those of one edited note, wait for only this share of the pause."""

MODEL_CHECK_S = 5.0
"""Seconds between checks for a model that is not installed yet."""


class VectorBackfill(Struct, eq=False):
    """Embeds every passage, one small batch at a time."""

    _index: Index
    _store: Store
    _embedders: Embedders
    _on_batch: Callable[[], None]
    _choose: Callable[[], ModelChoice]
    _must_wait: Callable[[], bool] = lambda: False
    paused: bool = False
    trouble: BridgeError | None = None
    model: Embedder | None = None
    choice: ModelChoice | None = None
    can_answer: bool | None = None
    """Whether the model that made the searchable vectors is installed; None until this is known."""
    pace: Pace = field(default_factory=Pace)
    """Rate of embedded passages; it rests while there is nothing to embed."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while a batch is embedded, or vectors come from elsewhere."""
    _signal: Signal = field(default_factory=Signal)
    _woken: float = 0.0

    @property
    def has_looked(self) -> bool:
        """Whether it is known which model is used, if any."""
        return self.can_answer is not None and (self.model is not None or self.choice is not None)

    def wake(self) -> None:
        """Check for work: a note was written, or a setting changed."""
        self._woken = time.monotonic()
        self._signal.notify()

    def hurry(self) -> None:
        """Check for work without the usual pause, as a caller is waiting."""
        # Not 0, which is no long time ago on a machine that has just started.
        self._woken = -math.inf
        self._signal.notify()

    async def run(self) -> None:
        """Embed missing passages until cancelled."""
        while True:
            looked = self._woken
            try:
                worked = await self.step()
                self.trouble = None
            except IndexUnusable:
                raise
            except BridgeError as error:
                self.trouble = error
                worked = False
                log.warning("Embedding stands still: %s", error.code)
            if not worked:
                self.pace.rest()
                if looked == self._woken:
                    await self._signal.wait(MODEL_CHECK_S)

    async def _quiet(self) -> None:
        ends = time.monotonic() + MAX_WAIT_S
        while (left := min(ends, self._woken + self._pause()) - time.monotonic()) > 0:
            await self._signal.wait(left)

    def _pause(self) -> float:
        return QUIET_S * QUICK_SHARE if self._index.pending_vectors() <= MAX_QUICK_PASSAGES else QUIET_S

    async def step(self) -> bool:
        """Embed one batch; return False when there is nothing to do."""
        choice = self.choice
        if choice is None and (self._index.answering_model or not self._must_wait()):
            choice = await asyncio.to_thread(self._choose)
        # Both at once, or the choice would look as if its model were missing.
        self.model, self.choice = await self._embedders.current(choice), choice
        if not self._index.vectors.is_loaded:
            if self._must_wait():
                # Searches by words come first after a start.
                return False
            await self._index.vectors.load()
        if self.model is not None:
            self._index.use_model(model_key(self.model.model), self.model.model.spec.dimensions)
        self.can_answer = await self._embedders.find_installed(self._index.answering_model) is not None
        if self.model is None:
            return False
        await self._quiet()
        if self.paused or self._must_wait():
            return False
        async with self.lock:
            batch = await self._index.find_missing_vectors(TEXTS_AT_ONCE)
            if not batch:
                return False
            began = time.perf_counter()
            passages = await self._embed(self.model, batch)
        self.pace.step(passages, time.perf_counter() - began)
        self._on_batch()
        return True

    async def embed_agents_notes(self) -> None:
        """Embed what agents have just written, for a caller that asks for it, beside a batch that is under way."""
        if self.model is None or self.paused or self._must_wait() or not self._index.pending_vectors():
            return
        if batch := await self._index.find_missing_vectors(MAX_QUICK_PASSAGES, apart=True):
            await self._embed(self.model, batch, first=True)

    async def _embed(self, model: Embedder, batch: list[MissingVector], *, first: bool = False) -> int:
        """Embed a batch, store its vectors and count its passages; rejected texts are quarantined."""
        try:
            vectors = (await model.embed([missing.text for missing in batch], first=first)).vectors
            done = list(range(len(batch)))
        except RejectedText as poison:
            log.warning("%d passages stop the model each time and are left out", len(poison.indexes))
            await self._index.quarantine([batch[at].digest for at in poison.indexes])
            done = [at for at in range(len(batch)) if at not in poison.indexes]
            vectors = poison.embeddings.vectors[done]
        # Counted before it is stored: after a crash between the two, the passages are embedded and counted again.
        passages = sum(batch[at].passage for at in done)
        await asyncio.to_thread(self._store.counters.add, "embedded", passages)
        await self._index.add_vectors([batch[at].digest for at in done], vectors)
        return passages
