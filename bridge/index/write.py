"""Writes notes: on disk by appending, in memory at once."""

import asyncio
import logging
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import field, replace
from typing import Any, TypeVar

from bridge.index.background import Searches, Tasks
from bridge.index.carried_note import CarriedNote
from bridge.index.catalogue import NoteEntry
from bridge.index.documents import Document, NoteSegments, build_segments, number_segments
from bridge.index.folder import disk_errors
from bridge.index.names import NamesBySide
from bridge.index.note_segments import add_segments
from bridge.index.open import OpenIndex, start_coroutine
from bridge.index.postings import Postings, passage_mark, whole_mark
from bridge.index.prepare import Chunk, PreparedNote
from bridge.index.revision import Revision, revise_documents
from bridge.index.rows import note_rows, passage_rows, text_digests
from bridge.index.segment import Segment
from bridge.index.vectors import Vectors
from bridge.records import dataclass
from bridge.types import VaultPath

log = logging.getLogger(__name__)

T = TypeVar("T")

WrittenNotes = list[tuple[NoteEntry, PreparedNote]]
CarriedNotes = list[tuple[NoteEntry, CarriedNote]]


@dataclass(frozen=True, slots=True)
class Batch:
    """Notes to write together."""

    written: WrittenNotes
    leaving: Sequence[VaultPath]
    tombstones: Mapping[int, VaultPath]
    """The removed paths, by the number of their tombstone."""
    carried: CarriedNotes = field(default_factory=list)

    @property
    def entries(self) -> list[NoteEntry]:
        """Every note with the numbers of its rows."""
        return [entry for entry, _ in (*self.written, *self.carried)]

    @property
    def fresh(self) -> list[tuple[int, Sequence[Chunk]]]:
        """The passages that are not in the table yet, by the key of their note."""
        return [(entry.key, prepared.chunks) for entry, prepared in self.written if entry.key == entry.seq]


