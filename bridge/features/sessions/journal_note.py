"""A journal as Markdown: the note about one session.

What the agent handed over stands in quotes and in items that begin with a time; it is read back from the note when that
is written again, so that no other place keeps these words. All else follows from the records of calls and changes, and
what it quotes from the notes of the session stands in quotation marks.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from msgspec.structs import asdict, replace

from bridge.errors import meaning_of
from bridge.features.sessions.statements import JournalStatement, Stated, Told, find_likeness
from bridge.markdown.names import note_name
from bridge.markdown.note import field_of
from bridge.markdown.sections import quote_lines, read_sections, write_section
from bridge.records import Record
from bridge.text.budget import cut, shorten
from bridge.text.counts import count_of, join_some
from bridge.text.invisible import replace_surrogates, visible_text
from bridge.types import VaultPath

LISTS: Final = ("actions", "decisions", "problems", "outcomes", "questions")
"""The words that are lists of entries; the others are one text."""


class JournalLine(Record):
    """A line that was handed over, with the local time at which that happened; one that was quoted has none."""

    time: str
    text: str


class JournalWords(Record):
    """What an agent handed over for its journal; also, in one that was read, what that quotes."""

    goal: str = ""
    summary: str = ""
    where_left_off: str | None = None
    """None where nothing is said of it; an empty text takes back what was said before."""
    excerpt: str = ""
    actions: tuple[JournalLine, ...] = ()
    decisions: tuple[JournalLine, ...] = ()
    problems: tuple[JournalLine, ...] = ()
    outcomes: tuple[JournalLine, ...] = ()
    questions: tuple[JournalLine, ...] = ()
    model: str = ""
    cost_usd: float | None = None

    def merge(self, later: "JournalWords") -> "JournalWords":
        """Return both without what was quoted: lists are joined, other values replaced where given."""
        values: dict[str, Any] = {}
        for name, own in asdict(self).items():
            new = getattr(later, name)
            if isinstance(own, tuple):
                said = [entry for entry in own if entry.time]
                known = {entry.text for entry in said}
                values[name] = (*said, *(entry for entry in new if entry.text not in known))
            else:
                values[name] = own if new is None or (new == "" and name != "where_left_off") else new
        return JournalWords(**values)


class ChangedNote(Record):
    """A note that was changed, with the numbers of lines."""

    path: VaultPath
    added: int = 0
    removed: int = 0
    was: VaultPath | None = None
    """Its path before it was moved."""
    of_agents: bool = False
    """Whether it is in the agents' folder."""
    is_gone: bool = False
    """Whether it was removed."""
    exists: bool = True


class ChangeBatch(Record):
    """What changes of one operation did, or would do.

    The notes stand in the order in which most was changed.
    """

    operation: str
    notes: tuple[ChangedNote, ...]
    reasons: tuple[str, ...] = ()
    renames: tuple[tuple[str, str], ...] = ()
    """What was replaced in many notes by what, such as a tag; empty if there is none."""


class Failure(Record):
    """A call that failed, and what it was for was not done later."""

    tool: str
    code: str
    paths: tuple[VaultPath, ...] = ()
    writes: bool = False
    """Whether it would have changed something."""
    cause: str = ""
    """Why, where that says more than the code."""
    count: int = 1


class JournalFacts(Record):
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
    changes: tuple[ChangeBatch, ...] = ()
    undone: tuple[ChangeBatch, ...] = ()
    proposed: tuple[ChangeBatch, ...] = ()
    """What waits for the user."""
    failures: tuple[Failure, ...] = ()
    commits: tuple[str, ...] = ()
    """The commits of its changes in git."""
    summary: str = ""
    """Sentences of what it wrote into notes."""
    statements: tuple[JournalStatement, ...] = ()
    """What it wrote there in so many words."""
    goal: str = ""
    """The goal that it handed over."""
    next_action: str = ""
    """What it handed over as the next thing to do."""
    previous: VaultPath | None = None
    """The journal of the client's session before, if it tells of the same notes."""

    @property
    def changed_notes(self) -> dict[VaultPath, ChangedNote]:
        """The notes that were changed, the user's before those of agents, the most changed first."""
        notes = sorted((note for one in self.changes for note in one.notes), key=note_rank)
        return {note.path: note for note in notes}

    @property
    def reasons(self) -> str:
        """Why the operation that changed most was called."""
        return "; ".join(_short(reason).rstrip(".") for one in self.changes[:1] for reason in one.reasons[:MAX_REASONS])

    @property
    def is_notable(self) -> bool:
        """Whether it did what a later session would ask for: more than memories, and a property or box or two."""
        batches = [one for one in (*self.changes, *self.proposed) if one.operation != "take_over"]
        small = {note.path for one in batches for note in one.notes if one.operation in SMALL_OPERATIONS}
        return any(
            one.operation == "hand_over" or not all(note.of_agents for note in one.notes)
            for one in batches
            if one.operation not in SMALL_OPERATIONS or len(small) > MAX_SMALL_CHANGES
        )

    @property
    def has_work(self) -> bool:
        """Whether the session did more than ask."""
        return self.has_changes or bool(self.read or self.failures)

    @property
    def has_changes(self) -> bool:
        """Whether it changed something, or tried to; taking over a handoff is only reading."""
        return any(one.operation != "take_over" for one in (*self.changes, *self.undone, *self.proposed))


