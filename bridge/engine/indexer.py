"""Follows the vault: changed files are read, indexed for keyword search and linked."""

import asyncio
import logging
import sys
import time
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from types import MappingProxyType
from typing import Literal

from bridge.engine.agents_folder import agents_folder
from bridge.engine.link_graph import LinkResolver
from bridge.engine.moves import NOTHING_REPLACED, LateMoves, Replacement, carry_notes
from bridge.engine.parser_pool import MAX_NOTES_WITHOUT_POOL, SLICE_BYTES, Outcome, ParserPool, ReadOptions, read_all
from bridge.errors import BridgeError, IndexUnusable, NotReady
from bridge.index.background import trim
from bridge.index.boilerplate import Boilerplate
from bridge.index.documents import FileWords
from bridge.index.index import Index
from bridge.index.note import IndexedNote
from bridge.index.prepare import PreparedNote, preparation_version
from bridge.markdown.decode import digest_of
from bridge.markdown.names import Names
from bridge.records import Record
from bridge.search.filters import filter_notes
from bridge.search.model import SearchRequest
from bridge.search.query import parse_query
from bridge.settings.schema import Settings
from bridge.state.store import Store
from bridge.types import VaultPath
from bridge.vault.paths import at_or_below
from bridge.vault.scan import Scan, Stat
from bridge.vault.vault import Vault
from bridge.vault.watch import wait_for_stop, watch


class SyncPlan(Record):
    """The changes to make; `unchanged` needs nothing."""

    read: frozenset[VaultPath]
    gone: frozenset[VaultPath]
    unchanged: frozenset[VaultPath]


def plan(
    found: Mapping[VaultPath, Stat], known: Mapping[VaultPath, IndexedNote], recipe: str | None = None
) -> SyncPlan:
    """Compare files by time and size.

    A renamed file appears as one removed and one to read: `Index.write` recognises it by its digest, and embeds none of
    its text again.
    """
    unchanged = frozenset(
        path
        for path, stat in found.items()
        if (note := known.get(path)) is not None
        and (note.mtime_ns, note.size) == (stat.mtime_ns, stat.size)
        and recipe in {None, note.recipe}
    )
    return SyncPlan(
        read=frozenset(found.keys() - unchanged), gone=frozenset(known.keys() - found.keys()), unchanged=unchanged
    )


log = logging.getLogger(__name__)

WRITE_AT = 1_000
"""Notes gathered before a write: each write makes a fragment and a version."""

WRITE_AGAIN_AT = 128
"""Notes that are written again between two changes by others."""

WRITE_AT_CHARACTERS = 8_000_000
"""Characters of notes gathered before a write: it holds each several times in memory."""

LONG_NOTE_BYTES = 64 * 1024
"""Size from which a note that was changed is read before others have to wait for that."""

CLOCK_STEP_NS = 1_000_000_000
"""How much the times of files may lag behind the clock."""

RETRY_S = 5.0
"""Seconds before the next try after a full disk or a missing vault."""

LEARN_AT = 32
"""With fewer notes than this, no boilerplate is learned."""

Write = Callable[[Sequence[PreparedNote], Collection[VaultPath]], Awaitable[None]]
"""Writes notes to the index and removes others from it."""


