"""Publishes events in order to subscribers; a bounded number of past events can be replayed."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

EventKind = Literal[
    "index_progress",
    "note_changed",
    "change_recorded",
    "change_proposed",
    "apply_change",
    "settings_changed",
    "reset",
]

PATHS = ("path", "paths", "from", "to")
"""The fields of an event's data that hold paths of notes, one or several."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event; ids grow by one and start again with the process."""

    id: int
    kind: EventKind
    vault: str | None
    data: Mapping[str, Any]


class Events:
    """Publishes events to bounded subscriber queues and remembers the last ones."""

    def __init__(self, first_id: int = 1, remembered: int = 1000, waiting: int = 1000) -> None:
        """Start empty.

        Args:
            first_id: The id of the first event; a clock value, so that ids of an earlier run are not mistaken for ours.
            remembered: How many past events can be replayed.
            waiting: How many events a slow subscriber may lag before its queue is replaced by a `reset`.
        """
        self._next = first_id
        self._past: deque[Event] = deque(maxlen=remembered)
        self._waiting = waiting
        self._queues: set[asyncio.Queue[Event]] = set()
        self._denies: dict[str, Callable[[str], bool]] = {}

    def hide(self, vault: str, denies: Callable[[str], bool]) -> None:
        """Publish nothing about some notes of a vault from now on, and drop past events about them.

        Args:
            vault: The vault.
            denies: Says which paths are hidden; replaces the vault's previous rule.
        """
        self._denies[vault] = denies
        self._past = deque(filter(self._may_be_told, self._past), self._past.maxlen)
        for queue in self._queues:
            waiting = [queue.get_nowait() for _ in range(queue.qsize())]
            for event in filter(self._may_be_told, waiting):
                queue.put_nowait(event)

    def _may_be_told(self, event: Event) -> bool:
        denies = self._denies.get(event.vault) if event.vault is not None else None
        return denies is None or not any(map(denies, event_paths(event.data)))

    def publish(self, kind: EventKind, vault: str | None, **data: Any) -> None:
        """Send an event to every subscriber; call from the event loop's thread."""
        event = Event(self._next, kind, vault, data)
        if not self._may_be_told(event):
            return
        self._next += 1
        self._past.append(event)
        for queue in self._queues:
            if queue.full():
                while not queue.empty():
                    queue.get_nowait()
                queue.put_nowait(Event(event.id, "reset", None, {}))
            else:
                queue.put_nowait(event)

    def since(self, last_id: int) -> list[Event]:
        """Return the events after `last_id`, or one `reset` event if that id is no longer known."""
        oldest = self._past[0].id if self._past else self._next
        if oldest - 1 <= last_id < self._next:
            return [e for e in self._past if e.id > last_id]
        return [Event(self._next - 1, "reset", None, {})]

    @contextmanager
    def subscribed(self) -> Iterator[asyncio.Queue[Event]]:
        """Yield a queue that receives every event until the block is left."""
        queue: asyncio.Queue[Event] = asyncio.Queue(self._waiting)
        self._queues.add(queue)
        try:
            yield queue
        finally:
            self._queues.discard(queue)


def event_paths(data: Mapping[str, Any]) -> Iterator[str]:
    """Yield the paths of notes in an event's data."""
    for held in (data[name] for name in PATHS if name in data):
        yield from (held,) if isinstance(held, str) else held
