"""Vaults published to a folder or an object store, as LanceDB tables that others search where they are.

A publication is one table with a row for each passage, and one without text that says whose it is and from when. Each
change of it is one commit, so that nobody sees half of one.
"""

import asyncio
import os
import re
import stat
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any, Self, TypeVar
from uuid import uuid4

import msgspec

from bridge.errors import BridgeError, Busy, FolderNotFound, InvalidArguments, NotReady
from bridge.index.folder import delete_drafts, translate_disk_error
from bridge.index.library import load_lancedb
from bridge.index.matrix import Floats
from bridge.index.table import catch_panics, remove_versions, table_names
from bridge.records import Record

ABOUT = ""
"""The id of the row that says whose a publication is."""

TABLE, LEASE = "vault-", "writer-"
"""Beginnings of the names of tables: what is published, and who is writing it."""

LEASE_S, RENEWAL_S, PATIENCE_S = 20.0, 5.0, 30.0
"""Seconds for which a writer holds its lease, between two renewals, and for which another one waits."""

MIN_INDEXED_ROWS = 20_000
"""Passages from which vectors are found by an index; all are compared where there are fewer."""

CACHE_BYTES = 64 * 2**20
"""Memory for what is read from stores, once for the indexes and once for their descriptions."""

RETRIES_S = (0.0, 0.05, 0.2)
"""Seconds between attempts to read what is being written."""

REFINED_RATIO = 4
"""How many times as many vectors as are wanted are compared exactly."""

COLUMNS = ("id", "note", "path", "title", "heading", "first", "last", "start", "text", "tags", "modified", "digest")

ADDRESS = r"(?!(?:https?|db)://)[A-Za-z][A-Za-z0-9+.-]+://[^@/?]+(?:/[^?]*)?|~(?:/.*)?|/.*|[A-Za-z]:[\\/].*"
"""What the address of a store looks like: that of an object store without credentials, or the full path of a folder."""

Row = Mapping[str, Any]

T = TypeVar("T")


class Publication(Record):
    """What a publication says of itself; `time` is in seconds since 1970."""

    vault: str
    publisher: str
    time: float
    folders: tuple[str, ...]
    model: str | None
    notes: int
    passages: int


def check_uri(uri: str) -> str:
    """Return the address of a store, without a slash at its end; one that contains a secret is refused."""
    if re.fullmatch(ADDRESS, uri):
        place = uri if "://" in uri else str(Path(uri).expanduser())
        return place.rstrip("/") or place
    if "://" in uri:
        raise InvalidArguments(
            "The address of a store must not contain credentials.",
            hint="Give only its place, such as `s3://bucket/folder`; credentials are taken from the environment.",
        )
    raise InvalidArguments(
        f"`{uri[:200]}` is no store.", hint="Give the absolute path of a folder, or such as `s3://bucket/folder`."
    )


@contextmanager
def store_errors(uri: str) -> Iterator[None]:
    """Translate errors of LanceDB, whose own words may tell more of a store than a log should hold."""
    try:
        yield
    except BridgeError:
        raise
    except (OSError, RuntimeError, ValueError, LookupError) as error:
        known = translate_disk_error(Path(uri), error) if "://" not in uri else None
        raise known or NotReady(
            f"The store `{uri}` cannot be used now.",
            hint="Look whether it is there and whether you may use it. Damaged files go by `vaultside retract`.",
        ) from error


def share_rights(folder: Path) -> None:
    """Let those read the files in a folder who may read the folder around it, regardless of our umask."""
    mode = stat.S_IMODE(folder.parent.stat().st_mode)
    for path in (folder, *folder.rglob("*")) if os.name != "nt" else ():
        with suppress(OSError):
            path.chmod(mode & 0o777 | 0o700 if path.is_dir() else mode & 0o666 | 0o600)


def publication_schema(dimensions: int) -> Any:
    """Return the schema of a publication; its vectors are those of passages with their titles, of length 1."""
    import pyarrow as pa

    texts = ("id", "note", "state", "path", "title", "heading", "text", "properties", "digest")
    fields = [pa.field(name, pa.string(), nullable=False) for name in texts]
    fields += [pa.field(name, pa.int32(), nullable=False) for name in ("first", "last", "start")]
    fields += [pa.field(name, pa.list_(pa.string()), nullable=False) for name in ("tags", "links")]
    fields += [pa.field("modified", pa.float64(), nullable=False)]
    return pa.schema([*fields, pa.field("vector", pa.list_(pa.float16(), dimensions))] if dimensions else fields)


def about_row(publication: Publication) -> Row:
    texts = dict.fromkeys(("note", "state", "path", "title", "heading", "text", "digest"), "")
    numbers = dict.fromkeys(("first", "last", "start"), 0)
    about = msgspec.json.encode(publication).decode()
    return {"id": ABOUT, "properties": about, "tags": [], "links": [], "modified": publication.time, **texts, **numbers}


