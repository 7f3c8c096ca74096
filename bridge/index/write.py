"""Writes notes: on disk by appending, in memory at once."""

import asyncio
import json
import logging
import re
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import NDArray

from bridge.index.background import Searches, Tasks
from bridge.index.catalogue import NoteEntry
from bridge.index.digests import TextDigests
from bridge.index.documents import IndexDocument, NoteSegments, index_documents, list_words, number_segments
from bridge.index.folder import disk_errors
from bridge.index.names import NamesBySide
from bridge.index.note import NO_PROPERTIES, IndexedNote
from bridge.index.open import OpenIndex, start_coroutine
from bridge.index.postings import Postings, passage_mark, whole_mark
from bridge.index.prepare import Chunk, PreparedNote, add_segments, passage_version, whole_text
from bridge.index.rows import note_rows, passage_rows, text_digests
from bridge.index.segment import MAX_DOCUMENTS, MAX_EXACT, IndexSegment, assemble_segment
from bridge.index.tokens import Occurrences, TermFinder
from bridge.index.vectors import Vectors
from bridge.markdown.decode import BOM, digest_of
from bridge.markdown.documents import is_drawing
from bridge.markdown.frontmatter import Frontmatter, cut_frontmatter, read_frontmatter
from bridge.markdown.prose import has_asides
from bridge.records import Record
from bridge.text.invisible import strip_break_hints
from bridge.text.lines import LineIndex
from bridge.text.stems import language_of
from bridge.types import VaultPath
from bridge.vault.scan import Stat

MAX_WHOLE_BYTES: Final = 1_000_000
"""Bytes of a file above which some of it may be left out."""

MAX_SHORT_CHARS: Final = 200
"""Characters of a body up to which the properties count for the language."""

_REACHES_FURTHER: Final = ("<", "`", "~~~", "]:", "&nbsp;")
"""What may belong to something of which the rest is in the text below: a query, a definition, HTML, code."""


class CarriedNote(Record):
    """A note with other properties than the index knows, and the same passages."""

    known: IndexedNote
    """The note as the index knows it."""
    note: IndexedNote
    whole: str
    """All of its words, as in `PreparedNote`."""
    removed: str
    """Words that it no longer has."""
    added: str
    """Words that it has instead."""


class _Versions(Record):
    """The texts of a note before and after a change of its properties."""

    known: IndexedNote
    old: str
    new: str
    was: int
    """Where the old text begins below its property block."""
    now: Frontmatter

    @property
    def blocks(self) -> tuple[str, str]:
        return self.old[: self.was], self.new[: self.now.body]

    @property
    def is_apart(self) -> bool:
        return not any(sign in block for sign in _REACHES_FURTHER for block in self.blocks)

    def has_same_passages(self) -> bool:
        known, now, (old, new) = self.known, self.now, self.blocks
        if self.old[self.was :] != self.new[now.body :] or old.count("\n") != new.count("\n"):
            return False
        if now.problems or now.aliases != known.aliases or is_drawing(known.path, now.properties):
            return False
        is_short = len(self.new) - now.body <= MAX_SHORT_CHARS
        return not (is_short and language_of(self.new) != known.language)

    def tags(self) -> tuple[str, ...] | None:
        """Return the tags of the note now; None if one that left the properties may be in its text too."""
        new = {tag.name: None for tag in self.now.tags}
        if not new and not self.known.tags:
            return ()
        had = {tag.name: None for tag in read_frontmatter(self.old, LineIndex(self.old)).tags}
        if list(had) == list(new):
            return self.known.tags
        left = had.keys() - new.keys()
        if any(re.search(rf"#{re.escape(name)}(?!/?\w)", self.new[self.now.body :]) for name in left):
            return None
        in_text = [name for name in self.known.tags if name not in had]
        return (*new, *(name for name in in_text if name not in new))

    def words(self) -> tuple[str, str, str]:
        """Return all words of the note now, those that it no longer has, and those that it has instead."""
        known = self.known
        whole = _all_words(known, self.new)
        if self.is_apart:
            old, new = map(strip_break_hints, self.blocks)
        else:
            old, new = _all_words(known, self.old), whole
        return (whole, *_differing_lines(old, new))


