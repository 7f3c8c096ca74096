"""Which policies the user approved: by the digest of their block, so that an edit takes the approval away."""

import time
from typing import Final

from bridge.records import dataclass
from bridge.state.database import Database
from bridge.state.tables import Subject, Table
from bridge.types import Digest, VaultPath

POLICIES: Final = Subject(
    "policies",
    tables=(
        Table(
            "approved_policy",
            "ON CONFLICT (path, digest) DO UPDATE SET time = max(time, excluded.time)",
            paths=("path",),
        ),
    ),
    migrations=(
        """
        CREATE TABLE approved_policy (
            path TEXT NOT NULL, digest TEXT NOT NULL, time REAL NOT NULL, PRIMARY KEY (path, digest)
        ) STRICT;
        """,
    ),
)


@dataclass(frozen=True, slots=True)
class Approvals:
    """What was approved, when it was looked at."""

    digests: frozenset[str] = frozenset()
    paths: frozenset[str] = frozenset()
    """Notes of which some version was approved."""


class ApprovedPolicies:
    """The policies that the user approved."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> Approvals:
        """Return what is approved."""
        query = "SELECT path, digest FROM approved_policy"
        rows = self._database.read(lambda connection: connection.execute(query).fetchall())
        return Approvals(frozenset(digest for _, digest in rows), frozenset(path for path, _ in rows))

    def add(self, path: VaultPath, digest: Digest) -> None:
        """Approve the policy of a note as it is now; what was approved of it before is approved no more."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM approved_policy WHERE path = ?", (path,))
            connection.execute("INSERT INTO approved_policy VALUES (?, ?, ?)", (path, digest, time.time()))

    def remove(self, path: VaultPath, digest: Digest) -> None:
        """Approve a policy no more, wherever it stands."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM approved_policy WHERE path = ? OR digest = ?", (path, digest))