class SharedStore:
    """A store of publications, open."""

    def __init__(self, uri: str, database: Any) -> None:
        self.uri = uri
        self._database = database
        self._publications: dict[str, tuple[int, Publication]] = {}
        self._tables: dict[str, Any] = {}

    @classmethod
    async def open(cls, uri: str) -> Self:
        """Open a store that is there, or an object store.

        Raises:
            FolderNotFound: There is no such folder, such as that of a disk that is not mounted.
        """
        if "://" not in uri and not await asyncio.to_thread(Path(uri).is_dir):
            # LanceDB would make it.
            raise FolderNotFound(f"There is no folder `{uri}`.", hint="Connect its disk, or create it.")
        await asyncio.to_thread(load_lancedb)
        import lancedb

        session = lancedb.Session(index_cache_size_bytes=CACHE_BYTES, metadata_cache_size_bytes=CACHE_BYTES)
        with store_errors(uri):
            # Each read sees the latest version: earlier ones are removed at once.
            latest = timedelta(0)
            return cls(uri, await lancedb.connect_async(uri, session=session, read_consistency_interval=latest))

    # -- reading ------------------------------------------------------------------------------------------------------

    async def publications(self) -> dict[str, Publication]:
        """Return what each vault in the store says of itself, by its name there, without what cannot be read."""
        with store_errors(self.uri):
            names = sorted(n.removeprefix(TABLE) for n in await table_names(self._database) if n.startswith(TABLE))
        found = await asyncio.gather(*map(self._read_publication, names), return_exceptions=True)
        read = {name: one for name, one in zip(names, found, strict=True) if isinstance(one, Publication)}
        if names and not read:
            raise NotReady(f"Nothing in the store `{self.uri}` can be read.")
        return read

    async def publication(self, name: str) -> Publication | None:
        """Return what a publication says of itself; None if there is none."""
        with store_errors(self.uri):
            is_there = TABLE + name in await table_names(self._database)
        return await self._read_publication(name) if is_there else None

    async def _read_publication(self, name: str) -> Publication:
        async def read(table: Any) -> Publication:
            version = await table.version()
            if (known := self._publications.get(name)) is None or known[0] != version:
                rows = await table.query().where(f"id = '{ABOUT}'").select(["properties"]).to_arrow()
                found = msgspec.json.decode(rows["properties"][0].as_py(), type=Publication)
                known = self._publications[name] = version, found
            return known[1]

        return await self._retry(name, read)

    async def _retry(self, name: str, read: Callable[[Any], Awaitable[T]]) -> T:
        """Read a table; again where the version that was being read has just been replaced."""
        with store_errors(self.uri):
            for pause_s in RETRIES_S:
                with suppress(OSError, RuntimeError, ValueError, LookupError):
                    async with catch_panics():
                        return await read(await self._table(name))
                self._tables.pop(name, None)
                await asyncio.sleep(pause_s)
            async with catch_panics():
                return await read(await self._table(name))

    async def _table(self, name: str) -> Any:
        if name not in self._tables:
            self._tables[name] = await self._database.open_table(TABLE + name)
        return self._tables[name]

    async def states(self, name: str) -> dict[str, str]:
        """Return the state in which each note was published, by the digest of its path."""

        async def read(table: Any) -> dict[str, str]:
            rows = await table.query().where(f"id != '{ABOUT}'").select(["note", "state"]).to_arrow()
            return dict(zip(rows["note"].to_pylist(), rows["state"].to_pylist(), strict=True))

        return await self._retry(name, read)

    async def search(
        self, name: str, text: str, vector: Floats | None, limit: int
    ) -> tuple[Sequence[Row], Sequence[Row]]:
        """Return the passages that match by words, with `_score`, and those near by meaning, with `_distance`."""

        async def read(table: Any) -> tuple[Sequence[Row], Sequence[Row]]:
            by_words = table.query().nearest_to_text(text, columns=["text"]).limit(limit).select([*COLUMNS, "_score"])
            if vector is None:
                return await by_words.to_list(), ()
            near = (
                table.query().nearest_to(vector).column("vector").distance_type("cosine").refine_factor(REFINED_RATIO)
            )
            near = near.limit(limit).select([*COLUMNS, "_distance"])
            words, by_meaning = await asyncio.gather(by_words.to_list(), near.to_list())
            return words, by_meaning

        return await self._retry(name, read)

    # -- writing ------------------------------------------------------------------------------------------------------

    @asynccontextmanager
    async def lease(self, name: str) -> AsyncIterator[None]:
        """Be the only writer of a publication for a block; the lease of one that crashed ends by itself.

        Raises:
            Busy: Another one is writing it.
        """
        owner = uuid4().hex
        with store_errors(self.uri):
            table = await self._lease_table(name)
            await self._await_lease(table, owner)
        holder, renewal = asyncio.current_task(), asyncio.create_task(renew_lease(table, owner))
        renewal.add_done_callback(lambda task: holder.cancel() if holder and not task.cancelled() else None)
        try:
            yield
        except asyncio.CancelledError:
            if holder is None or not renewal.done():
                raise
            holder.uncancel()
            raise Busy(f"Another device took over publishing to `{self.uri}`.") from None
        finally:
            renewal.cancel()
            with suppress(OSError, RuntimeError, ValueError):
                await take_lease(table, f"owner = '{owner}'", owner, until=0.0)
                await remove_versions(table, timedelta(0), delete_unverified=True)

    async def _await_lease(self, table: Any, owner: str) -> None:
        ends = time.monotonic() + PATIENCE_S
        while True:
            try:
                if await take_lease(table, f"until < {time.time()}", owner):
                    return
            except (OSError, RuntimeError, ValueError):
                # The one that gives it back removes the versions that were read.
                if time.monotonic() > ends:
                    raise
            if time.monotonic() > ends:
                raise Busy(f"Another device publishes to `{self.uri}` now.")
            await asyncio.sleep(1.0)

    async def _lease_table(self, name: str) -> Any:
        import pyarrow as pa

        free = pa.table({"owner": [""], "until": [0.0]})
        with suppress(ValueError, RuntimeError):
            return await self._database.create_table(LEASE + name, free, mode="create")
        return await self._database.open_table(LEASE + name)

    async def write(
        self, name: str, publication: Publication, rows: Any, notes: Collection[str], *, overwrite: bool
    ) -> None:
        """Publish rows in place of those of some notes, or of all there was; the caller holds the lease."""
        import pyarrow as pa

        about = pa.Table.from_pylist([about_row(publication)], schema=rows.schema)
        data = pa.concat_tables([rows, about])
        self._publications.pop(name, None)
        with store_errors(self.uri):
            if overwrite:
                mode = "overwrite" if TABLE + name in await table_names(self._database) else "create"
                self._tables[name] = await self._database.create_table(
                    TABLE + name, data, mode=mode, on_bad_vectors="null"
                )
            else:
                table = await self._table(name)
                listed = ", ".join(f"'{note}'" for note in sorted(notes))
                merge = table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
                if notes:
                    merge = merge.when_not_matched_by_source_delete(f"note IN ({listed})")
                await merge.execute(data, on_bad_vectors="null")

    async def finish(self, name: str, *, removes: bool) -> None:
        """Index what was written, and erase what was removed from every file; the caller holds the lease."""
        with store_errors(self.uri):
            table = await self._table(name)
            indexes = {index.columns[0] for index in await table.list_indices()}
            # More than one version: a writer was interrupted before this.
            if is_mixed := removes or len(await table.list_versions()) > 1:
                # Deleted rows would stay in the files that hold others.
                await table.update(updates_sql={"id": "id"}, where="true")
            if is_mixed or "text" not in indexes:
                await _index(table)
            await remove_versions(table, timedelta(0), delete_unverified=True)
            if "://" not in self.uri:
                folder = Path(self.uri, f"{TABLE}{name}.lance")
                await asyncio.to_thread(delete_drafts, folder)
                await asyncio.to_thread(share_rights, folder)

    async def drop(self, name: str) -> None:
        """Remove a publication, with every file of it; the caller holds the lease."""
        self._tables.pop(name, None)
        with store_errors(self.uri):
            await self._database.drop_table(TABLE + name, ignore_missing=True)


