"""The tables of LanceDB: their columns, and one opened or created, appended to, vacuumed, read, compacted."""

import asyncio
import logging
import warnings
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from concurrent.futures import Future
from contextlib import asynccontextmanager
from datetime import timedelta
from math import isqrt
from typing import Any

from msgspec import Struct

from bridge.errors import NotReady
from bridge.index.library import load_lancedb

INDEX_VERSION = 2
"""Version of the index folder; increased whenever a table or the meaning of a column changes."""

NOTES = "notes"
PASSAGES = "passages"
VECTORS = "vectors_"


def notes_schema() -> Any:
    """Return the notes table's schema: one row per note; `seq` identifies this write of it, `key` its passages."""
    import pyarrow as pa

    number, text = pa.int64(), pa.string()
    first = {"seq": number, "key": number, "path": text, "kind": text, "digest": text, "recipe": text}
    facts = {"mtime_ns": number, "size": number, "passages": pa.int32(), "title_text": text, "facts": text}
    return _not_null_schema(first | facts | {"headings": text, "links": text, "whole": text})


def passages_schema() -> Any:
    """Return the passages table's schema: one row per passage; `key` refers to its note's row.

    Its text is in `words`, from `start` on; the heading path is before it, and behind it what no tokenizer would find.
    """
    import pyarrow as pa

    places = dict.fromkeys(("ordinal", "first", "last", "start", "length"), pa.int32())
    texts = {"digest": pa.binary(32), "words": pa.string(), "embed_text": pa.string()}
    return _not_null_schema({"key": pa.int64(), **places, **texts})


def vectors_schema(dimensions: int) -> Any:
    """Return the vectors table's schema: one row per text; without a vector, the text is rejected."""
    import pyarrow as pa

    vector = pa.field("vector", pa.list_(pa.float16(), dimensions), nullable=True)
    return pa.schema([*_not_null_schema({"digest": pa.binary(32)}), vector])


def _not_null_schema(columns: Mapping[str, Any]) -> Any:
    import pyarrow as pa

    return pa.schema([pa.field(name, kind, nullable=False) for name, kind in columns.items()])


log = logging.getLogger(__name__)

MAX_UNINDEXED_ROWS = 200
"""Rows that may be missing in the index on numbers."""

KEYS_AT_ONCE = 2_000
"""Keys in one filter."""

BATCH_ROWS = 4_096
"""Rows per batch when all rows are read."""

VERSION_AGE = timedelta(seconds=2)
"""How long older versions are kept, so that few searches under way lose their files; those are repeated."""

VECTOR = "vector"
"""The column that may have an index of vectors."""

PROBED_SHARE = 1 / 24
"""Share of the partitions of an index of vectors in which a search looks: in fewer it misses too much."""

MIN_PROBES = 20

PARTITION_SAMPLES, PARTITION_ROUNDS = 64, 20
"""Vectors for each partition by which these are chosen, and how often they are chosen again."""

MAX_COMMITS = 200
"""Commits after which a table must be compacted: every version lists all fragments."""


@asynccontextmanager
async def catch_panics() -> AsyncIterator[None]:
    """Turn LanceDB's panic over damaged files, a class that cannot be imported, into an error like its others."""
    try:
        yield
    except Exception as error:
        if type(error).__name__ == "RustPanic":
            raise RuntimeError("LanceDB panicked") from error
        raise


