"""Summaries that a chat model wrote, kept in a table of the index so that none is written twice."""

import logging
import time
from typing import Any

from msgspec import Struct

from bridge.index.schema import SUMMARIES, summaries_schema
from bridge.index.table import LanceTable, catch_panics, table_names
from bridge.types import Digest

log = logging.getLogger(__name__)

KEEP_DAYS = 30
MAX_SUMMARIES = 1_000
"""Summaries that are kept, the newest ones."""

_DAY_S = 86_400
_SPARE_SUMMARIES = 100
"""Summaries beyond the most before the oldest are deleted."""

_FAILURES = (OSError, RuntimeError, ValueError)


class Summaries(Struct):
    """The summaries of one index, by the digest of what they were made of.

    The table is opened when it is first needed. What cannot be read is deleted: it can be written again.
    """

    database: Any
    _table: LanceTable | None = None

    async def find(self, key: Digest) -> str | None:
        """Return a summary as it was stored; None if there is none."""
        try:
            table = await self._open()
            rows = await table.fetch(["made", "text"], f"digest = X'{key}'")
        except _FAILURES as error:
            await self._give_up(error)
            return None
        newest = max(zip(rows["made"].to_pylist(), rows["text"].to_pylist(), strict=True), default=None)
        return None if newest is None else str(newest[1])

    async def store(self, key: Digest, text: str, now: float | None = None) -> None:
        """Store a summary, and delete those that are too old."""
        import pyarrow as pa

        made = int(time.time() if now is None else now)
        row = {"digest": [bytes.fromhex(key)], "made": [made], "text": [text]}
        try:
            table = await self._open()
            await table.add(pa.table(row, schema=summaries_schema()))
            table.grew(1)
            await _forget_old(table, made)
        except _FAILURES as error:
            await self._give_up(error)

    async def remove(self) -> None:
        """Delete every summary from the disk."""
        self.close()
        if SUMMARIES in await table_names(self.database):
            await self.database.drop_table(SUMMARIES)

    def close(self) -> None:
        """Close the table; the next use opens it again."""
        table, self._table = self._table, None
        if table is not None:
            table.inner.close()

    @catch_panics()
    async def _open(self) -> LanceTable:
        if self._table is None:
            self._table = await LanceTable.open(self.database, SUMMARIES, summaries_schema())
        return self._table

    async def _give_up(self, error: Exception) -> None:
        log.warning("The stored summaries are deleted, because they cannot be used: %s", type(error).__name__)
        try:
            await self.remove()
        except _FAILURES as other:
            log.warning("They cannot be deleted either: %s", type(other).__name__)


async def _forget_old(table: LanceTable, now: int) -> None:
    """Delete what is too old, and the oldest of too many; merge the files that many appends leave."""
    rows = await table.fetch(["digest", "made"])
    made = sorted(rows["made"].to_pylist(), reverse=True)
    oldest = now - KEEP_DAYS * _DAY_S
    if len(made) > MAX_SUMMARIES + _SPARE_SUMMARIES:
        oldest = max(oldest, made[MAX_SUMMARIES - 1])
    if made and made[-1] < oldest:
        await table.inner.delete(f"made < {oldest}")
    if table.urgent or (made and made[-1] < oldest):
        await table.optimise()