async def renew_lease(table: Any, owner: str) -> None:
    """Renew a lease until it is lost, or could not be renewed for as long as it holds."""
    ends = time.monotonic() + LEASE_S
    while time.monotonic() < ends:
        await asyncio.sleep(RENEWAL_S)
        # Another writer that looks at the lease can be in the way of one commit.
        with suppress(OSError, RuntimeError, ValueError):
            if not await take_lease(table, f"owner = '{owner}'", owner):
                return
            ends = time.monotonic() + LEASE_S


async def take_lease(table: Any, where: str, owner: str, until: float | None = None) -> bool:
    ends = time.time() + LEASE_S if until is None else until
    result = await table.update({"owner": owner, "until": ends}, where=where)
    return bool(result.rows_updated)


async def _index(table: Any) -> None:
    """Build the indexes of words and vectors, in place of those there were."""
    from lancedb.index import FTS, IvfSq

    words = FTS(base_tokenizer="icu", stem=False, remove_stop_words=False, with_position=False)
    await table.create_index("text", config=words, replace=True)
    has_vectors = "vector" in (await table.schema()).names
    if has_vectors and await table.count_rows("vector IS NOT NULL") >= MIN_INDEXED_ROWS:
        await table.create_index("vector", config=IvfSq(distance_type="cosine"), replace=True)
    elif any(index.columns == ["vector"] for index in await table.list_indices()):
        await table.drop_index("vector_idx")
