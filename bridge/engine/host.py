"""One vault and its derived data, kept current and queryable."""

import asyncio
import contextlib
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bridge.data_folder import Folders, vault_id
from bridge.engine.adopt_moved import adopt
from bridge.engine.analytics import GraphAnalytics
from bridge.engine.apply_requests import RequestExecutor
from bridge.engine.editor_handoff import EditorSessions
from bridge.engine.indexer import Indexer, pause
from bridge.engine.jobs import Job, Jobs
from bridge.engine.mentions import MentionIndex
from bridge.engine.model_pool import Embedders, model_key
from bridge.engine.notify import Notifications
from bridge.engine.open_vault import OpenVault, build_open_vault
from bridge.engine.parser_pool import ParserPool, rules_of
from bridge.engine.progress import Inspection, Progress, measure_progress
from bridge.engine.read_cache import ReadCache
from bridge.engine.review import ChangeReview
from bridge.engine.schedule import CoReadingTracker, run_graph_recorder
from bridge.engine.signal import Signal
from bridge.engine.transactions import ChangeWriter
from bridge.engine.vault_lock import VaultLock
from bridge.engine.wait import VaultWaiter, inspect_note
from bridge.engine.watchdog import log_failure, open_index
from bridge.errors import BridgeError, IndexUnusable, NotReady
from bridge.events import Events
from bridge.graph.graph import Graph
from bridge.markdown.names import Names
from bridge.search.model import Sources
from bridge.search.vocabulary import Vocabulary
from bridge.settings.schema import Settings
from bridge.state.store import Store
from bridge.types import VaultPath
from bridge.vault.vault import Vault

if TYPE_CHECKING:
    from bridge.index.index import Index

PATIENCE_S = 10.0
"""Seconds that a stop waits for running changes; the next start recovers interrupted ones."""

AGAIN_AFTER_S = 2.0
"""Seconds before a failed run is restarted."""


