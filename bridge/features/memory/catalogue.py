"""A cache of the memories of a vault, and which of them a caller may see now."""

import asyncio
import math
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import chain, compress
from operator import is_not
from typing import Final

from msgspec.structs import replace

from bridge.api.call import Call
from bridge.api.moments import iso
from bridge.api.write import client_name
from bridge.engine.open_vault import OpenVault
from bridge.errors import BridgeError, NoteNotFound
from bridge.features.memory.memory_note import Memory, MemoryNames, read_memory
from bridge.features.memory.use_log import UseLog
from bridge.features.sessions.public import TYPE as JOURNAL
from bridge.index.note import IndexedNote
from bridge.markdown.frontmatter import cut_frontmatter
from bridge.markdown.kinds import title_of
from bridge.records import Record
from bridge.text.fold import fold_case
from bridge.types import VaultPath

Group = dict[VaultPath, Memory]


class Audience(Record):
    """Who asks, and for which scopes."""

    client: str | None = None
    scope: tuple[str, ...] = ()
    """Folded; all scopes if empty."""
    all_private: bool = False
    """Whether memories that are private to others count, as for the user."""
    archived: bool = False
    """Whether archived memories count."""


class VisibleMemories(Record):
    """The memories that an audience may see between two times."""

    since: float
    until: float
    memories: Mapping[VaultPath, Memory]
    newer: Mapping[VaultPath, frozenset[VaultPath]]
    """By memory that holds, but is left out: the newer ones that contradict it."""
    standing: tuple[Memory, ...]
    """Those that hold whatever is asked: the pinned ones first, then the newest."""
    questions: tuple[Memory, ...]
    """The open questions, in the same order."""
    askable: frozenset[VaultPath]
    """All but those that always hold."""

    def conflict_names(self, path: VaultPath) -> tuple[str, ...]:
        return tuple(map(title_of, sorted(old for old, newer in self.newer.items() if path in newer)))

    def find_newest(self, path: VaultPath) -> Iterator[VaultPath]:
        """Yield the memories that say now what another said until they contradicted it, also by way of others."""
        paths = [path]
        for one in paths:
            newer = self.newer.get(one, frozenset())
            paths += sorted(newer.difference(paths))
            if not newer and one in self.memories:
                yield one


class MemoryGroups:
    """Memories grouped by who may see them, so that a query does not check each."""

    def __init__(self) -> None:
        self._by_scope: defaultdict[tuple[str, ...], Group] = defaultdict(dict)
        """Those that are not over."""
        self._archived: Group = {}
        self._timed: Group = {}
        """Those that begin or end at some time."""
        self._private: Group = {}
        self._disputed: Group = {}
        """Those that contradict another."""
        self._standing: Group = {}
        self._questions: Group = {}

    def add(self, memory: Memory) -> None:
        for group in self._groups_of(memory):
            group[memory.path] = memory

    def remove(self, memory: Memory) -> None:
        for group in self._groups_of(memory):
            del group[memory.path]

    def _groups_of(self, memory: Memory) -> list[Group]:
        if memory.is_over and not memory.is_archived_only:
            return []
        groups = (
            (self._timed, any(True for _ in memory.boundaries())),
            (self._private, memory.private_to is not None or bool(memory.deny_agents)),
            (self._disputed, bool(memory.conflicts_with)),
            (self._standing, memory.is_standing),
            (self._questions, memory.kind == "open_question"),
        )
        home = self._archived if memory.is_over else self._by_scope[memory.scope]
        return [home, *(group for group, belongs in groups if belongs)]

    def choose(self, audience: Audience, now: float, find: Callable[[str], Memory | None]) -> VisibleMemories:
        found: Group = {}
        for group in self._by_scope.values():
            if group and next(iter(group.values())).is_within(audience.scope):
                found.update(group)
        if audience.archived:
            found.update({path: one for path, one in self._archived.items() if one.is_within(audience.scope)})
        for path, memory in self._timed.items():
            if not memory.is_valid(now):
                found.pop(path, None)
        for path, memory in self._private.items():
            if not (audience.all_private or memory.is_for(audience.client)):
                found.pop(path, None)
        newer = find_newer(self._conflicts(found, find))
        for path in newer:
            del found[path]
        times = chain.from_iterable(memory.boundaries() for memory in self._timed.values())
        until = min((time for time in times if time > now), default=float("inf"))
        standing = sorted((one for path, one in self._standing.items() if path in found), key=presence_key)
        questions = sorted((one for path, one in self._questions.items() if path in found), key=presence_key)
        askable = frozenset(found).difference(one.path for one in standing)
        return VisibleMemories(now, until, found, newer, tuple(standing), tuple(questions), askable)

    def _conflicts(self, found: Group, find: Callable[[str], Memory | None]) -> list[tuple[Memory, Memory]]:
        def holds(memory: Memory) -> bool:
            return memory.path in found and not memory.is_over

        disputed = filter(holds, self._disputed.values())
        pairs = ((memory, other) for memory in disputed for other in filter(None, map(find, memory.conflicts_with)))
        return [(memory, other) for memory, other in pairs if holds(other) and other.path != memory.path]


