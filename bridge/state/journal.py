"""The part of a vault's file that is about changes: the journal of what is being written, and what was."""

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
"""Share of what snapshots may take that is left when the oldest were deleted, so that it is not done at every write."""


class Entry:
    """One change's row, as the writer of the vault sees it."""

    def __init__(self, history: "History", change: Change) -> None:
        self.change = change
        self._history = history

    def prepare(self, plan: Plan) -> None:
        """Write down what is about to be done; it is on the disk when this returns.

        Raises:
            DiskFull: There is no room; nothing may be done then.
            ReadOnly: The data folder cannot be written.
        """
        self.change = replace(self.change, steps=tuple(plan.steps))
        self._history.prepare(self.change, plan.blobs)

    def settle(self, done: bool) -> None:
        """Write down that it was done, or that nothing was; it is on the disk when this returns.

        Raises:
            DiskFull: There is no room; the change stays unsettled.
        """
        self._history.settle(self.change.id, done=done)


class History(ABC):
    """What was changed, by whom, and how to turn it back."""

    _now: Callable[[], float]
    _lock: threading.RLock
    _snapshots: Snapshots
    _naming: threading.Lock
    _last_id: str
    _limits: tuple[int, float] | None = None
    """Bytes and seconds; nothing is deleted before the user's are known."""

    @abstractmethod
    def _read(self, query: Callable[[sqlite3.Connection], T]) -> T:
        """Read."""

    @abstractmethod
    def _writing(self, *, durably: bool = False) -> AbstractContextManager[sqlite3.Connection]:
        """Write in one transaction."""

    def next_id(self) -> str:
        """Return an id for a change, greater than all before it; waits for nobody who writes."""
        with self._naming:
            before = int((self._last_id or "0")[:11], 16)
            moment = max(int(self._now() * 1000), before + 1)
            self._last_id = f"{moment:011x}{secrets.token_hex(2)}"
            return self._last_id

    def begin(self, change: Change) -> Entry:
        """Return the row of a change that is about to be made, or of a proposal that was accepted; nothing is written.

        Args:
            change: The change, with an id of `next_id` or of the proposal; its steps are those of the plan.
        """
        return Entry(self, change)

    def propose(self, change: Change, blobs: Blobs) -> None:
        """Keep a change that waits for the user.

        Raises:
            DiskFull: There is no room.
            ReadOnly: The data folder cannot be written.
        """
        with self._lock:
            self._snapshots.keep(blobs)
            with self._writing(durably=True) as connection:
                change_rows.insert(connection, replace(change, state="proposed"), pending=False)

    def prepare(self, change: Change, blobs: Blobs) -> None:
        """Keep what is about to be done, and the bytes that it needs."""
        with self._lock:
            # Contents without a row cost some room; a row without its contents could not be turned back.
            self._snapshots.keep(blobs)
            with self._writing(durably=True) as connection:
                known = change_records.find_change(connection, change.id)
                state: State = known.state if known else "prepared"
                change_rows.insert(connection, replace(change, state=state), pending=True)

    def settle(self, change: str, *, done: bool) -> None:
        """End what was pending of a change."""
        with self._writing(durably=True) as connection:
            change_rows.settle(connection, change, self.next_id() if done else None)

    def change(self, change: str) -> Change | None:
        """Return a change; None when there is none, or no more."""
        return self._read(lambda connection: change_records.find_change(connection, change))

    def changes(self, wanted: ChangeFilter = ChangeFilter(), limit: int = 50, offset: int = 0) -> list[Change]:  # noqa: B008 - frozen
        """Return changes, the newest first; those that are being written are not told."""
        return self._read(lambda connection: change_records.find_changes(connection, wanted, limit, offset))

    def past(self, path: VaultPath, gone: str | None = None, limit: int = 1_000) -> list[Change]:
        """Return the newest changes that were made of a file, the oldest first.

        Args:
            path: Where it is today.
            gone: The change that took it away.
            limit: How many.
        """
        return self._read(lambda connection: file_history.changes_of_file(connection, path, gone, limit))

    def is_newest(self, made: str, path: VaultPath, gone: str | None = None) -> bool:
        """Say whether no other change was made of a file after one; arguments as for `past`."""
        return self._read(lambda connection: file_history.is_newest(connection, made, path, gone))

    def folders(self, since: str) -> list[file_history.FolderEvent]:
        """Return what happened to folders since a change was made, its own steps too, the oldest first."""
        return self._read(lambda connection: file_history.folder_events(connection, since))

    def departures(self, after: str) -> list[tuple[str, file_history.Moment, VaultPath]]:
        """Return by what, when and from where something was taken away after a change was made, the oldest first."""
        return self._read(lambda connection: file_history.departures(connection, after))

    def unsettled(self) -> list[tuple[Change, Entry]]:
        """Return the changes of which a crash left open whether they were made, the oldest first.

        Their steps are those that were begun; the writer's `recover` says what became of them.
        """
        return [(change, Entry(self, change)) for change in self._read(change_rows.unsettled_changes)]

    def set_state(self, change: str, state: State, facts: Mapping[str, object] | None = None) -> None:
        """Say what became of a change, and more facts of it; what was pending is its own from now on."""
        with self._writing() as connection:
            change_rows.set_state(connection, change, state, facts or {})
            if state == "applied":
                change_rows.mark_made(connection, change, self.next_id())

    def switch(self, switches: Collection[HunkState]) -> None:
        """Put parts of changes in or out of force, though no change did it; a change that does so says it itself."""
        with self._writing() as connection:
            set_hunk_states(connection, switches, None)

    def add_facts(self, change: str, facts: Mapping[str, object]) -> None:
        """Say more of a change; it is on the disk when this returns.

        Raises:
            DiskFull: There is no room.
            ReadOnly: The data folder cannot be written.
        """
        with self._writing(durably=True) as connection:
            change_rows.add_facts(connection, change, facts)

    def expire(self) -> list[str]:
        """End the proposals whose time is over, and return their ids."""
        with self._writing() as connection:
            return change_rows.expire(connection, self._now())

    def snapshot(self, digest: Digest) -> bytes | None:
        """Return a content of a file before or after a change; None when it is kept no more.

        Raises:
            StateUnusable: It was damaged on the disk.
        """
        return self._snapshots.read(digest)

    @property
    def history_size(self) -> int:
        """Bytes that contents take on the disk."""
        return self._snapshots.size

    def damaged(self) -> int:
        """Count the contents that were damaged on the disk; reads them all."""
        return self._snapshots.damaged()

    def keep(self, blobs: Blobs) -> None:
        """Keep contents that a proposal will need.

        Raises:
            DiskFull: There is no room.
            ReadOnly: The data folder cannot be written.
        """
        with self._lock:
            self._snapshots.keep(blobs)

    def limit_history(self, megabytes: int, days: int) -> None:
        """Say how many MiB of contents are kept and for how long; the oldest changes lose theirs first.

        What the disk does not let go now goes with the next try, within an hour.
        """
        self._limits = megabytes * MIB, days * DAY_S
        with contextlib.suppress(BridgeError):
            self.prune()

    def prune(self) -> None:
        """Delete contents that are too old or too many, never those of proposals and of what is not settled."""
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
