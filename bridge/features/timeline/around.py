"""What happened in a vault around a day."""

import asyncio
from collections.abc import Iterable, Iterator, Sized
from datetime import UTC, datetime, time, timedelta
from datetime import date as day_of_calendar
from typing import Annotated, Final

from annotated_types import Interval, MaxLen

from bridge.api.call import Call
from bridge.api.creation import creation_time
from bridge.api.hints import Limit
from bridge.api.moments import iso
from bridge.api.registry import operation
from bridge.api.vault_notes import snapshot
from bridge.api.where import choose_among
from bridge.engine.open_vault import OpenVault
from bridge.errors import BridgeError
from bridge.index.note import IndexedNote
from bridge.markdown.tasks import TaskSettings, parse_task
from bridge.records import dataclass
from bridge.state.change_records import ChangeFilter
from bridge.state.session_log import SessionFilter
from bridge.types import Among, Day, VaultPath
from bridge.vault.obsidian_settings import daily_path, read_obsidian_settings

MOST_CHANGES: Final = 1_000
"""Changes that are counted."""


@dataclass(frozen=True, slots=True)
class DatedNote:
    """A note, and when something happened to it.

    Attributes:
        path: The note.
        title: Its title.
        time: When it happened.
    """

    path: VaultPath
    title: str
    time: str


@dataclass(frozen=True, slots=True)
class DatedTask:
    """A task that is due, or was done, on a day.

    Attributes:
        path: Its note.
        line: Its line.
        text: Its text.
        day: The day.
        open: Whether it is neither done nor cancelled.
    """

    path: VaultPath
    line: int
    text: str
    day: str
    open: bool


@dataclass(frozen=True, slots=True)
class DatedChange:
    """A change that was made through the bridge.

    Attributes:
        id: Its id, for `show_change`.
        time: When it was made.
        client: Who made it; null for the user.
        operation: The operation.
        reason: Why, if that was said.
        paths: The files it touched, at most 10.
    """

    id: str
    time: str
    client: str | None
    operation: str
    reason: str | None
    paths: tuple[VaultPath, ...]


@dataclass(frozen=True, slots=True)
class DatedSession:
    """A session of a client.

    Attributes:
        id: Its id.
        client: The client.
        started: When its first call began.
        note: Its journal, if there is one.
    """

    id: str
    client: str | None
    started: str
    note: VaultPath | None


@dataclass(frozen=True, slots=True)
class AroundDate:
    """What happened around a day.

    Attributes:
        first: The first day that is looked at.
        last: The last day.
        daily: The daily notes of these days that exist, earliest first.
        created: Notes created then, as far as that is known, earliest first.
        modified: Notes last modified then, latest first.
        due: Tasks due then, open ones first.
        done: Tasks done then, by the date that they name.
        changes: Changes through the bridge, newest first.
        sessions: Sessions of clients that lasted into these days, last begun first.
        totals: Counts of each list before `limit`.
    """

    first: str
    last: str
    daily: tuple[VaultPath, ...]
    created: tuple[DatedNote, ...]
    modified: tuple[DatedNote, ...]
    due: tuple[DatedTask, ...]
    done: tuple[DatedTask, ...]
    changes: tuple[DatedChange, ...]
    sessions: tuple[DatedSession, ...]
    totals: dict[str, int]


@operation(
    example={"date": "2026-01-31", "days": 3, "limit": 5},
    tasks=(
        "what happened around a day",
        "what was I working on in that week",
        "notes, tasks and changes around a date",
        "what was due and what got done around a day",
    ),
)
async def around_date(
    call: Call,
    date: Annotated[Day, MaxLen(40)],
    days: Annotated[int, Interval(ge=0, le=366)] = 3,
    limit: Limit = 20,
    among: Among | None = None,
) -> AroundDate:
    """Tell what happened around a day: daily notes, notes created and modified, tasks, changes and sessions.

    Args:
        date: The day.
        days: Days before and after it.
        limit: Maximum entries of each kind.
        among: `notes` (the default) omits the agents' folder unless it is named; `agents` is only that folder.
    """
    vault = call.vault
    vault.require_keyword()
    day = day_of_calendar.fromisoformat(date)
    notes = snapshot(vault, choose_among(vault, among))
    return await asyncio.to_thread(gather_days, vault, notes.values(), day, days, limit)


