"""Every memory of a vault, kept in memory: its names, and who may see it now; and the journals beside them."""

import asyncio
import threading
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from contextlib import suppress
from itertools import compress
from operator import is_not
from typing import Final

from bridge.engine.open_vault import OpenVault
from bridge.errors import BridgeError
from bridge.features.memory.memory_note import Memory, MemoryNames, read_memory
from bridge.features.memory.use_log import UseLog
from bridge.features.memory.visibility import Audience, MemoryGroups, VisibleMemories
from bridge.features.sessions.public import TYPE as JOURNAL
from bridge.index.note import IndexedNote
from bridge.text.fold import fold_case
from bridge.types import VaultPath

CACHED: Final = 32
"""Audiences whose memories are cached until something changes."""


SESSIONS: Final = 200
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
                if len(self._visible) >= CACHED:
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
        seen = {memory.path}
        last: Memory | None = memory
        while last is not None and last.superseded_by is not None:
            last = self.find(last.superseded_by)
            if last is None or last.path in seen:
                return None
            seen.add(last.path)
        return None if last is memory else last

    def with_text(self, digest: str) -> list[Memory]:
        """Return the memories that had the text of a digest when they were written."""
        return [self.memories[path] for path in sorted(self._by_text.get(digest, ()))]

    def with_id(self, memory: Memory) -> list[Memory]:
        """Return the other memories that have the same id, as copies do."""
        paths = sorted(self._by_text.get(text_of_id(memory.id), ())) if memory.id else []
        return [self.memories[path] for path in paths if path != memory.path and self.memories[path].id == memory.id]

    def note_recall(self, session: str, paths: Iterable[VaultPath]) -> None:
        self._recalled.setdefault(session, set()).update(paths)
        while len(self._recalled) > SESSIONS:
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
