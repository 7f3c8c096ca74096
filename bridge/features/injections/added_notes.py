"""The notes that the user gives to sessions with their next answers."""

from collections.abc import Mapping
from dataclasses import field
from typing import Final

from bridge.records import dataclass
from bridge.types import VaultPath

MAX_NOTES: Final = 10
"""Most notes that wait for one session."""

MAX_SESSIONS: Final = 200
"""Sessions for which notes wait at most; those that were given one first lose theirs."""


@dataclass(slots=True)
class AddedNotes:
    """The notes that wait for each session, until a stop of the bridge."""

    _waiting: dict[str, tuple[VaultPath, ...]] = field(default_factory=dict)

    def add(self, session: str, path: VaultPath) -> bool:
        """Let a note wait for a session, once; return whether there was room for it."""
        paths = tuple(dict.fromkeys((*self._waiting.get(session, ()), path)))
        if len(paths) > MAX_NOTES:
            return False
        self._waiting[session] = paths
        while len(self._waiting) > MAX_SESSIONS:
            del self._waiting[next(iter(self._waiting))]
        return True

    def take(self, session: str) -> tuple[VaultPath, ...]:
        """Return the notes that wait for a session, which are then given."""
        return self._waiting.pop(session, ())

    @property
    def waiting_notes(self) -> Mapping[str, tuple[VaultPath, ...]]:
        return self._waiting
