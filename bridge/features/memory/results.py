"""Memories as results of operations, and how they read."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from bridge.api.call import Call
from bridge.api.moments import iso
from bridge.features.memory.catalogue import MemoryCatalogue, VisibleMemories, now, read_body
from bridge.features.memory.memory_note import Memory, MemoryKind, Tier
from bridge.features.memory.use_log import NO_USE, MemoryUse
from bridge.features.sessions.public import Told
from bridge.records import Record
from bridge.text.invisible import visible_text
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
