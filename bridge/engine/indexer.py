"""Follows the vault: what changed on disk is read, indexed by words and linked."""

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Hashable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Literal

from bridge.engine.link_graph import LinkResolver, resolve_targets
from bridge.engine.parser import Outcome, ReadOptions
from bridge.engine.parser_pool import ParserPool
from bridge.errors import BridgeError, IndexUnusable, NotReady
from bridge.index.boilerplate import Boilerplate
from bridge.index.diff import plan
from bridge.index.note import IndexedNote
from bridge.index.prepare import PreparedNote, preparation_version
from bridge.markdown.names import Names
from bridge.settings.schema import Settings
from bridge.state.store import Store
from bridge.types import Digest, VaultPath
from bridge.vault.paths import at_or_below
from bridge.vault.scan import Scan, Stat
from bridge.vault.vault import Vault
from bridge.vault.watch import watch

if TYPE_CHECKING:
    from bridge.index.index import Index


def learn_from_links(store: Store, notes: Iterable[IndexedNote], names: Names) -> None:
    """Learn from the links of notes that were just written."""
    accepting = store.accepting
    for note in notes:
        if note.path in accepting:
            store.follow_links(note.path, frozenset(resolve_targets(note, names)), names.__contains__)


def detect_moves(gone: Collection[IndexedNote], fresh: Iterable[IndexedNote]) -> Mapping[VaultPath, VaultPath]:
    """Return where notes that are gone went; the old path comes first.

    To the only new note that says the same. Of several that do, as notes made of one template, to the only one that has
    the same name too: their folder was renamed.
    """
    if not gone:
        return {}
    known = list(fresh)
    return match_moves(gone, known, content_and_name_key) | match_moves(gone, known, content_key)


def content_key(note: IndexedNote) -> Hashable:
    """Tell a note by its text."""
    return note.digest


def content_and_name_key(note: IndexedNote) -> Hashable:
    """Tell a note by its text and the name of its file."""
    return note.digest, note.path.rpartition("/")[2]


def match_moves(
    gone: Iterable[IndexedNote], fresh: Iterable[IndexedNote], mark: Callable[[IndexedNote], Hashable]
) -> dict[VaultPath, VaultPath]:
    """Return where notes went, by marks that only one of each has."""
    old, new = unique_by_key(gone, mark), unique_by_key(fresh, mark)
    return {path: new[each] for each, path in old.items() if each in new}


def unique_by_key(
    notes: Iterable[IndexedNote], mark: Callable[[IndexedNote], Hashable]
) -> Mapping[Hashable, VaultPath]:
    """Return notes by their mark, those alone that share it with no other."""
    marked = [(mark(note), note.path) for note in notes]
    count = Counter(each for each, _ in marked)
    return {each: path for each, path in marked if count[each] == 1}


log = logging.getLogger(__name__)

WRITE_AT = 1_000
"""Notes gathered before they are written: each write makes a fragment and a version."""

RETRY_S = 5.0
"""Seconds before another try after a full disk or a vanished vault."""

LEARN_AT = 32
"""Fewer notes than this have no boilerplate to speak of."""

Write = Callable[[Sequence[PreparedNote], Collection[VaultPath]], Awaitable[None]]
"""Puts notes into the index, and takes others out of it."""


