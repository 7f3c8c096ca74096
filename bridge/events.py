"""Publishes events in order to subscribers; a bounded number of past ones can be replayed. Signals wake waiters."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ClassVar, Literal

from bridge.records import Record
from bridge.types import VaultPath


class Signal:
    """Notifies every present waiter once; later waiters wait for the next time."""

    def __init__(self) -> None:
        self._next = asyncio.Event()

    def notify(self) -> None:
        """Wake all present waiters; call on the event loop."""
        self._next.set()
        self._next = asyncio.Event()

    async def wait(self, timeout: float | None = None) -> bool:
        """Wait for the next time; return False when `timeout` seconds passed first."""
        try:
            # Not wait_for: before Python 3.12 it loses a cancellation that arrives together with the event.
            async with asyncio.timeout(timeout):
                await self._next.wait()
        except TimeoutError:
            return False
        return True


class PendingCounts(Record):
    """What is left to index.

    Attributes:
        keyword: Notes to be read.
        vectors: Passages to be embedded.
    """

    keyword: int
    vectors: int


class IndexProgress(Record):
    """The index has changed.

    Attributes:
        pending: What is left to do.
        notes: How many notes are indexed.
    """

    kind: ClassVar[str] = "index_progress"
    pending: PendingCounts
    notes: int


class NoteUpdate(Record):
    """One note was indexed again, or is gone; many at once are only published as progress.

    Attributes:
        path: The note.
        change: What became of it.
    """

    kind: ClassVar[str] = "note_changed"
    path: VaultPath
    change: Literal["indexed", "gone"]


class ChangeEvent(Record):
    """A change that was made, proposed or settled.

    Attributes:
        change: Its id.
        operation: The operation that made it.
        client: The program that made it; null if unknown.
        state: What became of it.
        paths: The first hundred files it names.
    """

    change: str
    operation: str
    client: str | None
    state: str
    paths: tuple[VaultPath, ...]


class ChangeRecorded(ChangeEvent):
    """A change was made, undone or otherwise settled."""

    kind: ClassVar[str] = "change_recorded"


class ChangeProposed(ChangeEvent):
    """A change awaits approval."""

    kind: ClassVar[str] = "change_proposed"


class ApplyChange(Record):
    """A change is offered to programs in Obsidian, which claim it.

    Attributes:
        change: Its id.
        path: The note it changes.
    """

    kind: ClassVar[str] = "apply_change"
    change: str
    path: VaultPath


class MemoryGiven(Record):
    """Notes were brought into a session, or the user chose which may be.

    Attributes:
        session: The session.
    """

    kind: ClassVar[str] = "memory_given"
    session: str


class PlanReady(Record):
    """A plan to tidy the vault was written, which waits for the user.

    Attributes:
        path: The note of the plan.
        findings: How many findings it has.
    """

    kind: ClassVar[str] = "plan_ready"
    path: VaultPath
    findings: int


class DecisionsChanged(Record):
    """An agent asked the user for something, or the user answered."""

    kind: ClassVar[str] = "decisions_changed"


class SettingsChanged(Record):
    """The settings or the clients have changed."""

    kind: ClassVar[str] = "settings_changed"


class Reset(Record):
    """Events were missed that cannot be replayed: anything may have changed."""

    kind: ClassVar[str] = "reset"


Event = (
    IndexProgress
    | NoteUpdate
    | ChangeRecorded
    | ChangeProposed
    | ApplyChange
    | MemoryGiven
    | PlanReady
    | DecisionsChanged
    | SettingsChanged
    | Reset
)


class SentEvent(Record):
    """An event as it is sent; ids grow by one and start again with the process."""

    id: int
    vault: str | None
    event: Event


class Events:
    """Publishes events to bounded subscriber queues and remembers the last ones."""

    def __init__(self, first_id: int = 1, remembered: int = 1000, waiting: int = 1000) -> None:
        self._next = first_id
        self._past: deque[SentEvent] = deque(maxlen=remembered)
        self._waiting = waiting
        self._queues: set[asyncio.Queue[SentEvent]] = set()
        self._denies: dict[str, Callable[[str], bool]] = {}

    def hide(self, vault: str, denies: Callable[[str], bool]) -> None:
        """Publish nothing about some notes of a vault from now on, and drop past events about them."""
        self._denies[vault] = denies
        self._past = deque(filter(self._may_be_told, self._past), self._past.maxlen)
        for queue in self._queues:
            waiting = [queue.get_nowait() for _ in range(queue.qsize())]
            for message in filter(self._may_be_told, waiting):
                queue.put_nowait(message)

    def _may_be_told(self, message: SentEvent) -> bool:
        denies = self._denies.get(message.vault) if message.vault is not None else None
        return denies is None or not any(map(denies, event_paths(message.event)))

    def publish(self, event: Event, vault: str | None = None) -> None:
        """Send an event to every subscriber; call from the event loop's thread."""
        message = SentEvent(self._next, vault, event)
        if not self._may_be_told(message):
            return
        self._next += 1
        self._past.append(message)
        for queue in self._queues:
            if queue.full():
                while not queue.empty():
                    queue.get_nowait()
                queue.put_nowait(SentEvent(message.id, None, Reset()))
            else:
                queue.put_nowait(message)

    def since(self, last_id: int) -> list[SentEvent]:
        """Return the events after `last_id`, or one `reset` event if that id is no longer known."""
        oldest = self._past[0].id if self._past else self._next
        if oldest - 1 <= last_id < self._next:
            return [message for message in self._past if message.id > last_id]
        return [SentEvent(self._next - 1, None, Reset())]

    @contextmanager
    def subscribe(self) -> Iterator[asyncio.Queue[SentEvent]]:
        """Yield a queue that receives every event until the block is left."""
        queue: asyncio.Queue[SentEvent] = asyncio.Queue(self._waiting)
        self._queues.add(queue)
        try:
            yield queue
        finally:
            self._queues.discard(queue)


def event_paths(event: Event) -> Iterator[VaultPath]:
    path: VaultPath | None = getattr(event, "path", None)
    if path is not None:
        yield path
    yield from getattr(event, "paths", ())
