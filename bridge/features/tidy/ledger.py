"""What is kept of plans: their findings, what became of them, its muted checks, and checked notes."""

import json
import sqlite3
import time
from collections.abc import Collection, Iterable, Mapping
from typing import Final, Literal

from bridge.records import Record
from bridge.state.database import Database
from bridge.state.tables import Denied, StateTable, Subject
from bridge.types import Digest, VaultPath


def _forget(connection: sqlite3.Connection, denied: Denied) -> None:
    """Remove the data of findings about denied notes."""
    rows = connection.execute("SELECT rowid, data FROM garden_finding WHERE data != ''").fetchall()
    facts = [(id_, json.loads(data)) for id_, data in rows]
    gone = [(id_,) for id_, one in facts if any(map(denied, (*one["notes"], *one["digests"])))]
    connection.executemany("UPDATE garden_finding SET data = '' WHERE rowid = ?", gone)


TABLES: Final = Subject(
    "gardener",  # As this subject was called first.
    tables=(
        # A finding that was applied or judged in one copy was.
        StateTable(
            "garden_finding",
            "ON CONFLICT (plan, id) DO UPDATE SET change = max(change, excluded.change),"
            " verdict = max(verdict, excluded.verdict), judged = max(judged, excluded.judged)",
        ),
        StateTable(
            "garden_rule",
            "ON CONFLICT (name) DO UPDATE SET muted = max(muted, excluded.muted),"
            " ticked = max(ticked, excluded.ticked)",
        ),
        StateTable("garden_checked", None, paths=("path",)),
        StateTable("garden_plan", "ON CONFLICT (plan) DO NOTHING"),
        StateTable("garden_run", "ON CONFLICT (kind) DO UPDATE SET at = max(at, excluded.at)"),
    ),
    migrations=(
        """
        CREATE TABLE garden_finding (
            plan TEXT NOT NULL, id TEXT NOT NULL, rule TEXT NOT NULL, digest TEXT NOT NULL,
            change TEXT NOT NULL DEFAULT '', verdict TEXT NOT NULL DEFAULT '', judged REAL NOT NULL DEFAULT 0,
            PRIMARY KEY (plan, id)
        ) STRICT;
        CREATE TABLE garden_rule (name TEXT PRIMARY KEY, muted INTEGER NOT NULL, since REAL NOT NULL) STRICT;
        CREATE TABLE garden_checked (
            path TEXT NOT NULL, version TEXT NOT NULL, digest TEXT NOT NULL, PRIMARY KEY (path, version)
        ) STRICT;
        """,
        """
        CREATE TABLE garden_plan (plan TEXT PRIMARY KEY, made REAL NOT NULL, lines TEXT NOT NULL) STRICT;
        CREATE TABLE garden_run (kind TEXT PRIMARY KEY, at REAL NOT NULL) STRICT;
        """,
        "ALTER TABLE garden_rule ADD COLUMN ticked INTEGER NOT NULL DEFAULT 0;",
        "ALTER TABLE garden_plan ADD COLUMN session TEXT NOT NULL DEFAULT '';",
        """
        ALTER TABLE garden_finding DROP COLUMN digest;
        ALTER TABLE garden_finding ADD COLUMN data TEXT NOT NULL DEFAULT '';
        """,
    ),
    forget=_forget,
)

MIN_ACCEPTANCE: Final = 0.2
"""Acceptance below which a check mutes itself."""

MIN_JUDGEMENTS: Final = 10
"""Judgements before a check mutes itself."""


Verdict = Literal["accept", "reject"]

Run = Literal["tried", "done"]
"""A plan by the schedule: one that was begun, or one that came to its end."""


class KeptFinding(Record):
    """A finding of a plan, as it was when the plan was made."""

    data: str
    """The finding, as `encode_finding` returns it; empty if a note of it was denied since."""
    change: str
    """The change that applied it last; empty if none did."""


class RuleRecord(Record):
    """How the user judged the findings of a check."""

    accepted: int
    rejected: int
    is_muted_by_user: bool = False
    is_favoured: bool = False
    """Whether the user has its findings ticked in new plans."""

    @property
    def rate(self) -> float:
        """The expected share of findings that are accepted, before any judgement a half."""
        return (self.accepted + 2) / (self.accepted + self.rejected + 4)

    @property
    def mutes_itself(self) -> bool:
        return self.accepted + self.rejected >= MIN_JUDGEMENTS and self.rate < MIN_ACCEPTANCE

    @property
    def is_muted(self) -> bool:
        return self.is_muted_by_user or self.mutes_itself