class LanceTable(Struct):
    """A table, with an index on the numbers of its rows where it has any."""

    inner: Any
    number: str | None = None
    rows: int = 0
    unindexed: int = 0
    appended: int = 0
    """Commits since the table was compacted."""
    rebuilds: int = 0
    partitions: int = 0
    """Those of its index of vectors; 0 without one."""
    pending: Future[Exception | None] | None = None
    """Completes when rows already counted on are there; every read waits for it."""

    @classmethod
    async def open(cls, database: Any, name: str, schema: Any, number: str | None = None) -> "LanceTable":
        """Open a table, or create it with its index."""
        if name in await table_names(database):
            inner = await database.open_table(name)
            if not schema.equals(await inner.schema(), check_metadata=False):
                raise ValueError(f"table `{name}` has other columns")
        else:
            # Stable row ids keep the indexes valid when fragments are merged: half the work of an optimise.
            options = {"new_table_enable_stable_row_ids": "true"}
            inner = await database.create_table(name, schema=schema, storage_options=options)
        table = cls(inner, number)
        await table._count()
        return table

    async def _count(self) -> None:
        self.rows = await self.inner.count_rows()
        indexes = {index.columns[0]: index for index in await self.inner.list_indices()}
        if VECTOR in indexes:
            self.partitions = count_partitions(self.rows)
        if self.number in indexes:
            self.unindexed = indexes[self.number].num_unindexed_rows or 0
        else:
            await self._index()

    async def _index(self) -> None:
        await asyncio.to_thread(load_lancedb)
        from lancedb.index import BTree

        if self.number is not None:
            await self.inner.create_index(self.number, config=BTree(), replace=True)

    async def index_vectors(self) -> None:
        """Build the index of vectors, which takes minutes for a million; rows written meanwhile are found without."""
        await asyncio.to_thread(load_lancedb)
        from lancedb.index import IvfSq

        partitions = count_partitions(await self.inner.count_rows())
        config = IvfSq("dot", num_partitions=partitions, max_iterations=PARTITION_ROUNDS, sample_rate=PARTITION_SAMPLES)
        await self.inner.create_index(VECTOR, config=config, name=VECTOR, replace=True)
        self.partitions = partitions

    async def drop_vector_index(self) -> None:
        """Drop it, also one whose building was given up too late."""
        self.partitions = 0
        for index in await self.inner.list_indices():
            if VECTOR in index.columns:
                await self.inner.drop_index(index.name)

    @catch_panics()
    async def nearest(self, vector: Any, limit: int) -> list[bytes]:
        probes = max(MIN_PROBES, round(self.partitions * PROBED_SHARE))
        digests: list[bytes] = (await self.inner.nearest(vector, limit, probes))["digest"].to_pylist()
        return digests

    async def add(self, batch: Any) -> None:
        """Append rows; they are found on return, and counted by `grew`."""
        await self.inner.add(batch)

    def grew(self, rows: int) -> None:
        """Count appended rows; like every method except `add` and reads, for one thread only."""
        if rows:
            self.rows += rows
            self.appended += 1
            self.unindexed += rows if self.number else 0

    async def _wait_for_pending(self) -> None:
        if self.pending is not None and not self.pending.done():
            await asyncio.wait([asyncio.wrap_future(self.pending)])

    async def drop(self, column: str, keys: Collection[int] | Collection[bytes]) -> None:
        await self._wait_for_pending()
        literals = sorted(f"X'{key.hex()}'" if isinstance(key, bytes) else str(key) for key in keys)
        self.appended += 1
        for at in range(0, len(literals), KEYS_AT_ONCE):
            await self.inner.delete(f"{column} IN ({', '.join(literals[at : at + KEYS_AT_ONCE])})")
        self.rows = await self.inner.count_rows()

    async def batches(
        self, columns: Sequence[str], at_once: int = BATCH_ROWS, where: str | None = None
    ) -> AsyncIterator[Any]:
        """Read columns of every row, or of those that pass a filter written by us, in batches."""
        query = (await self._query()).select(list(columns))
        async with catch_panics():
            async for batch in await (query if where is None else query.where(where)).to_batches(
                max_batch_length=at_once
            ):
                yield batch

    @catch_panics()
    async def fetch(self, columns: Sequence[str], where: str | None = None) -> Any:
        """Read columns of every row, or of those that pass a filter, written by us and never by a caller."""
        query = (await self._query()).select(list(columns))
        return await (query if where is None else query.where(where)).to_arrow()

    async def _query(self) -> Any:
        """Start a query once all rows are there; LanceDB panics over a table that was closed meanwhile."""
        await self._wait_for_pending()
        if not self.inner.is_open():
            raise NotReady("The index is being reopened.")
        return self.inner.query()

    @property
    def overdue(self) -> bool:
        """Whether too many rows are unindexed; larger tables, whose optimise costs more, may have more."""
        return self.unindexed > max(MAX_UNINDEXED_ROWS, min(self.rows // 100, 10 * MAX_UNINDEXED_ROWS))

    @property
    def urgent(self) -> bool:
        return self.appended >= MAX_COMMITS

    async def optimise(self) -> None:
        """Merge fragments and add new rows to the index."""
        waiting, appended = self.unindexed, self.appended
        try:
            await self.inner.optimize(cleanup_older_than=VERSION_AGE)
        except (RuntimeError, ValueError, OSError) as error:
            if self.number is not None:
                await self.rebuild(error)
            elif self.partitions:
                await self.drop_vector_index()
            else:
                raise
        self.unindexed -= waiting
        self.appended -= appended

    async def prune(self, keep: timedelta = VERSION_AGE) -> None:
        """Remove the versions that the last optimise replaced, unless new rows would make that another optimise."""
        if not self.unindexed and not self.appended:
            await remove_versions(self.inner, keep)

    async def prove(self, doubt: Exception) -> None:
        """Read every row and column, and rebuild the index."""
        async for _ in await (await self._query()).to_batches(max_batch_length=BATCH_ROWS):
            pass
        await self.rebuild(doubt)

    async def renew(self) -> None:
        """Rewrite every row, and leave no earlier data; no write may be under way.

        Merging would leave deleted rows where they are few among many.
        """
        await self.drop_vector_index()
        column = self.number or "digest"
        await self.inner.update(updates_sql={column: column}, where="true")
        await self._index()
        await remove_versions(self.inner, timedelta(0), delete_unverified=True)
        self.rows = await self.inner.count_rows()
        self.unindexed = self.appended = 0

    @catch_panics()
    async def rebuild(self, error: Exception) -> None:
        """Drop and rebuild the index, because optimising failed on it."""
        log.warning("The index of `%s` is rebuilt: %s", self.inner.name, type(error).__name__)
        self.rebuilds += 1
        for index in await self.inner.list_indices():
            await self.inner.drop_index(index.name)
        await self._index()

    async def fragments(self) -> int:
        return int((await self.inner.stats())["fragment_stats"]["num_fragments"])


async def remove_versions(table: Any, keep: timedelta, *, delete_unverified: bool = False) -> None:
    """Remove earlier versions of a table of LanceDB, for which nothing else may have it open.

    Unverified files are those of failed writes: text that belongs to no version of the table.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="optimize.cleanup_older_than=0")
        await table.optimize(cleanup_older_than=keep, delete_unverified=delete_unverified)


def count_partitions(rows: int) -> int:
    """Return into how many partitions an index divides so many vectors."""
    return max(1, isqrt(rows))


async def table_names(database: Any) -> set[str]:
    found: set[str] = set()
    token: str | None = None
    while True:
        answer = await database.list_tables(page_token=token)
        found |= set(answer.tables)
        token = answer.page_token
        if not token:
            return found