def gather_days(
    vault: OpenVault, notes: Iterable[IndexedNote], day: day_of_calendar, days: int, limit: int
) -> AroundDate:
    first = max(day_of_calendar.min, day - timedelta(days=min(days, (day - day_of_calendar.min).days)))
    last = day + timedelta(days=min(days, (day_of_calendar.max - day).days - 1))
    since, until = (start_of(each) for each in (first, last + timedelta(days=1)))
    known, settings = list(notes), read_obsidian_settings(vault.root).tasks
    made = [(at, note) for note in known if (at := creation_time(note, vault.root)) is not None and since <= at < until]
    modified = [(note.modified, note) for note in known if since <= note.modified < until]
    tasks = [task for note in known if note.packed_tasks for task in dated_tasks(settings, note, first, last)]
    due = sorted(
        (one for kind, one in tasks if kind == "due"), key=lambda one: (not one.open, one.day, one.path, one.line)
    )
    done = sorted((one for kind, one in tasks if kind == "done"), key=lambda one: (one.day, one.path, one.line))
    changes, sessions = changes_between(vault, since, until), sessions_between(vault, since, until)
    lists: dict[str, Sized] = {
        "created": made,
        "modified": modified,
        "due": due,
        "done": done,
        "changes": changes,
        "sessions": sessions,
    }
    return AroundDate(
        first=first.isoformat(),
        last=last.isoformat(),
        daily=tuple(existing_daily_notes(vault, {note.path for note in known}, first, last)),
        created=tuple(map(describe, sorted(made, key=lambda each: (each[0], each[1].path))[:limit])),
        modified=tuple(map(describe, sorted(modified, key=lambda each: (-each[0], each[1].path))[:limit])),
        due=tuple(due[:limit]),
        done=tuple(done[:limit]),
        changes=tuple(changes[:limit]),
        sessions=tuple(sessions[:limit]),
        totals={name: len(found) for name, found in lists.items()},
    )


def start_of(day: day_of_calendar) -> float:
    """Return local midnight at the start of a day, in seconds since 1970; at the ends of the calendar, that of UTC."""
    midnight = datetime.combine(day, time())
    try:
        return midnight.astimezone().timestamp()
    except (ValueError, OverflowError, OSError):
        return midnight.replace(tzinfo=UTC).timestamp()


def describe(dated: tuple[float, IndexedNote]) -> DatedNote:
    """Return a note with when something happened to it."""
    return DatedNote(dated[1].path, dated[1].title, iso(dated[0]))


def dated_tasks(
    settings: TaskSettings, note: IndexedNote, first: day_of_calendar, last: day_of_calendar
) -> Iterator[tuple[str, DatedTask]]:
    begin, end = first.isoformat(), last.isoformat()
    for task in note.tasks:
        facts = parse_task(task.text)
        is_open = settings.is_open(task.status)
        for kind, day in (("due", task.due), ("done", facts.done)):
            if day is not None and begin <= day <= end:
                yield kind, DatedTask(note.path, task.line, facts.text, day, is_open)


def changes_between(vault: OpenVault, since: float, until: float) -> list[DatedChange]:
    found = vault.review.changes(ChangeFilter(since=since, until=until, state="applied"), MOST_CHANGES, 0)
    return [
        DatedChange(
            one.id,
            iso(one.time),
            one.client,
            one.operation,
            one.reason,
            tuple(dict.fromkeys(step.path for step in one.steps if not step.kind.endswith("_folder")))[:10],
        )
        for one in found
    ]


def sessions_between(vault: OpenVault, since: float, until: float) -> list[DatedSession]:
    vault.store.calls.flush()
    found, _ = vault.store.sessions.page(SessionFilter(since=since, until=until), MOST_CHANGES, 0)
    return [
        DatedSession(one.id, one.client, iso(one.started), one.note if one.note in vault.index.notes else None)
        for one in found
    ]


def existing_daily_notes(
    vault: OpenVault, paths: set[VaultPath], first: day_of_calendar, last: day_of_calendar
) -> Iterator[VaultPath]:
    """Yield the daily notes of some days; none if Obsidian's settings name no file."""
    settings = read_obsidian_settings(vault.root)
    for away in range((last - first).days + 1):
        try:
            path = daily_path(settings, first + timedelta(days=away))
        except (BridgeError, ValueError, OverflowError):
            # No name in the settings, or a day that has no local time.
            return
        if path in paths:
            yield path
