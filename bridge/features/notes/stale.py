"""Notes that are old, and that other notes still lean upon."""

import asyncio
import math
import re
import time
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Annotated, Final

from msgspec import Meta

from bridge.api.call import Call
from bridge.api.hints import Folder, Limit
from bridge.api.markup import Column, Element, Table, notice, notices
from bridge.api.moments import iso
from bridge.api.note_names import unknown_names
from bridge.api.note_text import open_note
from bridge.api.note_times import NoteTimes
from bridge.api.registry import operation
from bridge.api.where import choose_among
from bridge.engine.analytics import GraphSnapshot
from bridge.engine.open_vault import OpenVault
from bridge.errors import BridgeError
from bridge.features.properties.public import NAME_PATTERNS, kind_of_value, without_templates
from bridge.index.note import IndexedNote
from bridge.markdown.kinds import title_of
from bridge.markdown.prose import protected_spans
from bridge.records import Record
from bridge.state.call_log import DAY_S
from bridge.text.counts import count_of, count_shown
from bridge.text.lines import LineIndex
from bridge.types import Among, VaultPath
from bridge.vault.obsidian_settings import read_obsidian_settings

RECENT_DAYS: Final = 30
"""A note that links to another counts more if it was modified in these days."""

READ_PER_LISTED: Final = 3

MAX_WORDS: Final = 3
"""Words that age, of one note, that are told."""

DUE_NAMES: Final = frozenset({"due", "deadline", "review", "expires", "valid until", "valid_until", "until", "end"})
"""Properties with a day by which something was to be done."""

AGEING_WORDS: Final = re.compile(
    r"\b(?:currently|at the moment|right now|nowadays|at present|as of (?:now|today)|upcoming|"
    r"(?:this|next|last) (?:week|month|quarter|year)|"
    r"derzeit|zurzeit|momentan|im Moment|aktuell|demnächst|"
    r"(?:diese[nrs]?|nächste[nrs]?|letzte[nrs]?) (?:Woche|Monat|Quartal|Jahr)|"
    r"actuellement|en ce moment|cette année|ce mois-ci|"
    r"actualmente|en este momento|este año|este mes)\b",
    re.IGNORECASE,
)
"""Words that were true when they were written."""


class StaleNote(Record):
    """A note that should be looked through.

    Attributes:
        path: The note.
        title: Its title.
        modified: When it was last modified: after a copy of the vault, by its properties or git, as far as they tell.
        age_days: Whole days since then.
        backlinks: Notes that link to it.
        score: How much looking through it would matter; comparable within one answer only.
        why: What speaks for it, such as who leans on it and which words age.
    """

    path: VaultPath
    title: str
    modified: str
    age_days: int
    backlinks: int
    score: float
    why: tuple[str, ...]


class StaleNotes(Record):
    """Notes that are old and leaned upon.

    Attributes:
        notes: The most urgent first.
        total: Count before `limit`.
        notices: Remarks, such as on a missing folder.
    """

    notes: tuple[StaleNote, ...]
    total: int
    notices: tuple[str, ...] = ()


@operation(
    example={"days": 180, "limit": 3},
    tasks=(
        "old notes that other notes rely on",
        "which notes are out of date",
        "notes to review because they have not been touched for long",
        "outdated but important notes",
    ),
)
async def stale_notes(
    call: Call,
    days: Annotated[int, Meta(ge=1, le=36_500)] = 180,
    folder: Folder | None = None,
    limit: Limit = 20,
    among: Among | None = None,
) -> StaleNotes:
    """List notes that were not modified for long although others link to them, with what speaks for a review.

    Notes named after a day are left out.

    Args:
        days: Days for which a note was not modified.
        folder: Only notes under this folder.
        limit: Maximum notes.
        among: `notes` (the default) omits the agents' folder unless it is named; `agents` is only that folder.
    """
    vault = call.vault
    vault.require_keyword()
    graph_snapshot = await vault.graph_snapshot(choose_among(vault, among, (folder,)))

    def find() -> StaleNotes:
        now = time.time()
        times = NoteTimes.of(graph_snapshot.notes.values(), vault.root, commits=True)
        ranked = sorted(
            rank_notes(vault, graph_snapshot, times, folder, now, days),
            key=lambda one: (-one[0], one[1].path),
        )
        read = [
            describe_note(vault, graph_snapshot, times, note, score, now)
            for score, note in ranked[: READ_PER_LISTED * limit]
        ]
        best = sorted(read, key=lambda one: (-one.score, one.path))[:limit]
        return StaleNotes(tuple(best), len(ranked), unknown_names(graph_snapshot.notes, folder))

    return await asyncio.to_thread(find)


