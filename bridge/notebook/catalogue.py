"""Every memory of a vault, in memory: which of them a caller may be told of now, and by which names."""

import asyncio
import threading
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Final

from bridge.index.note import IndexedNote
from bridge.notebook.folder import AgentsFolder
from bridge.notebook.memory_names import MemoryNames
from bridge.notebook.memory_note import Memory, read_memory
from bridge.text.fold import fold_case
from bridge.types import VaultPath

CACHED: Final = 32
"""Audiences whose memories are cached until something changes."""


SESSIONS: Final = 200
"""Sessions of which it is known what they were told."""


@dataclass(frozen=True, slots=True)
class Audience:
    """Who asks, and for which scopes."""

    client: str | None = None
    scope: tuple[str, ...] = ()
    """Folded; all scopes if empty."""
    all_private: bool = False
    """Whether memories that are private to others count, as for the user."""
    archived: bool = False
    """Whether archived memories count."""


@dataclass(frozen=True, slots=True)
class VisibleMemories:
    """The memories that an audience may be told of, until some time."""

    until: float
    memories: Mapping[VaultPath, Memory]
    standing: tuple[Memory, ...]
    """Those that hold whatever is asked: the pinned ones first, then the newest."""
    questions: tuple[Memory, ...]
    """The open questions, in the same order."""
    askable: frozenset[VaultPath]
    """All others."""


def divide_memories(memories: Mapping[VaultPath, Memory], until: float) -> VisibleMemories:
    """Divide memories into those that always hold, open questions, and those that must be asked for."""
    standing = sorted((memory for memory in memories.values() if memory.is_standing), key=presence_key)
    questions = sorted((memory for memory in memories.values() if memory.kind == "open_question"), key=presence_key)
    askable = frozenset(memories).difference(memory.path for memory in (*standing, *questions))
    return VisibleMemories(until, memories, tuple(standing), tuple(questions), askable)


def presence_key(memory: Memory) -> tuple[bool, float, VaultPath]:
    """Return by what memories that always hold are ordered."""
    return (not memory.pinned, -memory.updated, memory.path)


class MemoryCatalogue:
    """The memories of one vault; detects changes of the index by itself."""

    def __init__(self) -> None:
        self.memories: Mapping[VaultPath, Memory] = {}
        """Every memory, whatever its state."""
        self.names = MemoryNames()
        self._notes: Mapping[VaultPath, IndexedNote] | None = None
        self._folder: AgentsFolder | None = None
        self._seen: dict[VaultPath, IndexedNote] = {}
        self._by_file: defaultdict[str, set[VaultPath]] = defaultdict(set)
        self._by_text: defaultdict[str, set[VaultPath]] = defaultdict(set)
        """By the digest of their text, with which ids end."""
        self._visible: dict[Audience, VisibleMemories] = {}
        self._recalled: dict[str, set[VaultPath]] = {}
        self._lock = threading.Lock()
        self.writing = asyncio.Lock()
        """Held from the comparison of a new memory with the others until it is one of them."""

    def follow(self, notes: Mapping[VaultPath, IndexedNote], folder: AgentsFolder) -> None:
        """Update to the notes of the index; a write replaces their mapping."""
        if notes is self._notes and folder == self._folder:
            return
        with self._lock:
            self._update(notes, folder)
            self._notes, self._folder = notes, folder

    def _update(self, notes: Mapping[VaultPath, IndexedNote], folder: AgentsFolder) -> None:
        memories = dict(self.memories)
        inside = {path: notes[path] for path in notes if folder.holds(path)}
        for path in [path for path, note in self._seen.items() if inside.get(path) is not note]:
            del self._seen[path]
            if (memory := memories.pop(path, None)) is not None:
                self.names.remove(path, memory.names)
                self._by_file[file_key(path)].discard(path)
                self._by_text[memory.id.rpartition("-")[2]].discard(path)
        for path, note in inside.items():
            if path not in self._seen:
                self._seen[path] = note
                memory = memory_of(note)
                if memory is not None:
                    memories[path] = memory
                    self.names.add(path, memory.names)
                    self._by_file[file_key(path)].add(path)
                    self._by_text[memory.id.rpartition("-")[2]].add(path)
        self.memories = memories
        self._visible.clear()

    def visible(self, audience: Audience, now: float) -> VisibleMemories:
        """Return the memories that an audience may be told of now.

        Left out are those archived, superseded, resolved, expired, not yet valid, private to others and of other
        scopes, and of two that contradict each other the older.
        """
        known = self._visible.get(audience)
        if known is None or now >= known.until:
            if len(self._visible) >= CACHED:
                self._visible.clear()
            known = self._visible[audience] = self._choose(audience, now)
        return known

    def _choose(self, audience: Audience, now: float) -> VisibleMemories:
        open_ = [
            memory
            for memory in self.memories.values()
            if not memory.is_over or (audience.archived and memory.is_archived_only)
        ]
        until = min(
            (time for time in chain.from_iterable(map(Memory.boundaries, open_)) if time > now), default=float("inf")
        )
        found = {
            memory.path: memory
            for memory in open_
            if memory.is_valid(now)
            and (audience.all_private or memory.is_for(audience.client))
            and memory.is_within(audience.scope)
        }
        for path in self._outdated(found):
            del found[path]
        return divide_memories(found, until)

    def _outdated(self, memories: Mapping[VaultPath, Memory]) -> set[VaultPath]:
        """Return the memories that a newer one contradicts; of two equally old ones, the other says so."""
        outdated: set[VaultPath] = set()
        for memory in memories.values():
            for name in memory.conflicts_with:
                other = self.find(name)
                if other is not None and other.path in memories and other.path != memory.path:
                    outdated.add(other.path if other.begins <= memory.begins else memory.path)
        return outdated

    def find(self, name: str) -> Memory | None:
        """Return the memory that a link from another memory names, by its path or its file name."""
        inner = VaultPath(f"{name}.md")
        if inner in self.memories:
            return self.memories[inner]
        return next((self.memories[path] for path in sorted(self._by_file.get(file_key(inner), ()))), None)

    def with_text(self, digest: str) -> list[Memory]:
        """Return the memories that had the text of a digest when they were written."""
        return [self.memories[path] for path in sorted(self._by_text.get(digest, ()))]

    def note_recall(self, session: str, paths: Iterable[VaultPath]) -> None:
        """Record what a session was told."""
        self._recalled.setdefault(session, set()).update(paths)
        while len(self._recalled) > SESSIONS:
            del self._recalled[next(iter(self._recalled))]

    def was_recalled(self, session: str, path: VaultPath) -> bool:
        """Return whether a session was told of a memory."""
        return path in self._recalled.get(session, ())


def memory_of(note: IndexedNote) -> Memory | None:
    """Read a note of the index as a memory; None if it is not one."""
    return read_memory(
        note.path,
        note.properties,
        title=note.title,
        aliases=note.aliases,
        tags=note.tags,
        modified=note.modified,
    )


def file_key(path: VaultPath) -> str:
    """Return a path's file name, folded."""
    return fold_case(path.rpartition("/")[2])
