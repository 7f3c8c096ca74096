"""Keeps the journal of changes: those being written, and those made."""

import contextlib
import secrets
import sqlite3
import threading
from collections.abc import Callable, Collection, Iterable

from msgspec.structs import replace

from bridge.errors import BridgeError
from bridge.state import change_records, file_history
from bridge.state.call_log import DAY_S
from bridge.state.change_records import (
    COLUMNS,
    Change,
    ChangeFilter,
    HunkState,
    State,
    encode_facts,
    find_change,
    read_facts,
    set_hunk_states,
)
from bridge.state.database import Database
from bridge.state.snapshots import Snapshots
from bridge.state.tables import Begin, Denied, Moved, StateTable, Subject
from bridge.types import Digest, VaultPath
from bridge.vault.plan import Blobs, Plan

INSERT = f"INSERT OR REPLACE INTO change ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608 - no values


def insert_change(connection: sqlite3.Connection, change: Change, *, pending: bool) -> None:
    """Insert a change; its steps are either its own or, if pending, those that are about to be made."""
    # A proposal leaves the files where they are; the files of a change are followed once it is made.
    now = [(step.path, None) for step in change.steps] if pending else file_history.proposed_places(change)
    head = (change.id, change.time, change.client, change.session, change.operation, change.reason, change.state)
    connection.execute(INSERT, (*head, change.expires, encode_facts(change.facts), change.made or None))
    connection.execute("DELETE FROM step WHERE change = ? AND pending = ?", (change.id, pending))
    connection.executemany(
        "INSERT INTO step VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                change.id,
                pending,
                number,
                step.kind,
                step.path,
                step.to,
                step.before,
                step.after,
                *now[number],
                step.inode if step.inode is None else str(step.inode),
                step.spelling,
                step.mode,
            )
            for number, step in enumerate(change.steps)
        ],
    )


def settle_change(connection: sqlite3.Connection, change: str, made: str | None) -> None:
    """Settle the pending steps of a change: it was made, with `made` as for `mark_made`, or nothing was done."""
    if made is None:
        connection.execute("DELETE FROM step WHERE change = ? AND pending", (change,))
        connection.execute("DELETE FROM change WHERE id = ? AND state = 'prepared'", (change,))
        return
    connection.execute("DELETE FROM step WHERE change = ? AND NOT pending", (change,))
    connection.execute("UPDATE step SET pending = 0 WHERE change = ?", (change,))
    mark_made(connection, change, made)
    file_history.follow(connection, change)


def mark_made(connection: sqlite3.Connection, change: str, made: str) -> None:
    """Mark a change as made after all others, and switch the parts of changes that it undoes or redoes."""
    connection.execute(
        "UPDATE change SET made = iif(state = 'prepared', NULL, ?), state = 'applied' WHERE id = ?", (made, change)
    )
    if (found := find_change(connection, change)) is not None:
        set_hunk_states(connection, found.facts.switches, found.facts)


def set_change_state(connection: sqlite3.Connection, change: str, state: State) -> None:
    """Set the state of a change; its pending steps become its own."""
    connection.execute("UPDATE change SET state = ? WHERE id = ?", (state, change))
    if connection.execute("SELECT 1 FROM step WHERE change = ? AND pending", (change,)).fetchone():
        connection.execute("DELETE FROM step WHERE change = ? AND NOT pending", (change,))
        connection.execute("UPDATE step SET pending = 0 WHERE change = ?", (change,))
        if state == "conflict":
            # It was made as far as these steps go.
            file_history.follow(connection, change)


def forget_changes(connection: sqlite3.Connection, denied: Denied) -> None:
    """Delete changes that touched a denied note or copied from one: no change may be undone in part."""
    touched: Iterable[tuple[str, ...]] = connection.execute("SELECT change, path, target, now FROM step").fetchall()
    gone = {change for change, *paths in touched if any(path and denied(VaultPath(path)) for path in paths)}
    for change, facts in connection.execute(
        "SELECT id, facts FROM change WHERE instr(facts, '\"sources\"')"
    ).fetchall():
        if any(map(denied, read_facts(facts).sources)):
            gone.add(change)
    drop_changes(connection, gone)


def drop_settled(connection: sqlite3.Connection) -> None:
    """Delete pending steps of settled changes, left by an older copy of the file; those without others count as own."""
    settled = "pending AND change IN (SELECT id FROM change WHERE state NOT IN ('prepared', 'proposed'))"
    connection.execute(
        f"DELETE FROM step WHERE {settled}"  # noqa: S608
        " AND EXISTS (SELECT 1 FROM step AS own WHERE own.change = step.change AND NOT own.pending)"
    )
    connection.execute(f"UPDATE step SET pending = 0 WHERE {settled}")  # noqa: S608


