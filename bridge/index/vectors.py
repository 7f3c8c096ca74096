"""Vectors by model: one model answers while another may be filling to replace it."""

import asyncio
import contextlib
import logging
import re
import time
from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import Future
from heapq import nlargest

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from bridge.index.background import pause_gc, trim
from bridge.index.digests import TextDigests, digests_of
from bridge.index.folder import BrokenIndex, IndexFolder, translate_disk_error
from bridge.index.matrix import Floats, Halves, VectorMatrix
from bridge.index.open import OpenIndex, join_digests, start_coroutine, wait
from bridge.index.table import VECTORS, LanceTable, table_names, vectors_schema
from bridge.records import Record
from bridge.types import Digest

DueNote = tuple[int, TextDigests, set[bytes]]
"""The key of a note, its texts, and those of them that need a vector."""


class MissingVector(Record):
    """A text without a vector; `passage` is false for a title."""

    digest: Digest
    text: str
    passage: bool


async def read_missing(opened: OpenIndex, due: Sequence[DueNote], limit: int) -> list[MissingVector]:
    """Read the texts that need a vector, `limit` of them or fewer, in the order of the notes."""
    # Read now: a note's title may change while the texts of passages are read.
    titles = {
        key: opened.catalogue.require(note.path).title_text
        for key, digests, wanted in due
        if digests.title in wanted and (note := opened.catalogue.at_key(key)) is not None
    }
    texts = await _passage_texts(opened, due)
    found: list[MissingVector] = []
    for key, digests, wanted in due:
        if opened.catalogue.at_key(key) is None:
            continue
        if key in titles:
            found.append(MissingVector(Digest(digests.title.hex()), titles[key], passage=False))
        found += [
            MissingVector(Digest(digest.hex()), texts[digest], passage=True)
            for digest in dict.fromkeys(digests.passages)
            if digest in wanted and digest != digests.title and digest in texts
        ]
    return found[:limit]


async def _passage_texts(opened: OpenIndex, due: Sequence[DueNote]) -> dict[bytes, str]:
    wheres = [
        f"(key = {key} AND ordinal IN ({', '.join(ordinals)}))"
        for key, digests, wanted in due
        if (ordinals := [str(at) for at, digest in enumerate(digests.passages) if digest in wanted])
    ]
    if not wheres:
        return {}
    rows = await opened.passages.fetch(["digest", "embed_text"], " OR ".join(wheres))
    return dict(zip(rows["digest"].to_pylist(), rows["embed_text"].to_pylist(), strict=True))


log = logging.getLogger(__name__)

_UNSAFE_CHAR = re.compile(r"[^A-Za-z0-9_.-]")


class ModelVectors(Struct):
    """One model's vectors, on disk and in memory."""

    key: str
    table: LanceTable
    layout: VectorMatrix


def table_name(key: str) -> str:
    return VECTORS + _UNSAFE_CHAR.sub("_", key)


async def load_model_vectors(opened: OpenIndex, key: str, dimensions: int | None) -> ModelVectors:
    """Open or create a model's table, and assign its vectors to the notes; a damaged table is recreated."""
    try:
        return await _read(opened, key, dimensions)
    except (OSError, RuntimeError, ValueError) as error:
        is_of_disk = translate_disk_error(opened.folder.path, error) is not None
        if is_of_disk or table_name(key) not in await table_names(opened.database):
            raise
        log.warning("The vectors of `%s` cannot be read and are computed again: %s", key, type(error).__name__)
        await opened.database.drop_table(table_name(key))
        if dimensions is None:
            raise BrokenIndex("vectors") from error
        return await _read(opened, key, dimensions)