class IndexWriter:
    """Writes batches one after another."""

    def __init__(
        self, opened: OpenIndex, vectors: Vectors, known: NamesBySide, tasks: Tasks, searches: Searches
    ) -> None:
        self.lock = asyncio.Lock()
        self.failed_writes: set[VaultPath] = set()
        """Notes that were shown and could not be written after all; they are forgotten."""
        self._opened = opened
        self._vectors = vectors
        self._known = known
        self._tasks = tasks
        self._searches = searches
        self._unlearnt: dict[int, PreparedNote] = {}
        """The notes that are shown, and whose names and vectors are not, by the number of their row."""

    async def write(self, entries: Sequence[PreparedNote], gone: Collection[VaultPath]) -> None:
        """Append the notes' rows and passages, then show them in memory."""
        async with self.lock:
            batch = self._batch(entries, gone)
            append = self._start_append(batch)
            segments = await asyncio.to_thread(batch_segments, self._opened.postings, batch)
            await self._await_append(batch, append)
            self._take(batch.written, batch.leaving, segments)
            await self._learn(batch.written)
            await self._merge_crowded()

    async def show(self, entries: Sequence[PreparedNote], gone: Collection[VaultPath]) -> asyncio.Task[None]:
        """Show changes in memory and return the task that writes the rows; readers wait for it."""
        await self.lock.acquire()
        try:
            batch = self._batch(entries, gone)
            segments = await asyncio.to_thread(batch_segments, self._opened.postings, batch)
            append = self._start_append(batch)
            self._opened.passages.pending = self._opened.notes.pending = append
            self._take(batch.written, batch.leaving, segments)
            await self._learn(batch.written)
            return self._tasks.start(self._finish_append(batch, append))
        except BaseException:
            self.lock.release()
            raise

    async def carry(self, carried: Sequence[CarriedNote]) -> asyncio.Task[None]:
        """Show changes that leave the passages of notes as they are; returns as `show` does."""
        await self.lock.acquire()
        try:
            batch, revisions = self._carried_batch(carried)
            segments = await asyncio.to_thread(carried_segments, self._opened.postings, batch.carried, revisions)
            append = self._start_append(batch)
            self._opened.notes.pending = append
            self._take_carried(batch.carried, segments)
            return self._tasks.start(self._finish_append(batch, append))
        except BaseException:
            self.lock.release()
            raise

    def _carried_batch(self, carried: Sequence[CarriedNote]) -> tuple[Batch, list[Revision]]:
        """Number the rows to write; a note that was hidden since is left out."""
        batch, revisions = Batch([], (), {}), list[Revision]()
        for each in carried:
            known = self._opened.catalogue.entry(each.note.path)
            if known is not None and known.note is each.known:
                entry = replace(known, note=each.note, seq=self._opened.catalogue.next())
                batch.carried.append((entry, each))
                revisions.append(Revision(known.seq, entry.seq, whole_mark(entry), each.removed, each.added))
        return batch, revisions

    def _take_carried(self, carried: CarriedNotes, whole: Sequence[Segment]) -> None:
        entries = [entry for entry, _ in carried]
        self.failed_writes.difference_update(entry.note.path for entry in entries)
        before = self._opened.catalogue.replace([entry.note.path for entry in entries], entries)
        self._opened.dead_seqs.update(old.seq for old in before)
        self._opened.postings.whole.replace_documents([old.seq for old in before], whole)
        self._known.renumbered(len(entries))

    async def _finish_append(self, batch: Batch, append: Future[Exception | None]) -> None:
        """Wait until the shown rows are on disk, or hide them again; then release the lock."""
        try:
            await self._await_append(batch, append)
        except Exception as error:  # noqa: BLE001 - the top of a task
            log.warning("%d notes could not be indexed: %s", len(batch.entries), type(error).__name__)
            paths = [entry.note.path for entry in batch.entries]
            self.forget(paths)
            self.failed_writes.update(paths)
        else:
            await self._merge_crowded()
        finally:
            self.lock.release()

    def _batch(self, entries: Sequence[PreparedNote], gone: Collection[VaultPath]) -> Batch:
        latest = {prepared.note.path: prepared for prepared in entries}
        leaving = [p for p in dict.fromkeys(gone) if p in self._opened.catalogue.notes and p not in latest]
        tombstones = {self._opened.catalogue.next(): path for path in leaving}
        return Batch(self._numbered(list(latest.values()), leaving), leaving, tombstones)

    def _start_append(self, batch: Batch) -> Future[Exception | None]:
        return start_coroutine(append_batch(self._opened, batch))

    async def _await_append(self, batch: Batch, append: Future[Exception | None]) -> None:
        try:
            with disk_errors(self._opened.folder.path):
                if (error := await asyncio.wrap_future(append)) is not None:
                    raise error
        except BaseException:
            # A row without its passages does not count; what was written of either is vacuumed.
            self._opened.dead_keys.update(key for key, _ in batch.fresh)
            self._opened.dead_seqs.update(entry.seq for entry in batch.entries)
            raise
        self._opened.dead_seqs.update(batch.tombstones)
        self._opened.passages.grew(sum(len(chunks) for _, chunks in batch.fresh))
        self._opened.notes.grew(len(batch.entries) + len(batch.tombstones))

    def forget(self, paths: Sequence[VaultPath]) -> None:
        """Forget notes in memory at once; until their rows are vacuumed, a restart would bring them back."""
        self._take([], paths, None)
        self._known.follow(self._opened.catalogue.notes)

    async def _merge_crowded(self) -> None:
        if self._opened.postings.crowded:
            await self._opened.postings.merge()

    def _numbered(self, prepared: Sequence[PreparedNote], leaving: Sequence[VaultPath]) -> WrittenNotes:
        """Number the rows; a note whose passages are in the table, at its own path or a removed one, keeps them."""
        catalogue = self._opened.catalogue
        movable = {
            (entry.note.digest, entry.note.recipe, entry.note.kind): entry
            for path in (*leaving, *(each.note.path for each in prepared))
            if (entry := catalogue.entry(path)) is not None
        }
        written: WrittenNotes = []
        for each in prepared:
            note = each.note
            same = movable.get((each.note.digest, each.note.recipe, each.note.kind))
            seq = key = catalogue.next()
            digests = self._vectors.digests_of(same.key) if same else None
            # An empty note's passage is its title, so equal bytes do not make it equal.
            if same is not None and digests is not None and digests.passages == text_digests(each).passages:
                key = same.key
                note = replace(each.note, passages_of=same.note.passages_of)
                del movable[each.note.digest, each.note.recipe, each.note.kind]
            written.append((NoteEntry(note, seq, key, each.title_text), each))
        return written

    def _take(self, written: WrittenNotes, leaving: Sequence[VaultPath], segments: NoteSegments | None) -> None:
        opened = self._opened
        self.failed_writes.difference_update(entry.note.path for entry, _ in written)
        # Removed names go first, because notes may have swapped names.
        paths = [*leaving, *(entry.note.path for entry, _ in written)]
        before = opened.catalogue.replace(paths, [entry for entry, _ in written])
        for old in before:
            if self._unlearnt.pop(old.seq, None) is None:
                self._vectors.drop(old.key)
                self._known.forget(old.note)
            opened.dead_seqs.add(old.seq)
            opened.postings.drop_whole(old.seq)
            if not opened.catalogue.believes_key(old.key):
                opened.dead_keys.add(old.key)
                opened.postings.drop_passages(old.key)
        if segments is not None:
            opened.postings.add(segments)
        self._unlearnt.update((entry.seq, prepared) for entry, prepared in written)

    async def _learn(self, written: WrittenNotes) -> None:
        """Show the names and vectors of what was written; searches go first, as a thousand notes take 0.15 s."""
        since = time.perf_counter()
        for entry, _ in written:
            # It may have been hidden meanwhile.
            if (prepared := self._unlearnt.pop(entry.seq, None)) is not None:
                self._vectors.put(entry.key, text_digests(prepared), entry.note.mtime_ns)
                self._known.learn(entry.note)
            since = await self._searches.give_way(since)
        self._known.follow(self._opened.catalogue.notes)