class Indexer:
    """Keeps the vault's files, names, links and full text current, one change at a time."""

    def __init__(
        self,
        vault: Vault,
        index: Index,
        store: Store,
        settings: Settings,
        readers: ParserPool,
        on_write: Callable[[Sequence[IndexedNote], Collection[VaultPath]], None],
        on_denied_move: Callable[[], None],
    ) -> None:
        self.vault = vault
        self.index = index
        self.settings = settings
        self.names = Names(index.notes)
        self.skipped: Mapping[str, str] = {}
        self.pending: set[VaultPath] = set()
        self.complete = False
        """True once a full scan was committed."""
        self.indexed: float | None = None
        """When it last took in changes, in seconds since the epoch."""
        self.watching = False
        self.trouble: BridgeError | None = None
        self._store = store
        self._readers = readers
        self._on_write = on_write
        self._on_denied_move = on_denied_move
        self.link_resolver = LinkResolver(index, self.names, lambda: on_write((), ()))
        self._moves = LateMoves()
        self._turn = asyncio.Lock()
        self._expected: set[VaultPath] = set()
        self._being_written: set[VaultPath] = set()

    async def run(self, stop: asyncio.Event) -> None:
        """Reconcile, then follow the watcher until stopped; errors are recorded and retried."""
        while not stop.is_set():
            try:
                await self.reconcile()
                if self.settings.watch == "off":
                    await stop.wait()
                    return
                await self._watch(self.settings.watch, stop)
            except IndexUnusable:
                raise
            except BridgeError as error:
                self.watching = False
                self.trouble = error
                log.warning("Indexing stands still: %s", error.code)
                await wait_for_stop(stop, RETRY_S)

    async def _watch(self, mode: Literal["auto", "poll"], stop: asyncio.Event) -> None:
        async for changed in watch(self.vault.root, mode, stop):
            # The first set is empty and says that watching has begun: changes since the scan would be missed.
            self.watching, began = True, not self.watching
            await self.look_at(("",) if began else changed)
        self.watching = False

    @property
    def is_reading_many(self) -> bool:
        """Whether the first scan, or a change of many notes, is not indexed yet."""
        return not self.complete or len(self.pending) > MAX_NOTES_WITHOUT_POOL

    def require_complete(self) -> None:
        """Require that a full scan was committed."""
        if not self.complete:
            first = "" if self.index.notes else " for the first time"
            raise self.trouble or NotReady(f"The vault is being indexed{first}.")

    def close(self) -> None:
        """Fail the remaining waiters, since the index is being closed."""
        self.complete, self.trouble = False, NotReady("The index is being reopened.")

    def hide(self) -> None:
        """Hide denied notes at once; a running scan is repeated."""
        denies = self.vault.rules.denies
        self.index.hide(denies)
        denied = [path for path in self.names if denies(path)]
        for path in denied:
            self.names.discard(path)
        self.pending = {path for path in self.pending if not denies(path)}
        # The reasons name other files too; the next scan gives them again.
        self.skipped = {}
        self.link_resolver.hide(denied)

    async def reconcile(self, again: Collection[VaultPath] = (), *, everything: bool = False) -> int:
        """Compare the whole vault with the index and update what differs, then read everything again if asked to."""
        failed = self._store.failures.all() if everything else ()
        news = await self._take_up(("",), frozenset((*again, *failed)))
        if everything:
            await self._learn(self.without_agents([*self.index.notes]), anew=True)
            news = await self._read_again()
        self.trouble = None
        if news > WRITE_AT // 10:
            await self.index.optimise()
        return news

    async def look_at(self, places: Collection[str]) -> int:
        """Index changes at some files or folders, `""` for all; the disk decides what changed."""
        # Otherwise notes that are shown but could not be written would count as written.
        await self.index.wait_for_writes()
        return await self._take_up(tuple(places), frozenset())

    async def show(self, places: Collection[str], replaced: Mapping[VaultPath, Replacement] = NOTHING_REPLACED) -> None:
        """Index our own changes in memory, and write the index a moment later.

        If that write is lost, the watcher finds the changes, since it also reports our own.
        """
        ahead = await asyncio.to_thread(self._read_ahead, self._read_options(), places, replaced)
        await self._take_up(tuple(places), frozenset(), write=self.index.show, replaced=replaced, ahead=ahead)

    def _read_ahead(
        self, reading: ReadOptions, places: Collection[str], replaced: Mapping[VaultPath, Replacement]
    ) -> Mapping[VaultPath, PreparedNote]:
        """Read the long notes among those that must be read, so that others' changes need not wait for that."""
        long = {path: stat for path, stat in self.vault.look(places).files.items() if stat.size >= LONG_NOTE_BYTES}
        if sum(stat.size for stat in long.values()) > SLICE_BYTES:
            return {}
        recipe = preparation_version(reading.boilerplate)
        carried = {each.note.path for each in carry_notes(self.vault, self.index, recipe, long, replaced)}
        outcomes = read_all(reading, [path for path in long if path not in carried])
        return {each.note.path: each for each in outcomes if isinstance(each, PreparedNote)}

    @contextmanager
    def expect(self, written: Collection[VaultPath], moved: Mapping[VaultPath, VaultPath]) -> Iterator[None]:
        """Leave it to the caller to show what it writes, and to update the state for notes that it moves."""
        self._expected |= (paths := {*moved, *moved.values()})
        self._being_written |= (files := {*written})
        try:
            yield
        finally:
            self._expected -= paths
            self._being_written -= files

    async def read_first(self, paths: Collection[VaultPath]) -> None:
        """Index these notes before the others, while the vault is read for the first time."""
        wanted = [path for path in paths if path not in self.index.notes]
        outcomes = await asyncio.to_thread(read_all, self._read_options(), wanted)
        # A note that fails is dealt with in its turn.
        read = [each for each in outcomes if isinstance(each, PreparedNote) and each.note.path not in self.index.notes]
        await self._write(read, (), self.index.write)

    async def _read_again(self) -> int:
        """Read and index all notes again, except those that change meanwhile; changes are indexed first."""
        known, gathered, readers = self.index.notes, list[PreparedNote](), ParserPool()
        self.pending |= known.keys()

        async def write() -> None:
            async with self._turn:
                same = [each for each in gathered if self.index.notes.get(path := each.note.path) is known[path]]
                await self._write(same, (), self.index.write)
            gathered.clear()

        try:
            async for outcomes in readers.read(self._read_options(), {path: note.size for path, note in known.items()}):
                gathered += (each for each in outcomes if isinstance(each, PreparedNote))
                if len(gathered) >= WRITE_AGAIN_AT:
                    await write()
            await write()
        finally:
            readers.close()
            self.pending -= known.keys()
        await asyncio.to_thread(trim)
        return len(known)

    async def _take_up(
        self,
        places: tuple[str, ...],
        again: frozenset[VaultPath],
        *,
        write: Write | None = None,
        replaced: Mapping[VaultPath, Replacement] = NOTHING_REPLACED,
        ahead: Mapping[VaultPath, PreparedNote] = MappingProxyType({}),
    ) -> int:
        if not places:
            return 0
        async with self._turn:
            places = (*places, *self.index.failed_writes)
            began_ns = time.time_ns() - CLOCK_STEP_NS
            scan = await self._scan(places)
            paths = self._known_paths(places, scan)
            self._take_names(places, scan, paths)
            notes = {path: self.index.notes[path] for path in paths if path in self.index.notes}
            due = plan(scan.files, notes, preparation_version(self.boilerplate))
            unlike = await asyncio.to_thread(self._find_changed, due.unchanged, places, scan)
            read = {*due.read, *unlike, *(scan.files.keys() & again)} - self._bad(scan, again)
            gone = {path for path in due.gone if not scan.unsure_of(path)}
            if write is None:
                read, gone = read - self._being_written, gone - self._being_written
            # Notes that an earlier try left pending are read now, or have gone since.
            self.pending = (self.pending - paths) | read
            denied = await self._find_denied(gone, notes)
            if not self.complete and len(read) > max(MAX_NOTES_WITHOUT_POOL, len(scan.files) // 2):
                # It was begun already if the index is new.
                self._readers.begin(self.vault, learn=self.settings.boilerplate and not self.index.boilerplate.version)
            await self._learn(self.without_agents(read), anew=False)
            left = [notes[path] for path in gone - self._expected if path in notes]
            fresh = [path for path in read - self._expected if path not in self.index.notes]
            # Before the first scan is complete, a search reads itself what it needs.
            with nullcontext() if self.complete else self.index.bulk():
                newest = sorted(read, key=lambda path: -scan.files[path].mtime_ns)
                newest = await self._carry(newest, replaced) if replaced else newest
                await self._apply({path: scan.files[path] for path in newest}, gone, write or self.index.write, ahead)
            if denied:
                # What was erased before their notes left the index is not all of it.
                self._on_denied_move()
            self.pending -= read
            if "" in places:
                await self.index.wait_for_writes()
                # On a full disk the next start reads more files than it must.
                with suppress(BridgeError):
                    await asyncio.to_thread(self.index.folder.keep_scanned, began_ns)
            came = [note for path in fresh if (note := self.index.notes.get(path))]
            if moved := self._moves.detect(left, came, self.index.notes):
                await asyncio.to_thread(self._store.move, moved)
        if read or gone or not self.complete:
            self.indexed = time.time()
        if "" in places and not self.complete:
            self.complete = True
            self._readers.forget_file_words()
            self._on_write((), ())
        if not self.link_resolver.is_settled:
            await self.link_resolver.resolve()
        return len(read | gone)

    async def _scan(self, places: tuple[str, ...]) -> Scan:
        """Scan in a thread; again if the rules changed meanwhile."""
        while True:
            vault = self.vault
            scan = await asyncio.to_thread(self._look, places)
            if vault is self.vault:
                return scan

    def _look(self, places: tuple[str, ...]) -> Scan:
        """Scan the places; an empty folder does not count as deleted notes."""
        return self.vault.scan(was_filled=bool(self.index.notes)) if "" in places else self.vault.look(places)

    def _find_changed(self, alike: Collection[VaultPath], places: Collection[str], scan: Scan) -> list[VaultPath]:
        """Return the notes that differ from the index though their time and size are the same.

        A program can set a file's time back, and a clock may be coarse. So the bytes count where the watcher names a
        file, and where the system says that it changed after the last comparison of the whole vault.
        """
        named, since = {*places}, self.index.folder.scanned_ns or sys.maxsize
        doubtful = [path for path in alike if path in named or scan.files[path].changed_ns >= since]
        return [path for path in doubtful if not self._is_known(path)]

    def _is_known(self, path: VaultPath) -> bool:
        """Return whether the index knows a file's bytes; true for one that cannot be read."""
        note = self.index.notes.get(path)
        try:
            return note is not None and digest_of(self.vault.read(path)[0]) == note.digest
        except BridgeError:
            return True

    def _known_paths(self, places: tuple[str, ...], scan: Scan) -> set[VaultPath]:
        """Return the known files at or below the places; only a place that is not a file now can have been a folder."""
        folders = [place for place in places if place not in scan.files and place not in scan.others]
        files = {VaultPath(place) for place in places} - {VaultPath(place) for place in folders}
        return files | (at_or_below(folders, {*self.names, *self.index.notes}) if folders else set())

    def _take_names(self, places: tuple[str, ...], scan: Scan, known: Collection[VaultPath]) -> None:
        """Add the files found to the names that links resolve to, and remove missing ones."""
        found = scan.files.keys() | scan.others
        lost = {p for p in known if p not in found and not scan.unsure_of(p)}
        fresh = {path for path in found if path not in self.names}
        for path in lost:
            self.names.discard(path)
        for path in fresh:
            self.names.add(path)
        if lost or fresh:
            self.link_resolver.mark_changed((), names=lost | fresh)
        looked_at = {*places}
        others = {} if "" in places else {p: why for p, why in self.skipped.items() if p not in looked_at}
        self.skipped = {**others, **scan.skipped}

    def _bad(self, scan: Scan, again: frozenset[VaultPath]) -> set[VaultPath]:
        """Return the notes that failed before and are unchanged; failures of missing notes are forgotten."""
        failed = self._store.failures.all()
        self._store.failures.remove_if(lambda path: path not in scan.files and self.vault.stat(path) is None)
        return {
            path
            for path, (state, _) in failed.items()
            if path in scan.files and path not in again and state == scan.files[path].fingerprint
        }

    async def _apply(
        self,
        read: Mapping[VaultPath, Stat],
        gone: set[VaultPath],
        write: Write,
        ahead: Mapping[VaultPath, PreparedNote],
    ) -> None:
        """Read notes and write them; those read ahead only if they changed since, and `gone` ones are removed."""
        gathered: list[PreparedNote] = []
        left, recipe = {path: stat.size for path, stat in read.items()}, preparation_version(self.boilerplate)
        for path, one in ahead.items():
            state = Stat(one.note.mtime_ns, one.note.size)
            if one.note.recipe == recipe and path in read and read[path] == state:
                self._sort(one, gathered, gone)
                del left[path]
        async for outcomes in self._readers.read(self._read_options(), left):
            # Each is dropped once it is sorted, in the order of reading: that of notes decides between equal ones.
            outcomes.reverse()
            while outcomes:
                self._sort(outcomes.pop(), gathered, gone)
            long = sum(len(note.whole) for note in gathered) >= WRITE_AT_CHARACTERS
            if long or len(gathered) >= WRITE_AT:
                await self._write(gathered, (), write)
                gathered = []
                await asyncio.to_thread(trim)
        await self._write(gathered, gone, write)
        if len(gathered) > MAX_NOTES_WITHOUT_POOL:
            gathered.clear()
            await asyncio.to_thread(trim)

    async def _carry(self, paths: Sequence[VaultPath], replaced: Mapping[VaultPath, Replacement]) -> list[VaultPath]:
        """Keep the passages of notes whose properties alone changed, and return the notes that must be read."""
        left: list[VaultPath] = []
        for start in range(0, len(paths), WRITE_AT):
            some = paths[start : start + WRITE_AT]
            recipe = preparation_version(self.boilerplate)
            found = await asyncio.to_thread(carry_notes, self.vault, self.index, recipe, some, replaced)
            if carried := [each for each in found if not self.vault.rules.denies(each.note.path)]:
                await self.index.carry(carried)
                self._acknowledge([each.note for each in carried], ())
            done = {each.note.path for each in carried}
            left += (path for path in some if path not in done)
        return left

    def _read_options(self) -> ReadOptions:
        return ReadOptions(self.vault.root, self.vault.rules, self.boilerplate, self.settings.max_pdf_pages)

    def _sort(self, outcome: Outcome, gathered: list[PreparedNote], gone: set[VaultPath]) -> None:
        if isinstance(outcome, PreparedNote):
            # Before the first scan is complete, it may have been read ahead of its turn.
            if self.complete or self.index.notes.get(outcome.note.path) != outcome.note:
                gathered.append(outcome)
            return
        self.pending.discard(outcome.path)
        if outcome.gone:
            if outcome.path in self.index.notes:
                gone.add(outcome.path)
            return
        if (stat := self.vault.stat(outcome.path)) is not None:
            self._store.failures.add(outcome.path, stat.fingerprint, outcome.reason)

    async def _write(self, entries: list[PreparedNote], gone: Collection[VaultPath], write: Write) -> None:
        # The rules may have changed since the notes were read.
        entries = [entry for entry in entries if not self.vault.rules.denies(entry.note.path)]
        if not entries and not gone:
            return
        await write(entries, gone)
        self._acknowledge([entry.note for entry in entries], gone)

    def _acknowledge(self, notes: Sequence[IndexedNote], gone: Collection[VaultPath]) -> None:
        written = [note.path for note in notes]
        self._store.failures.remove(written)
        for path in gone:
            self.names.discard(path)
        self.link_resolver.mark_changed([*written, *gone], names=gone)
        self.pending -= set(written)
        self._on_write(notes, gone)

    @property
    def boilerplate(self) -> Boilerplate:
        """The lines left out of embedding; what was learned is kept while the setting is off."""
        return self.index.boilerplate if self.settings.boilerplate else Boilerplate()

    async def _find_denied(self, gone: Collection[VaultPath], notes: Mapping[VaultPath, IndexedNote]) -> bool:
        lost = {Stat(note.mtime_ns, note.size): path for path in gone if (note := notes.get(path))}
        denied = await asyncio.to_thread(self.vault.moved_to_denied, lost) if lost else {}
        if denied:
            # Data about a note under its old path is erased with the denied notes.
            await asyncio.to_thread(self._store.move, denied)
            self._on_denied_move()
        return bool(denied)

    def without_agents(self, read: Collection[VaultPath]) -> Collection[VaultPath]:
        """Return notes other than those of agents, whose forms would pass for recurring lines."""
        folder = agents_folder(self.settings)
        is_set_up = folder.about in read or folder.about in self.index.notes
        return [path for path in read if not folder.holds(path)] if is_set_up else read

    async def _learn(self, read: Collection[VaultPath], *, anew: bool) -> None:
        if not self.settings.boilerplate:
            return
        if (self.index.boilerplate.version == 0 and len(read) >= LEARN_AT) or anew:
            vault = None
            while vault is not self.vault:
                vault = self.vault
                learnt = await self._readers.learn(vault, frozenset(read))
            await self.index.use_boilerplate(learnt)


MAX_CANDIDATES = 16
"""Notes that are read for a query: more than are shown by default, because whole files are ranked less well."""


class FirstAnswers:
    """Reads notes ahead of their turn for searches, as soon as the words of all files are known."""

    def __init__(self, indexer: Indexer, readers: ParserPool) -> None:
        self._indexer = indexer
        self._readers = readers
        self._turn = asyncio.Lock()

    @property
    def ready(self) -> bool:
        return self._indexer.complete or self._file_words is not None

    @property
    def _file_words(self) -> FileWords | None:
        return self._readers.file_words(self._indexer.vault)

    async def prepare(self, request: SearchRequest) -> None:
        """Index the notes that a search is most likely about, unless all notes are indexed."""
        if self._indexer.complete:
            return
        query, known = parse_query(request.query), self._file_words
        by_words = not query.is_empty and query.condition is None and filter_notes({}, request) is None
        if known is None or not by_words or request.mode == "semantic":
            self._indexer.require_complete()
            return
        async with self._turn:
            await self._indexer.read_first(known.find((*query.words, *query.phrases), MAX_CANDIDATES))