def find_newer(conflicts: Iterable[tuple[Memory, Memory]]) -> Mapping[VaultPath, frozenset[VaultPath]]:
    """Return by memory the newer ones that contradict it; of two equally old ones, the other says so."""
    found: defaultdict[VaultPath, set[VaultPath]] = defaultdict(set)
    for memory, other in conflicts:
        old, new = (other, memory) if other.begins <= memory.begins else (memory, other)
        if old.path not in found.get(new.path, ()):
            found[old.path].add(new.path)
    return {path: frozenset(newer) for path, newer in found.items()}


def narrow_memories(visible: VisibleMemories, memories: Mapping[VaultPath, Memory]) -> VisibleMemories:
    holding = tuple(one for one in visible.standing if one.path in memories)
    open_ones = tuple(one for one in visible.questions if one.path in memories)
    askable = visible.askable & memories.keys()
    return replace(visible, memories=memories, standing=holding, questions=open_ones, askable=askable)


def withhold_memories(visible: VisibleMemories, withheld: frozenset[VaultPath]) -> VisibleMemories:
    if not withheld:
        return visible
    kept = narrow_memories(visible, {path: one for path, one in visible.memories.items() if path not in withheld})
    return replace(kept, newer={path: newer for path, newer in kept.newer.items() if path not in withheld})


def presence_key(memory: Memory) -> tuple[bool, float, VaultPath]:
    return (not memory.pinned, -memory.updated, memory.path)


MAX_CACHED_AUDIENCES: Final = 32
"""Audiences whose memories are cached until something changes."""


MAX_TOLD_SESSIONS: Final = 200
"""Sessions of which it is known what they were told."""


class MemoryCatalogue:
    """The memories of one vault; detects changes of the index by itself."""

    def __init__(self) -> None:
        self.memories: Mapping[VaultPath, Memory] = {}
        """Every memory, whatever its state."""
        self.names = MemoryNames()
        self.journals: set[VaultPath] = set()
        self._notes: Mapping[VaultPath, IndexedNote] | None = None
        self._groups = MemoryGroups()
        self._seen: dict[VaultPath, IndexedNote] = {}
        self._by_file: defaultdict[str, set[VaultPath]] = defaultdict(set)
        self._by_text: defaultdict[str, set[VaultPath]] = defaultdict(set)
        """By the digest of their text, with which ids end."""
        self._visible: dict[Audience, VisibleMemories] = {}
        self._recalled: dict[str, set[VaultPath]] = {}
        self._lock = threading.Lock()
        self.writing = asyncio.Lock()
        """Held from the comparison of a new memory with the others until it is one of them."""

    def follow(self, notes: Mapping[VaultPath, IndexedNote]) -> None:
        """Update to the notes of the agents' folder; a write replaces their mapping."""
        if notes is self._notes:
            return
        with self._lock:
            self._update(notes)
            self._notes = notes

    def _update(self, notes: Mapping[VaultPath, IndexedNote]) -> None:
        memories, seen = dict(self.memories), self._seen
        # Without a step of ours for each note: this follows every write.
        changed = [*compress(notes, map(is_not, map(seen.get, notes), notes.values()))]
        kept = len(notes) - len(changed)
        known = [path for path in changed if path in seen]
        gone = [] if kept + len(known) == len(seen) else [path for path in seen if path not in notes]
        for path in (*known, *gone):
            del seen[path]
            self.journals.discard(path)
            if (memory := memories.pop(path, None)) is not None:
                self.names.remove(path, memory.names)
                self._groups.remove(memory)
                self._by_file[file_key(path)].discard(path)
                self._by_text[text_of_id(memory.id)].discard(path)
        for path in sorted(changed):
            seen[path] = notes[path]
            if notes[path].note_type == JOURNAL:
                self.journals.add(path)
            memory = memory_of(notes[path])
            if memory is not None:
                memories[path] = memory
                self.names.add(path, memory.names)
                self._groups.add(memory)
                self._by_file[file_key(path)].add(path)
                self._by_text[text_of_id(memory.id)].add(path)
        self.memories = memories
        self._visible.clear()

    def visible(self, audience: Audience, now: float) -> VisibleMemories:
        """Return the memories that an audience may see now.

        Left out are those archived, superseded, resolved, expired, not yet valid, private to others and of other
        scopes, and of two that contradict each other the older.
        """
        with self._lock:
            known = self._visible.get(audience)
            # Also if the clock was set back since.
            if known is None or not known.since <= now < known.until:
                if len(self._visible) >= MAX_CACHED_AUDIENCES:
                    self._visible.clear()
                known = self._visible[audience] = self._groups.choose(audience, now, self.find)
            return known

    def find(self, name: str) -> Memory | None:
        """Return the memory that a link from another memory names, by its path or its file name."""
        inner = VaultPath(f"{name}.md")
        if inner in self.memories:
            return self.memories[inner]
        return next((self.memories[path] for path in sorted(self._by_file.get(file_key(inner), ()))), None)

    def successor(self, memory: Memory) -> Memory | None:
        """Return the memory that replaced another in the end; None if none did."""
        *_, last = self.successors(memory)
        return None if last is memory or last.superseded_by is not None else last

    def successors(self, memory: Memory) -> Iterator[Memory]:
        seen = set[VaultPath]()
        one: Memory | None = memory
        while one is not None and one.path not in seen:
            yield one
            seen.add(one.path)
            one = None if one.superseded_by is None else self.find(one.superseded_by)

    def with_text(self, digest: str) -> list[Memory]:
        """Return the memories that had the text of a digest when they were written."""
        return [self.memories[path] for path in sorted(self._by_text.get(digest, ()))]

    def with_id(self, memory: Memory) -> list[Memory]:
        """Return the other memories that have the same id, as copies do."""
        paths = sorted(self._by_text.get(text_of_id(memory.id), ())) if memory.id else []
        return [self.memories[path] for path in paths if path != memory.path and self.memories[path].id == memory.id]

    def note_recall(self, session: str, paths: Iterable[VaultPath]) -> None:
        self._recalled.setdefault(session, set()).update(paths)
        while len(self._recalled) > MAX_TOLD_SESSIONS:
            del self._recalled[next(iter(self._recalled))]

    def was_recalled(self, session: str, path: VaultPath) -> bool:
        return path in self._recalled.get(session, ())