async def _read(opened: OpenIndex, key: str, dimensions: int | None) -> ModelVectors:
    import pyarrow as pa

    if dimensions is None:
        inner = await opened.database.open_table(table_name(key))
        dimensions = (await inner.schema()).field("vector").type.list_size
    table = await LanceTable.open(opened.database, table_name(key), vectors_schema(dimensions))
    layout = VectorMatrix(dimensions, opened.folder.path)
    async for rows in table.batches(["digest", "vector"]):
        digests = digests_of(join_digests(pa.chunked_array([rows["digest"]])))
        there = rows["vector"].is_valid().to_numpy(zero_copy_only=False)
        layout.poison.update(digest.tobytes() for digest in digests[~there])
        vectors = rows["vector"].drop_null().flatten().to_numpy().reshape(-1, dimensions)
        layout.rows.extend(digests[there], vectors)
    layout.put(opened.digests)
    return ModelVectors(key, table, layout)


DAY_S = 86_400

MEMORY_BYTES = 1 << 30
"""Bytes of vectors of which every one is compared, unless it is set."""

NEAR_VECTORS = 1_000
"""Vectors that the index on disk finds for a search, which compares them exactly."""

MAX_WAITING_SHARE = 0.05
"""Share of vectors that may be lacking when the index on disk is built."""

MIN_RECALL = 0.95
"""Share of the nearest notes that the index on disk must find, or it is built again."""

MAX_QUERIES, MAX_NOTES = 20, 10
"""Passages for which it is checked how many of the nearest notes the index finds."""


