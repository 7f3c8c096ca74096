"""How often each memory was recalled or read, when last, and how it was judged; never what it says."""

from collections.abc import Iterable, Mapping
from typing import Final, Literal

from bridge.records import Record
from bridge.state.database import Database
from bridge.state.tables import StateTable, Subject
from bridge.types import VaultPath

Verdict = Literal["useful", "wrong", "stale"]
"""What a reader thinks of a memory."""

MAX_WRONG_VERDICTS: Final = 2
"""How often a memory is called wrong until it is doubted."""

_COLUMNS: Final = ("times", "useful", "wrong", "stale")
_SUMS: Final = ", ".join(f"{name} = {name} + excluded.{name}" for name in _COLUMNS)
_MAXIMA: Final = ", ".join(f"{name} = max({name}, excluded.{name})" for name in _COLUMNS)
_LAST_USE: Final = "last = max(last, excluded.last)"
_ADD: Final = f"ON CONFLICT (path) DO UPDATE SET {_SUMS}, {_LAST_USE}"

USES: Final = Subject(
    "memory",
    tables=(
        StateTable(
            "memory_use",
            f"ON CONFLICT (path) DO UPDATE SET {_MAXIMA}, {_LAST_USE}",
            paths=("path",),
            join=_ADD,
        ),
    ),
    migrations=(
        """
        CREATE TABLE memory_use (
            path TEXT PRIMARY KEY, times INTEGER NOT NULL, last REAL NOT NULL, useful INTEGER NOT NULL,
            wrong INTEGER NOT NULL, stale INTEGER NOT NULL
        ) STRICT;
        """,
    ),
)


class MemoryUse(Record):
    """The use of one memory."""

    times: int = 0
    last: float = 0.0
    """When it was last recalled or read; 0 if never."""
    useful: int = 0
    wrong: int = 0
    stale: int = 0

    @property
    def is_doubted(self) -> bool:
        """Whether it was called wrong twice, or stale."""
        return self.wrong >= MAX_WRONG_VERDICTS or self.stale > 0


NO_USE: Final = MemoryUse()


class UseLog:
    """The use of every memory of a vault."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> Mapping[VaultPath, MemoryUse]:
        query = f"SELECT path, times, last, {', '.join(_COLUMNS[1:])} FROM memory_use"  # noqa: S608 - our own names
        return {VaultPath(path): MemoryUse(*rest) for path, *rest in self._database.rows(query)}

    def count(self, paths: Iterable[VaultPath], moment: float) -> None:
        """Count memories as used once more."""
        statement = f"INSERT INTO memory_use VALUES (?, 1, ?, 0, 0, 0) {_ADD}"  # noqa: S608 - our own names
        self._database.write(statement, *((path, moment) for path in paths))

    def judge(self, path: VaultPath, verdict: Verdict) -> None:
        counts = tuple(int(name == verdict) for name in _COLUMNS[1:])
        statement = f"INSERT INTO memory_use VALUES (?, 0, 0, ?, ?, ?) {_ADD}"  # noqa: S608 - our own names
        self._database.write(statement, (path, *counts))

    def forget_verdicts(self, path: VaultPath) -> None:
        """Forget that a memory was called wrong or stale, since it was revised."""
        self._database.write("UPDATE memory_use SET wrong = 0, stale = 0 WHERE path = ?", (path,))