class Ledger:
    """The records of plans for one vault; its methods block."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add_plan(self, plan: str, findings: Iterable[tuple[str, str, str]], lines: Iterable[str]) -> None:
        """Record the findings of a plan, each with its id, its check, and its data; and its lines."""
        rows = [(plan, *finding) for finding in findings]
        with self._database.transaction() as connection:
            connection.executemany("INSERT INTO garden_finding (plan, id, rule, data) VALUES (?, ?, ?, ?)", rows)
            query = "INSERT INTO garden_plan (plan, made, lines) VALUES (?, ?, ?)"
            connection.execute(query, (plan, time.time(), " ".join(sorted(set(lines)))))

    def lines(self, plan: str) -> frozenset[str]:
        """Return digests of the lines of a plan, as its note was written."""
        rows = self._database.rows("SELECT lines FROM garden_plan WHERE plan = ?", plan)
        return frozenset(line for (lines,) in rows for line in lines.split())

    def last_run(self, kind: Run) -> float:
        """Return when the schedule last made or tried to make a plan; 0 if it never did."""
        rows = self._database.rows("SELECT at FROM garden_run WHERE kind = ?", kind)
        return float(rows[0][0]) if rows else 0.0

    def set_run(self, kind: Run) -> None:
        """Record that the schedule makes or tries to make a plan now."""
        self._database.write("INSERT OR REPLACE INTO garden_run VALUES (?, ?)", (kind, time.time()))

    def findings(self, plan: str) -> Mapping[str, KeptFinding]:
        rows = self._database.rows("SELECT id, data, change FROM garden_finding WHERE plan = ?", plan)
        return {id_: KeptFinding(*rest) for id_, *rest in rows}

    def set_change(self, plan: str, ids: Collection[str], change: str) -> None:
        self._database.write(
            "UPDATE garden_finding SET change = ? WHERE plan = ? AND id = ?", *((change, plan, id_) for id_ in ids)
        )

    def judge(self, plan: str, ids: Collection[str], verdict: Verdict) -> None:
        """Record that the user accepted or rejected some findings; the last judgement of each counts."""
        self._database.write(
            "UPDATE garden_finding SET verdict = ?, judged = ? WHERE plan = ? AND id = ?",
            *((verdict, time.time(), plan, id_) for id_ in ids),
        )

    def rules(self) -> Mapping[str, RuleRecord]:
        """Return how each check that was judged or switched was judged since it was last unmuted.

        What was applied and undone does not count.
        """
        judged = """
            SELECT finding.rule, sum(verdict = 'accept'), sum(verdict = 'reject') FROM garden_finding AS finding
            LEFT JOIN garden_rule AS rule ON rule.name = finding.rule
            LEFT JOIN change ON change.id = finding.change AND verdict = 'accept'
            WHERE verdict != '' AND judged > coalesce(rule.since, 0) AND coalesce(state, '') != 'undone'
            GROUP BY finding.rule
        """
        rows = self._database.rows("SELECT name, muted, ticked FROM garden_rule")
        switched = {name: (bool(muted), bool(ticked)) for name, muted, ticked in rows}
        judgements = {name: (accepted, rejected) for name, accepted, rejected in self._database.rows(judged)}
        return {
            name: RuleRecord(*judgements.get(name, (0, 0)), *switched.get(name, (False, False)))
            for name in switched.keys() | judgements.keys()
        }

    def mute(self, rule: str, *, muted: bool) -> None:
        """Mute or unmute a check; unmuting forgets how its findings were judged before."""
        query = """
            INSERT INTO garden_rule (name, muted, since) VALUES (?, ?, ?)
            ON CONFLICT (name) DO UPDATE SET muted = excluded.muted, since = excluded.since
        """
        self._database.write(query, (rule, int(muted), 0.0 if muted else time.time()))

    def favour(self, rule: str, *, favoured: bool) -> None:
        """Record whether the findings of a check are ticked in new plans."""
        query = """
            INSERT INTO garden_rule (name, muted, since, ticked) VALUES (?, 0, 0, ?)
            ON CONFLICT (name) DO UPDATE SET ticked = excluded.ticked
        """
        self._database.write(query, (rule, int(favoured)))

    def read_checked(self, version: str) -> Mapping[VaultPath, Digest]:
        rows = self._database.rows("SELECT path, digest FROM garden_checked WHERE version = ?", version)
        return {VaultPath(path): Digest(digest) for path, digest in rows}

    def set_checked(self, version: str, notes: Iterable[tuple[VaultPath, Digest]]) -> None:
        statement = "INSERT OR REPLACE INTO garden_checked VALUES (?, ?, ?)"
        self._database.write(statement, *((path, version, digest) for path, digest in notes))