def lines_changed(note: ChangedNote) -> int:
    return note.added + note.removed


def note_rank(note: ChangedNote) -> tuple[bool, bool, int]:
    """Return what orders changed notes: the user's come first, then what was moved or removed, and the most changed."""
    return note.of_agents, note.was is None and not note.is_gone, -lines_changed(note)


SMALL_OPERATIONS: Final = frozenset(("set_properties", "toggle_task"))
MAX_SMALL_CHANGES: Final = 2
"""Notes up to which changes by these operations need no account."""

WRITE: Final = "write_journal"
"""The operation under which journals are listed that the bridge writes by itself."""

JOURNAL_OPERATIONS: Final = frozenset({WRITE, "save_session", "note_down"})
"""Operations that write journals; `note_down` is of an earlier version, whose changes are in the history."""

TYPE: Final = "journal"
"""The value of the property `type` that makes a note a journal."""

LATER_HEADING: Final = "Later"
"""The heading below which facts are added to a journal that somebody has edited."""

PROPERTY_LENGTH: Final = 300
"""Most characters of a text in a property; the body has all of it."""

_PLACE: Final = re.compile(r" \(written in (?:\[\[.*\]\]|`.*`), line \d+\)\Z")
"""What a journal adds to a word that was handed over and that a note says as well."""
_ENTRY: Final = re.compile(r"- (?:(\d\d:\d\d) (.*)|((?:To do: )?)“(.*)” \(.*\))")
LINK: Final = re.compile(r"!?\[\[(?:[^\[\]|]*+\|)?([^\[\]]*+)\]\]|!?\[([^\[\]]*+)\]\([^)\n]{0,1000}\)")
_BAD_IN_NAME: Final = re.compile(r'[\x00-\x1f\\/:*?"<>|#^\[\]]+')


SECTIONS: Final = {
    "Goal": "goal",
    "Summary": "summary",
    "Approach": "actions",
    "Key decisions": "decisions",
    "Problems": "problems",
    "Outcome": "outcomes",
    "Changes": "",
    "Open questions": "questions",
    "Where it left off": "where_left_off",
    "Excerpt": "excerpt",
    "Related": "",
}
"""The headings in order, each with the words that it holds."""

MAX_FILES: Final = 10
"""Notes that are named in the properties, and notes of one operation up to which some are linked to."""

MAX_LINKS: Final = 3
"""Links of one line: each is a backlink of its note."""

MAX_TERM_CHARS: Final = 80
"""Most characters that are shown of a text that was replaced."""

MISTAKES: Final = frozenset(
    (
        *("invalid_arguments", "no_such_operation", "note_not_found", "folder_not_found", "heading_not_found"),
        *("block_not_found", "text_not_found", "change_not_found", "job_not_found", "ambiguous_heading"),
    )
)
"""Codes of calls in which only their caller has to correct something."""

MAX_RELATED: Final = 10
MAX_REASONS: Final = 3
TO_DO: Final = "To do: "
"""What precedes a task that was written."""

NO_CHANGES: Final = "Nothing was changed."
"""What stands below the changes of a session all of which were refused."""


def journal_name(client: str, started: datetime) -> str:
    """Return the name of a session's journal, without its extension."""
    name = " ".join(_BAD_IN_NAME.sub(" ", visible_text(client)).split()).strip(". ")[:60] or "agent"
    return f"{started:%Y-%m-%d %H%M} {name}"