def carry_over(known: IndexedNote, before: bytes, after: bytes, stat: Stat) -> CarriedNote | None:
    """Return a changed note without preparing it; None if more than its properties changed, or that is not certain."""
    versions = _versions(known, before, after)
    if versions is None or not versions.has_same_passages() or (tags := versions.tags()) is None:
        return None
    now, shift = versions.now, versions.now.body - versions.was
    note = replace(
        known,
        tags=tags,
        properties=now.properties or NO_PROPERTIES,
        digest=digest_of(after),
        mtime_ns=stat.mtime_ns,
        size=stat.size,
        asides=known.asides if versions.is_apart else has_asides(versions.new),
        passages_of=known.passages_of or known.digest,
        packed_headings=_shift_headings(known.packed_headings, shift),
        packed_links=_replace_links(known.packed_links, now, shift),
    )
    return CarriedNote(known, note, *versions.words())


def _versions(known: IndexedNote, before: bytes, after: bytes) -> _Versions | None:
    if known.kind != "note" or known.problems or max(len(before), len(after)) > MAX_WHOLE_BYTES:
        return None
    if before.startswith(BOM) != after.startswith(BOM) or digest_of(before) != known.digest:
        return None
    try:
        old, new = (data.removeprefix(BOM).decode() for data in (before, after))
    except UnicodeDecodeError:
        return None
    cut = cut_frontmatter(old)
    return _Versions(known, old, new, cut[1] if cut else 0, read_frontmatter(new, LineIndex(new)))


def _all_words(known: IndexedNote, text: str) -> str:
    return strip_break_hints(whole_text(known.title, known.aliases, text))


def _differing_lines(old: str, new: str) -> tuple[str, str]:
    olds, news = old.split("\n"), new.split("\n")
    most = min(len(olds), len(news))
    first = next((at for at in range(most) if olds[at] != news[at]), most)
    last = next((at for at in range(most - first) if olds[-1 - at] != news[-1 - at]), most - first)
    return "\n".join(olds[first : len(olds) - last]), "\n".join(news[first : len(news) - last])


def _shift_headings(packed: str, by: int) -> str:
    if not by or packed == "[]":
        return packed
    return json.dumps([[*heading, start + by, end + by] for *heading, start, end in json.loads(packed)])


def _replace_links(packed: str, now: Frontmatter, by: int) -> str:
    if packed == "[]" and not now.links:
        return packed
    own = [[each.target, each.shown, each.kind, each.line, *each.span, each.embed] for each in now.links]
    others = (link for link in json.loads(packed) if link[2] != "property")
    return json.dumps([*own, *([*link, start + by, end + by, embed] for *link, start, end, embed in others)])


class DocumentRevision(Record):
    """A document without ordinals that gets other words, and a new number and mark."""

    before: int
    number: int
    mark: int
    removed: str
    added: str


class _Postings(NamedTuple):
    """Postings in any order: the term, the place of the document and the frequency as stored of each."""

    terms: NDArray[np.uint64]
    places: NDArray[np.int64]
    frequencies: NDArray[np.int64]


def revise_documents(
    segments: Sequence[IndexSegment], revisions: Sequence[DocumentRevision], vocabulary: TermFinder
) -> tuple[list[IndexSegment], list[DocumentRevision]]:
    """Build segments of revised documents; call in a thread that may use the vocabulary."""
    built: list[IndexSegment] = []
    inexact: list[DocumentRevision] = []
    for start in range(0, len(revisions), MAX_DOCUMENTS):
        left = revisions[start : start + MAX_DOCUMENTS]
        while left:
            segment, failed = _revise(segments, left, vocabulary)
            if not failed:
                built.append(segment)
                break
            inexact += (left[place] for place in sorted(failed))
            left = [revision for place, revision in enumerate(left) if place not in failed]
    return built, inexact


