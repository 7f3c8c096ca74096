"""One open SQLite file, which several threads use in turn."""

import contextlib
import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from bridge.state.change_log import ChangeLog
from bridge.state.connection import translate_errors

T = TypeVar("T")


class Database:
    """Runs queries and transactions on one connection, and logs the changes that they write."""

    def __init__(self, connection: sqlite3.Connection, path: Path, log: ChangeLog | None = None) -> None:
        self.connection = connection
        self.path = path
        self.lock = threading.RLock()
        """Held by every statement: those of two threads on one connection would end up in one transaction."""
        self._log = log

    def read(self, query: Callable[[sqlite3.Connection], T]) -> T:
        """Run a read query."""
        with self.lock, translate_errors(self.path):
            return query(self.connection)

    def write(self, statement: str, *rows: tuple[object, ...]) -> None:
        """Run a statement for some rows, in one transaction; raises as `transaction`."""
        with self.transaction() as connection:
            connection.executemany(statement, rows)

    @contextlib.contextmanager
    def transaction(self, *, durably: bool = False) -> Iterator[sqlite3.Connection]:
        """Open a write transaction, which ends with the block."""
        lines: list[bytes] = []
        with self.lock, translate_errors(self.path):
            if durably:
                self.connection.execute("PRAGMA synchronous = FULL")
            try:
                with self.connection:
                    yield self.connection
                    if self._log is not None:
                        lines = self._log.touched()
            finally:
                self.connection.execute("PRAGMA synchronous = NORMAL")
            if self._log is not None:
                self._log.append(lines)
