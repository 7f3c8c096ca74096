"""Asks one table for its best rows."""

import asyncio
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from bridge.index.table import Table
from bridge.index.words import Asked

DEEP = 1_000
"""Rows that are looked at where two answers are brought together."""

MOST_EXCLUDED = 5_000
"""Rows that are excluded by name; with more of them LanceDB excludes them itself."""

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Ranked:
    """Rows, each with its score last, best first; `complete` when there are no others."""

    rows: list[Row]
    complete: bool


async def ranked(table: Table, asked: Asked, columns: tuple[str, ...], limit: int, where: str | None) -> Ranked:
    """Return the rows that say what is asked, best first.

    Args:
        table: Where to look.
        asked: What for.
        columns: Those that tell the rows apart.
        limit: How many rows.
        where: Only rows that this filter of ours lets through.
    """
    if not asked.must and not asked.must_not:
        return await answer(table, asked.best(), columns, limit, where)
    if not asked.plain:
        return await answer(table, asked.together(), columns, limit, where)
    deep = max(DEEP, 4 * limit)
    base, more, excluded = await asyncio.gather(
        answer(table, asked.best(), columns, deep, where),
        answer(table, asked.also(), columns, deep, where),
        answer(table, asked.excluded(), columns, MOST_EXCLUDED, where),
    )
    if not excluded.complete:
        return await answer(table, asked.together(), columns, limit, where)
    besides = {row[:-1]: row[-1] for row in more.rows}
    out = {row[:-1] for row in excluded.rows}
    kept = [(*row[:-1], row[-1] + besides.get(row[:-1], 0.0)) for row in base.rows if row[:-1] not in out]
    kept.sort(key=lambda row: -row[-1])
    return Ranked(kept[:limit], base.complete and len(kept) <= limit)


async def answer(table: Table, query: Any | None, columns: tuple[str, ...], limit: int, where: str | None) -> Ranked:
    """Ask LanceDB once; no query has no rows."""
    if query is None:
        return Ranked([], complete=True)
    found = await table.match(query, columns, limit, where)
    # LanceDB returns rows of one score in any order: the earliest goes first.
    rows = sorted(zip(*(found[name].to_numpy().tolist() for name in (*columns, "_score")), strict=True))
    rows.sort(key=itemgetter(-1), reverse=True)
    return Ranked(rows, len(rows) < limit)