def _revise(
    segments: Sequence[IndexSegment], revisions: Sequence[DocumentRevision], vocabulary: TermFinder
) -> tuple[IndexSegment, set[int]]:
    """Build the segment of some documents; it must not be used if any of them, given by place, are inexact."""
    old, lengths = _postings_of(segments, np.array([revision.before for revision in revisions], np.int64))
    failed = lengths < 0
    removed = vocabulary.find([revision.removed for revision in revisions])
    added = vocabulary.find([revision.added for revision in revisions])
    lengths = np.maximum(lengths, 0) + added.counts - removed.counts
    terms = np.unique(np.concatenate([old.terms, removed.terms, added.terms]))
    keys = np.searchsorted(terms, old.terms) << 16 | old.places
    order = np.argsort(keys)
    keys, frequencies = keys[order], old.frequencies[order]
    changed, by = _differences(terms, removed, added)
    at = np.searchsorted(keys, changed)
    known = np.zeros(len(changed), np.bool_)
    inside = at < len(keys)
    known[inside] = keys[at[inside]] == changed[inside]
    before = np.zeros(len(changed), np.int64)
    before[known] = frequencies[at[known]]
    after = before + by
    failed[changed[(before >= MAX_EXACT) | (after >= MAX_EXACT) | (after < 0)] & 0xFFFF] = True
    frequencies[at[known]] = np.clip(after[known], 0, MAX_EXACT)
    new = ~known & (after > 0)
    keys = np.concatenate([keys, changed[new]])
    frequencies = np.concatenate([frequencies, after[new]])
    postings = np.sort(keys[frequencies > 0] << 8 | frequencies[frequencies > 0])
    segment = assemble_segment(
        np.array([revision.number for revision in revisions], np.int64),
        np.zeros(len(revisions), np.int32),
        np.array([revision.mark for revision in revisions], np.uint32),
        lengths.astype(np.uint32),
        terms,
        postings,
    )
    return segment, set(np.flatnonzero(failed).tolist())


def _postings_of(segments: Sequence[IndexSegment], numbers: NDArray[np.int64]) -> tuple[_Postings, NDArray[np.int64]]:
    """Return the postings of the live documents of some numbers, by their place, and their lengths; -1 for none."""
    order = np.argsort(numbers)
    lengths = np.full(len(numbers), -1, np.int64)
    found: list[_Postings] = [_Postings(np.empty(0, np.uint64), np.empty(0, np.int64), np.empty(0, np.int64))]
    for segment in segments:
        place = np.minimum(np.searchsorted(numbers[order], segment.numbers), len(numbers) - 1)
        own = (numbers[order][place] == segment.numbers) & segment.live
        places = np.where(own, order[place], -1)
        lengths[places[own]] = segment.lengths[own]
        of = places[segment.documents[:]]
        term = np.repeat(segment.terms, np.diff(segment.starts).astype(np.int64))
        found.append(_Postings(term[of >= 0], of[of >= 0], segment.frequencies[:][of >= 0].astype(np.int64)))
    return _Postings(*map(np.concatenate, zip(*found, strict=True))), lengths