def journal_properties(words: JournalWords, facts: JournalFacts) -> dict[str, Any]:
    """Return the properties of a journal; those without a value are left out."""
    minutes = (facts.until - facts.started).total_seconds() / 60
    values: dict[str, Any] = {
        "id": f"{TYPE}-{facts.started:%Y%m%d}-{facts.session}",
        "type": TYPE,
        "title": journal_title(words, facts),
        "status": _status(words, facts),
        "created": facts.started.isoformat(timespec="seconds"),
        "updated": facts.until.isoformat(timespec="seconds"),
        "agent": facts.client,
        "model": _short(words.model),
        "session": facts.session,
        "goal": _short(words.goal) or _short(facts.goal),
        "summary": _short(words.summary) or _short(facts.summary),
        "where_left_off": _short(words.where_left_off or facts.next_action),
        "files": [replace_surrogates(path) for path, note in facts.changed_notes.items() if note.exists][:MAX_FILES],
        "commits": list(facts.commits),
        "duration_minutes": max(0, round(minutes)),
        "calls": facts.calls,
        "tokens": facts.tokens,
        "cost_usd": words.cost_usd,
        "promoted": False,
    }
    return {name: value for name, value in values.items() if value not in ("", None, [])}


def _status(words: JournalWords, facts: JournalFacts) -> str:
    """Return how a session ended: of one that said nothing, `incomplete` where it failed at what it would change."""
    is_said = words.goal or words.summary or any(one.time for name in LISTS for one in getattr(words, name))
    has_failed = any(one.writes for one in facts.failures)
    return "incomplete" if facts.status == "completed" and has_failed and not is_said else facts.status


def journal_title(words: JournalWords, facts: JournalFacts) -> str:
    """Return what the session was about: its goal, a decision, the note that it changed most, or those that it read."""
    decided = [entry.text for entry in words.decisions]
    decided += [one.text for one in facts.statements if one.what == "decision"]
    because = facts.reasons
    if because and len(facts.changes[0].notes) == 1 and (name := _name(facts.changes[0].notes[0].path)) not in because:
        because = f"{name}: {because}"
    if said := next(filter(None, map(_short, (words.goal, facts.goal, words.summary, because, *decided[:1]))), ""):
        return cut(said, 80)
    largest = max(facts.changes, key=lambda one: len(one.notes), default=None)
    if largest is not None and len(largest.notes) > MAX_FILES:
        return _batch_text(largest).replace("`", "")
    if main := next(iter(facts.changed_notes), None):
        return _name(main)
    if facts.undone:
        return f"{_name(facts.undone[0].notes[0].path)}, undone"
    said = next((one.text for name in LISTS for one in getattr(words, name)), "") or words.where_left_off or ""
    return cut(_short(said), 80) or _read_text([path for path, _ in facts.read]) or f"Session of {facts.client}"


def _read_text(paths: Sequence[VaultPath]) -> str:
    folders = {path.rpartition("/")[0] for path in paths}
    if len(paths) > 1 and len(folders) == 1 and (folder := folders.pop()):
        return f"Read {count_of(len(paths), 'note')} in {replace_surrogates(folder)}"
    more = f" and {count_of(len(paths) - 1, 'other note')}" if len(paths) > 1 else ""
    return f"Read {_name(paths[0])}{more}" if paths else ""


def write_body(words: JournalWords, facts: JournalFacts) -> str:
    placed = place_words(words, facts)
    parts, recorded = [f"# {journal_title(words, facts)}\n"], recorded_lines(words, facts, placed)
    for heading, name in SECTIONS.items():
        said = getattr(words, name) if name else ()
        if name in LISTS:
            said = [replace(one, text=f"{one.text}{_place_text(placed.get(one.text))}") for one in said]
        lines = quote_lines(said or "") if isinstance(said, str | None) else _items(said)
        more = recorded.get(heading, ())
        # A line right below an item would belong to it.
        lines += ("", *more) if lines and more and not more[0].startswith("- ") else more
        parts.append(write_section(heading, lines))
    return replace_surrogates("\n".join(filter(None, parts)))


def place_words(words: JournalWords, facts: JournalFacts) -> Mapping[str, JournalStatement]:
    """Return by word that was handed over what a note says of the same, each at most once."""
    entries = {"decision": words.decisions, "outcome": words.outcomes, "question": words.questions}
    entries["problem"] = words.problems
    pairs = [
        (find_likeness(said.text, one.text), said.text, one)
        for one in facts.statements
        for said in entries.get(one.what, ())
    ]
    placed = dict[str, JournalStatement]()
    for likeness, text, one in sorted(pairs, key=lambda pair: -pair[0]):
        if likeness and text not in placed and one not in placed.values():
            placed[text] = one
    return placed


