"""A disk that fails, dies, or lets another program save a file in between, at a given call."""

import errno
import os
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from bridge.vault.plan import Plan
from bridge.vault.stable_read import is_lease_kept
from bridge.vault.write.syscalls import SystemCalls
from bridge.vault.write.writer import JournalEntry

Kind = Literal["none", "kill", "torn", "once", "on", "save"]
CODES = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EACCES)
ROOM = {"open", "write", "mkdir", "fsync", "sync_together"}
"""Calls that need space on the disk."""


class Killed(BaseException):
    """The process died: none of its code runs any more."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault and the call at which it occurs.

    The process dies before the call or, `torn`, in the middle of a write. The call fails `once`, or with it all later
    ones that need space (`on`). Or it succeeds after another program has saved a file (`save`).
    """

    kind: Kind = "none"
    at: int = 0
    code: int = errno.EIO
    save: Callable[[], None] | None = None


class Findings:
    """What was done, and the faults by kind."""

    def __init__(self, *kinds: str) -> None:
        self.done = Counter[str]()
        self.by_kind: dict[str, list[str]] = {kind: [] for kind in kinds}

    @property
    def faults(self) -> list[str]:
        """All faults."""
        return [fault for faults in self.by_kind.values() for fault in faults]


def save_as(way: str, path: Path) -> None:
    """Save a file as another program does: in place, or by a rename."""
    place = path if way == "in place" else path.with_name("saving")
    place.write_bytes(b"saved")
    place.replace(path)


class FaultyDisk(SystemCalls):
    """Counts calls, and triggers the fault at one of them."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        self.calls = 0
        self.dead = False
        self.saved = False
        self._saving: threading.Thread | None = None
        self._open: set[int] = set()
        self._leased: set[int] = set()
        for name, call in vars(SystemCalls).items():
            if isinstance(call, staticmethod):
                setattr(self, name, self._faulty(name, call.__func__))

    def tick(self, name: str = "") -> None:
        """Count a call, and fail if it is the given one."""
        if self.dead:
            raise Killed
        self.calls += 1
        hit = self.calls == self.fault.at
        match self.fault.kind:
            case "kill" if hit:
                self.die()
            case "once" if hit and name:
                raise OSError(self.fault.code, os.strerror(self.fault.code))
            case "on" if self.calls >= self.fault.at and name in ROOM:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            case "save" if hit and self.fault.save is not None:
                self.saved = True
                # In a thread: while the writer holds a lease of the file, the save waits for it.
                self._saving = threading.Thread(target=self.fault.save)
                self._saving.start()
                while self._saving.is_alive() and all(map(is_lease_kept, self._leased)):
                    self._saving.join(0.001)
            case _:
                pass

    def wait(self) -> None:
        """Wait for a save that was held back, if there is one."""
        if self._saving is not None:
            self._saving.join()

    def die(self) -> None:
        """Simulate the death of the process."""
        self.dead = True
        for descriptor in self._open:
            os.close(descriptor)
        raise Killed

    def _faulty(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def faulty(*arguments: Any, **named: Any) -> Any:
            if name == "close" and not self.dead:
                self._open.discard(arguments[0])
                self._leased.discard(arguments[0])
                return call(*arguments)
            if name == "close_together" and not self.dead:
                self._open.difference_update(arguments[0])
                self._leased.difference_update(arguments[0])
                return call(*arguments)
            self.tick(name)
            if name == "write" and self.fault.kind == "torn" and self.calls >= self.fault.at:
                call(arguments[0], arguments[1][: len(arguments[1]) // 2])
                self.die()
            result = call(*arguments, **named)
            if name == "open":
                self._open.add(result)
            if name == "take_lease" and result:
                self._leased.add(arguments[0])
            if name == "end_lease":
                self._leased.discard(arguments[0])
            return result

        return faulty


@dataclass
class FaultyEntry:
    """A row of the journal whose disk fails together with the vault's."""

    entry: JournalEntry
    disk: FaultyDisk

    def prepare(self, plan: Plan) -> None:
        self.disk.tick()
        self.entry.prepare(plan)
        self.disk.tick()

    def settle(self, done: bool) -> None:
        self.disk.tick()
        self.entry.settle(done)
        self.disk.tick()
