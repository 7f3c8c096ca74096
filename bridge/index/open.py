"""Opens an index folder: sound tables, the notes in memory, rows left over by a crash."""

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self, TypeVar

import numpy as np
from msgspec import Struct, field

from bridge.data_folder import folder_size
from bridge.errors import BridgeError, IndexUnusable
from bridge.index.background import limit_memory
from bridge.index.catalogue import NoteEntry, NoteTable
from bridge.index.digests import DIGEST_BYTES, NO_DIGEST, TextDigests, digests_of
from bridge.index.folder import BrokenIndex, BrokenTable, IndexFolder, disk_errors, translate_disk_error
from bridge.index.library import load_compiled, load_lancedb
from bridge.index.link_file import LinkFile
from bridge.index.names import NO_NAMES, KnownNames, NameFile
from bridge.index.note import FACT_COLUMNS, decode_note
from bridge.index.postings import Postings
from bridge.index.prepare import embedding_digest
from bridge.index.rows import DELETION_MARK, NOT_EMBEDDED
from bridge.index.table import (
    NOTES,
    PASSAGES,
    VECTOR,
    LanceTable,
    notes_schema,
    passages_schema,
)
from bridge.types import VaultPath


class Writable:
    """An object of the compiled part; what it lacks here is done by the object that LanceDB wraps around it."""

    def __init__(self, compiled: Any) -> None:
        self._compiled = compiled

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        if name.startswith("_"):
            raise AttributeError(name)

        async def call(*args: Any, **given: Any) -> Any:
            await asyncio.to_thread(load_lancedb)
            return await getattr(self._open_whole(), name)(*args, **given)

        return call

    def _open_whole(self) -> Any:
        raise NotImplementedError

    def is_open(self) -> bool:
        return bool(self._compiled.is_open())

    def close(self) -> None:
        self._compiled.close()


class LanceDatabase(Writable):
    """A database in a folder, used like LanceDB's `AsyncConnection`."""

    @classmethod
    async def connect(cls, folder: Path, index_cache: int, metadata_cache: int) -> Self:
        """Open the database in a folder, with caches of so many bytes."""
        library = load_compiled()
        session = library.Session(index_cache_size_bytes=index_cache, metadata_cache_size_bytes=metadata_cache)
        return cls(await library.connect(str(folder), session=session))

    def _open_whole(self) -> Any:
        from lancedb import AsyncConnection

        return AsyncConnection(self._compiled)

    async def list_tables(self, page_token: str | None = None) -> SimpleNamespace:
        return SimpleNamespace(**await self._compiled.list_tables(page_token=page_token))

    async def open_table(self, name: str) -> "StoredTable":
        return StoredTable(await self._compiled.open_table(name))

    async def create_table(self, name: str, **given: Any) -> "StoredTable":
        await asyncio.to_thread(load_lancedb)
        await self._open_whole().create_table(name, **given)
        return await self.open_table(name)


class StoredTable(Writable):
    """A table, used like LanceDB's `AsyncTable`."""

    def _open_whole(self) -> Any:
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

    async def nearest(self, vector: Any, limit: int, probes: int) -> Any:
        """Return the digests of about the nearest vectors, as its index finds them in so many of its partitions."""
        await asyncio.to_thread(load_lancedb)
        query = self._open_whole().query().nearest_to(vector).column(VECTOR).distance_type("dot")
        return await query.nprobes(probes).limit(limit).select(["digest", "_distance"]).to_arrow()


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


log = logging.getLogger(__name__)

T = TypeVar("T")

NOTE_COLUMNS = ("seq", "key", "title_text", *FACT_COLUMNS)

MIN_CACHE_BYTES = 24 * 2**20
MAX_CACHE_BYTES = 512 * 2**20
METADATA_CACHE_BYTES = 16 * 2**20


class OpenIndex(Struct):
    """An open index."""

    folder: IndexFolder
    database: Any
    notes: LanceTable
    passages: LanceTable
    catalogue: NoteTable
    link_file: LinkFile
    digests: dict[int, TextDigests]
    postings: Postings
    name_file: NameFile
    known: KnownNames
    dead_seqs: set[int] = field(default_factory=set)
    dead_keys: set[int] = field(default_factory=set)
    set_aside: str | None = None
    """Why an earlier index was set aside, if one was."""
    damaged: bool = False
    """Whether something could not be read."""


def wait(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run LanceDB's asynchronous calls from blocking code, on a loop of their own."""
    started = start_coroutine(coroutine)
    try:
        return started.result()
    except BaseException:
        started.cancel()
        raise


def start_coroutine(coroutine: Coroutine[Any, Any, T]) -> Future[T]:
    """Start LanceDB's asynchronous calls on a loop of their own, where they continue while blocking code waits."""
    return asyncio.run_coroutine_threadsafe(coroutine, background_loop())


@cache
def background_loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="index", daemon=True).start()
    return loop


