"""The index of one vault: all data derived from its notes and searched."""

import asyncio
import contextlib
import copy
import shutil
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Self

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from bridge.data_folder import folder_size
from bridge.errors import BridgeError, NotReady
from bridge.index.apart import Apart, KeptFolder, Side
from bridge.index.background import Searches, Tasks, pause_gc, trim
from bridge.index.boilerplate import Boilerplate
from bridge.index.compact import Compaction
from bridge.index.folder import SummaryFolder, disk_errors
from bridge.index.hits import NameHit, NoteHit, PassageHit, best_hits
from bridge.index.inverted_index import (
    InvertedIndex,
    TermQuery,
    TextQuery,
    contains,
    exact_query,
    stemmed_query,
    word_terms,
)
from bridge.index.matrix import Floats
from bridge.index.names import NamesBySide
from bridge.index.note import IndexedNote
from bridge.index.open import OpenIndex, open_index, read_errors, wait
from bridge.index.passages import PassageTexts
from bridge.index.prepare import PreparedNote
from bridge.index.rows import PackedPassages, StoredPassage
from bridge.index.tokens import hash_tokens
from bridge.index.vectors import MEMORY_BYTES, MissingVector, Vectors, read_missing
from bridge.index.write import CarriedNote, IndexWriter
from bridge.records import Record
from bridge.types import Among, Digest, VaultPath

Denies = Callable[[str], bool]
"""Returns whether the note at a path is denied."""


MEASURE_TRIES = 5
"""Times that the state is measured before an error counts as damage."""


MAX_CHARS_AT_ONCE = 200_000
"""Characters of passages that the event loop reads by itself: some milliseconds."""


class IndexHealth(Record):
    """The measures by which `doctor` judges the index."""

    fragments: int
    bytes: int
    rebuilds: int
    unindexed_rows: int
    set_aside: str | None
    """Why an earlier index was set aside, if one was."""


IMPORTED_AT_ONCE = 2_048
"""Vectors of others stored between two pauses of the event loop."""