def _differences(
    terms: NDArray[np.uint64], removed: Occurrences, added: Occurrences
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return by how much the frequency of a term in a document changes, by the places of both, where it does."""
    keys = [
        np.searchsorted(terms, each.terms)[each.places] << 16 | np.repeat(np.arange(len(each.counts)), each.counts)
        for each in (removed, added)
    ]
    signs = np.concatenate([np.full(len(keys[0]), -1), np.full(len(keys[1]), 1)])
    changed, place = np.unique(np.concatenate(keys), return_inverse=True)
    by = np.bincount(place, signs, len(changed)).astype(np.int64)
    return changed[by != 0], by[by != 0]


log = logging.getLogger(__name__)

T = TypeVar("T")

WrittenNotes = list[tuple[NoteEntry, PreparedNote]]
CarriedNotes = list[tuple[NoteEntry, CarriedNote]]


class Batch(Record):
    """Notes to write together."""

    written: WrittenNotes
    leaving: Sequence[VaultPath]
    tombstones: Mapping[int, VaultPath]
    """The removed paths, by the number of their tombstone."""
    texts: Mapping[int, TextDigests] = field(default_factory=dict)
    """The texts of each written note, by the number of its row."""
    carried: CarriedNotes = field(default_factory=list)

    @property
    def entries(self) -> list[NoteEntry]:
        """Every note with the numbers of its rows."""
        return [entry for entry, _ in (*self.written, *self.carried)]

    @property
    def fresh(self) -> list[tuple[int, Sequence[Chunk]]]:
        """The passages that are not in the table yet, by the key of their note."""
        return [(entry.key, prepared.chunks) for entry, prepared in self.written if entry.key == entry.seq]


class IndexWriter(Struct, eq=False):
    """Writes batches one after another."""

    _opened: OpenIndex
    _vectors: Vectors
    _known: NamesBySide
    _tasks: Tasks
    _searches: Searches
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    failed_writes: set[VaultPath] = field(default_factory=set)
    """Notes that were shown and could not be written after all; they are forgotten."""
    _unlearnt: dict[int, TextDigests] = field(default_factory=dict)
    """The texts of notes that are shown, and whose names and vectors are not, by the number of their row."""

    async def write(self, entries: Sequence[PreparedNote], gone: Collection[VaultPath]) -> None:
        """Append the notes' rows and passages, then show them in memory."""
        async with self.lock:
            batch = self._batch(entries, gone)
            append = self._start_append(batch)
            segments = await asyncio.to_thread(batch_segments, self._opened.postings, batch)
            await self._await_append(batch, append)
            self._take(batch, segments)
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
            self._take(batch, segments)
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

    def _carried_batch(self, carried: Sequence[CarriedNote]) -> tuple[Batch, list[DocumentRevision]]:
        """Number the rows to write; a note that was hidden since is left out."""
        batch, revisions = Batch([], (), {}), list[DocumentRevision]()
        for each in carried:
            known = self._opened.catalogue.entry(each.note.path)
            if known is not None and known.note is each.known:
                entry = replace(known, note=each.note, seq=self._opened.catalogue.next())
                batch.carried.append((entry, each))
                revisions.append(DocumentRevision(known.seq, entry.seq, whole_mark(entry), each.removed, each.added))
        return batch, revisions

    def _take_carried(self, carried: CarriedNotes, segments: NoteSegments) -> None:
        entries = [entry for entry, _ in carried]
        self.failed_writes.difference_update(entry.note.path for entry in entries)
        before = self._opened.catalogue.replace([entry.note.path for entry in entries], entries)
        self._opened.dead_seqs.update(old.seq for old in before)
        self._opened.postings.dictionary.add(segments.distinct_words)
        self._opened.postings.whole.replace_documents([old.seq for old in before], segments.whole)
        self._known.add_renumbered(len(entries))

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
        written, texts = self._number_rows(list(latest.values()), leaving)
        return Batch(written, leaving, tombstones, texts)

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
        self._take(Batch([], paths, {}), None)
        self._known.follow(self._opened.catalogue.notes)

    async def _merge_crowded(self) -> None:
        if self._opened.postings.is_crowded:
            await self._opened.postings.merge()

    def _number_rows(
        self, prepared: Sequence[PreparedNote], leaving: Sequence[VaultPath]
    ) -> tuple[WrittenNotes, dict[int, TextDigests]]:
        """Number the rows; a note whose passages are in the table, at its own path or a removed one, keeps them.

        One that is read again for other facts keeps them, too, even if it would be cut elsewhere by now.
        """
        catalogue = self._opened.catalogue
        movable = {
            (entry.note.digest, entry.note.recipe, entry.note.kind): entry
            for path in (*leaving, *(each.note.path for each in prepared))
            if (entry := catalogue.entry(path)) is not None
        }
        written: WrittenNotes = []
        texts: dict[int, TextDigests] = {}
        for each in prepared:
            note, digests = each.note, text_digests(each)
            same = movable.get((each.note.digest, each.note.recipe, each.note.kind))
            seq = key = catalogue.next()
            known = self._vectors.digests_of(same.key) if same else None
            # An empty note's passage is its title, so equal bytes do not make it equal.
            if same is not None and known is not None and known.passages == digests.passages:
                key = same.key
                note = replace(each.note, passages_of=same.note.passages_of)
                del movable[each.note.digest, each.note.recipe, each.note.kind]
            elif (same := catalogue.entry(note.path)) is not None and is_read_again(note, same.note):
                known = self._vectors.digests_of(same.key)
                if known is not None and known.passages != digests.passages:
                    key, digests = same.key, TextDigests.of(digests.title, known.passages)
                    note = replace(note, passages=same.note.passages, passages_of=same.note.passages_of)
            written.append((NoteEntry(note, seq, key, each.title_text), each))
            texts[seq] = digests
        return written, texts

    def _take(self, batch: Batch, segments: NoteSegments | None) -> None:
        opened, written = self._opened, batch.written
        self.failed_writes.difference_update(entry.note.path for entry, _ in written)
        # Removed names go first, because notes may have swapped names.
        paths = [*batch.leaving, *(entry.note.path for entry, _ in written)]
        before = opened.catalogue.replace(paths, [entry for entry, _ in written])
        for old in before:
            if self._unlearnt.pop(old.seq, None) is None:
                self._vectors.drop(old.key)
                self._known.forget(old.note)
            opened.dead_seqs.add(old.seq)
            opened.postings.whole.drop(old.seq)
            if not opened.catalogue.believes_key(old.key):
                opened.dead_keys.add(old.key)
                opened.postings.drop_passages(old.key)
        if segments is not None:
            opened.postings.add(segments)
        self._unlearnt.update(batch.texts)

    async def _learn(self, written: WrittenNotes) -> None:
        """Show the names and vectors of what was written; searches go first, as a thousand notes take 0.15 s."""
        since = time.perf_counter()
        for entry, _ in written:
            # It may have been hidden meanwhile.
            if (digests := self._unlearnt.pop(entry.seq, None)) is not None:
                self._vectors.put(entry.key, digests)
                self._known.learn(entry.note)
            since = await self._searches.give_way(since)
        self._known.follow(self._opened.catalogue.notes)


def is_read_again(note: IndexedNote, known: IndexedNote) -> bool:
    """Say whether a note has the same bytes, and only what is remembered beside its passages is of another version."""
    facts = (note.digest, note.kind, note.language, passage_version(note.recipe))
    return note.recipe != known.recipe and facts == (
        known.digest, known.kind, known.language, passage_version(known.recipe)
    )  # fmt: skip


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
        set[str]().union(*(own.distinct_words for own, *_ in together.values())),
    )


def carried_segments(postings: Postings, carried: CarriedNotes, revisions: Sequence[DocumentRevision]) -> NoteSegments:
    """Return the segments of the whole texts of carried notes; most are revised, and the others built from the text."""
    vocabulary = postings.vocabularies.words
    segments, inexact = revise_documents(postings.whole.segments, revisions, vocabulary)
    texts = {entry.seq: each.whole for entry, each in carried}
    documents = [IndexDocument(each.number, 0, each.mark, texts[each.number]) for each in inexact]
    built = index_documents((), (), documents, postings.vocabularies)
    added = list_words(vocabulary.find([revision.added for revision in revisions]))
    return NoteSegments((), (), [*segments, *built.whole], {*built.distinct_words, *added})
