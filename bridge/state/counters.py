"""Counts: of what was done, and of how often a suggested tool was the right one."""

from collections.abc import Mapping

from bridge.state.database import Database
from bridge.state.tables import Subject, Table

MAX_COUNT = (1 << 63) - 1
"""The largest number that the file can hold; a damaged counter must not stop the indexing."""

COUNTERS = Subject(
    "counters",
    tables=(
        # Counts never fall, so the greatest is the newest.
        Table("counter", "ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)"),
        Table(
            "judged",
            "ON CONFLICT (tool) DO UPDATE"
            " SET helped = max(helped, excluded.helped), missed = max(missed, excluded.missed)",
        ),
    ),
)


class Counters:
    """Named counters, which start at 0 and never fall; held in memory, so that reads do not wait for the disk."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._values: Mapping[str, int] = dict(database.connection.execute("SELECT name, value FROM counter"))

    def get(self, name: str) -> int:
        """Return a counter's value."""
        return self._values.get(name, 0)

    def add(self, name: str, more: int) -> None:
        with self._database.lock:
            value = min(self.get(name) + more, MAX_COUNT)
            self._database.write("INSERT OR REPLACE INTO counter VALUES (?, ?)", (name, value))
            self._values = {**self._values, name: value}


class ToolScores:
    """How often each tool that was suggested for a task was the right one and how often not; held in memory."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._scores: Mapping[str, tuple[int, int]] = {
            tool: (helped, missed)
            for tool, helped, missed in database.connection.execute("SELECT * FROM judged ORDER BY tool")
        }

    def all(self) -> Mapping[str, tuple[int, int]]:
        """Return how often each tool was the right one and how often not."""
        return self._scores

    def add(self, tool: str, helped: bool) -> None:
        """Count whether a suggested tool was the right one."""
        with self._database.lock:
            right, wrong = self._scores.get(tool, (0, 0))
            after = (right + helped, wrong + (not helped))
            self._database.write("INSERT OR REPLACE INTO judged VALUES (?, ?, ?)", (tool, *after))
            self._scores = {**self._scores, tool: after}