def _place_text(one: JournalStatement | None) -> str:
    return "" if one is None else f" (written in {note_link(one.path)}, line {one.line})"


def read_words(text: str, properties: Mapping[str, Any]) -> JournalWords:
    """Read what was handed over from a journal as `write_body` writes it."""
    cost = field_of(properties, "cost_usd")
    values: dict[str, Any] = {
        "model": str(field_of(properties, "model") or ""),
        "cost_usd": float(cost) if isinstance(cost, int | float) else None,
    }
    for heading, lines in read_sections(text):
        name = SECTIONS.get(heading)
        if name in LISTS:
            values[name] = tuple(_read_items(lines))
        elif name:
            values[name] = quoted_text(lines)
    return JournalWords(**values)


def quoted_text(lines: Iterable[str]) -> str:
    return "\n".join(line[1:].removeprefix(" ") for line in lines if line.startswith(">"))


def read_quotes(text: str) -> Mapping[str, str]:
    """Return by heading what a note quotes below it."""
    return {heading: quoted_text(lines) for heading, lines in read_sections(text)}


def told_lines(words: JournalWords) -> Iterator[tuple[Told, str]]:
    """Yield what later sessions should know of a session: its decisions, outcomes, open questions and tasks."""
    parts: tuple[tuple[Told, tuple[JournalLine, ...]], ...] = (
        *(("decision", words.decisions), ("outcome", words.outcomes)),
        ("question", words.questions),
    )
    for what, entries in parts:
        for entry in entries:
            is_task = entry.text.startswith(TO_DO)
            yield ("task", entry.text.removeprefix(TO_DO)) if is_task else (what, entry.text)


def later_lines(words: JournalWords) -> list[str]:
    """Return words as items, each with its kind, for a journal that somebody has edited."""
    lines: list[str] = []
    for name, value in asdict(words).items():
        label = name.replace("_", " ").capitalize()
        if name in LISTS:
            lines += _items(JournalLine(one.time, f"{label.removesuffix('s')}: {one.text}") for one in value)
        elif value not in ("", None):
            lines += _items([JournalLine("", f"{label}: {value}")])
    return lines


def note_link(path: VaultPath) -> str:
    """Return a link to a note, or its path as code where no link can hold it."""
    target = path.removesuffix(".md")
    if re.search(r"[\[\]|#^]|%%", path):
        return f"`{path}`"
    return f"[[{target}]]" if "/" not in target else f"[[{target}|{_name(path)}]]"


def changed_text(note: ChangedNote) -> str:
    """Return a link to a note that was changed; of one that is gone its path, which makes no link without a note."""
    now = note_link(note.path) if note.exists else f"`{note.path}`"
    return f"`{note.was}` → {now}" if note.was is not None else f"{now} removed" if note.is_gone else now


def recorded_lines(
    words: JournalWords, facts: JournalFacts, placed: Mapping[str, JournalStatement]
) -> Mapping[str, Sequence[str]]:
    """Return the lines of each section that follow from the records."""
    counts = (
        *(("searched", facts.searches, "time"), ("read", len(facts.read), "note")),
        ("changed", len(facts.changed_notes), "note"),
    )
    done = ", ".join(f"{verb} {count_of(count, noun)}" for verb, count, noun in counts if count)
    is_cut = any(len(one.notes) > MAX_LINKS for one in facts.changes)
    is_refused = any(one.writes for one in facts.failures)
    related = [(path, count) for path, count in facts.read if path not in facts.changed_notes][:MAX_RELATED]
    return {
        "Goal": [] if _short(words.goal) else [*filter(None, [_short(facts.goal)])],
        "Summary": [f"“{facts.summary}”"] if facts.summary and not _short(words.summary) else [],
        "Approach": [f"{done.capitalize()}."] if done else [],
        "Key decisions": _quotes(facts, "decision", placed),
        "Problems": [*_quotes(facts, "problem", placed), *_failure_lines(facts.failures)],
        "Outcome": _quotes(facts, "outcome", placed),
        "Changes": [
            *(_batch_line(one, reasons=True) for one in facts.changes),
            *([f"- `list_changes` with the session `{facts.session}` lists all"] if is_cut else []),
            *_undone_lines(facts.undone),
            *([NO_CHANGES] if is_refused and not facts.changes and not facts.undone else []),
        ],
        "Open questions": [
            *_quotes(facts, "question", placed),
            *_quotes(facts, "task", {}),
            *(_batch_line(one, ", awaits approval") for one in facts.proposed),
        ],
        "Where it left off": [_short(facts.next_action)] if facts.next_action and not words.where_left_off else [],
        "Related": [
            *(f"- {note_link(path)}: read{f' {count} times' if count > 1 else ''}" for path, count in related),
            *([f"- {note_link(facts.previous)}: the session before"] if facts.previous is not None else []),
        ],
    }


