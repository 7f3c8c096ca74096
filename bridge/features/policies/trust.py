"""Which policies the user approved: by note and digest of the block, so that an edit takes the approval away."""

import time
from typing import Final

from bridge.records import Record
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


class Approvals(Record):
    """What was approved, when it was looked at."""

    policies: frozenset[tuple[str, str]] = frozenset()
    """The notes, each with the digest of the block that was approved; a note that is moved takes it along."""

    def holds(self, path: VaultPath | None, digest: str) -> bool:
        """Return whether the policy of a note was approved as it is."""
        return (path, digest) in self.policies

    def knows(self, path: VaultPath | None) -> bool:
        """Return whether some version of a note's policy was approved."""
        return any(known == path for known, _ in self.policies)


class ApprovedPolicies:
    """The policies that the user approved."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> Approvals:
        query = "SELECT path, digest FROM approved_policy"
        rows = self._database.read(lambda connection: connection.execute(query).fetchall())
        return Approvals(frozenset((path, digest) for path, digest in rows))

    def add(self, path: VaultPath, digest: Digest) -> None:
        """Approve the policy of a note as it is now; what was approved of it before is approved no more."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM approved_policy WHERE path = ?", (path,))
            connection.execute("INSERT INTO approved_policy VALUES (?, ?, ?)", (path, digest, time.time()))

    def remove(self, path: VaultPath) -> None:
        """Approve the policy of a note no more."""
        self._database.write("DELETE FROM approved_policy WHERE path = ?", (path,))
