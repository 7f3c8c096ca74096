"""Keeps the journal of changes: those being written, and those made."""

import contextlib
import secrets
import sqlite3
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TypeVar

from bridge.errors import BridgeError
from bridge.state import change_records, change_rows, file_history
from bridge.state.call_log import DAY_S
from bridge.state.change_parts import HunkState, set_hunk_states
from bridge.state.change_records import Change, ChangeFilter, State
from bridge.state.snapshots import Snapshots
from bridge.types import Digest, VaultPath
from bridge.vault.plan import Blobs, Plan

T = TypeVar("T")

MIB = 1 << 20
ROOM = 0.9
"""Share of the snapshot limit that remains after a purge, so that not every write needs one."""


class Entry:
    """One change's row in the journal, for the writer of the vault."""

    def __init__(self, history: "History", change: Change) -> None:
        self.change = change
        self._history = history

    def prepare(self, plan: Plan) -> None:
        """Record what is about to be done; it is on disk when this returns.

        Raises:
            DiskFull: The disk is full; nothing may be done then.
            ReadOnly: The data folder is not writable.
        """
        self.change = replace(self.change, steps=tuple(plan.steps))
        self._history.prepare(self.change, plan.blobs)

    def settle(self, done: bool) -> None:
        """Record that it was done, or that nothing was; it is on disk when this returns.

        Raises:
            DiskFull: The disk is full; the change stays unsettled.
        """
        self._history.settle(self.change.id, done=done)


