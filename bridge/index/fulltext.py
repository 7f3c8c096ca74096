"""Full text search over live rows, limited to the notes that the caller allows."""

import asyncio
from collections.abc import Callable, Collection
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from bridge.index.compact import Compaction
from bridge.index.fulltext_query import FtsQuery
from bridge.index.hits import NoteHit, PassageHit
from bridge.index.open import OpenIndex, read_errors
from bridge.index.table import Table
from bridge.index.write import IndexWriter
from bridge.types import VaultPath

DEEP = 1_000
"""Rows that are read where two results are merged."""

MOST_EXCLUDED = 5_000
"""Rows that are excluded by number; with more of them, LanceDB evaluates the exclusion."""

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class RankedRows:
    """Rows, each with its score last, best first; `complete` when there are no others."""

    rows: list[Row]
    complete: bool


async def rank_rows(
    table: Table, query: FtsQuery, columns: tuple[str, ...], limit: int, where: str | None
) -> RankedRows:
    """Return the rows that match, best first.

    Args:
        table: The table to search.
        query: The query.
        columns: Columns that identify the rows.
        limit: How many rows.
        where: Only rows that pass this filter, written by us.
    """
    if not query.must and not query.must_not:
        return await query_table(table, query.best(), columns, limit, where)
    if not query.plain:
        return await query_table(table, query.together(), columns, limit, where)
    deep = max(DEEP, 4 * limit)
    base, more, excluded = await asyncio.gather(
        query_table(table, query.best(), columns, deep, where),
        query_table(table, query.also(), columns, deep, where),
        query_table(table, query.excluded(), columns, MOST_EXCLUDED, where),
    )
    if not excluded.complete:
        return await query_table(table, query.together(), columns, limit, where)
    besides = {row[:-1]: row[-1] for row in more.rows}
    out = {row[:-1] for row in excluded.rows}
    best = [(*row[:-1], row[-1] + besides.get(row[:-1], 0.0)) for row in base.rows if row[:-1] not in out]
    best.sort(key=lambda row: -row[-1])
    return RankedRows(best[:limit], base.complete and len(best) <= limit)


async def query_table(
    table: Table, query: Any | None, columns: tuple[str, ...], limit: int, where: str | None
) -> RankedRows:
    """Query LanceDB once; no query returns no rows."""
    if query is None:
        return RankedRows([], complete=True)
    found = await table.match(query, columns, limit, where)
    # LanceDB returns rows of equal score in any order: the earliest goes first.
    rows = sorted(zip(*(found[name].to_numpy().tolist() for name in (*columns, "_score")), strict=True))
    rows.sort(key=itemgetter(-1), reverse=True)
    return RankedRows(rows, len(rows) < limit)


FEW = 200
"""Up to this many notes are named in the filter; beyond, more rows are fetched and filtered here, which is faster."""

TRIES = 3
"""Times a search may be overtaken by writes before it blocks them."""

MOST_WIDER = 64

DEAD_PASSAGES = 4
"""Estimated passages of a replaced note."""


@dataclass(frozen=True, slots=True)
class RowScope:
    """Which rows count."""

    table: Table
    column: str
    """The column with the number that identifies a row's note."""
    present: Callable[[int], bool]
    within: Callable[[], set[int]] | None
    """Returns the allowed numbers; None allows all."""
    dead: int
    """Estimated number of rows that belong to no live note."""


class FullText:
    """The full-text retrievers."""

    def __init__(self, opened: OpenIndex, writing: IndexWriter, tidying: Compaction) -> None:
        self._opened = opened
        self._writing = writing
        self._tidying = tidying

    async def passages(
        self, query: FtsQuery | None, limit: int, within: Collection[VaultPath] | None
    ) -> list[PassageHit]:
        """Return the best matching passages."""
        if query is None or limit < 1:
            return []
        catalogue = self._opened.catalogue
        allowed = None if within is None else lambda: catalogue.keys_of(within)
        dead = DEAD_PASSAGES * len(self._opened.dead_keys)
        rows = RowScope(self._opened.passages, "key", catalogue.believes_key, allowed, dead)
        return [
            PassageHit(note.path, ordinal, score)
            for key, ordinal, score in await self._search(rows, query, ("ordinal",), limit)
            if (note := catalogue.at_key(key)) is not None
        ]

    async def notes(self, query: FtsQuery | None, limit: int, within: Collection[VaultPath] | None) -> list[NoteHit]:
        """Return the best matching notes, each scored as a whole."""
        if query is None or limit < 1:
            return []
        catalogue = self._opened.catalogue
        allowed = None if within is None else lambda: catalogue.seqs_of(within)
        rows = RowScope(self._opened.notes, "seq", catalogue.believes_seq, allowed, len(self._opened.dead_seqs))
        return [
            NoteHit(note.path, score)
            for seq, score in await self._search(rows, query, (), limit)
            if (note := catalogue.at_seq(seq)) is not None
        ]

    async def _search(
        self, rows: RowScope, query: FtsQuery, also: tuple[str, ...], limit: int
    ) -> list[tuple[Any, ...]]:
        """Search; retry if a version was pruned meanwhile, and then once more after rebuilding the table's indexes."""
        for _ in range(2):
            try:
                found = await self._matching(rows, query, also, limit)
            except (OSError, RuntimeError, ValueError) as error:
                failure = error
            else:
                self._tidying.searched()
                return found
        async with self._tidying.lock:
            with read_errors(self._opened):
                await rows.table.rebuild(failure)
        with read_errors(self._opened):
            return await self._matching(rows, query, also, limit)

    async def _matching(
        self, rows: RowScope, query: FtsQuery, also: tuple[str, ...], limit: int
    ) -> list[tuple[Any, ...]]:
        """Return the number, the columns `also` and the score of the best rows, complete despite concurrent writes."""
        for _ in range(TRIES):
            before = self._writing.count
            found = await best_rows(rows, query, also, limit)
            if self._writing.count == before:
                return found
        # A write came in between each time: a note may have been missed between its old row and its new one.
        async with self._writing.lock:
            return await best_rows(rows, query, also, limit)


async def best_rows(rows: RowScope, query: FtsQuery, also: tuple[str, ...], limit: int) -> list[tuple[Any, ...]]:
    """Return the best rows that count, fetching more until there are enough."""
    wider = 1
    while True:
        allowed = None if rows.within is None else rows.within()
        if allowed is not None and not allowed:
            return []
        named = allowed if allowed is not None and len(allowed) <= FEW else None
        where = f"{rows.column} IN ({', '.join(map(str, sorted(named)))})" if named else None
        share = 1 if allowed is None or named else max(1, rows.table.rows // (4 * len(allowed)))
        fetched = (limit * min(share, MOST_WIDER) + rows.dead) * wider
        found = await rank_rows(rows.table, query, (rows.column, *also), fetched, where)
        best = [row for row in found.rows if rows.present(row[0]) and (allowed is None or row[0] in allowed)]
        if len(best) >= limit or found.complete:
            return best[:limit]
        wider *= 8