class Vectors:
    """All vectors of the index."""

    def __init__(self, opened: OpenIndex, keep_days: int, memory: int = MEMORY_BYTES) -> None:
        """Use an open index; `memory` is the bytes of vectors of which every one is compared."""
        self._opened = opened
        self._folder: IndexFolder = opened.folder
        self._database = opened.database
        self._catalogue = opened.catalogue
        self._digests = opened.digests
        self._keep_s = keep_days * DAY_S
        self._memory = memory
        self._vanished = opened.folder.vanished_texts
        self._answering: ModelVectors | None = None
        self._backfill: ModelVectors | None = None
        self._handed: set[bytes] = set()
        """Texts that were handed out for embedding and are still wanted."""
        self._texts = sum(map(count_embedded, self._digests.values()))
        self.lock = asyncio.Lock()
        """Held while vectors are added."""
        self._stored = opened.folder.answering_model
        """The key of the model that answered last."""
        self._loading: Future[None] | None = None

    # -- loading ------------------------------------------------------------------------------------------------------

    @property
    def is_loaded(self) -> bool:
        """Whether the vectors are in memory; until then, every passage has one."""
        return self._loading is not None and self._loading.done()

    async def load(self) -> None:
        """Load the vectors that answered last, unless they are."""
        if not self.is_loaded:
            # Others may wait for it, too.
            await asyncio.shield(asyncio.wrap_future(self._begin()))

    def require(self) -> None:
        """Load the vectors that answered last, unless they are; blocks."""
        if not self.is_loaded:
            self._begin().result()

    @property
    def is_whole(self) -> bool:
        """Whether every passage has a vector of the answering model, so that the next start may load them late."""
        if not self.is_loaded:
            return True
        return self._answering is not None and self._answering is self._backfill and not self.count_pending()

    async def settle(self) -> None:
        """Wait for vectors that are being loaded, however that ends."""
        if self._loading is not None:
            with contextlib.suppress(Exception):
                await self.load()

    def _begin(self) -> Future[None]:
        if self._loading is None:
            self._loading = start_coroutine(self._open())
        return self._loading

    async def _open(self) -> None:
        with pause_gc():
            if self._stored is not None and table_name(self._stored) in await table_names(self._database):
                with contextlib.suppress(BrokenIndex):
                    self._answering = self._backfill = await load_model_vectors(self._opened, self._stored, None)
        trim()

    # -- models -------------------------------------------------------------------------------------------------------

    @property
    def answering_model(self) -> str | None:
        """The key of the model that must embed the queries."""
        if not self.is_loaded:
            return self._stored
        return self._answering.key if self._answering else None

    @property
    def answering_dimensions(self) -> int:
        """How many numbers a vector of that model has; 0 without one."""
        self.require()
        return self._answering.layout.dimensions if self._answering else 0

    @property
    def backfill(self) -> str | None:
        """The key of the model whose vectors are requested."""
        return self._backfill.key if self._backfill else None

    def use(self, key: str, dimensions: int) -> None:
        """Request the vectors of a model from now on; blocks if it differs from the previous one."""
        self.require()
        if self._backfill is not None and self._backfill.key == key:
            return
        if self._answering is not None and self._answering.key == key:
            self._backfill = self._answering
        else:
            self._backfill = wait(load_model_vectors(self._opened, key, dimensions))
        self._swap()

    def _swap(self) -> None:
        """Let the filling model answer once it covers at least what the answering one does."""
        backfill, answering = self._backfill, self._answering
        if backfill is None or backfill is answering:
            return
        done = not backfill.layout.waiting
        if answering is None or done or backfill.layout.count_placed() > answering.layout.count_placed():
            self._answering = backfill
            self._folder.answer_with(backfill.key)

    async def forget_others(self) -> None:
        kept = {table_name(m.key) for m in (self._answering, self._backfill) if m is not None}
        if self._backfill is None or self._backfill is not self._answering:
            return
        for name in await table_names(self._database):
            if name.startswith(VECTORS) and name not in kept:
                await self._database.drop_table(name)

    # -- notes --------------------------------------------------------------------------------------------------------

    def put(self, key: int, digests: TextDigests) -> None:
        self.require()
        self._digests[key] = digests
        self._texts += count_embedded(digests)
        for model in self._models():
            model.layout.put({key: digests})

    def drop(self, key: int) -> None:
        """Remove a note; its vectors stay for some days."""
        self.require()
        digests = self._digests.pop(key, None)
        self._texts -= count_embedded(digests) if digests else 0
        for model in self._models():
            model.layout.drop(key)

    def _models(self) -> list[ModelVectors]:
        return list({id(m): m for m in (self._answering, self._backfill) if m is not None}.values())

    def digests_of(self, key: int) -> TextDigests | None:
        return self._digests.get(key)

    # -- backfill -----------------------------------------------------------------------------------------------------

    def count_pending(self) -> int:
        """Count the distinct passages without a vector; all of them if there is no model."""
        if not self.is_loaded:
            return 0
        if self._backfill is not None:
            return self._backfill.layout.count_pending()
        return self._texts

    def share(self) -> float:
        """Return the share of the passages that the answering vectors cover; 1 when no passage waits for one."""
        if not self.is_loaded:
            return 1.0
        if self._answering is None:
            return 0.0
        layout = self._answering.layout
        return layout.count_placed() / self._texts if layout.count_pending() and self._texts else 1.0

    def embedded_at(self, key: int, ordinal: int) -> bool:
        """Return whether a passage needs no vector any more."""
        digests = self._digests.get(key)
        if digests is None or ordinal >= len(digests):
            return False
        digest = digests.passage(ordinal)
        if not self.is_loaded:
            return True
        if digest is None or self._backfill is None:
            return digest is None
        layout = self._backfill.layout
        return digest in layout.rows.of or digest in layout.poison

    def due(self, limit: int, keys: Collection[int] | None = None) -> list[DueNote]:
        """Return the newest notes with waiting texts, of all or of those with some keys, until these are enough."""
        self.require()
        if self._backfill is None:
            return []
        waiting = self._backfill.layout.waiting
        asked = set[int]().union(*waiting.values()).intersection(self._digests if keys is None else keys)
        found: list[DueNote] = []
        seen: set[bytes] = set()
        for key in nlargest(limit, asked, key=self._recency):
            digests = self._digests[key]
            if len(seen) < limit and (wanted := {one for one in digests.texts if one in waiting} - seen):
                found.append((key, digests, wanted))
                seen |= wanted
        self._handed |= seen
        return found

    def _recency(self, key: int) -> tuple[int, int]:
        note = self._catalogue.at_key(key)
        return note.mtime_ns if note else 0, -key

    async def add(self, digests: Sequence[Digest], vectors: Floats) -> None:
        """Store vectors of due texts, on disk first."""
        await self.load()
        async with self.lock:
            names = [bytes.fromhex(digest) for digest in digests]
            due = [at for at, digest in enumerate(names) if digest in self._handed]
            self._handed.difference_update(names)
            await self._add([names[at] for at in due], [vectors[at] for at in due])

    async def _add(self, names: Sequence[bytes], vectors: Sequence[Floats]) -> None:
        model = self._backfill
        if model is None or not len(names):
            return
        sound = [bool(np.isfinite(vector).all()) for vector in vectors]
        due = [(d, v) for d, v, ok in zip(names, vectors, sound, strict=True) if ok and d not in model.layout.rows.of]
        new = {digest: vector.astype(np.float16) for digest, vector in due}
        broken = [d for d, ok in zip(names, sound, strict=True) if not ok]
        await self._append(model, list(new), list(new.values()))
        await self._give_up(model, broken)
        if new:
            model.layout.fill(list(new), np.stack(list(new.values())))
        self._swap()

    @property
    def unmet_texts(self) -> frozenset[bytes]:
        """The digests of all texts without a vector of the requested model."""
        return frozenset(self._backfill.layout.waiting) if self._backfill is not None else frozenset()

    async def fill(self, digests: Sequence[bytes], vectors: Floats) -> int:
        """Store vectors from elsewhere of texts that still need one, and return how many were."""
        async with self.lock:
            unmet = self.unmet_texts
            due = [at for at, digest in enumerate(digests) if digest in unmet]
            await self._add([digests[at] for at in due], [vectors[at] for at in due])
            return len(due)

    async def collect(self) -> tuple[str, list[bytes], Halves] | None:
        """Return the answering model, and its vectors of all texts in notes by their digests; None without a model."""
        await self.load()
        async with self.lock:
            if self._answering is None:
                return None
            key, vectors = self._answering.key, self._answering.layout.rows
            needed = digests_of(b"".join(digests.packed for digests in self._digests.values()))
            rows, first = np.unique(vectors.of.find(needed), return_index=True)
            known = rows >= 0
            names = [digest.tobytes() for digest in needed[first[known]]]
            return key, names, await asyncio.to_thread(vectors.at, rows[known])

    async def give_up(self, digests: Iterable[Digest]) -> None:
        """Never request the vectors of these texts again."""
        await self.load()
        async with self.lock:
            if self._backfill is not None:
                names = [bytes.fromhex(digest) for digest in digests]
                await self._give_up(self._backfill, [digest for digest in names if digest in self._handed])
                self._swap()

    async def _give_up(self, model: ModelVectors, digests: Sequence[bytes]) -> None:
        if digests:
            await self._append(model, digests, [None] * len(digests))
            model.layout.give_up(digests)

    async def _append(self, model: ModelVectors, digests: Sequence[bytes], vectors: Sequence[Halves | None]) -> None:
        import pyarrow as pa

        if not digests:
            return
        schema = vectors_schema(model.layout.dimensions)
        column = pa.array(vectors, schema.field("vector").type)
        await model.table.add(pa.table({"digest": pa.array(digests, pa.binary(32)), "vector": column}, schema=schema))
        model.table.grew(len(digests))

    # -- search -------------------------------------------------------------------------------------------------------

    def layout_for(self, vector: Floats) -> VectorMatrix | None:
        """Return the vectors with which another one can be compared; None without suitable ones."""
        self.require()
        model = self._answering
        return model.layout if model is not None and vector.shape == (model.layout.dimensions,) else None

    def vector_of(self, key: int, ordinal: int | None) -> Floats | None:
        self.require()
        return self._answering.layout.vector_of(key, ordinal) if self._answering else None

    # -- the index on disk --------------------------------------------------------------------------------------------

    def _is_large(self, model: ModelVectors) -> bool:
        return model.layout.rows.size > self._memory

    @property
    def is_indexed(self) -> bool:
        """Whether an index on disk finds the vectors that a search compares, since they are too many."""
        model = self._answering if self.is_loaded else None
        return model is not None and self._is_large(model) and model.table.partitions > 0

    @property
    def lacks_index(self) -> bool:
        """Whether the index on disk should be built now."""
        model = self._answering if self.is_loaded else None
        if model is None or model.table.partitions or not self._is_large(model):
            return False
        layout = model.layout
        return len(layout.waiting) <= MAX_WAITING_SHARE * len(layout.rows.of)

    async def build_index(self) -> None:
        """Build the index on disk; nothing may be deleted or merged meanwhile."""
        if self._answering is not None and self.lacks_index:
            await self._answering.table.index_vectors()

    async def find_near(self, vector: Floats) -> NDArray[np.int64] | None:
        """Return the rows of vectors near another one; None where every vector is to be compared."""
        model = self._answering
        if model is None or not self.is_indexed or vector.shape != (model.layout.dimensions,):
            return None
        try:
            digests = await model.table.nearest(vector, NEAR_VECTORS)
        except (OSError, RuntimeError, ValueError) as error:
            log.warning("The index of vectors cannot be read and is built again: %s", type(error).__name__)
            model.table.partitions = 0
            return None
        rows = model.layout.rows.of.find(digests_of(b"".join(digests)))
        return rows[rows >= 0]

    async def measure_recall(self) -> float | None:
        """Return how many of the notes nearest to some passages the index on disk finds; None without one.

        One that finds too few is built again.
        """
        await self.load()
        if not self.is_indexed or self._answering is None:
            return None
        layout, keys = self._answering.layout, list(self._digests)
        wanted = found = 0
        for key in keys[:: max(1, len(keys) // MAX_QUERIES)]:
            if (vector := layout.vector_of(key, 0)) is not None:
                near = await self.find_near(vector)
                exact, quick = [
                    await asyncio.to_thread(layout.nearest(vector, MAX_NOTES, None, near=rows)) for rows in (None, near)
                ]
                wanted += len(exact)
                found += len({key for key, *_ in exact} & {key for key, *_ in quick})
        recall = found / wanted if wanted else 1.0
        if recall < MIN_RECALL:
            self._answering.table.partitions = 0
        return recall

    # -- housekeeping -------------------------------------------------------------------------------------------------

    def tables(self) -> list[LanceTable]:
        return [model.table for model in self._models()]

    async def optimise(self, *, now: float | None = None, at_once: bool = False) -> None:
        """Delete vectors of passages that vanished long ago, and compact the tables."""
        await self.load()
        moment = time.time() if now is None else now
        needed = [digests.packed for digests in self._digests.values()]
        lost = [(model, model.layout.rows.of.without(needed)) for model in self._models()]
        names = {digest.hex() for _, digests in lost for digest in digests}
        self._vanished = {name: self._vanished.get(name, moment) for name in names}
        for model, digests in lost:
            if old := {d for d in digests if at_once or moment - self._vanished[d.hex()] > self._keep_s}:
                await model.table.drop("digest", old)
                model.layout.rows.drop(old)
            if model.table.partitions and not self._is_large(model):
                await model.table.drop_vector_index()
            if model.table.urgent or (model.table.appended and not model.layout.waiting):
                await model.table.optimise()
        known = [model.layout.rows.of for model in self._models()]
        self._vanished = {
            name: since for name, since in self._vanished.items() if any(bytes.fromhex(name) in of for of in known)
        }
        await asyncio.to_thread(self._folder.keep_vanished, self._vanished)
        await self.forget_others()

    async def prune(self) -> list[LanceTable]:
        """Delete every vector that no note needs now, of any model, and return the tables."""
        await self.load()
        needed = set[bytes]().union(*(digests.texts for digests in self._digests.values()))
        models = {table_name(model.key): model for model in self._models()}
        tables: list[LanceTable] = []
        for name in await table_names(self._database):
            if not name.startswith(VECTORS):
                continue
            model = models.get(name)
            table = model.table if model else LanceTable(await self._database.open_table(name))
            found = set((await table.fetch(["digest"]))["digest"].to_pylist())
            await table.drop("digest", found - needed)
            if model:
                model.layout.rows.drop(found - needed)
                model.layout.poison &= needed
            tables.append(table)
        # Texts being embedded now are no longer wanted.
        self._handed &= needed
        self._vanished = {}
        self._folder.keep_vanished({})
        return tables


def count_embedded(digests: TextDigests) -> int:
    return sum(digest is not None for digest in digests.passages)
