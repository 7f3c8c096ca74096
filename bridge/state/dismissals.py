"""Keeps what was dismissed from reports that repeat themselves: pairs to merge, names, orphans, violations."""

import hashlib
from collections.abc import Collection
from typing import Final, Literal

from bridge.records import Record
from bridge.state.database import Database
from bridge.state.tables import StateTable, Subject
from bridge.text.fold import fold_case
from bridge.types import VaultPath

ReportKind = Literal["merge", "prospect", "orphan", "violation"]
"""What reports list and `dismiss` takes."""

DismissalKind = Literal["merge", "prospect", "orphan", "violation", "finding"]
"""Those, and the findings of plans that are of no such kind."""

DISMISSALS: Final = Subject(
    "dismissals",
    tables=(
        StateTable(
            "dismissal",
            "ON CONFLICT (kind, path, other, name) DO UPDATE SET by_user = max(by_user, excluded.by_user)",
            paths=("path", "other"),
        ),
    ),
    migrations=(
        """
        CREATE TABLE dismissal (
            kind TEXT NOT NULL, path TEXT NOT NULL, other TEXT NOT NULL, name TEXT NOT NULL, by_user INTEGER NOT NULL,
            PRIMARY KEY (kind, path, other, name)
        ) STRICT;
        """,
    ),
)


class Dismissal(Record):
    """A row of a report that is not to be shown again."""

    kind: DismissalKind
    paths: frozenset[VaultPath] = frozenset()
    """The notes that it is about, two at most."""
    name: str = ""
    """What else tells it from others, as `dismissal_key` returns it."""


def dismissal_key(name: str) -> str:
    """Return what is kept of a name: never the name, which may stand in a note that is denied later."""
    return hashlib.sha256(" ".join(fold_case(name).split()).encode("utf-8", "surrogatepass")).hexdigest()[:32]


class Dismissals:
    """What was dismissed, and whether the user did so."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, kind: DismissalKind) -> dict[Dismissal, bool]:
        query = "SELECT path, other, name, by_user FROM dismissal WHERE kind = ?"
        found: dict[Dismissal, bool] = {}
        for path, other, name, by_user in self._database.rows(query, kind):
            one = Dismissal(kind, frozenset(VaultPath(each) for each in (path, other) if each), name)
            found[one] = found.get(one, False) or bool(by_user)
        return found

    def add(self, dismissals: Collection[Dismissal], *, by_user: bool) -> None:
        """Dismiss rows; one that the user dismissed stays the user's."""
        query = (
            "INSERT INTO dismissal VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (kind, path, other, name) DO UPDATE SET by_user = max(by_user, excluded.by_user)"
        )
        self._database.write(query, *((*_columns(one), int(by_user)) for one in dismissals))

    def remove(self, dismissals: Collection[Dismissal]) -> None:
        """Let rows be shown again."""
        query = (
            "DELETE FROM dismissal WHERE kind = ?1 AND name = ?4"
            " AND ((path = ?2 AND other = ?3) OR (path = ?3 AND other = ?2))"
        )
        self._database.write(query, *(_columns(one) for one in dismissals))


def _columns(one: Dismissal) -> tuple[str, str, str, str]:
    path, other = (*sorted(one.paths), "", "")[:2]
    return one.kind, path, other, one.name
