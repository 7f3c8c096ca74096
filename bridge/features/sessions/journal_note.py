"""A journal as Markdown: the note about one session.

What the agent handed over stands in quotes and in items that begin with a time; it is read back from the note when that
is written again, so that no other place keeps these words. All else follows from the records of calls and changes.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, Literal

from msgspec.structs import asdict

from bridge.markdown.frontmatter import cut_frontmatter
from bridge.markdown.names import note_name
from bridge.markdown.note import field_of
from bridge.records import Record
from bridge.text.counts import count_of
from bridge.text.invisible import replace_surrogates, visible_text
from bridge.types import VaultPath

LISTS: Final = ("actions", "decisions", "problems", "outcomes", "questions")
"""The words that are lists of entries; the others are one text."""


class Entry(Record):
    """A line that was handed over, with the local time at which that happened."""

    time: str
    text: str


class JournalWords(Record):
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
        for name, own in asdict(self).items():
            new = getattr(later, name)
            if isinstance(own, tuple):
                known = {entry.text for entry in own}
                values[name] = (*own, *(entry for entry in new if entry.text not in known))
            else:
                values[name] = own if new in ("", None) else new
        return JournalWords(**values)


class ChangedNote(Record):
    """A note that a session changed."""

    path: VaultPath
    operations: tuple[str, ...]
    added: int
    removed: int
    reasons: tuple[str, ...] = ()


class Batch(Record):
    """What changes of one operation did, or would do.

    Attributes:
        operation: The operation.
        paths: Its notes, each once.
        reasons: Why they were made.
    """

    operation: str
    paths: tuple[VaultPath, ...]
    reasons: tuple[str, ...] = ()


class Failure(Record):
    """A call that failed and was not repeated with success."""

    tool: str
    code: str
    count: int
    path: VaultPath | None = None


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


Told = Literal["decision", "outcome", "question"]

TYPE: Final = "journal"
"""The value of the property `type` that makes a note a journal."""

LATER: Final = "Later"
"""The heading below which facts are added to a journal that somebody has edited."""

PROPERTY_LENGTH: Final = 300
"""Most characters of a text in a property; the body has all of it."""

_HEADING: Final = re.compile(r"## (.*)")
_ENTRY: Final = re.compile(r"- (\d\d:\d\d) (.*)")
_BAD_IN_NAME: Final = re.compile(r'[\x00-\x1f\\/:*?"<>|#^\[\]]+')


SECTIONS: Final = {
    "Goal": "goal",
    "Summary": "summary",
    "Approach": "actions",
    "Key decisions": "decisions",
    "Problems": "problems",
    "Outcome": "outcomes",
    "Files changed": "",
    "Notes read": "",
    "Open questions": "questions",
    "Where it left off": "where_left_off",
    "Excerpt": "excerpt",
    "Related": "",
}
"""The headings in order, each with the words that it holds."""

NOTES_LISTED: Final = 10
"""Most notes that a section links to: each link is a backlink of its note."""


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
        "status": facts.status,
        "created": facts.started.isoformat(timespec="seconds"),
        "updated": facts.until.isoformat(timespec="seconds"),
        "tags": list(facts.tags),
        "agent": facts.client,
        "model": _short(words.model),
        "session": facts.session,
        "goal": _short(words.goal),
        "summary": _short(words.summary or facts.summary),
        "where_left_off": _short(words.where_left_off),
        "files": [replace_surrogates(note.path) for note in facts.changed[:NOTES_LISTED]],
        "commits": list(facts.commits),
        "duration_minutes": max(0, round(minutes)),
        "calls": facts.calls,
        "tokens": facts.tokens,
        "cost_usd": words.cost_usd,
        "promoted": False,
    }
    return {name: value for name, value in values.items() if value not in ("", None, [])}


def journal_title(words: JournalWords, facts: JournalFacts) -> str:
    if words.goal or words.summary:
        return _short(words.goal or words.summary, 80)
    if facts.batches:
        return _batch_text(max(facts.batches, key=lambda one: len(one.paths))).replace("`", "")
    if facts.changed:
        most = max(facts.changed, key=lambda note: note.added + note.removed)
        total = facts.notes_changed
        return f"{_name(most.path)} and {total - 1} more" if total > 1 else _name(most.path)
    if facts.read:
        return f"Read {len(facts.read)} notes" if len(facts.read) > 1 else f"Read {_name(facts.read[0][0])}"
    return f"Session of {facts.client}"


def write_body(words: JournalWords, facts: JournalFacts) -> str:
    parts = [f"# {journal_title(words, facts)}\n"]
    for heading, name in SECTIONS.items():
        said = getattr(words, name) if name else ()
        lines = _quote(said) if isinstance(said, str) else _items(said)
        lines += RECORDED[heading](words, facts) if heading in RECORDED else ()
        if lines:
            parts.append("\n".join([f"## {heading}\n", *lines, ""]))
    return replace_surrogates("\n".join(parts))


def read_words(text: str, properties: Mapping[str, Any]) -> JournalWords:
    """Read what was handed over from a journal as `write_body` writes it."""
    cut, cost = cut_frontmatter(text), field_of(properties, "cost_usd")
    values: dict[str, Any] = {
        "model": str(field_of(properties, "model") or ""),
        "cost_usd": float(cost) if isinstance(cost, int | float) else None,
    }
    for heading, lines in _sections((text if cut is None else text[cut[1] :]).split("\n")):
        name = SECTIONS.get(heading)
        if name in LISTS:
            values[name] = tuple(_read_items(lines))
        elif name:
            values[name] = "\n".join(line[1:].removeprefix(" ") for line in lines if line.startswith(">"))
    return JournalWords(**values)


def told_lines(words: JournalWords) -> Iterator[tuple[Told, str]]:
    """Yield what later sessions should know of a session: its decisions, outcomes and open questions."""
    parts: tuple[tuple[Told, tuple[Entry, ...]], ...] = (
        *(("decision", words.decisions), ("outcome", words.outcomes)),
        ("question", words.questions),
    )
    yield from ((what, entry.text) for what, entries in parts for entry in entries)


def later_lines(words: JournalWords) -> list[str]:
    """Return words as items, each with its kind, for a journal that somebody has edited."""
    lines: list[str] = []
    for name, value in asdict(words).items():
        label = name.replace("_", " ").capitalize()
        if name in LISTS:
            lines += _items(Entry(one.time, f"{label.removesuffix('s')}: {one.text}") for one in value)
        elif value not in ("", None):
            lines += _items([Entry("", f"{label}: {value}")])
    return lines


def note_link(path: VaultPath) -> str:
    """Return a link to a note, or its path as code where no link can hold it."""
    target = path.removesuffix(".md")
    if re.search(r"[\[\]|#^%]", path):
        return f"`{path}`"
    return f"[[{target}]]" if "/" not in target else f"[[{target}|{_name(path)}]]"


def _goal(words: JournalWords, facts: JournalFacts) -> Iterator[str]:
    made = [*(one.reasons for one in facts.batches), *(note.reasons for note in facts.changed)]
    reasons = [] if words.goal else [reason for reasons in made for reason in reasons]
    yield from (f"Of the first change: {_short(reason)}" for reason in reasons[:1])


def _summary(words: JournalWords, facts: JournalFacts) -> Iterator[str]:
    if facts.summary and not words.summary:
        yield f"Of what was written: {facts.summary}"


def _approach(_: JournalWords, facts: JournalFacts) -> Iterator[str]:
    counts = (
        *(("searched", facts.searches, "time"), ("read", len(facts.read), "note")),
        ("changed", facts.notes_changed, "note"),
    )
    if done := ", ".join(f"{verb} {count_of(count, noun)}" for verb, count, noun in counts if count):
        yield f"{done.capitalize()}."


def _decisions(_: JournalWords, facts: JournalFacts) -> Iterator[str]:
    for one in facts.batches:
        yield from (f"- {_batch_text(one)}: {_short(reason)}" for reason in one.reasons)
    reasons = dict.fromkeys(reason for note in facts.changed for reason in note.reasons)
    for reason in reasons:
        links = [note_link(note.path) for note in facts.changed if reason in note.reasons]
        yield f"- {', '.join(links)}: {_short(reason)}"


def _problems(_: JournalWords, facts: JournalFacts) -> Iterator[str]:
    for one in facts.failures:
        where = f" on {note_link(one.path)}" if one.path is not None else ""
        times = f", {one.count} times" if one.count > 1 else ""
        yield f"- `{one.tool}`{where} failed: `{one.code}`{times}"
    yield from _batch_lines(facts.undone, "a change was undone", "undone")


def _files_changed(_: JournalWords, facts: JournalFacts) -> Iterator[str]:
    yield from (f"- {_batch_text(one)}" for one in facts.batches)
    for note in facts.changed[:NOTES_LISTED]:
        yield f"- {note_link(note.path)} +{note.added} -{note.removed}: {', '.join(note.operations)}"
    if facts.batches or len(facts.changed) > NOTES_LISTED:
        yield f"- `list_changes` with the session `{facts.session}` lists all"


def _notes_read(_: JournalWords, facts: JournalFacts) -> Iterator[str]:
    for path, count in facts.read[:NOTES_LISTED]:
        yield f"- {note_link(path)}{f', {count} times' if count > 1 else ''}"


def _questions(_: JournalWords, facts: JournalFacts) -> Iterator[str]:
    yield from _batch_lines(facts.proposed, "a proposed change awaits approval", "awaits approval")


def _batch_lines(batches: Sequence[Batch], of_note: str, of_many: str) -> Iterator[str]:
    paths = list(dict.fromkeys(path for one in batches for path in one.paths))
    if len(paths) <= NOTES_LISTED:
        yield from (f"- {note_link(path)}: {of_note}" for path in paths)
    else:
        yield from (f"- {_batch_text(one)}, {of_many}" for one in batches)


def _batch_text(one: Batch) -> str:
    return f"`{one.operation}` in {count_of(len(one.paths), 'note')}"


def _related(_: JournalWords, facts: JournalFacts) -> Iterator[str]:
    if facts.previous is not None:
        yield f"- {note_link(facts.previous)}: the session before"


RECORDED: Final[Mapping[str, Callable[[JournalWords, JournalFacts], Iterator[str]]]] = {
    "Goal": _goal,
    "Summary": _summary,
    "Approach": _approach,
    "Key decisions": _decisions,
    "Problems": _problems,
    "Files changed": _files_changed,
    "Notes read": _notes_read,
    "Open questions": _questions,
    "Related": _related,
}
"""The lines of each section that follow from the records."""


def _quote(text: str) -> list[str]:
    return [f"> {line}".rstrip() for line in visible_text(text).strip().splitlines()]


def _items(entries: Iterable[Entry]) -> list[str]:
    lines = []
    for entry in entries:
        first, *rest = visible_text(entry.text).strip().splitlines() or ["…"]
        lines += [f"- {entry.time} {first}" if entry.time else f"- {first}", *(f"  {line}".rstrip() for line in rest)]
    return lines


def _sections(lines: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    heading, inside = "", list[str]()
    for line in lines:
        if (found := _HEADING.fullmatch(line)) is not None:
            yield heading, inside
            heading, inside = found[1].strip(), []
        else:
            inside.append(line)
    yield heading, inside


def _read_items(lines: Sequence[str]) -> Iterator[Entry]:
    entry: Entry | None = None
    for line in lines:
        if line.startswith("- "):
            if entry is not None:
                yield _trim(entry)
            found = _ENTRY.fullmatch(line)
            entry = None if found is None else Entry(found[1], found[2])
        elif entry is not None and (not line or line.startswith("  ")):
            entry = Entry(entry.time, f"{entry.text}\n{line[2:]}")
        elif entry is not None:
            yield _trim(entry)
            entry = None
    if entry is not None:
        yield _trim(entry)


def _trim(entry: Entry) -> Entry:
    return Entry(entry.time, entry.text.rstrip())


def _short(text: str, most: int = PROPERTY_LENGTH) -> str:
    line = " ".join(visible_text(replace_surrogates(text)).split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def _name(path: VaultPath) -> str:
    return replace_surrogates(note_name(path))