def _quotes(facts: JournalFacts, what: Stated, placed: Mapping[str, JournalStatement]) -> list[str]:
    label = TO_DO if what == "task" else ""
    found = [one for one in facts.statements if one.what == what and one not in placed.values()]
    return [f"- {label}“{_short(one.text)}” ({note_link(one.path)}, line {one.line})" for one in found]


def _failure_lines(failures: Iterable[Failure]) -> Iterator[str]:
    """Yield a line for each failure that tells the user something, and one for the mistakes of the caller."""
    mistakes = Counter[str]()
    for one in failures:
        if one.code in MISTAKES:
            mistakes[_call_text(one)] += one.count
        else:
            times = f", {one.count} times" if one.count > 1 else ""
            yield f"- {_call_text(one)} failed: `{one.code}`{times} – {one.cause or meaning_of(one.code)}"
    if mistakes:
        named = [f"{call}{f' ({count})' if count > 1 else ''}" for call, count in mistakes.items()]
        yield f"- Calls with mistakes, which changed nothing: {join_some(named, MAX_LINKS)}"


def _call_text(one: Failure) -> str:
    return f"`{one.tool}`" + (f" on {' and '.join(f'`{path}`' for path in one.paths)}" if one.paths else "")


def _undone_lines(batches: Sequence[ChangeBatch]) -> Iterator[str]:
    if len(batches) == 1:
        yield _batch_line(batches[0], ", undone")
    elif batches:
        notes = {note.path: replace(note, was=None) for one in batches for note in one.notes}
        yield _batch_line(ChangeBatch("`, `".join(one.operation for one in batches), tuple(notes.values())), ", undone")


def _batch_line(one: ChangeBatch, state: str = "", *, reasons: bool = False) -> str:
    """Return what an operation did, with the most changed notes unless there are many."""
    links = [
        changed_text(note) + (f" +{note.added} -{note.removed}" if lines_changed(note) and not note.is_gone else "")
        for note in one.notes[:MAX_LINKS]
        if len(one.notes) <= MAX_FILES
    ]
    why = f" – {'; '.join(map(_short, one.reasons[:MAX_REASONS]))}" if reasons and one.reasons else ""
    named = [*map(_rename_text, one.renames[:MAX_LINKS])]
    named += links
    return f"- {_batch_text(one)}{state}{': ' if named else ''}{', '.join(named)}{why}"


def _rename_text(pair: tuple[str, str]) -> str:
    old, new = (f"`{shorten(_short(text).replace('`', ''), MAX_TERM_CHARS)}`" if text else "" for text in pair)
    return f"{old} → {new}" if old and new else f"{new} added" if new else f"{old} removed"


def _batch_text(one: ChangeBatch) -> str:
    return f"`{one.operation}`" + (f" in {count_of(len(one.notes), 'note')}" if len(one.notes) > 1 else "")


def _items(entries: Iterable[JournalLine]) -> list[str]:
    lines = []
    for entry in entries:
        first, *rest = visible_text(entry.text).strip().splitlines() or ["…"]
        lines += [f"- {entry.time} {first}" if entry.time else f"- {first}", *(f"  {line}".rstrip() for line in rest)]
    return lines


def _read_items(lines: Sequence[str]) -> Iterator[JournalLine]:
    entries = list[tuple[str, list[str]]]()
    is_inside = False
    for line in lines:
        if line.startswith("- "):
            found = _ENTRY.fullmatch(line)
            is_inside = found is not None
            if found is not None:
                entries.append((found[1] or "", [found[2] if found[1] else f"{found[3]}{found[4]}"]))
        elif is_inside := is_inside and (not line or line.startswith("  ")):
            entries[-1][1].append(line[2:])
    return (JournalLine(time, _PLACE.sub("", "\n".join(texts).rstrip())) for time, texts in entries)


def _short(text: str) -> str:
    return shorten(" ".join(visible_text(replace_surrogates(text)).split()), PROPERTY_LENGTH)


def _name(path: VaultPath) -> str:
    return replace_surrogates(note_name(path))
