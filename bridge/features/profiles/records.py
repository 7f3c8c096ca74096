"""What is said of one note."""

from typing import Literal

from bridge.records import Record
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
