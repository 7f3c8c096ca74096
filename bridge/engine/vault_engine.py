"""One vault and its derived data, kept true and ready to be asked."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bridge.changes import Desk
from bridge.engine.atlas import Atlas, Chart
from bridge.engine.deciding import Deciding
from bridge.engine.drifting import Drifting
from bridge.engine.embedders import Embedders, model_key
from bridge.engine.enforcing import Enforcing
from bridge.engine.filling import Filling
from bridge.engine.following import Following, pause
from bridge.engine.handing import Handing
from bridge.engine.hold import Hold
from bridge.engine.jobs import Job, Jobs
from bridge.engine.links import Web
from bridge.engine.looking import What, holds, inspect
from bridge.engine.mentioning import Mentioning
from bridge.engine.minding import open_index, told
from bridge.engine.parts import Parts
from bridge.engine.progressing import progress
from bridge.engine.reading import Readers, rules_of
from bridge.engine.recent import Recent
from bridge.engine.remembering import EVERY_S as REMEMBER_EVERY_S
from bridge.engine.remembering import remember
from bridge.engine.signal import Signal
from bridge.engine.status import Inspection, Progress
from bridge.engine.vaults import adopt
from bridge.engine.writing import Author, Drawn, Made, Writing
from bridge.errors import BridgeError, DiskFull, IndexUnusable, NoteNotFound, NotReady, ReadOnly
from bridge.events import Events
from bridge.folders import Folders, vault_id
from bridge.graph import Graph
from bridge.requests import Request
from bridge.retrieval import Sources, Vocabulary
from bridge.settings import Settings
from bridge.store import Store
from bridge.types import Digest, VaultPath
from bridge.vault import Names, Vault, read_obsidian_settings

if TYPE_CHECKING:
    from bridge.index import Index

log = logging.getLogger(__name__)

FEW_CHANGES = 200
"""Up to so many changed notes are told one by one; more are told as progress."""

OPTIMISE_EVERY_S = 900.0

PATIENCE_S = 10.0
"""Seconds that a stop waits for changes that are being made; what is cut off then is made whole by the next start."""

AGAIN_AFTER_S = 2.0
"""Seconds before what broke off is begun again."""


class VaultEngine:
    """One vault: its files, index, graph and state, and the tasks that keep them true."""

    def __init__(
        self,
        root: Path,
        name: str,
        folders: Folders,
        settings: Settings,
        events: Events,
        embedders: Embedders,
        jobs: Jobs,
    ) -> None:
        self.root = root.resolve()
        self.name = name
        self.id = vault_id(self.root)
        self.settings = settings
        self.vault = Vault(self.root, rules_of(self.root, settings))
        self._folders = folders
        self._events = events
        events.hide(self.id, self.vault.rules.denies)
        self._embedders = embedders
        self._jobs = jobs
        self._stop = asyncio.Event()
        self._signal = Signal()
        self._hold: Hold | None = None
        self._task: asyncio.Task[None] | None = None
        self._trouble: BridgeError | None = None
        self._paused = False
        self._store: Store | None = None
        self._parts: Parts | None = None
        self.handing = Handing(self.id, events)
        self.atlas = Atlas()
        self.recent = Recent()
        self._readers = Readers()

    # -- life ---------------------------------------------------------------------------------------------------------

    def hold(self) -> None:
        """Take the vault's lock.

        Raises:
            VaultHeld: Another process holds it.
            ReadOnly: The data folder cannot be written.
        """
        self._hold = Hold.take(self._folders.lock(self.id), self._folders.runtime(self.id))
        state = self._folders.state(self.id)
        if state.exists():
            # What was counted is told from the first answer on; what is wrong with the file is told by `_open`.
            with contextlib.suppress(BridgeError):
                self._store = Store.open(state)
                self._store.mend([path for path in self._store.failures() if self.vault.rules.denies(path)])

    @property
    def started(self) -> bool:
        """Whether it was told to open."""
        return self._task is not None

    def refuse(self, error: BridgeError) -> None:
        """Answer with this instead of opening."""
        self._trouble = error

    def start(self) -> None:
        """Begin to open the index and follow the vault; returns at once."""
        self._trouble = None
        self._task = asyncio.create_task(self._run(), name=f"vault {self.id}")

    async def stop(self) -> None:
        """Stop following, close everything and give the lock back."""
        self._stop.set()
        if self._parts is not None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(PATIENCE_S):
                    await self._parts.writing.close()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self._readers.close()
        self.atlas.close()
        if self._parts is not None:
            await self._parts.close()
        if self._store is not None:
            await asyncio.to_thread(self._store.close)
        if self._hold is not None:
            self._hold.release()

    async def _run(self) -> None:
        """Open the parts and keep them true until cancelled; what breaks off is begun again."""
        while True:
            try:
                parts = await self._open()
                self._trouble = None
                await parts.keep(self._folders.index(self.id), self._stop, self._tidy(), self._remember())
            except Exception as error:  # noqa: BLE001 - the top of the vault's task
                self._trouble = told(error)
            await self._let_go()
            await pause(self._stop, AGAIN_AFTER_S)

    async def _open(self) -> Parts:
        """Open the state and the index, adopting those of a vault that was moved here."""
        await asyncio.to_thread(adopt, self._folders, self.id, self.vault)
        self._store = self._store or Store.open(self._folders.state(self.id))
        folder, keep_days = self._folders.index(self.id), self.settings.vector_keep_days
        doubt = self._trouble if isinstance(self._trouble, IndexUnusable) else None
        if self.settings.boilerplate and not folder.exists():
            self._readers.begin(self.vault)
        index, vocabulary = await asyncio.to_thread(open_index, folder, keep_days, doubt), Vocabulary()
        # Learnt by the first search, it would keep everybody waiting.
        await asyncio.to_thread(vocabulary.follow, index.notes)
        # From here on settings that change are handed on: nothing may be awaited before the parts are there.
        self._parts = parts = self._made(index, vocabulary, self._store)
        await asyncio.to_thread(parts.deciding.recover)
        await self._limit_history()
        return parts

    def _made(self, index: "Index", vocabulary: Vocabulary, store: Store) -> Parts:
        """Make what an open index is worked with."""
        following = Following(self.vault, index, store, self.settings, self._readers, self._changed, self._buried)
        writing = Writing(self.id, following, store, self.settings, self._events, self.handing)
        enforcing = Enforcing(following, store)
        enforcing.hide()
        filling = Filling(index, store, self._embedders, self._progressed)
        filling.paused = self._paused
        return Parts(
            index=index,
            vocabulary=vocabulary,
            mentioning=Mentioning(index, read_obsidian_settings(self.root).template_folder),
            following=following,
            filling=filling,
            enforcing=enforcing,
            drifting=Drifting(index, store, self.settings),
            writing=writing,
            deciding=Deciding(store, writing),
        )

    async def _limit_history(self) -> None:
        """Keep no more of what notes said before than the user wants."""
        await asyncio.to_thread(self.store.limit_history, self.settings.history_mb, self.settings.history_days)

    async def _let_go(self) -> None:
        """Close the parts; what comes next opens them again."""
        parts, self._parts = self._parts, None
        self._readers.close()
        if parts is not None:
            await parts.close()
        self._signal.tell()

    async def _remember(self) -> None:
        """Keep how the graph is, from the first time it is whole."""
        while True:
            while not self.following.weaving.settled:
                await self._signal.wait()
            try:
                await self.remember()
            except BridgeError as error:
                log.warning("How the graph is today is not kept: %s", error.code)
            await asyncio.sleep(REMEMBER_EVERY_S)

    async def remember(self) -> None:
        """Keep the graph as that of today.

        Raises:
            NotReady: There is none yet.
            DiskFull: There is no room.
            ReadOnly: The data folder cannot be written.
        """
        rules = self.vault.rules
        await asyncio.to_thread(remember, await self.chart(), self.store)
        if self.vault.rules.deny != rules.deny:
            self._buried()

    async def _tidy(self) -> None:
        """End what waited too long and compact the index, now and then."""
        while True:
            await self.deciding.expire()
            await asyncio.sleep(OPTIMISE_EVERY_S)
            if self._parts is not None:
                try:
                    await self._parts.index.optimise()
                except (DiskFull, ReadOnly) as error:
                    log.warning("The index is not made compact now: %s", error.code)

    # -- parts --------------------------------------------------------------------------------------------------------

    @property
    def parts(self) -> Parts:
        """What the vault is made of while it is open.

        Raises:
            NotReady: It is not open yet; or the error that keeps it closed.
        """
        if self._parts is None:
            raise self._trouble or NotReady("The index is being opened.")
        return self._parts

    @property
    def store(self) -> Store:
        """The vault's state.

        Raises:
            NotReady: It is not open yet; or the error that keeps it closed.
        """
        if self._store is None:
            raise self._trouble or NotReady("The index is being opened.")
        return self._store

    @property
    def index(self) -> "Index":
        """The index."""
        return self.parts.index

    @property
    def following(self) -> Following:
        """What follows the files."""
        return self.parts.following

    @property
    def names(self) -> Names:
        """Every file of the vault by name."""
        return self.following.names

    @property
    def graph(self) -> Graph | None:
        """The graph of the last settled batch; None before the first scan."""
        return self.following.weaving.graph

    @property
    def mentioning(self) -> Mentioning:
        """What the notes mention."""
        return self.parts.mentioning

    @property
    def writing(self) -> Writing:
        """What changes the files."""
        return self.parts.writing

    @property
    def drifting(self) -> Drifting:
        """How near notes have drifted."""
        return self.parts.drifting

    @property
    def deciding(self) -> Deciding:
        """What settles changes after they were made or proposed."""
        return self.parts.deciding

    async def carry(
        self,
        requests: Sequence[Request],
        author: Author,
        *,
        dry_run: bool = False,
        expect: Mapping[str, int] | None = None,
        finish: Callable[[Desk], None] | None = None,
    ) -> Made:
        """Do what was asked, as one change.

        Args:
            requests: What, one after the other.
            author: Who asks.
            dry_run: Only tell what would happen.
            expect: How much it should do, in the words of `Made.counts`.
            finish: Adds to it on the desk.

        Raises:
            NotReady: The first full scan is not committed: links could be missed.
            BridgeError: It cannot be done; then nothing was.
        """
        from bridge.engine.carrying import around, carried, touched

        self.require_keyword()
        known = around(self.vault, self.names, self.index.notes, self.read_before)

        def draw(desk: Desk) -> Drawn:
            drawn = carried(requests, desk, known)
            if finish is not None:
                finish(desk)
            return drawn

        return await self.writing.make(draw, touched(requests), author, dry_run=dry_run, expect=expect)

    def read_before(self, digest: Digest) -> bytes | None:
        """Return what a file said once, if somebody read it lately or a change of it is kept."""
        held = self.recent.get(digest)
        if held is None:
            with contextlib.suppress(BridgeError):
                held = self.store.snapshot(digest)
        return held

    async def web(self) -> Web:
        """Return every link as it is resolved now, as soon as all are.

        Raises:
            NotReady: The first full scan is not committed.
        """
        self.require_keyword()
        while (web := self.following.weaving.web) is None:
            await self._signal.wait(1.0)
            self.require_keyword()
        return web

    async def chart(self) -> Chart:
        """Return the graph of all that is written by now with its notes, as soon as there is one.

        Raises:
            NotReady: The first full scan is not committed.
        """
        await self.web()
        graph = await self.following.weaving.drawn()
        if graph is None:
            raise NotReady("The index is being opened again.")
        return Chart(graph, self.index.notes, self.index)

    def require_keyword(self) -> None:
        """Make sure that the first full scan is committed.

        Raises:
            NotReady: It is not.
        """
        if not self.following.complete:
            raise self.following.trouble or NotReady("The vault is being read for the first time.")

    def sources(self) -> Sources:
        """Hand the parts to a search."""
        return Sources(
            index=self.index,
            embed_query=self.embed_query,
            graph=self.graph,
            drift=self.drifting.drift,
            vocabulary=self.parts.vocabulary,
        )

    async def embed_query(self, text: str) -> Any:
        """Embed a query with the model whose vectors answer now; None when none can."""
        return await self._embedders.embed_query(self.index.answering_model, text)

    def why_not_by_meaning(self) -> BridgeError:
        """Return why `embed_query` has no answer: no model, one that cannot be used, or none yet."""
        waiting = NotReady(f"No model answers yet; {self.index.pending_vectors():,} passages wait for one.")
        return self._embedders.trouble or self.parts.filling.trouble or waiting

    # -- questions ----------------------------------------------------------------------------------------------------

    def progress(self) -> Progress:
        """Tell how far the index is behind the vault; never raises."""
        return progress(self._parts, self._store, self.settings, self._trouble, paused=self._paused)

    def inspect(self, path: VaultPath) -> Inspection:
        """Tell what the index holds of a note, or why it holds nothing."""
        return inspect(self.following, self.store, path)

    def health(self) -> Mapping[str, Any]:
        """Gather what `doctor` judges."""
        parts = self._parts
        return {
            "progress": self.progress(),
            "index": parts.index.health() if parts else None,
            "watching": parts.following.watching if parts else False,
            "watch": self.settings.watch,
            "store_sound": self._store.sound() if self._store else False,
            "store_salvaged": self._store.salvaged if self._store else False,
            "model_trouble": self._embedders.trouble,
            "folder": self._folders.vault(self.id),
        }

    async def wait_indexed(self, path: VaultPath, digest: Digest | None, what: What, timeout: float) -> bool:
        """Wait until the index holds a note as it is on disk, or as `digest` names it.

        Args:
            path: The note.
            digest: The content to wait for; what is on disk now when absent.
            what: Which part of the index must hold it.
            timeout: Seconds.

        Raises:
            NoteNotFound: There is no such note, neither on disk nor in the index.
        """
        ends = time.monotonic() + timeout
        while self._parts is None and time.monotonic() < ends:
            await self._signal.wait(0.05)
        if self.vault.stat(path) is None and path not in self.index.notes:
            raise NoteNotFound(f"There is no note `{path}`.", closest=self.names.closest(path))
        if not holds(self.following, path, digest, what):
            await self.report([path])
        while not holds(self.following, path, digest, what):
            left = ends - time.monotonic()
            if left <= 0:
                return False
            await self._signal.wait(min(left, 1.0))
        return True

    async def readable(self, timeout: float) -> None:
        """Wait until the first full scan is committed, something is wrong, or `timeout` seconds have passed."""
        ends = time.monotonic() + timeout
        while self._trouble is None and not (self._parts is not None and self._parts.following.complete):
            left = ends - time.monotonic()
            if left <= 0:
                return
            await self._signal.wait(min(left, 0.25))

    # -- requests -----------------------------------------------------------------------------------------------------

    async def report(self, paths: Collection[str]) -> int:
        """Look at paths that are said to have changed; the disk decides.

        Returns:
            How many notes were news.
        """
        return await self.following.look_at(paths)

    def reindex(self, paths: Sequence[VaultPath], *, full: bool) -> Job:
        """Read notes again: these, the changed ones, or all with the boilerplate learnt anew."""

        async def work(job: Job) -> None:
            job.message = "Reading the vault"
            job.total = len(paths) if paths else len(self.index.notes)
            job.done = await self.following.reconcile(paths, everything=full)
            job.total = max(job.total, job.done)
            await self.index.optimise()
            job.message = f"{job.done} notes were read again"

        return self._jobs.start("reindex", work)

    def pause(self) -> None:
        """Stop embedding until resumed; words stay up to date."""
        self._paused = True
        if self._parts is not None:
            self._parts.filling.paused = True
        self._progressed()

    def resume(self) -> None:
        """Go on embedding."""
        self._paused = False
        if self._parts is not None:
            self._parts.filling.paused = False
            self._parts.filling.wake()
        self._progressed()

    async def use(self, settings: Settings) -> None:
        """Take over changed settings."""
        before, self.settings = self.settings, settings
        self.vault = Vault(self.root, rules_of(self.root, settings))
        self._events.hide(self.id, self.vault.rules.denies)
        if self._parts is None:
            return
        await self._parts.use(settings, self.vault)
        await self._limit_history()
        if before.boilerplate != settings.boilerplate:
            self.reindex((), full=settings.boilerplate and not self.index.boilerplate.version)
        self.parts.filling.wake()

    def model_keys(self) -> set[str]:
        """Return the keys of the models this vault still needs."""
        parts = self._parts
        keys = {parts.index.answering_model} if parts and parts.index.answering_model else set()
        if parts and parts.filling.model:
            keys.add(model_key(parts.filling.model.model))
        return keys

    # -- news ---------------------------------------------------------------------------------------------------------

    def _changed(self, written: Collection[VaultPath], gone: Collection[VaultPath]) -> None:
        """Tell of written and vanished notes, and wake who waits."""
        self._signal.tell()
        if self._parts is not None:
            self._parts.filling.wake()
        if len(written) + len(gone) <= FEW_CHANGES:
            for path in written:
                self._events.publish("note_changed", self.id, path=path, change="indexed")
            for path in gone:
                self._events.publish("note_changed", self.id, path=path, change="gone")
        self._progressed()

    def _buried(self) -> None:
        """Erase a note that was moved to where the rules deny it."""
        if self._parts is not None:
            self._parts.enforcing.erase_again()

    def _progressed(self) -> None:
        """Tell how far indexing is."""
        self._signal.tell()
        with contextlib.suppress(BridgeError):
            self._events.publish(
                "index_progress",
                self.id,
                pending={"keyword": len(self.following.pending), "vectors": self.index.pending_vectors()},
                notes=len(self.index.notes),
            )
