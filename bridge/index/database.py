"""A LanceDB database whose tables are opened and read by its compiled part alone.

The rest of LanceDB takes a third of a second to import. A start needs none of it before the first answers, so that it
is imported when something is first written.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self

from bridge.index.library import load_compiled, load_lancedb


class Writable:
    """An object of the compiled part; what it lacks here is done by the object that LanceDB wraps around it."""

    def __init__(self, compiled: Any) -> None:
        self._compiled = compiled

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        """Return one of the asynchronous methods of LanceDB."""
        if name.startswith("_"):
            raise AttributeError(name)

        async def call(*args: Any, **given: Any) -> Any:
            await asyncio.to_thread(load_lancedb)
            return await getattr(self._whole(), name)(*args, **given)

        return call

    def _whole(self) -> Any:
        raise NotImplementedError

    def is_open(self) -> bool:
        return bool(self._compiled.is_open())

    def close(self) -> None:
        self._compiled.close()


class Database(Writable):
    """A database in a folder, used like LanceDB's `AsyncConnection`."""

    @classmethod
    async def connect(cls, folder: Path, index_cache: int, metadata_cache: int) -> Self:
        """Open the database in a folder, with caches of so many bytes."""
        library = load_compiled()
        session = library.Session(index_cache_size_bytes=index_cache, metadata_cache_size_bytes=metadata_cache)
        return cls(await library.connect(str(folder), session=session))

    def _whole(self) -> Any:
        from lancedb import AsyncConnection

        return AsyncConnection(self._compiled)

    async def list_tables(self, page_token: str | None = None) -> SimpleNamespace:
        return SimpleNamespace(**await self._compiled.list_tables(page_token=page_token))

    async def open_table(self, name: str) -> "StoredTable":
        return StoredTable(await self._compiled.open_table(name))

    async def create_table(self, name: str, **given: Any) -> "StoredTable":
        await asyncio.to_thread(load_lancedb)
        await self._whole().create_table(name, **given)
        return await self.open_table(name)


class StoredTable(Writable):
    """A table, used like LanceDB's `AsyncTable`."""

    def _whole(self) -> Any:
        from lancedb import AsyncTable

        return AsyncTable(self._compiled)

    @property
    def name(self) -> str:
        return str(self._compiled.name())

    async def schema(self) -> Any:
        return await self._compiled.schema()

    async def count_rows(self) -> int:
        return int(await self._compiled.count_rows(None))

    async def list_indices(self) -> Sequence[Any]:
        indices: Sequence[Any] = await self._compiled.list_indices()
        return indices

    def query(self) -> "TableQuery":
        return TableQuery(self._compiled.query())


class TableQuery:
    """A query that selects columns of rows."""

    def __init__(self, compiled: Any) -> None:
        self._compiled = compiled

    def where(self, condition: str) -> Self:
        """Keep only the rows that pass a filter."""
        self._compiled.where(condition)
        return self

    def select(self, columns: Sequence[str]) -> Self:
        """Read only these columns."""
        self._compiled.select_columns([*columns])
        return self

    async def to_batches(self, max_batch_length: int | None = None) -> AsyncIterator[Any]:
        batches: AsyncIterator[Any] = await self._compiled.execute(max_batch_length=max_batch_length, timeout=None)
        return batches

    async def to_arrow(self) -> Any:
        import pyarrow as pa

        batches: Any = await self.to_batches()
        return pa.Table.from_batches([batch async for batch in batches], schema=batches.schema)