class Indexer:
    """The vault's files, names, links and full text, one change at a time."""

    def __init__(
        self,
        vault: Vault,
        index: "Index",
        store: Store,
        settings: Settings,
        readers: ParserPool,
        told: Callable[[Collection[VaultPath], Collection[VaultPath]], None],
        buried: Callable[[], None],
    ) -> None:
        """Start with what the index remembers.

        Args:
            vault: The files.
            index: The index to keep true to them.
            store: Where failures are remembered.
            settings: Limits of what is read.
            readers: What reads them; it may have begun.
            told: Called after each write with the paths written and the paths gone.
            buried: Called when a note that is gone was moved to where the rules deny it.
        """
        self.vault = vault
        self.index = index
        self.settings = settings
        self.names = Names(index.notes)
        self.skipped: Mapping[str, str] = {}
        self.pending: set[VaultPath] = set()
        self.complete = False
        """True once a full scan was committed."""
        self.watching = False
        self.trouble: BridgeError | None = None
        self._store = store
        self._readers = readers
        self._told = told
        self._buried = buried
        self.link_resolver = LinkResolver(index, self.names, lambda: told((), ()))
        self._turn = asyncio.Lock()

    async def run(self, stop: asyncio.Event) -> None:
        """Reconcile, then follow the watcher until told to stop; trouble is told and tried again."""
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
                await pause(stop, RETRY_S)

    async def _watch(self, mode: Literal["auto", "poll"], stop: asyncio.Event) -> None:
        """Take up each settled set of changes."""
        async for changed in watch(self.vault.root, mode, stop):
            # The first set is empty and says that watching has begun: what changed since the scan would be missed.
            self.watching, began = True, not self.watching
            await self.look_at(("",) if began else changed)
        self.watching = False

    def require_complete(self) -> None:
        """Make sure that a full scan was committed.

        Raises:
            NotReady: None was; or the error that keeps it from that.
        """
        if not self.complete:
            raise self.trouble or NotReady("The vault is being read for the first time.")

    def hide(self) -> None:
        """Forget at once what the rules deny now; a scan that is under way is done again."""
        denies = self.vault.rules.denies
        self.index.hide(denies)
        denied = [path for path in self.names if denies(path)]
        for path in denied:
            self.names.discard(path)
        self.pending = {path for path in self.pending if not denies(path)}
        # The reasons name other files too; the next scan says them again.
        self.skipped = {}
        self.link_resolver.hide(denied)

    async def reconcile(self, again: Collection[VaultPath] = (), *, everything: bool = False) -> int:
        """Compare the whole vault with the index and do the least work.

        Args:
            again: Notes to read even if they look unchanged.
            everything: Read every note again and learn the boilerplate anew.

        Returns:
            How many notes were news.
        """
        news = await self._take_up(("",), frozenset(again), everything=everything)
        self.trouble = None
        if news > WRITE_AT // 10:
            await self.index.optimise()
        return news

    async def look_at(self, places: Collection[str]) -> int:
        """Take up changes at some files or folders, `""` for all; the disk decides what they were.

        Returns:
            How many notes were news.
        """
        # Else what is shown already but cannot be written would pass for written.
        await self.index.settled()
        return await self._take_up(tuple(places), frozenset(), everything=False)

    async def show(self, places: Collection[str]) -> None:
        """Take up changes that we made ourselves, and leave writing the index to a moment later.

        What is lost then is found by the watcher, which tells of our own changes too.
        """
        await self._take_up(tuple(places), frozenset(), everything=False, write=self.index.show)

    async def _take_up(
        self,
        places: tuple[str, ...],
        again: frozenset[VaultPath],
        *,
        everything: bool,
        write: Write | None = None,
    ) -> int:
        """Compare what there is at some places with the index, and do the least work."""
        if not places:
            return 0
        async with self._turn:
            places = (*places, *self.index.lost)
            scan = await self._scanned(places)
            known = self._known(places, scan)
            self._take_names(places, scan)
            notes = {path: self.index.notes[path] for path in known if path in self.index.notes}
            due = plan(scan.files, notes, preparation_version(self.boilerplate))
            read = {*scan.files} if everything else {*due.read, *(scan.files.keys() & again)} - self._bad(scan, again)
            gone = {path for path in due.gone if not scan.unsure_of(path)}
            # What an earlier try left is read now, or has gone since.
            self.pending = (self.pending - known) | read
            lost = {Stat(note.mtime_ns, note.size): path for path in gone if (note := notes.get(path))}
            if lost and (buried := await asyncio.to_thread(self.vault.buried, lost)):
                # What was kept of a note by its old path is erased with what is denied now.
                await asyncio.to_thread(self._store.move, buried)
                self._buried()
            await self._learn(read, anew=everything)
            left = [notes[path] for path in gone if path in notes]
            fresh = [path for path in read if path not in self.index.notes]
            # Nobody searches before the first scan is complete.
            with nullcontext() if self.complete else self.index.bulk():
                newest = sorted(read, key=lambda path: -scan.files[path].mtime_ns)
                await self._apply(newest, gone, write or self.index.write)
            self.pending -= read
            now = self.index.notes
            if moved := detect_moves(left, (now[path] for path in fresh if path in now)):
                await asyncio.to_thread(self._store.move, moved)
        if "" in places and not self.complete:
            self.complete = True
            self._told((), ())
        if not self.link_resolver.settled:
            await self.link_resolver.resolve()
        return len(read | gone)

    async def _scanned(self, places: tuple[str, ...]) -> Scan:
        """Look in a thread; again when the rules changed meanwhile."""
        while True:
            vault = self.vault
            scan = await asyncio.to_thread(self._look, places)
            if vault is self.vault:
                return scan

    def _look(self, places: tuple[str, ...]) -> Scan:
        """Find what there is now; an empty folder is not taken for deleted notes."""
        return self.vault.scan(was_filled=bool(self.index.notes)) if "" in places else self.vault.look(places)

    def _known(self, places: tuple[str, ...], scan: Scan) -> set[VaultPath]:
        """Return what was known at or below the places; only what is no file any more can have been a folder."""
        folders = [place for place in places if place not in scan.files and place not in scan.others]
        files = {VaultPath(place) for place in places} - {VaultPath(place) for place in folders}
        return files | (at_or_below(folders, {*self.names, *self.index.notes}) if folders else set())

    def _take_names(self, places: tuple[str, ...], scan: Scan) -> None:
        """Make what was found known by name, so that links can mean it, and forget what is gone."""
        found = scan.files.keys() | scan.others
        lost = {p for p in self._known(places, scan) if p not in found and not scan.unsure_of(p)}
        fresh = {path for path in found if path not in self.names}
        for path in lost:
            self.names.discard(path)
        for path in fresh:
            self.names.add(path)
        if lost or fresh:
            self.link_resolver.changed((), names=lost | fresh)
        kept = {} if "" in places else {p: why for p, why in self.skipped.items() if p not in places}
        self.skipped = {**kept, **scan.skipped}

    def _bad(self, scan: Scan, again: frozenset[VaultPath]) -> set[VaultPath]:
        """Return the notes that failed before and are still the same; those that are gone are forgotten."""
        failed = self._store.failures()
        self._store.mend([path for path in failed if path not in scan.files and self.vault.stat(path) is None])
        return {
            path
            for path, (state, _) in failed.items()
            if path in scan.files and path not in again and state == state_of(scan.files[path])
        }

    async def _apply(self, read: Sequence[VaultPath], gone: set[VaultPath], write: Write) -> None:
        """Read notes and write what they say; `gone` notes leave with the last write."""
        gathered: list[PreparedNote] = []
        reading = ReadOptions(self.vault.root, self.vault.rules, self.boilerplate, self.settings.max_pdf_pages)
        async for outcomes in self._readers.read(reading, read):
            for outcome in outcomes:
                self._sort(outcome, gathered, gone)
            if len(gathered) >= WRITE_AT:
                await self._write(gathered, (), write)
                gathered = []
        await self._write(gathered, gone, write)

    def _sort(self, outcome: Outcome, gathered: list[PreparedNote], gone: set[VaultPath]) -> None:
        """File one outcome under what is to be written, gone or failed."""
        if isinstance(outcome, PreparedNote):
            gathered.append(outcome)
            return
        self.pending.discard(outcome.path)
        if outcome.gone:
            if outcome.path in self.index.notes:
                gone.add(outcome.path)
            return
        stat = self.vault.stat(outcome.path)
        if stat is not None:
            self._store.fail(outcome.path, state_of(stat), outcome.reason)

    async def _write(self, entries: list[PreparedNote], gone: Collection[VaultPath], write: Write) -> None:
        """Write one batch, and tell of it."""
        # The rules may have changed since these were read.
        entries = [entry for entry in entries if not self.vault.rules.denies(entry.note.path)]
        if not entries and not gone:
            return
        await write(entries, gone)
        written = [entry.note.path for entry in entries]
        self._store.mend(written)
        learn_from_links(self._store, (entry.note for entry in entries), self.names)
        for path in gone:
            self.names.discard(path)
        self.link_resolver.changed([*written, *gone], names=gone)
        self.pending -= set(written)
        self._told(written, gone)

    @property
    def boilerplate(self) -> Boilerplate:
        """What is left out of the embedding now; what was learnt is kept while the setting is off."""
        return self.index.boilerplate if self.settings.boilerplate else Boilerplate.empty()

    async def _learn(self, read: Collection[VaultPath], *, anew: bool) -> None:
        """Learn which lines recur across the vault, once."""
        if not self.settings.boilerplate:
            return
        if (self.index.boilerplate.version == 0 and len(read) >= LEARN_AT) or anew:
            vault = None
            while vault is not self.vault:
                vault = self.vault
                learnt = await self._readers.learn(vault, frozenset(read))
            await self.index.use_boilerplate(learnt)


def state_of(stat: Stat) -> Digest:
    """Name the content of a note that could not be read by what the disk says of it."""
    return Digest(f"{stat.mtime_ns}-{stat.size}")


async def pause(stop: asyncio.Event, seconds: float) -> None:
    """Wait, but not longer than until told to stop."""
    try:
        async with asyncio.timeout(seconds):
            await stop.wait()
    except TimeoutError:
        return