@contextmanager
def read_errors(opened: OpenIndex) -> Iterator[None]:
    """Translate read failures into an error that a caller can act on, and record the damage."""
    path = opened.folder.path
    try:
        with disk_errors(path):
            yield
    except (OSError, RuntimeError, ValueError, IndexError) as error:
        opened.damaged = True
        raise IndexUnusable(
            f"The index in `{path}` is damaged ({type(error).__name__}).", hint="It is being rebuilt; try again soon."
        ) from error


def open_index(path: Path, doubt: Exception | None = None) -> OpenIndex:
    """Open an index, or create an empty one where there is none or a broken one."""
    limit_memory()
    folder = IndexFolder(path)
    try:
        folder.claim()
        return wait(_open(folder, doubt))
    except BridgeError:
        raise
    except Exception as error:
        known = translate_disk_error(path, error)
        if known is not None:
            raise known from error
        reason = str(error) if isinstance(error, BrokenIndex) else type(error).__name__
        aside = folder.set_aside(keep_vectors=isinstance(error, BrokenTable))
        log.warning("The index was not sound (%s); it is set aside as %s and built again", reason, aside.name)
        opened = wait(_open(folder))
        opened.set_aside = reason
        return opened


async def _open(folder: IndexFolder, doubt: Exception | None = None) -> OpenIndex:
    with disk_errors(folder.path):
        indexes = (folder_size(folder.path / f"{name}.lance", "_indices") for name in (NOTES, PASSAGES))
        cached = min(MAX_CACHE_BYTES, max(MIN_CACHE_BYTES, sum(indexes) * 5 // 4))
        database = await LanceDatabase.connect(folder.path, cached, METADATA_CACHE_BYTES)
        verifying = asyncio.create_task(asyncio.to_thread(folder.find_changed))
        notes = await LanceTable.open(database, NOTES, notes_schema(), "seq")
        passages = await LanceTable.open(database, PASSAGES, passages_schema(), "key")
        if doubt is not None:
            await notes.prove(doubt)
            await passages.prove(doubt)
        postings, name_file = Postings(folder.path), NameFile(folder.path)
        opened = OpenIndex(
            folder,
            database,
            notes,
            passages,
            NoteTable(),
            LinkFile(folder.path),
            {},
            postings,
            name_file,
            KnownNames(),
        )
        await _load(opened)
        stored = NO_NAMES if doubt else name_file.load(opened.catalogue)
        opened.known = KnownNames(stored, opened.catalogue.notes.values())
        await opened.postings.load(opened.catalogue, passages, notes, rebuild=doubt is not None)
        if (changed := await verifying) is not None:
            raise BrokenTable(f"`{changed}` is not as it was written")
        return opened


async def _load(opened: OpenIndex) -> None:
    """Load the newest row of each note whose passages are complete; the other rows count as deleted."""
    stored = read_passages(await opened.passages.fetch(["key", "ordinal", "digest"]))
    rows = await opened.notes.fetch(NOTE_COLUMNS)
    seqs: list[int] = rows["seq"].to_pylist()
    catalogue = opened.catalogue
    catalogue.last = max([0, *seqs, *stored])
    found: dict[VaultPath, NoteEntry] = {}
    path_of: dict[int, VaultPath] = {}
    for seq, key, title_text, *columns in sorted(zip(*(rows[name].to_pylist() for name in NOTE_COLUMNS), strict=True)):
        note = decode_note(*columns)
        if note.passages == DELETION_MARK:
            found.pop(note.path, None)
        elif len(stored.get(key, b"")) == note.passages * DIGEST_BYTES:
            # Passages that moved to another path leave the old one behind.
            before = found.get(path_of.get(key, note.path))
            if before is not None and before.key == key:
                del found[before.note.path]
            found[note.path] = NoteEntry(note, seq, key, title_text)
            path_of[key] = note.path
    catalogue.replace((), found.values())
    opened.dead_seqs = {seq for seq in seqs if catalogue.at_seq(seq) is None}
    opened.dead_keys = {key for key in stored if not catalogue.believes_key(key)}
    for entry in catalogue.entries():
        title = bytes.fromhex(embedding_digest(entry.title_text))
        opened.digests[entry.key] = TextDigests(title + stored.get(entry.key, b""))


def read_passages(rows: Any) -> dict[int, bytes]:
    """Return the digests of the passages, one after the other, by the key of their note."""
    keys = rows["key"].to_numpy()
    order = np.lexsort((rows["ordinal"].to_numpy(), keys))
    found, starts = np.unique(keys[order], return_index=True)
    digests = digests_of(join_digests(rows["digest"]))[order]
    digests[(digests == digests_of(NOT_EMBEDDED)).all(axis=1)] = digests_of(NO_DIGEST)
    whole, ends = digests.tobytes(), pairwise([*starts.tolist(), len(digests)])
    of_notes = (whole[start * DIGEST_BYTES : end * DIGEST_BYTES] for start, end in ends)
    return dict(zip(found.tolist(), of_notes, strict=True))


def join_digests(column: Any) -> bytes:
    """Return the values of a column of digests, one after the other."""
    parts = ((chunk.buffers()[1], chunk.offset, len(chunk)) for chunk in column.chunks)
    return b"".join(data.slice(at * DIGEST_BYTES, size * DIGEST_BYTES).to_pybytes() for data, at, size in parts)