class VaultEngine:
    """One vault: its files, index, graph and state, and the tasks that keep them current."""

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
        self.folders = folders
        self.news = Notifications(self, events)
        events.hide(self.id, self.vault.rules.denies)
        self.embedders = embedders
        self._jobs = jobs
        self._stop = asyncio.Event()
        self.signal = Signal()
        """Notified whenever something in the vault changes."""
        self._hold: VaultLock | None = None
        self._task: asyncio.Task[None] | None = None
        self.trouble: BridgeError | None = None
        """The error that keeps the vault closed."""
        self.paused = False
        self._store: Store | None = None
        self._parts: OpenVault | None = None
        self.editor_sessions = EditorSessions(self.id, events)
        self.analytics = GraphAnalytics()
        self.recent = ReadCache()
        self.waiting = VaultWaiter(self)
        self.readers = ParserPool()

    # -- life ---------------------------------------------------------------------------------------------------------

    def hold(self) -> None:
        """Take the vault's lock.

        Raises:
            VaultHeld: Another process holds the lock.
            ReadOnly: The data folder is not writable.
        """
        self._hold = VaultLock.take(self.folders.lock(self.id), self.folders.runtime(self.id))
        state = self.folders.state(self.id)
        if state.exists():
            # Counters are available from the first answer on; `_open` reports what is wrong with the file.
            with contextlib.suppress(BridgeError):
                self._store = Store.open(state)
                self._store.failures.remove_if(self.vault.rules.denies)

    @property
    def started(self) -> bool:
        """Whether opening was started."""
        return self._task is not None

    def refuse(self, error: BridgeError) -> None:
        """Keep the vault closed and answer with this error."""
        self.trouble = error

    def start(self) -> None:
        """Start opening the index and following the vault; returns at once."""
        self.trouble = None
        self._task = asyncio.create_task(self._run(), name=f"vault {self.id}")

    async def stop(self) -> None:
        """Stop following, close everything and release the lock."""
        self._stop.set()
        if self._parts is not None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(PATIENCE_S):
                    await self._parts.writing.close()
                    await self._parts.late_saves.finish()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self.readers.close()
        self.analytics.close()
        if self._parts is not None:
            await self._parts.close()
        if self._store is not None:
            await asyncio.to_thread(self._store.close)
        if self._hold is not None:
            self._hold.release()

    async def _run(self) -> None:
        """Open the parts and keep them current until cancelled; restart after a failure."""
        while True:
            try:
                parts = await self._open()
                self.trouble = None
                await parts.keep(self.folders.index(self.id), self._stop, run_graph_recorder(self))
            except Exception as error:  # noqa: BLE001 - the top of the vault's task
                self.trouble = log_failure(error)
            await self._let_go()
            await pause(self._stop, AGAIN_AFTER_S)

    async def _open(self) -> OpenVault:
        """Open the state and the index, adopting those of a vault that was moved here."""
        await asyncio.to_thread(adopt, self.folders, self.id, self.vault)
        self._store = self._store or Store.open(self.folders.state(self.id))
        folder, keep_days = self.folders.index(self.id), self.settings.vector_keep_days
        doubt = self.trouble if isinstance(self.trouble, IndexUnusable) else None
        if self.settings.boilerplate and not folder.exists():
            self.readers.begin(self.vault)
        index, vocabulary = await asyncio.to_thread(open_index, folder, keep_days, doubt), Vocabulary()
        # Built here, so that the first search does not have to wait for it.
        await asyncio.to_thread(vocabulary.follow, index.notes)
        # From here on, changed settings are passed to the parts: nothing may be awaited before they exist.
        self._parts = parts = build_open_vault(self, index, vocabulary)
        await asyncio.to_thread(parts.review.recover)
        await self._limit_history()
        return parts

    async def _limit_history(self) -> None:
        """Drop snapshots beyond the limits in the settings."""
        await asyncio.to_thread(self.store.journal.limit_history, self.settings.history_mb, self.settings.history_days)

    async def _let_go(self) -> None:
        """Close the parts; the next run opens them again."""
        parts, self._parts = self._parts, None
        self.readers.close()
        if parts is not None:
            await parts.close()
        self.signal.tell()

    # -- parts --------------------------------------------------------------------------------------------------------

    @property
    def is_open(self) -> bool:
        """Whether the parts are open."""
        return self._parts is not None

    @property
    def parts(self) -> OpenVault:
        """The parts of the open vault.

        Raises:
            NotReady: It is not open yet; or the error that keeps it closed.
        """
        if self._parts is None:
            raise self.trouble or NotReady("The index is being opened.")
        return self._parts

    @property
    def store(self) -> Store:
        """The vault's state.

        Raises:
            NotReady: It is not open yet; or the error that keeps it closed.
        """
        if self._store is None:
            raise self.trouble or NotReady("The index is being opened.")
        return self._store

    @property
    def index(self) -> "Index":
        """The index."""
        return self.parts.index

    @property
    def indexer(self) -> Indexer:
        """The indexer, which follows the files."""
        return self.parts.indexer

    @property
    def names(self) -> Names:
        """Every file of the vault by name."""
        return self.indexer.names

    @property
    def graph(self) -> Graph | None:
        """The graph of the last settled batch; None before the first scan."""
        return self.indexer.link_resolver.graph

    @property
    def mention_index(self) -> MentionIndex:
        """The index of mentions."""
        return self.parts.mention_index

    @property
    def writing(self) -> ChangeWriter:
        """The writer of changes."""
        return self.parts.writing

    @property
    def co_reading(self) -> CoReadingTracker:
        """The tracker of notes read together."""
        return self.parts.co_reading

    @property
    def review(self) -> ChangeReview:
        """Undo, redo, accept and reject."""
        return self.parts.review

    @property
    def executor(self) -> RequestExecutor:
        """The executor of change requests."""
        return self.parts.executor

    def require_keyword(self) -> None:
        """Require that the first full scan is committed.

        Raises:
            NotReady: It is not committed.
        """
        self.indexer.require_complete()

    def sources(self) -> Sources:
        """Return the parts that a search needs."""
        return Sources(
            index=self.index,
            embed_query=self.embed_query,
            graph=self.graph,
            co_reading=self.co_reading.co_reading,
            vocabulary=self.parts.vocabulary,
        )

    async def embed_query(self, text: str) -> Any:
        """Embed a query with the model of the searchable vectors; None when no model can."""
        return await self.embedders.embed_query(self.index.answering_model, text)

    def why_not_by_meaning(self) -> BridgeError:
        """Return why `embed_query` has no vector: no model, an unusable model, or no vectors yet."""
        waiting = NotReady(f"No model answers yet; {self.index.pending_vectors():,} passages wait for one.")
        return self.embedders.trouble or self.parts.backfill.trouble or waiting

    # -- questions ----------------------------------------------------------------------------------------------------

    def progress(self) -> Progress:
        """Return how far the index is behind the vault; never raises."""
        return measure_progress(
            self._parts, self._store, self.embedders, self.settings, self.trouble, paused=self.paused
        )

    def inspect(self, path: VaultPath) -> Inspection:
        """Return what the index holds of a note, or why it holds nothing."""
        return inspect_note(self.indexer, self.store, path)

    def health(self) -> Mapping[str, Any]:
        """Gather what `doctor` checks."""
        parts, index = self._parts, None
        # An unreadable index is reopened in a moment.
        with contextlib.suppress(IndexUnusable):
            index = parts.index.health() if parts else None
        return {
            "progress": self.progress(),
            "index": index,
            "watching": parts.indexer.watching if parts else False,
            "watch": self.settings.watch,
            "store_sound": self._store.sound() if self._store else False,
            "store_salvaged": self._store.salvaged if self._store else False,
            "model_trouble": self.embedders.trouble,
            "folder": self.folders.vault(self.id),
        }

    # -- requests -----------------------------------------------------------------------------------------------------

    async def report(self, paths: Collection[str]) -> int:
        """Check paths that are reported as changed; the disk decides.

        Returns:
            How many notes changed.
        """
        return await self.indexer.look_at(paths)

    def reindex(self, paths: Sequence[VaultPath], *, full: bool) -> Job:
        """Read notes again: these, the changed ones, or all of them with the boilerplate learned again."""

        async def work(job: Job) -> None:
            job.message = "Reading the vault"
            job.total = len(paths) if paths else len(self.index.notes)
            job.done = await self.indexer.reconcile(paths, everything=full)
            job.total = max(job.total, job.done)
            await self.index.optimise()
            job.message = f"{job.done} notes were read again"

        return self._jobs.start("reindex", work)

    def pause(self) -> None:
        """Stop embedding until resumed; keyword search stays up to date."""
        self.paused = True
        if self._parts is not None:
            self._parts.backfill.paused = True
        self.news.progressed()

    def resume(self) -> None:
        """Resume embedding."""
        self.paused = False
        if self._parts is not None:
            self._parts.backfill.paused = False
            self._parts.backfill.wake()
        self.news.progressed()

    async def use(self, settings: Settings) -> None:
        """Apply changed settings."""
        before, self.settings = self.settings, settings
        self.vault = Vault(self.root, rules_of(self.root, settings))
        self.news.events.hide(self.id, self.vault.rules.denies)
        if self._parts is None:
            return
        await self._parts.use(settings, self.vault)
        await self._limit_history()
        if before.boilerplate != settings.boilerplate:
            self.reindex((), full=settings.boilerplate and not self.index.boilerplate.version)
        self.parts.backfill.wake()

    def model_keys(self) -> set[str]:
        """Return the keys of the models that this vault needs."""
        parts = self._parts
        keys = {parts.index.answering_model} if parts and parts.index.answering_model else set()
        if parts and parts.backfill.model:
            keys.add(model_key(parts.backfill.model.model))
        return keys