class Index:
    """One vault's index.

    Only one process may have it open; its methods belong to one event loop. A note is written by appending: its
    passages, and its row with a higher number, which counts at a start only if all of them are there. What that
    replaces is known in memory at once and deleted later, so that a search never sees half a note and a crash leaves
    none.
    """

    def __init__(self, opened: OpenIndex, keep_days: int, memory: int) -> None:
        self._opened = opened
        self.boilerplate = opened.folder.boilerplate
        """The recurring lines learnt in this vault."""
        self._apart = Apart(opened.catalogue)
        self.among: Among = "all"
        self._known = NamesBySide(self._apart, opened.known)
        self._types: tuple[Mapping[VaultPath, IndexedNote], Counter[str]] = {}, Counter()
        self._tasks = Tasks()
        self.searches = Searches()
        """Entered by a search; background work that needs the event loop gives way to it."""
        self.folder = opened.folder
        self.summaries = SummaryFolder(opened.folder.path / "summaries")
        self.link_file = opened.link_file
        """The file of the resolved links, which outlives the index."""
        self.dictionary = opened.postings.dictionary
        """The words of all notes; whether those of a view contain one is said by `document_frequencies`."""
        self.vectors = Vectors(opened, keep_days, memory)
        self._tidying = Compaction(opened, self.vectors, self._tasks)
        self._texts = PassageTexts(
            opened, self.vectors, self._tasks, self.searches, self._tidying, PackedPassages(opened.folder.path)
        )
        self._writing = IndexWriter(opened, self.vectors, self._known, self._tasks, self.searches)

    @classmethod
    def open(
        cls,
        folder: Path,
        *,
        keep_days: int = 7,
        memory: int = MEMORY_BYTES,
        doubt: Exception | None = None,
        load_vectors: bool = True,
    ) -> Self:
        """Open the index in a folder, or create one; blocks.

        A search compares every vector as long as these take no more bytes of memory than given.
        """
        with pause_gc():
            index = cls(open_index(folder, doubt), keep_days, memory)
            if not index.folder.take_embedded() or load_vectors:
                index.vectors.require()
        trim()
        return index

    def keep_apart(self, *folders: KeptFolder) -> bool:
        """Choose the folders of which `view` tells one from other notes, and return whether they are others."""
        changed = self._apart.use(*folders)
        self._known.follow(self._opened.catalogue.notes)
        return changed

    @property
    def kept_apart(self) -> KeptFolder:
        """The folder whose notes are kept apart now; one without a path if none is."""
        return self._apart.folder

    def view(self, among: Among) -> "Index":
        """Return this index as if it held no other notes than these; for reading only."""
        view = copy.copy(self)
        view.among = among
        return view

    @property
    def _side(self) -> Side:
        return self._apart.side(self.among)

    @property
    def notes(self) -> Mapping[VaultPath, IndexedNote]:
        """Every note that keyword search finds now; a write replaces the mapping."""
        return self._side.notes

    def count_types(self) -> Counter[str]:
        """Count the notes of each type, without those kept apart; quick unless notes were written since.

        Not done amid many writes.
        """
        notes, types = self._types
        if notes is not (now := self._apart.side("notes").notes) and not self._tidying.is_put_off:
            notes = now
            types = Counter(kind for note in notes.values() if (kind := note.note_type))
            self._types = notes, types
        return types

    @property
    def is_damaged(self) -> bool:
        """Whether a search failed to read it: it must be reopened with `doubt`."""
        return self._opened.damaged

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of the vault that use the Latin script."""
        return self._known.languages(self.among)

    async def use_boilerplate(self, boilerplate: Boilerplate) -> None:
        """Store newly learnt lines, under a version never used before."""
        version = self.boilerplate.version + 1
        self.boilerplate = replace(boilerplate, version=version)
        await asyncio.to_thread(self.folder.keep_boilerplate, self.boilerplate)

    # -- writing ------------------------------------------------------------------------------------------------------

    async def write(self, entries: Sequence[PreparedNote], gone: Collection[VaultPath] = ()) -> None:
        """Write notes and remove others; keyword search shows the result on return."""
        await self.vectors.load()
        await self._tasks.finish(self._writing.write(entries, gone))
        self._tidying.later()

    async def show(self, entries: Sequence[PreparedNote], gone: Collection[VaultPath] = ()) -> None:
        """Show changes without waiting for the disk; a search waits for rows under way.

        Notes that cannot be written are hidden again, and listed by `failed_writes`.
        """
        await self.vectors.load()
        following = await self._tasks.finish(self._writing.show(entries, gone))
        following.add_done_callback(lambda _: self._tidying.later())

    async def carry(self, notes: Sequence[CarriedNote]) -> None:
        """Show notes of which only the properties changed, as `show` does."""
        following = await self._writing.carry(notes)
        following.add_done_callback(lambda _: self._tidying.later())

    async def wait_for_writes(self) -> None:
        """Wait until everything shown is written or lost."""
        async with self._writing.lock:
            pass

    @property
    def failed_writes(self) -> frozenset[VaultPath]:
        """Notes that were shown and could not be written; they must be read again."""
        return frozenset(self._writing.failed_writes)

    def bulk(self) -> AbstractContextManager[None]:
        """Enclose many writes; the index is compacted after the last."""
        return self._tidying.put_off()

    async def optimise(self, *, at_once: bool = False) -> None:
        """Delete replaced rows, merge fragments and store new postings."""
        await self._tasks.finish(self._tidying.optimise(at_once=at_once))

    # -- denied notes -------------------------------------------------------------------------------------------------

    def hide(self, denies: Denies) -> None:
        """Forget notes in memory, so that nothing finds them from now on."""
        self._writing.forget([path for path in self._opened.catalogue.notes if denies(path)])
        self._texts.forget()

    async def erase(self, denies: Denies) -> None:
        """Erase these notes, and all data that no other note needs, from the disk to the last byte.

        Unlike compaction, this rewrites every table and removes all earlier versions: rows that are only deleted stay
        in their files for days, as do the vectors of earlier wordings, which cannot be told from those of other notes.
        """
        await self.vectors.load()
        await self._tasks.finish(self._erase(denies))

    async def _erase(self, denies: Denies) -> None:
        opened = self._opened
        await self._tidying.stop_indexing_vectors()
        async with self._tidying.lock, self._writing.lock, self.vectors.lock:
            # Again: a write under way may have restored some.
            self.hide(denies)
            with disk_errors(self.folder.path):
                await self._tidying.sweep()
                for table in (opened.passages, opened.notes, *await self.vectors.prune()):
                    await table.renew()
                await opened.postings.merge(everything=True)
                await opened.postings.save()
                await opened.name_file.save(opened.known, opened.catalogue)
                opened.link_file.remove()
                await asyncio.to_thread(self.summaries.remove)
                await asyncio.to_thread(shutil.rmtree, self.folder.aside, ignore_errors=True)

    # -- closing ------------------------------------------------------------------------------------------------------

    async def close(self) -> None:
        """Finish writing and close; the next start vacuums what is left."""
        self._tidying.stop()
        await self.vectors.settle()
        async with self._writing.lock:
            # Without them, the next start indexes the stored text again.
            with contextlib.suppress(BridgeError, OSError):
                if self._opened.postings.unsaved_count:
                    await self._opened.postings.save()
                await self._tidying.save_names()
                await asyncio.to_thread(self.folder.update_checksums)
                if self.vectors.is_whole:
                    self.folder.keep_embedded()
            self.abandon()

    def abandon(self) -> None:
        """Close at once, without an event loop."""
        self._opened.notes.inner.close()
        self._opened.passages.inner.close()
        self._opened.database.close()

    def health(self) -> IndexHealth:
        """Measure the state of the index; blocks for a few milliseconds."""
        for _ in range(MEASURE_TRIES):
            # A version that is pruned while its facts are read is no damage.
            with contextlib.suppress(OSError, RuntimeError, ValueError), disk_errors(self.folder.path):
                return self._measure()
        with read_errors(self._opened):
            return self._measure()

    def _measure(self) -> IndexHealth:
        opened, tables = self._opened, self._tidying.tables()
        return IndexHealth(
            fragments=sum(wait(table.fragments()) for table in tables),
            bytes=folder_size(self.folder.path),
            rebuilds=opened.postings.rebuilds + sum(table.rebuilds for table in tables),
            unindexed_rows=sum(table.unindexed for table in tables),
            set_aside=opened.set_aside,
        )

    # -- vectors ------------------------------------------------------------------------------------------------------

    @property
    def answering_model(self) -> str | None:
        """The key of the model that must embed the queries; None when there are no vectors."""
        return self.vectors.answering_model

    def use_model(self, key: str, dimensions: int) -> None:
        """Request a model's vectors from now on; the previous model answers until these are complete."""
        with disk_errors(self.folder.path):
            self.vectors.use(key, dimensions)

    def pending_vectors(self) -> int:
        return self.vectors.count_pending()

    async def find_missing_vectors(self, limit: int, *, apart: bool = False) -> list[MissingVector]:
        """Return texts without a vector: those of the notes kept apart, else, unless only they count, the newest."""
        await self.vectors.load()
        keys = self._opened.catalogue.keys_of(self._apart.side("agents").notes)
        due = self.vectors.due(limit, keys) or ([] if apart else self.vectors.due(limit))
        return await read_missing(self._opened, due, limit)

    async def add_vectors(self, digests: Sequence[Digest], vectors: Floats) -> None:
        """Store the vectors of texts that `find_missing_vectors` returned, in the same order."""
        with disk_errors(self.folder.path):
            await self._tasks.finish(self.vectors.add(digests, vectors))
        if self._tidying.urgent:
            self._tidying.later()

    async def import_vectors(self, digests: Sequence[bytes], vectors: Floats) -> int:
        """Store vectors of the requested model, made elsewhere, of texts that need one; return how many were stored."""
        stored = 0
        with disk_errors(self.folder.path):
            for at in range(0, len(digests), IMPORTED_AT_ONCE):
                part = slice(at, at + IMPORTED_AT_ONCE)
                stored += await self._tasks.finish(self.vectors.fill(digests[part], vectors[part]))
        return stored

    async def quarantine(self, digests: Collection[Digest]) -> None:
        """Exclude these texts from `find_missing_vectors` for good."""
        with disk_errors(self.folder.path):
            await self._tasks.finish(self.vectors.give_up(digests))

    def is_embedded(self, path: VaultPath) -> bool:
        """Return whether every passage of a note has its vector, or needs none."""
        entry = self._opened.catalogue.entry(path)
        return entry is not None and all(self.vectors.embedded_at(entry.key, at) for at in range(entry.note.passages))

    # -- retrievers ---------------------------------------------------------------------------------------------------

    async def passages(
        self, words: TextQuery, limit: int, within: Collection[VaultPath] | None = None
    ) -> list[PassageHit]:
        return self._search(self._opened.postings.words, exact_query(words), limit, within)

    async def stems(
        self, words: TextQuery, limit: int, within: Collection[VaultPath] | None = None
    ) -> list[PassageHit]:
        return self._search(self._opened.postings.forms, stemmed_query(words, self.languages), limit, within)

    def _search(
        self, inverted: InvertedIndex, query: TermQuery | None, limit: int, within: Collection[VaultPath] | None
    ) -> list[PassageHit]:
        """Answer from memory without giving way, so that no write comes in between."""
        self._begin_search()
        if query is None or limit < 1:
            return []
        allowed = None if within is None else self._opened.catalogue.keys_of(within)
        with read_errors(self._opened):
            found = inverted.search(query, limit, allowed, self._side.hidden_keys)
        return self._passage_hits(found, limit)

    def _passage_hits(self, found: Sequence[tuple[int, int, float]], limit: int) -> list[PassageHit]:
        catalogue = self._opened.catalogue
        hits = [
            PassageHit(note.path, ordinal, score)
            for key, ordinal, score in found
            if (note := catalogue.at_key(key)) is not None
        ]
        return best_hits(hits, limit)

    async def search_notes(
        self, words: TextQuery, limit: int, within: Collection[VaultPath] | None = None
    ) -> list[NoteHit]:
        """Find notes by words anywhere in them, each scored as a whole."""
        self._begin_search()
        query = exact_query(words)
        if query is None or limit < 1:
            return []
        catalogue = self._opened.catalogue
        allowed = None if within is None else catalogue.seqs_of(within)
        with read_errors(self._opened):
            found = self._opened.postings.whole.search(query, limit, allowed, self._side.hidden_seqs)
        hits = [NoteHit(note.path, score) for seq, _, score in found if (note := catalogue.at_seq(seq)) is not None]
        return best_hits(hits, limit)

    def _begin_search(self) -> None:
        if not self._opened.passages.inner.is_open():
            raise NotReady("The index is being reopened.")
        # What is found is read next, more slowly while many rows are not indexed.
        self._tidying.start_overdue()

    async def search_names(self, text: str, limit: int, within: Collection[VaultPath] | None = None) -> list[NameHit]:
        """Find notes by title, alias or heading, with prefixes and small typing errors allowed."""
        return self._known.find(text, limit, within, self.among)

    async def nearest(
        self, vector: Floats, limit: int, within: Collection[VaultPath] | None = None, *, every_passage: bool = False
    ) -> list[PassageHit]:
        await self.vectors.load()
        keys = None if within is None else self._opened.catalogue.keys_of(within)
        self._tidying.index_vectors_later()
        # Among chosen notes, all are compared: those near the vector may be others.
        near = await self.vectors.find_near(vector) if keys is None else None
        hidden, layout = self._side.hidden_keys, self.vectors.layout_for(vector)
        if layout is None or limit < 1:
            return []
        numbers = hidden.numbers if hidden else None
        search = layout.nearest(vector, limit, keys, numbers, every_passage=every_passage, near=near)
        with read_errors(self._opened):
            found = await asyncio.to_thread(search)
        return self._passage_hits(found, limit)

    def vector_of(self, path: VaultPath, ordinal: int | None = None) -> Floats | None:
        """Return a note, or one of its passages, as one vector of length 1; None if it has none yet."""
        entry = self._opened.catalogue.entry(path)
        return self.vectors.vector_of(entry.key, ordinal) if entry else None

    # -- words --------------------------------------------------------------------------------------------------------

    def document_frequency(self, word: str) -> int:
        """Return how many notes contain a word in any form; approximate, as forms are those of the passages."""
        return max(map(len, self._find_word(word)))

    def document_frequencies(self, words: Sequence[str]) -> list[int]:
        """Return how many notes contain each of some words of the dictionary, in this form only."""
        with read_errors(self._opened):
            return self._opened.postings.whole.document_frequencies(hash_tokens(words), self._side.hidden_seqs)

    def notes_with(self, words: Sequence[str], paths: Sequence[VaultPath]) -> NDArray[np.bool_]:
        """Return for each word which of some notes contain it in any form; none that are gone."""
        # Notes may go meanwhile, where a thread asks.
        numbers = [
            (entry.seq, entry.key) if (entry := self._opened.catalogue.entry(path)) else (-2, -2) for path in paths
        ]
        seqs, keys = np.array(numbers, np.int64).reshape(-1, 2).T
        found = [contains(whole, seqs) | contains(forms, keys) for whole, forms in map(self._find_word, words)]
        return np.array(found, np.bool_).reshape(len(words), len(paths))

    def relative_lengths(self, paths: Sequence[VaultPath]) -> NDArray[np.float64]:
        """Return how many different words some notes contain, beside the notes that contain a word drawn by chance."""
        with read_errors(self._opened):
            seqs, sizes = self._opened.postings.whole.distinct_terms(self._side.hidden_seqs)
        own = np.array([self._opened.catalogue.require(path).seq for path in paths], np.int64)
        lengths: NDArray[np.float64] = sizes[np.searchsorted(seqs, own)] * (sizes.sum() / (sizes**2).sum())
        return lengths

    def _find_word(self, word: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the rows of notes that contain a word or its stem, and of passages that contain a form of it."""
        terms, side, postings = word_terms(word, self.languages), self._side, self._opened.postings
        with read_errors(self._opened):
            return (
                postings.whole.find_numbers(terms.whole, side.hidden_seqs),
                postings.forms.find_numbers(terms.forms, side.hidden_keys),
            )

    # -- texts --------------------------------------------------------------------------------------------------------

    async def text_of(self, hits: Sequence[PassageHit], *, as_written: bool = False) -> list[StoredPassage]:
        """Read the passages of hits, in order; changed ones are omitted."""
        passages = await self._texts.of(hits)
        if as_written:
            return passages
        learnt = self.boilerplate

        def blank() -> list[StoredPassage]:
            return [replace(one, text=(text := learnt.blank(one.text)), labels=learnt.labels(text)) for one in passages]

        large = sum(len(one.text) for one in passages) > MAX_CHARS_AT_ONCE
        return await asyncio.to_thread(blank) if large else blank()

    async def wholes(self, paths: Collection[VaultPath] | None = None) -> dict[VaultPath, str]:
        """Read the full text of notes, including what their passages omit; of every note without `paths`."""
        texts = await self._texts.wholes(paths)
        if paths is None:
            for hidden in texts.keys() - self.notes.keys():
                del texts[hidden]
        return texts

    def passages_of(self, path: VaultPath) -> tuple[StoredPassage, ...]:
        """Read all passages of a note, in order; blocks for a few milliseconds."""
        return wait(self._texts.all_of(path))
