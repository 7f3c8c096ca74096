"""How a name or a note came up in the notes, week by week or month by month."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from datetime import date as day_of_calendar
from datetime import datetime
from typing import Annotated, Final, Literal

from msgspec import Meta

from bridge.api.call import Call
from bridge.api.markup import Element, Line, notice, notices, path_of
from bridge.api.note_names import snapshot
from bridge.api.note_text import line_at, open_note
from bridge.api.note_times import NoteTimes
from bridge.api.registry import operation
from bridge.api.where import choose_among
from bridge.engine.open_vault import OpenVault
from bridge.errors import BridgeError
from bridge.features.links.public import NameFinder, NoteName
from bridge.index.note import IndexedNote, day_in_name
from bridge.records import Record
from bridge.text.counts import count_of
from bridge.text.invisible import inline
from bridge.text.sentence import sentence_at
from bridge.types import Among, VaultPath

SENTENCES: Final = 3
"""Sentences of one period."""

NEIGHBOURS: Final = 5
MAX_NOTES: Final = 10


class CourseSentence(Record):
    """A sentence that names the subject.

    Attributes:
        path: The note.
        line: Its line.
        text: The sentence.
    """

    path: VaultPath
    line: int
    text: str


class CoursePeriod(Record):
    """One week or month.

    Attributes:
        period: Such as `2026-W05` or `2026-01`.
        notes: Notes of the period that name or link the subject, at most 10.
        total: How many there are.
        neighbours: Notes that these link to, and none of an earlier period did, at most 5.
        sentences: Sentences that name the subject, at most 3.
    """

    period: str
    notes: tuple[VaultPath, ...]
    total: int
    neighbours: tuple[VaultPath, ...]
    sentences: tuple[CourseSentence, ...]


class EntityCourse(Record):
    """How a subject came up over time.

    Attributes:
        path: The note of the subject; null if no note has the name.
        names: The names that were looked for.
        periods: The periods in which it came up, the latest first.
        total: Periods before `limit`.
        notices: Remarks, such as that nothing names it.
    """

    path: VaultPath | None
    names: tuple[str, ...]
    periods: tuple[CoursePeriod, ...]
    total: int
    notices: tuple[str, ...] = ()


@operation(
    example={"subject": "Sourdough starter", "by": "month", "limit": 3},
    tasks=(
        "how a topic or person came up over time",
        "mentions of a name by month",
        "evolution of a note week by week",
        "when did I write about a person",
    ),
)
async def entity_course(
    call: Call,
    subject: Annotated[str, Meta(min_length=1, max_length=1_000)],
    by: Literal["week", "month"] = "month",
    limit: Annotated[int, Meta(ge=1, le=120)] = 12,
    among: Among | None = None,
) -> EntityCourse:
    """Follow a note or name through time: for each week or month, the notes that name or link it, with sentences.

    A note belongs to the day in its file name, else to the day of its creation, else to that of its last change.

    Args:
        subject: A note, or a name that need not have one.
        by: The length of a period.
        limit: Maximum periods.
        among: `notes` (the default) omits the agents' folder unless it is named; `agents` is only that folder.
    """
    vault = call.vault
    resolved_links = await vault.resolved_links()
    notes = snapshot(vault, choose_among(vault, among, (subject,)))
    own = vault.names.resolve(subject, VaultPath("")).path
    path = own if own in notes else None
    names = (notes[path].title, *notes[path].aliases) if path else (subject.strip(),)
    finder = NameFinder(NoteName(path or VaultPath(""), name, alias=at > 0) for at, name in enumerate(names))
    texts = await vault.index.wholes()

    def follow() -> EntityCourse:
        linking = set(resolved_links.sources(path)) if path else set[VaultPath]()
        if path is None:
            folded = subject.strip().casefold()
            linking = {one.path for one in notes.values() if folded in (name.casefold() for name, _ in one.targets)}
        naming = {each for each, text in texts.items() if each in notes and finder.forms(text)}
        found = (linking & notes.keys()) | naming
        times = NoteTimes.of(notes.values(), vault.root, commits=True)
        dated: defaultdict[str, list[IndexedNote]] = defaultdict(list)
        for each in sorted(found - {path}):
            dated[period_of(day_of(notes[each], times), by)].append(notes[each])
        periods = describe_periods(vault, dated, finder, path, limit)
        nothing = () if found else (f"No other note names or links “{subject}”.",)
        return EntityCourse(path, names, periods, len(dated), nothing)

    return await asyncio.to_thread(follow)


def day_of(note: IndexedNote, times: NoteTimes) -> day_of_calendar:
    if (named := day_in_name(note.path)) is not None:
        return named
    seconds = times.creation_time(note) or times.modification_time(note) or note.mtime
    return datetime.fromtimestamp(seconds).astimezone().date()


def period_of(day: day_of_calendar, by: Literal["week", "month"]) -> str:
    """Return the name of the week or month of a day; names sort by time."""
    year, week, _ = day.isocalendar()
    return f"{year:04}-W{week:02}" if by == "week" else f"{day.year:04}-{day.month:02}"


def describe_periods(
    vault: OpenVault,
    dated: Mapping[str, list[IndexedNote]],
    finder: NameFinder,
    path: VaultPath | None,
    limit: int,
) -> tuple[CoursePeriod, ...]:
    """Describe the latest periods; what counts as new is counted from the first."""
    met: set[VaultPath] = set()
    new: dict[str, list[VaultPath]] = {}
    for period in sorted(dated):
        linked = Counter(target for note in dated[period] for target in targets_of(vault, note) if target != path)
        new[period] = [target for target, _ in sorted(linked.items(), key=lambda each: (-each[1], each[0]))]
        new[period] = [target for target in new[period] if target not in met]
        met |= linked.keys()
    return tuple(
        CoursePeriod(
            period,
            tuple(note.path for note in dated[period])[:MAX_NOTES],
            len(dated[period]),
            tuple(new[period][:NEIGHBOURS]),
            tuple(sentences_of(vault, dated[period], finder, path)),
        )
        for period in sorted(dated, reverse=True)[:limit]
    )


def targets_of(vault: OpenVault, note: IndexedNote) -> set[VaultPath]:
    found = (vault.names.resolve(target, note.path, kind).path for target, kind in note.targets)
    return {path for path in found if path is not None and path != note.path and path in vault.index.notes}


def sentences_of(
    vault: OpenVault, notes: Iterable[IndexedNote], finder: NameFinder, path: VaultPath | None
) -> list[CourseSentence]:
    told: list[CourseSentence] = []
    for indexed in notes:
        if len(told) == SENTENCES:
            break
        try:
            note = open_note(vault, indexed.path)
        except BridgeError:
            continue
        links = (
            link.span
            for link in note.links
            if path is not None and vault.names.resolve(link.target, note.path, link.kind).path == path
        )
        mentions = (mention.span for mention in finder.mentions(note.text))
        span = min((*links, *mentions), default=None)
        if span is not None:
            told.append(CourseSentence(note.path, line_at(note.text, span[0]), sentence_at(note.text, span)))
    return told


def entity_course_view(course: EntityCourse) -> Iterable[Element]:
    yield from notices(course.notices)
    if len(course.periods) < course.total:
        yield notice(f"{len(course.periods)} of {count_of(course.total, 'period')}")
    for period in course.periods:
        yield Line(f"{period.period} · {count_of(period.total, 'note')}")
        for path in period.notes:
            yield Line("  ", path_of(path))
        for path in period.neighbours:
            yield Line("  new: ", path_of(path))
        for one in period.sentences:
            yield Line("  ", path_of(one.path, f":{one.line}"), f" · {inline(one.text)}")