async def append_batch(opened: OpenIndex, batch: Batch) -> Exception | None:
    """Append to both tables at once, which takes some milliseconds each; neither counts without the other."""
    passages, notes = await asyncio.to_thread(batch_rows, batch)
    tables = ((opened.passages, passages), (opened.notes, notes))
    # Each runs to its end, even if the other fails.
    adding = [table.add(rows) for table, rows in tables if rows.num_rows]
    ended = await asyncio.gather(*adding, return_exceptions=True)
    return next((error for error in ended if isinstance(error, Exception)), None)


CONVERTED_AT_ONCE = 50
"""Notes converted into rows at a time: while pyarrow converts a thousand, no other thread runs for 0.1 s."""


def batch_rows(batch: Batch) -> tuple[Any, Any]:
    import pyarrow as pa

    wholes = [(entry, prepared.whole) for entry, prepared in batch.written]
    wholes += [(entry, carried.whole) for entry, carried in batch.carried]
    passages = [passage_rows(part) for part in slices(batch.fresh)]
    notes = [note_rows([], batch.tombstones), *(note_rows(part, {}) for part in slices(wholes))]
    return pa.concat_tables(passages), pa.concat_tables(notes)


def slices(rows: Sequence[T]) -> Iterator[Sequence[T]]:
    """Divide what is converted into rows; no rows are one empty slice, which has the columns of a table."""
    return (rows[at : at + CONVERTED_AT_ONCE] for at in range(0, max(1, len(rows)), CONVERTED_AT_ONCE))


def batch_segments(postings: Postings, batch: Batch) -> NoteSegments:
    lacking = iter(add_segments([each for _, each in batch.written if each.segments is None], postings.vocabularies))
    together: dict[int, tuple[NoteSegments, dict[int, tuple[int, int]], dict[int, tuple[int, int]]]] = {}
    for entry, prepared in batch.written:
        indexed = prepared if prepared.segments is not None else next(lacking)
        if indexed.segments is None:
            raise AssertionError(entry)
        _, passages, whole = together.setdefault(id(indexed.segments), (indexed.segments, {}, {}))
        whole[indexed.place] = entry.seq, whole_mark(entry)
        if entry.key == entry.seq:
            passages[indexed.place] = entry.key, passage_mark(entry)
    return NoteSegments(
        number_segments((each, passages) for own, passages, _ in together.values() for each in own.words),
        number_segments((each, passages) for own, passages, _ in together.values() for each in own.forms),
        number_segments((each, whole) for own, _, whole in together.values() for each in own.whole),
    )


def carried_segments(postings: Postings, carried: CarriedNotes, revisions: Sequence[Revision]) -> list[Segment]:
    """Return the segments of the whole texts of carried notes; most are revised, and the others built from the text."""
    vocabulary = postings.vocabularies.words
    segments, inexact = revise_documents(postings.whole.segments, revisions, vocabulary)
    texts = {entry.seq: each.whole for entry, each in carried}
    documents = [Document(each.number, 0, each.mark, texts[each.number]) for each in inexact]
    return [*segments, *build_segments(documents, vocabulary)]