def memory_of(note: IndexedNote) -> Memory | None:
    return read_memory(
        note.path,
        note.properties,
        title=note.title,
        aliases=note.aliases,
        tags=note.tags,
        modified=note.mtime,
    )


def count_use(vault: OpenVault, paths: Iterable[VaultPath]) -> None:
    """Count the memories among some notes as used; blocks."""
    notes = vault.index.view("agents").notes
    used = [path for path in paths if path in notes and memory_of(notes[path]) is not None]
    # What is used is returned even if it cannot be counted, as on a full disk.
    with suppress(BridgeError):
        if used:
            UseLog(vault.store.database).count(used, time.time())


def text_of_id(id_: str) -> str:
    return id_.rpartition("-")[2]


def file_key(path: VaultPath) -> str:
    return fold_case(path.rpartition("/")[2])


async def open_catalogue(call: Call) -> MemoryCatalogue:
    vault = call.vault
    vault.require_keyword()
    # In a thread, since the first time it reads every memory.
    await asyncio.to_thread(vault.part(MemoryCatalogue).follow, vault.index.view("agents").notes)
    return vault.part(MemoryCatalogue)


def audience_of(
    call: Call, scope: tuple[str, ...] = (), *, all_private: bool = False, archived: bool = False
) -> Audience:
    return Audience(
        client=client_name(call),
        scope=tuple(sorted(word.strip().casefold() for word in scope if word.strip())),
        all_private=all_private and call.is_user,
        archived=archived,
    )


def find_memory(call: Call, catalogue: MemoryCatalogue, path: VaultPath) -> Memory:
    memory = catalogue.memories.get(path)
    if memory is None or not (memory.is_for(client_name(call)) or call.is_user):
        raise NoteNotFound(f"`{path}` is not a memory.", hint="`list_memories` lists them.", path=path)
    return memory


def read_body(call: Call, path: VaultPath) -> str:
    """Return the text of a memory without its properties; empty if it is gone. Blocks."""
    try:
        data, _ = call.vault.files.read(path)
    except NoteNotFound:
        return ""
    text = data.decode("utf-8-sig", "replace")
    cut = cut_frontmatter(text)
    return text[cut[1] if cut else 0 :].strip()


def local_time(least: float = 0.0) -> str:
    """Return the time now as notes have it; a later one if the clock was set back below what it must not precede."""
    return iso(max(time.time(), math.ceil(least)))


def now() -> float:
    """Return the time at which memories must be valid."""
    return time.time()