def rank_notes(
    vault: OpenVault,
    graph_snapshot: GraphSnapshot,
    times: NoteTimes,
    folder: str | None,
    now: float,
    days: int,
) -> Iterator[tuple[float, IndexedNote]]:
    inside = f"{folder.strip('/')}/" if folder and folder.strip("/") else ""
    for note in without_templates(vault, list(graph_snapshot.notes.values())):
        age = (now - (times.modification_time(note) or now)) / DAY_S
        if age < days or not note.path.startswith(inside) or NAME_PATTERNS["YYYY-MM-DD"].fullmatch(title_of(note.path)):
            continue
        sources = graph_snapshot.graph.linked_from(note.path)
        if sources:
            recent = len(recent_sources(graph_snapshot, times, note.path, now))
            yield math.log2(1 + age / days) * math.log2(2 + len(sources)) * (1 + math.log2(1 + recent)), note


def recent_sources(graph_snapshot: GraphSnapshot, times: NoteTimes, path: VaultPath, now: float) -> list[VaultPath]:
    notes = graph_snapshot.notes
    sources = (notes[each] for each in graph_snapshot.graph.linked_from(path) if each in notes)
    changed = {note.path: times.modification_time(note) or 0.0 for note in sources}
    recent = [path for path, at in changed.items() if now - at < RECENT_DAYS * DAY_S]
    return sorted(recent, key=lambda path: (-changed[path], path))


def describe_note(
    vault: OpenVault, graph_snapshot: GraphSnapshot, times: NoteTimes, note: IndexedNote, score: float, now: float
) -> StaleNote:
    """Return a note with what speaks for looking it through; words that age and days that are over raise its score."""
    modified = times.modification_time(note) or now
    age, sources = int((now - modified) // DAY_S), graph_snapshot.graph.linked_from(note.path)
    recent = recent_sources(graph_snapshot, times, note.path, now)
    why = [f"not modified for {count_of(age, 'day')}", f"linked from {count_of(len(sources), 'note')}"]
    if recent:
        more = f" and {len(recent) - 1} more" if len(recent) > 1 else ""
        why.append(f"linked from `{recent[0]}`{more}, changed lately")
    today = datetime.fromtimestamp(now).astimezone().date().isoformat()
    signs = [*ageing_words(vault, note.path), *past_days(vault, note, today)]
    return StaleNote(
        path=note.path,
        title=note.title,
        modified=iso(modified),
        age_days=age,
        backlinks=len(sources),
        score=round(score * (1 + len(signs) / 4), 3),
        why=(*why, *signs),
    )


def ageing_words(vault: OpenVault, path: VaultPath) -> Iterator[str]:
    if not path.lower().endswith(".md"):
        return
    try:
        note = open_note(vault, path)
    except BridgeError:
        return
    lines, spans, told = LineIndex(note.text), protected_spans(note, None), 0
    for found in AGEING_WORDS.finditer(note.text):
        if told < MAX_WORDS and not any(start < found.end() and found.start() < end for start, end in spans):
            told += 1
            yield f"says “{found[0]}” in line {lines.at(found.start())}"


def past_days(vault: OpenVault, note: IndexedNote, today: str) -> Iterator[str]:
    """Yield what should have been done by now: open tasks, and properties such as `due`."""
    is_open = read_obsidian_settings(vault.root).tasks.is_open
    late = [task for task in note.tasks if task.due and task.due < today and is_open(task.status)]
    if late:
        yield f"{count_of(len(late), 'open task')} overdue, the first since {min(task.due or '' for task in late)}"
    for name, value in note.properties.items():
        is_day = isinstance(value, str) and kind_of_value(value) in ("date", "datetime")
        if is_day and name.casefold() in DUE_NAMES and str(value)[:10] < today:
            yield f"`{name}` was {str(value)[:10]}"


STALE_NOTE = (
    Column("path", role="path"),
    Column("age_days", " · {} days"),
    Column("backlinks", " · {} backlinks"),
    Column("why", " · {}", value=lambda note: "; ".join(note.why[2:])),
    Column("score", " · {}", pipe=True),
)


def stale_notes_view(stale: StaleNotes) -> Iterable[Element]:
    """Show stale notes, one per line, the most urgent first."""
    yield notice(count_shown(len(stale.notes), stale.total, "note"))
    yield from notices(stale.notices)
    yield Table(STALE_NOTE, stale.notes)
