"""Memories as results of operations, and how they read."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from bridge.api.call import Call
from bridge.api.change_view import written_view
from bridge.api.markup import Answer, Column, Element, Line, Section, Table, notice, notices
from bridge.api.moments import iso
from bridge.features.memory.catalogue import MemoryCatalogue, VisibleMemories, now, read_body
from bridge.features.memory.memory_note import Memory, MemoryKind, Tier
from bridge.features.memory.use_log import NO_USE, MemoryUse
from bridge.features.sessions.public import Told
from bridge.records import Record
from bridge.text.invisible import inline, visible_text
from bridge.types import SHORT_DIGEST, VaultPath

MAX_TEXT_CHARS: Final = 600
"""Characters of a memory's text that are shown by default."""


class UseCount(Record):
    """How often a memory was recalled or read.

    Attributes:
        times: How often.
        last: When last; null if never.
    """

    times: int
    last: str | None


class ListedMemory(Record):
    """A memory.

    Attributes:
        path: Its note.
        title: What it is about.
        kind: What it is.
        text: What it says; ends with `…` if cut.
        scope: Where it holds; everywhere if empty.
        tags: Tags, without `#`.
        about: Notes that it is about.
        agent: Who wrote it; null if not an agent.
        created: When it was written.
        tier: `hot`, `warm` or `cold` by its last use, unless set; or `archived`.
        used: How often it was recalled or read.
        confidence: How sure it is.
        pinned: Whether every `recall` in its scope returns it.
        expires: When it stops to hold; null if never.
        digest: First 12 digits of the note's SHA-256, for `revise_memory`.
        problems: Properties of the note that are wrong.
        conflicts: Memories that it contradicts and that hold as well, by name; the newer one is recalled.
        vault: The vault that holds it, by name, if the global vault was asked as well; else null.
    """

    path: VaultPath
    title: str
    kind: MemoryKind
    text: str
    scope: tuple[str, ...]
    tags: tuple[str, ...]
    about: tuple[str, ...]
    agent: str | None
    created: str
    tier: Tier
    used: UseCount
    confidence: float
    pinned: bool
    expires: str | None
    digest: str
    problems: tuple[str, ...]
    conflicts: tuple[str, ...]
    vault: str | None = None


class RecalledMemory(ListedMemory, kw_only=True):
    """A memory that fits the question.

    Attributes:
        score: How well, 0–1; comparable within one answer only.
        why: Why, in short sentences.
    """

    score: float
    why: tuple[str, ...]


class SessionLine(Record):
    """Something that the journal of an earlier session says.

    Attributes:
        path: The journal.
        what: What it is.
        text: What it says.
        vault: The vault that holds it, by name, if the global vault was asked as well; else null.
    """

    path: VaultPath
    what: Told
    text: str
    vault: str | None = None


def list_memory(call: Call, visible: VisibleMemories, memory: Memory, use: MemoryUse, text_chars: int) -> ListedMemory:
    """Return a memory as a result; reads its note, and blocks."""
    note = call.vault.index.notes.get(memory.path)
    return ListedMemory(
        path=memory.path,
        title=memory.title,
        kind=memory.kind,
        text=cut_text(visible_text(read_body(call, memory.path)), text_chars),
        scope=memory.scope,
        tags=memory.tags,
        about=memory.about,
        agent=memory.agent,
        created=iso(memory.created),
        tier=memory.tier_at(now(), use.last),
        used=UseCount(use.times, iso(use.last) if use.last else None),
        confidence=memory.confidence,
        pinned=memory.pinned,
        expires=None if memory.expires is None else iso(memory.expires),
        digest="" if note is None else note.digest[:SHORT_DIGEST],
        problems=(*memory.problems, *copy_problems(call, visible, memory)),
        conflicts=visible.conflict_names(memory.path),
    )


def list_each(
    call: Call,
    visible: VisibleMemories,
    memories: Iterable[Memory],
    uses: Mapping[VaultPath, MemoryUse],
    text_chars: int,
) -> tuple[ListedMemory, ...]:
    """Return memories as results; reads their notes, and blocks."""
    return tuple(list_memory(call, visible, memory, uses.get(memory.path, NO_USE), text_chars) for memory in memories)


def copy_problems(call: Call, visible: VisibleMemories, memory: Memory) -> Iterator[str]:
    for other in call.vault.part(MemoryCatalogue).with_id(memory):
        if other.path in visible.memories:
            yield f"`id` must be its own; `{other.path}` has the same."


def cut_text(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    start = text[:most]
    return f"{start.rpartition(' ')[0] or start}…"


MEMORY = (
    Column("path", role="path"),
    Column("kind", " · {}"),
    Column("vault", " · in {}"),
    Column("tier", " · {}", detail=True),
    Column("score", " · score {}"),
    Column("pinned", lambda pinned: " · pinned" if pinned else ""),
    Column("scope", " · {}", most=5, detail=True),
    Column("agent", " · by {}", detail=True),
    Column("created", lambda created: f" · {created[:10]}", detail=True),
    Column("used", lambda used: f" · used {used['times']}×" if used["times"] else "", detail=True),
    Column("expires", lambda expires: f" · until {expires[:10]}", detail=True),
    Column("digest", " · digest {}", detail=True),
    Column("conflicts", " · contradicts {}", most=3),
    Column("problems", lambda problems: "".join(f" · {inline(one)}" for one in problems[:2]), detail=True),
    Column("why", " · {}", most=1, detail=True),
    Column("text", lambda text: f"\n{inline(text)}"),
)


SAID = (Column("path", role="path"), Column("what", " · {}"), Column("text", lambda text: f"\n{inline(text)}"))


def recall_view(answer: Answer) -> Iterable[Element]:
    """Show what was recalled: what fits, what always holds, and what is open."""
    yield from notices(answer["notices"])
    parts = (("Fits", "memories"), ("Always holds", "standing"), ("Open questions", "questions"))
    yield from (Section(title, Table(MEMORY, answer[name])) for title, name in parts if answer[name])
    if answer["sessions"]:
        yield Section("Said in earlier sessions", Table(SAID, answer["sessions"]))
    if not answer["memories"]:
        others = answer["standing"] or answer["questions"] or answer["sessions"]
        yield Line("No other memory fits." if others else "No memory fits.")


def memory_list_view(answer: Answer) -> Iterable[Element]:
    yield from notices(answer["notices"])
    counts = (f"{number} {name}" for part in answer["counts"].values() for name, number in part.items())
    yield Line(f"{answer['total']:,} {'memory' if answer['total'] == 1 else 'memories'}: {', '.join(counts) or 'none'}")
    yield Table(MEMORY, answer["memories"])


LIKE = (
    Column("path", role="path"),
    Column("share", " · {:.0%} of its words"),
    Column("cosine", " · cosine {}"),
    Column("contradicts", lambda contradicts: " · contradicts it, and is not recalled any more" if contradicts else ""),
)


def remembered_view(answer: Answer) -> Iterable[Element]:
    """Show a memory that was written, and those that say something similar."""
    yield from written_view(answer)
    if answer["like"]:
        yield Section("Similar", Table(LIKE, answer["like"]))


def forgotten_view(answer: Answer) -> Iterable[Element]:
    """Show how a memory was forgotten, and what still finds it."""
    yield from written_view(answer)
    if answer.get("verified"):
        found = [name for name, finds in answer["verified"].items() if finds]
        yield notice(f"still found by: {', '.join(found) or 'nothing'}")