def drop_changes(connection: sqlite3.Connection, changes: Collection[str]) -> None:
    connection.executemany("DELETE FROM change WHERE id = ?", [(change,) for change in changes])
    connection.executemany("DELETE FROM step WHERE change = ?", [(change,) for change in changes])


def needed_contents(connection: sqlite3.Connection) -> list[tuple[Digest, float, bool]]:
    """Return the contents that steps need, those needed only by the oldest changes first."""
    return connection.execute(
        """
        SELECT digest, max(time), max(open) FROM (
            SELECT before AS digest, id, time, pending OR state = 'proposed' AS open
            FROM step JOIN change ON id = change WHERE before IS NOT NULL
            UNION ALL
            SELECT after, id, time, pending OR state = 'proposed'
            FROM step JOIN change ON id = change WHERE after IS NOT NULL
        ) GROUP BY digest ORDER BY max(id)
        """
    ).fetchall()


MIB = 1 << 20
MAX_CHANGES = 100_000
"""Changes kept at most."""
MAX_MOVES = 20
"""Moves of one file that are followed at most."""
SHARE_AFTER_PURGE = 0.9
"""Share of the snapshot limit that remains after a purge, so that not every write needs one."""


def move(begin: Begin, moved: Moved) -> None:
    with begin() as connection:
        file_history.move(connection, moved)


JOURNAL = Subject(
    "journal",
    tables=(
        # What is settled in one copy was settled.
        StateTable(
            "change",
            "ON CONFLICT (id) DO UPDATE SET state = excluded.state WHERE state IN ('prepared', 'proposed')",
        ),
        StateTable(
            "step", "ON CONFLICT (change, pending, number) DO UPDATE SET now = excluded.now, gone = excluded.gone"
        ),
    ),
    migrations=(
        "CREATE INDEX change_session ON change (session);",
        "ALTER TABLE step ADD COLUMN spelling TEXT;",
        "ALTER TABLE step ADD COLUMN mode INTEGER;",
    ),
    forget=forget_changes,
    move=move,
    after_merge=drop_settled,
)


class ChangeEntry:
    """One change's row in the journal, for the writer of the vault."""

    def __init__(self, journal: "Journal", change: Change) -> None:
        self.change = change
        self._journal = journal

    def prepare(self, plan: Plan) -> None:
        """Record what is about to be done; it is on disk when this returns."""
        self.change = replace(self.change, steps=tuple(plan.steps))
        self._journal.prepare(self.change, plan.blobs)

    def settle(self, done: bool) -> None:
        """Record that it was done, or that nothing was; it is on disk when this returns."""
        self._journal.settle(self.change.id, done=done)