class History(ABC):
    """The changes of a vault: by whom they were made, and how to undo them."""

    _now: Callable[[], float]
    _lock: threading.RLock
    _snapshots: Snapshots
    _naming: threading.Lock
    _last_id: str
    _limits: tuple[int, float] | None = None
    """Bytes and seconds; nothing is deleted before the user's limits are known."""

    @abstractmethod
    def _read(self, query: Callable[[sqlite3.Connection], T]) -> T:
        """Run a read query."""

    @abstractmethod
    def _writing(self, *, durably: bool = False) -> AbstractContextManager[sqlite3.Connection]:
        """Open a write transaction."""

    def next_id(self) -> str:
        """Return an id for a change, greater than all before it; does not wait for writes."""
        with self._naming:
            before = int((self._last_id or "0")[:11], 16)
            moment = max(int(self._now() * 1000), before + 1)
            self._last_id = f"{moment:011x}{secrets.token_hex(2)}"
            return self._last_id

    def begin(self, change: Change) -> Entry:
        """Return the row of a change that is about to be made, or of an accepted proposal; nothing is written yet.

        Args:
            change: The change, with an id from `next_id` or that of the proposal; its steps are those of the plan.
        """
        return Entry(self, change)

    def propose(self, change: Change, blobs: Blobs) -> None:
        """Store a change that waits for the user.

        Raises:
            DiskFull: The disk is full.
            ReadOnly: The data folder is not writable.
        """
        with self._lock:
            self._snapshots.keep(blobs)
            with self._writing(durably=True) as connection:
                change_rows.insert(connection, replace(change, state="proposed"), pending=False)

    def prepare(self, change: Change, blobs: Blobs) -> None:
        """Store what is about to be done, and the bytes that it needs."""
        with self._lock:
            # Contents without a row only take some space; a row without its contents could not be undone.
            self._snapshots.keep(blobs)
            with self._writing(durably=True) as connection:
                known = change_records.find_change(connection, change.id)
                state: State = known.state if known else "prepared"
                change_rows.insert(connection, replace(change, state=state), pending=True)

    def settle(self, change: str, *, done: bool) -> None:
        """Settle the pending steps of a change."""
        with self._writing(durably=True) as connection:
            change_rows.settle(connection, change, self.next_id() if done else None)

    def change(self, change: str) -> Change | None:
        """Return a change; None when there is none, or no longer."""
        return self._read(lambda connection: change_records.find_change(connection, change))

    def changes(self, wanted: ChangeFilter = ChangeFilter(), limit: int = 50, offset: int = 0) -> list[Change]:  # noqa: B008 - frozen
        """Return changes, the newest first, except those being written."""
        return self._read(lambda connection: change_records.find_changes(connection, wanted, limit, offset))

    def past(self, path: VaultPath, gone: str | None = None, limit: int = 1_000) -> list[Change]:
        """Return the newest changes of a file, the oldest first.

        Args:
            path: Its current path.
            gone: The change that took it away.
            limit: The number of changes at most.
        """
        return self._read(lambda connection: file_history.changes_of_file(connection, path, gone, limit))

    def is_newest(self, made: str, path: VaultPath, gone: str | None = None) -> bool:
        """Return whether a file has no later change than one; other arguments as for `past`."""
        return self._read(lambda connection: file_history.is_newest(connection, made, path, gone))

    def folders(self, since: str) -> list[file_history.FolderEvent]:
        """Return the folder events since a change was made, including its own steps, the oldest first."""
        return self._read(lambda connection: file_history.folder_events(connection, since))

    def departures(self, after: str) -> list[tuple[str, file_history.Moment, VaultPath]]:
        """Return the files taken away after a change, with the change that did it, time and path, the oldest first."""
        return self._read(lambda connection: file_history.departures(connection, after))

    def unsettled(self) -> list[tuple[Change, Entry]]:
        """Return the changes of which a crash left open whether they were made, the oldest first.

        Their steps are those that were begun; the writer's `recover` finds out which were made.
        """
        return [(change, Entry(self, change)) for change in self._read(change_rows.unsettled_changes)]

    def set_state(self, change: str, state: State, facts: Mapping[str, object] | None = None) -> None:
        """Set the state of a change, and add facts; its pending steps become its own."""
        with self._writing() as connection:
            change_rows.set_state(connection, change, state, facts or {})
            if state == "applied":
                change_rows.mark_made(connection, change, self.next_id())

    def switch(self, switches: Collection[HunkState]) -> None:
        """Switch parts of changes on or off outside of any change; a change records its own switches."""
        with self._writing() as connection:
            set_hunk_states(connection, switches, None)

    def add_facts(self, change: str, facts: Mapping[str, object]) -> None:
        """Add facts to a change; they are on disk when this returns.

        Raises:
            DiskFull: The disk is full.
            ReadOnly: The data folder is not writable.
        """
        with self._writing(durably=True) as connection:
            change_rows.add_facts(connection, change, facts)

    def expire(self) -> list[str]:
        """Expire overdue proposals, and return their ids."""
        with self._writing() as connection:
            return change_rows.expire(connection, self._now())

    def snapshot(self, digest: Digest) -> bytes | None:
        """Return the content of a file before or after a change; None when it is no longer kept.

        Raises:
            StateUnusable: It is damaged on disk.
        """
        return self._snapshots.read(digest)

    @property
    def history_size(self) -> int:
        """Bytes of the contents on disk."""
        return self._snapshots.size

    def damaged(self) -> int:
        """Count the contents that are damaged on disk; reads them all."""
        return self._snapshots.damaged()

    def keep(self, blobs: Blobs) -> None:
        """Store contents that a proposal will need.

        Raises:
            DiskFull: The disk is full.
            ReadOnly: The data folder is not writable.
        """
        with self._lock:
            self._snapshots.keep(blobs)

    def limit_history(self, megabytes: int, days: int) -> None:
        """Limit the MiB of contents kept, and for how many days; the oldest changes lose theirs first.

        Contents that cannot be deleted now are deleted by the next try, within an hour.
        """
        self._limits = megabytes * MIB, days * DAY_S
        with contextlib.suppress(BridgeError):
            self.prune()

    def prune(self) -> None:
        """Delete contents that are too old or too many, but none of proposals and unsettled changes."""
        if self._limits is None:
            return
        most, longest = self._limits
        with self._writing() as connection:
            needed = change_rows.needed_contents(connection)
            closed = [(digest, time) for digest, time, is_open in needed if not is_open]
            self._snapshots.drop(digest for digest, time in closed if time < self._now() - longest)
            if self._snapshots.size > most:
                self._snapshots.sweep({digest for digest, *_ in needed})
                for digest, _ in closed:
                    if self._snapshots.size <= most * ROOM:
                        return
                    self._snapshots.drop([digest])
