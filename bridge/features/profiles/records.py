"""What is said of one note, and how it reads."""

from collections.abc import Iterable
from typing import Literal

from bridge.api.markup import Answer, Column, Element, Line, Section, Table, notice, notices, path_of
from bridge.records import Record
from bridge.text.counts import count_of, count_shown
from bridge.text.invisible import inline
from bridge.types import Digest, VaultPath

ProfilePart = Literal[
    "outline",
    "links",
    "ties",
    "related",
    "missing_links",
    "structure",
    "rules",
    "history",
    "index",
    "tasks",
    "memories",
    "aliases",
]


class AliasSuggestion(Record):
    """A form by which notes mean a note.

    Attributes:
        form: The form, as most often written.
        why: `link text`: links to the note show it; `accepted`: a suggested link with it was accepted; `acronym`: the
            initials of the title; `in parentheses`: it stands beside the title, one of them in parentheses.
        notes: How many notes use it so.
        examples: The first of them.
    """

    form: str
    why: tuple[Literal["link text", "accepted", "acronym", "in parentheses"], ...]
    notes: int
    examples: tuple[VaultPath, ...]


class ProfiledSection(Record):
    """A section of a note.

    Attributes:
        heading: Its heading path, such as `A > B`; empty for the text before the first heading.
        line: Its first line.
        words: Words in it, without its subsections.
    """

    heading: str
    line: int
    words: int


class ProfiledLinks(Record):
    """How a note is linked.

    Attributes:
        links: Files that it links to.
        backlinks: Notes that link to it.
        unresolved: Names it links to that no file has, at most 20.
        rank: Its place among all notes by their links in both directions, from 1; null without links.
        latest: The notes that link to it and were modified last, at most 5.
    """

    links: int
    backlinks: int
    unresolved: tuple[str, ...]
    rank: int | None
    latest: tuple[VaultPath, ...]


class Tie(Record):
    """A note that another is linked with.

    Attributes:
        path: The linked note.
        strength: The share of a walk along links from the note that is there, 0–1.
        mutual: Whether each links to the other.
    """

    path: VaultPath
    strength: float
    mutual: bool


class RelatedNote(Record):
    """A note like another, without a link in either direction.

    Attributes:
        path: The related note.
        score: How related, 0–1.
        why: What relates them.
    """

    path: VaultPath
    score: float
    why: tuple[str, ...]


class MissingLink(Record):
    """A name in a note that should perhaps be a link.

    Attributes:
        target: The note to link to.
        text: The words to link.
        line: Their line.
        score: Likelihood that it should be a link, 0–1.
    """

    target: VaultPath
    text: str
    line: int
    score: float


class NoteStructure(Record):
    """The place of a note in the graph.

    Attributes:
        hub: 0–100: how well it is linked with well-linked notes.
        rank: Its place among all notes by that, from 1.
        pagerank: How often a reader who follows links is there; 1 is the average.
        community: The number of its community, as in `graph_insights`.
        members: Notes in that community.
    """

    hub: float
    rank: int
    pagerank: float
    community: int
    members: int


class ViolatedRule(Record):
    """A rule that a note does not keep.

    Attributes:
        kind: What the rule is about, as in `check_notes`.
        name: The property, tag, heading, link target, or pattern.
        found: What the note has instead; empty if something is missing.
        expected: The types or values that are allowed, or the condition.
        schema_note: The schema note that says so; null for an inferred rule.
    """

    kind: str
    name: str
    found: str
    expected: tuple[str, ...]
    schema_note: VaultPath | None


class NoteHistory(Record):
    """The last change of a note through the bridge.

    Attributes:
        change_id: Its id, for `show_change`.
        time: When it was made.
        operation: The operation that made it.
        client: Who made it; null for the user.
        reason: Why, if that was said.
    """

    change_id: str
    time: str
    operation: str
    client: str | None
    reason: str | None


class IndexState(Record):
    """What the index holds of a note.

    Attributes:
        state: Whether it is indexed.
        passages: Its passages.
        embedded: Those that are found by meaning.
        problems: What in the note could not be read.
    """

    state: Literal["indexed", "pending", "skipped", "failed", "unknown"]
    passages: int
    embedded: int
    problems: tuple[str, ...]


class OpenTask(Record):
    """A task of a note that is neither done nor cancelled.

    Attributes:
        line: Its line.
        text: Its text.
        due: The day on which it is due.
    """

    line: int
    text: str
    due: str | None


class AboutNote(Record):
    """A memory about a note.

    Attributes:
        path: The memory.
        title: Its title.
    """

    path: VaultPath
    title: str