class Journal:
    """The changes of a vault: by whom they were made, and how to undo them."""

    def __init__(self, database: Database, snapshots: Snapshots, now: Callable[[], float]) -> None:
        self._database = database
        self._snapshots = snapshots
        self._now = now
        self._naming = threading.Lock()
        (last,) = database.connection.execute("SELECT max(coalesce(made, id)) FROM change").fetchone()
        self._last_id: str = last or "0"
        self._limits: tuple[int, float] | None = None
        """Bytes and seconds; nothing is deleted before the user's limits are known."""

    def next_id(self) -> str:
        """Return an id for a change, greater than all before it; does not wait for writes."""
        with self._naming:
            moment = max(int(self._now() * 1000), int(self._last_id[:11], 16) + 1)
            self._last_id = f"{moment:011x}{secrets.token_hex(2)}"
            return self._last_id

    def begin(self, change: Change) -> ChangeEntry:
        """Return the row of a change that is about to be made, or of an accepted proposal; nothing is written yet."""
        return ChangeEntry(self, change)

    def propose(self, change: Change, blobs: Blobs) -> None:
        with self._snapshots.hold(blobs), self._database.transaction(durably=True) as connection:
            insert_change(connection, replace(change, state="proposed"), pending=False)

    def prepare(self, change: Change, blobs: Blobs) -> None:
        """Store what is about to be done, and the bytes that it needs."""
        # Contents without a row only take some space; a row without its contents could not be undone. Nobody waits for
        # those of a large change but who makes it.
        with self._snapshots.hold(blobs), self._database.transaction(durably=True) as connection:
            record = find_change(connection, change.id)
            state: State = record.state if record else "prepared"
            insert_change(connection, replace(change, state=state), pending=True)

    def settle(self, change: str, *, done: bool) -> None:
        with self._database.transaction(durably=True) as connection:
            settle_change(connection, change, self.next_id() if done else None)

    def change(self, change: str) -> Change | None:
        """Return a change; None when there is none, or no longer."""
        return self._database.read(lambda connection: find_change(connection, change))

    def changes(self, criteria: ChangeFilter = ChangeFilter(), limit: int = 50, offset: int = 0) -> list[Change]:
        """Return changes, the newest first, except those being written."""
        return self._database.read(lambda connection: change_records.find_changes(connection, criteria, limit, offset))

    def proposals(self, paths: Collection[VaultPath]) -> list[Change]:
        """Return the proposals that wait for files, the newest first."""
        return self._database.read(lambda connection: change_records.find_proposals(connection, paths, self._now()))

    def moved_to(self, path: VaultPath, exists: Callable[[VaultPath], bool]) -> VaultPath | None:
        """Return where a file that changes moved is now; None if none did, or it is gone."""

        def follow(connection: sqlite3.Connection) -> VaultPath | None:
            place: VaultPath | None = path
            for _ in range(MAX_MOVES):
                place = None if place is None else change_records.find_move(connection, place)
                if place is None or exists(place):
                    return place
            return None

        return self._database.read(follow)

    def find_unsettled(self) -> list[tuple[Change, ChangeEntry]]:
        """Return the changes of which a crash left open whether they were made, the oldest first.

        Their steps are those that were begun; the writer's `recover` finds out which were made.
        """
        query = (
            f"SELECT {COLUMNS} FROM change"  # noqa: S608
            " WHERE state = 'prepared' OR id IN (SELECT change FROM step WHERE pending) ORDER BY id"
        )

        def read(connection: sqlite3.Connection) -> list[Change]:
            return change_records.build_changes(connection, connection.execute(query).fetchall(), pending=True)

        return [(change, ChangeEntry(self, change)) for change in self._database.read(read)]

    def set_state(self, change: str, state: State) -> None:
        """Set the state of a change; its pending steps become its own."""
        with self._database.transaction() as connection:
            set_change_state(connection, change, state)
            if state == "applied":
                mark_made(connection, change, self.next_id())

    def reject(self, change: str, declined: float | None) -> None:
        """Set the state of a change to rejected, with the time at which the user declined it, if the user did."""
        with self._database.transaction() as connection:
            set_change_state(connection, change, "rejected")
            if declined is not None:
                query = "UPDATE change SET facts = json_set(facts, '$.declined', ?) WHERE id = ?"
                connection.execute(query, (declined, change))

    def switch(self, switches: Collection[HunkState]) -> None:
        """Switch parts of changes on or off outside of any change; a change records its own switches."""
        with self._database.transaction() as connection:
            set_hunk_states(connection, switches, None)

    def record_claim(self, change: str) -> None:
        """Record that an editor claimed a change; it is on disk when this returns."""
        with self._database.transaction(durably=True) as connection:
            connection.execute("UPDATE change SET facts = json_set(facts, '$.by', 'obsidian') WHERE id = ?", (change,))

    def expire(self) -> list[str]:
        """Expire overdue proposals, and return their ids."""
        with self._database.transaction() as connection:
            rows = connection.execute(
                "UPDATE change SET state = 'expired' WHERE state = 'proposed' AND expires <= ? RETURNING id",
                (self._now(),),
            )
            return [change for (change,) in rows.fetchall()]

    def limit_history(self, megabytes: int, days: int) -> None:
        """Limit the MiB of contents kept, and for how many days; the oldest changes lose theirs first.

        Contents that cannot be deleted now are deleted by the next try, within an hour.
        """
        self._limits = megabytes * MIB, days * DAY_S
        with contextlib.suppress(BridgeError):
            self.prune()

    def purge(self) -> None:
        """Delete the oldest changes beyond the limit, but none that is still open, and the contents beyond theirs."""
        with self._database.transaction() as connection:
            rows = connection.execute(
                "SELECT id FROM change WHERE state NOT IN ('prepared', 'proposed') ORDER BY id DESC LIMIT -1 OFFSET ?",
                (MAX_CHANGES,),
            )
            drop_changes(connection, [change for (change,) in rows])
        self.prune()

    def prune(self) -> None:
        """Delete contents that are too old or too many, but none of proposals and unsettled changes."""
        if self._limits is None:
            return
        most, longest = self._limits
        with self._database.transaction() as connection:
            needed = needed_contents(connection)
            closed = [(digest, time) for digest, time, is_open in needed if not is_open]
            self._snapshots.drop(digest for digest, time in closed if time < self._now() - longest)
            if self._snapshots.size > most:
                self._snapshots.sweep({digest for digest, *_ in needed})
                self._snapshots.shrink((digest for digest, _ in closed), most * SHARE_AFTER_PURGE)
