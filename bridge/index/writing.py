"""Writes notes: on disk by appending, then in memory at once."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from bridge.index.catalogue import Entry
from bridge.index.folder import disk
from bridge.index.known import Known
from bridge.index.opening import Opened
from bridge.index.prepare import Chunk, Prepared
from bridge.index.rows import held_of, note_rows, passage_rows
from bridge.index.vectors import Vectors
from bridge.types import VaultPath

Written = list[tuple[Entry, Prepared]]
Fresh = list[tuple[int, Sequence[Chunk]]]
"""The passages that are not in the table yet, by the key of their note."""


class Writing:
    """One write after another."""

    def __init__(self, opened: Opened, vectors: Vectors, known: Known) -> None:
        self.turn = asyncio.Lock()
        self.count = 0
        """Writes so far: a search that one overtook looks again."""
        self._opened = opened
        self._vectors = vectors
        self._known = known

    async def write(self, entries: Sequence[Prepared], gone: Collection[VaultPath]) -> None:
        """Append the notes' rows and their passages; then show it in memory."""
        async with self.turn:
            latest = {prepared.note.path: prepared for prepared in entries}
            leaving = [p for p in dict.fromkeys(gone) if p in self._opened.catalogue.notes and p not in latest]
            stones = {self._opened.catalogue.next(): path for path in leaving}
            written = self._numbered(list(latest.values()), leaving)
            fresh: Fresh = [(entry.key, prepared.chunks) for entry, prepared in written if entry.key == entry.seq]
            try:
                with disk(self._opened.folder.path):
                    await self._append(written, fresh, stones)
            except BaseException:
                # A row without its passages is not believed: what is there of either is swept.
                self._opened.dead_keys.update(key for key, _ in fresh)
                self._opened.dead_seqs.update(entry.seq for entry, _ in written)
                raise
            self._opened.dead_seqs.update(stones)
            self._take(written, leaving)

    async def _append(self, written: Written, fresh: Fresh, stones: Mapping[int, VaultPath]) -> None:
        """Append to both tables at once, which takes some milliseconds each: neither is believed without the other."""
        passages, notes = await asyncio.to_thread(rows_of, written, fresh, stones)
        tables = ((self._opened.passages, passages), (self._opened.notes, notes))
        adding = [table.add(rows) for table, rows in tables if rows.num_rows]
        # Each to its end, even if the other fails.
        failed = [error for error in await asyncio.gather(*adding, return_exceptions=True) if error is not None]
        if failed:
            raise failed[0]

    def forget(self, paths: Sequence[VaultPath]) -> None:
        """Forget notes in memory at once; until their rows are swept, a start would bring them back."""
        self._take([], paths)

    def _numbered(self, prepared: Sequence[Prepared], leaving: Sequence[VaultPath]) -> Written:
        """Number the rows; a note whose passages are in the table, at its own path or one that is gone, keeps them."""
        catalogue = self._opened.catalogue
        movable = {
            (entry.note.digest, entry.note.recipe, entry.note.kind): entry
            for path in (*leaving, *(each.note.path for each in prepared))
            if (entry := catalogue.entry(path)) is not None
        }
        written: Written = []
        for each in prepared:
            same = movable.get((each.note.digest, each.note.recipe, each.note.kind))
            seq = key = catalogue.next()
            held = self._vectors.held(same.key) if same else None
            # An empty note's passage is its title: the same bytes do not make it the same.
            if same is not None and held is not None and held.passages == held_of(each).passages:
                key = same.key
                del movable[each.note.digest, each.note.recipe, each.note.kind]
            written.append((Entry(each.note, seq, key, each.title_text), each))
        return written

    def _take(self, written: Written, leaving: Sequence[VaultPath]) -> None:
        """Show in memory what was committed."""
        opened = self._opened
        self.count += 1
        # All that leaves goes first: notes may have taken each other's names.
        paths = [*leaving, *(entry.note.path for entry, _ in written)]
        before = opened.catalogue.replace(paths, [entry for entry, _ in written])
        for old in before:
            self._vectors.drop(old.key)
            self._known.forget(old.note)
            opened.dead_seqs.add(old.seq)
            if not opened.catalogue.believes_key(old.key):
                opened.dead_keys.add(old.key)
        for entry, prepared in written:
            self._vectors.put(entry.key, held_of(prepared), entry.note.mtime_ns)
            self._known.learn(entry.note)


def rows_of(written: Written, fresh: Fresh, stones: Mapping[int, VaultPath]) -> tuple[Any, Any]:
    """Make the rows of both tables."""
    wholes = [(entry, prepared.whole) for entry, prepared in written]
    return passage_rows(fresh), note_rows(wholes, stones)
