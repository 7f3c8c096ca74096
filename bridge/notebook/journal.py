"""What a journal says about a session: the words that were handed over for it, and the facts of the records."""

from dataclasses import fields
from datetime import datetime
from typing import Any, Final

from bridge.records import dataclass
from bridge.types import VaultPath

LISTS: Final = ("actions", "decisions", "problems", "outcomes", "questions")
"""The words that are lists of entries; the others are one text."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A line that was handed over, with the local time at which that happened."""

    time: str
    text: str


@dataclass(frozen=True, slots=True)
class JournalWords:
    """What an agent handed over for its journal."""

    goal: str = ""
    summary: str = ""
    where_left_off: str = ""
    excerpt: str = ""
    actions: tuple[Entry, ...] = ()
    decisions: tuple[Entry, ...] = ()
    problems: tuple[Entry, ...] = ()
    outcomes: tuple[Entry, ...] = ()
    questions: tuple[Entry, ...] = ()
    model: str = ""
    cost_usd: float | None = None

    def merge(self, later: "JournalWords") -> "JournalWords":
        """Return both: lists are joined without repetitions, other values replaced where given."""
        values: dict[str, Any] = {}
        for field in fields(self):
            own, new = getattr(self, field.name), getattr(later, field.name)
            if isinstance(own, tuple):
                known = {entry.text for entry in own}
                values[field.name] = (*own, *(entry for entry in new if entry.text not in known))
            else:
                values[field.name] = own if new in ("", None) else new
        return JournalWords(**values)


@dataclass(frozen=True, slots=True)
class ChangedNote:
    """A note that a session changed."""

    path: VaultPath
    operations: tuple[str, ...]
    added: int
    removed: int
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Batch:
    """What changes of one operation did, or would do.

    Attributes:
        operation: The operation.
        paths: Its notes, each once.
        reasons: Why they were made.
    """

    operation: str
    paths: tuple[VaultPath, ...]
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Failure:
    """A call that failed and was not repeated with success."""

    tool: str
    code: str
    count: int
    path: VaultPath | None = None


@dataclass(frozen=True, slots=True)
class JournalFacts:
    """What the records say about a session."""

    session: str
    client: str
    status: str
    started: datetime
    """In local time."""
    until: datetime
    """The last call, or the end."""
    calls: int = 0
    tokens: int = 0
    searches: int = 0
    read: tuple[tuple[VaultPath, int], ...] = ()
    """Each note read, with the number of times, the most frequent first."""
    changed: tuple[ChangedNote, ...] = ()
    """The notes changed by operations that changed few."""
    batches: tuple[Batch, ...] = ()
    """What operations did that changed many notes."""
    undone: tuple[Batch, ...] = ()
    proposed: tuple[Batch, ...] = ()
    """What waits for the user."""
    failures: tuple[Failure, ...] = ()
    tags: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    """The commits of its changes in git."""
    summary: str = ""
    """Sentences of what it wrote into notes."""
    previous: VaultPath | None = None
    """The journal of the client's session before."""

    @property
    def notes_changed(self) -> int:
        listed = (note.path for note in self.changed)
        return len({*listed, *(path for one in self.batches for path in one.paths)})