class NoteProfile(Record, kw_only=True):
    """What is known about a note; parts that were not asked for are null.

    Attributes:
        path: The profiled note.
        title: Its title.
        tags: Its tags, without `#`.
        note_type: The type that its property `type` names, if any.
        digest: SHA-256 of the file as indexed.
        words: Words of its text.
        created: When it was created, if its properties or the system tell.
        modified: When the file was last modified.
        age_days: Whole days since then.
        outline: Its sections with their words.
        links: How it is linked.
        ties: The notes with which it is linked most closely, at most 3.
        related: Related notes without a link, at most 5.
        missing_links: Names that should perhaps be links, at most 5.
        structure: Its place in the graph; only if requested, since it takes seconds in a large vault.
        rules: Rules of schema notes, of its folder and of its type that it does not keep.
        history: The last change through the bridge; null if none is recorded.
        index: What the index holds of it.
        tasks: Its open tasks, at most 20.
        memories: Memories about it that the caller may see, at most 10.
        aliases: Forms by which notes mean it that are no alias yet, at most 20; only if requested.
        notices: Remarks, such as on a part that waits for the index.
    """

    path: VaultPath
    title: str
    tags: tuple[str, ...]
    note_type: str
    digest: Digest
    words: int
    created: str | None
    modified: str
    age_days: int
    outline: tuple[ProfiledSection, ...] | None = None
    links: ProfiledLinks | None = None
    ties: tuple[Tie, ...] | None = None
    related: tuple[RelatedNote, ...] | None = None
    missing_links: tuple[MissingLink, ...] | None = None
    structure: NoteStructure | None = None
    rules: tuple[ViolatedRule, ...] | None = None
    history: NoteHistory | None = None
    index: IndexState | None = None
    tasks: tuple[OpenTask, ...] | None = None
    memories: tuple[AboutNote, ...] | None = None
    aliases: tuple[AliasSuggestion, ...] | None = None
    notices: tuple[str, ...] = ()


SECTIONS = (
    Column("line", "{}:"),
    Column("heading", lambda heading: f" {inline(heading)}"),
    Column("words", " · {} words"),
)
TIES = (
    Column("path", role="path"),
    Column("strength", " · {}"),
    Column("mutual", lambda mutual: " · mutual" if mutual else ""),
)
RELATED = (
    Column("path", role="path"),
    Column("score", " · {}"),
    Column("why", lambda why: " · " + "; ".join(map(inline, why))),
)
MISSING = (
    Column("line", "{}:"),
    Column("text", lambda text: f" “{inline(text)}”"),
    Column("target", lambda path: f" → {inline(path)}"),
    Column("score", " · {}"),
)
RULES = (
    Column("kind", "{}"),
    Column("name", " {}"),
    Column("found", lambda found: f" · has {inline(found)}"),
    Column("expected", lambda expected: " · expected " + ", ".join(map(inline, expected))),
    Column("schema_note", lambda path: f" · {inline(path)}", detail=True),
)
TASKS = (
    Column("line", "{}:"),
    Column("text", lambda text: f" {inline(text)}"),
    Column("due", " · due {}"),
)
MEMORIES = (Column("path", role="path"), Column("title", lambda title: f" · {inline(title)}"))
FORMS = (
    Column("form", inline),
    Column("notes", " · {}"),
    Column("why", lambda why: " · " + ", ".join(why)),
    Column("examples", " · {}", role="path", most=3),
)
LISTS = (
    ("outline", "Sections", SECTIONS),
    ("ties", "Strongest ties", TIES),
    ("related", "Related, not linked", RELATED),
    ("missing_links", "Missing links", MISSING),
    ("rules", "Violated rules", RULES),
    ("tasks", "Open tasks", TASKS),
    ("memories", "Memories", MEMORIES),
    ("aliases", "Could be aliases", FORMS),
)


def note_profile_view(answer: Answer) -> Iterable[Element]:
    """Show a profile: what is a number in lines, then a table for each list."""
    yield Line(path_of(answer["path"]), f" · {inline(answer['title'])} · {count_of(answer['words'], 'word')}")
    made = f" · created {answer['created'][:10]}" if answer["created"] else ""
    yield Line(f"modified {answer['modified'][:10]}, {count_of(answer['age_days'], 'day')} ago{made}")
    yield from notices(answer["notices"])
    if links := answer.get("links"):
        rank = f" · rank {links['rank']}" if links["rank"] else ""
        yield Line(f"{links['links']} links · {links['backlinks']} backlinks{rank}")
        if links["unresolved"]:
            yield Line("unresolved: " + ", ".join(map(inline, links["unresolved"])))
    if structure := answer.get("structure"):
        place = f"hub {structure['hub']}, rank {structure['rank']} · PageRank {structure['pagerank']}"
        yield Line(f"{place} · community {structure['community']} of {count_of(structure['members'], 'note')}")
    if history := answer.get("history"):
        who = inline(history["client"] or "the user")
        reason = f" · {inline(history['reason'])}" if history["reason"] else ""
        yield Line(
            f"last change {history['change_id']} · {history['time'][:16]} · {history['operation']} · {who}{reason}"
        )
    if index := answer.get("index"):
        yield Line(f"{index['state']} · {index['embedded']} of {count_of(index['passages'], 'passage')} embedded")
    for name, title, columns in LISTS:
        if answer.get(name):
            yield Section(title, Table(columns, answer[name]))


STALE = (
    Column("path", role="path"),
    Column("age_days", " · {} days"),
    Column("backlinks", " · {} backlinks"),
    Column("why", lambda why: " · " + "; ".join(map(inline, why[2:]))),
    Column("score", " · {}", detail=True),
)


def stale_notes_view(answer: Answer) -> Iterable[Element]:
    """Show stale notes, one per line, the most urgent first."""
    yield notice(count_shown(len(answer["notes"]), answer["total"], "note"))
    yield from notices(answer["notices"])
    yield Table(STALE, answer["notes"])
