"""Opens one vault and keeps it open."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from bridge.data_folder import Folders, add_former_id, read_former_ids, read_vault_list, vault_id
from bridge.engine.activity import Activity, Job, Jobs
from bridge.engine.agents_folder import agents_folder
from bridge.engine.analytics import GraphAnalytics
from bridge.engine.apply_requests import RequestExecutor
from bridge.engine.backfill import VectorBackfill
from bridge.engine.editor_handoff import EditorSessions
from bridge.engine.erase_denied import DenyEnforcer
from bridge.engine.folder_agreement import FolderAgreement
from bridge.engine.hooks import Hooks, describe_failure
from bridge.engine.indexer import FirstAnswers, Indexer
from bridge.engine.late_saves import LateSaves
from bridge.engine.model_pool import Embedders, Generators, Rerankers
from bridge.engine.open_vault import OpenVault
from bridge.engine.parser_pool import ParserPool, rules_of
from bridge.engine.planned_change import VaultCounter
from bridge.engine.progress import Progress, measure_progress
from bridge.engine.read_cache import LongNoteCache, ReadCache
from bridge.engine.review import ChangeReview
from bridge.engine.schedule import CoReadingTracker
from bridge.engine.transactions import ChangeWriter
from bridge.engine.vault_lock import VaultLock, take_among_data_folders
from bridge.errors import BridgeError, IndexUnusable, NotReady, VaultHeld
from bridge.events import Events, IndexProgress, NoteUpdate, PendingCounts, Signal
from bridge.index.index import Index, IndexHealth
from bridge.index.note import IndexedNote
from bridge.markdown.decode import digest_of
from bridge.markdown.names import Names
from bridge.models.choice import choose_model
from bridge.records import Record
from bridge.search.vocabulary import Vocabulary
from bridge.settings.schema import Settings
from bridge.state.change_records import ChangeFilter
from bridge.state.store import Store
from bridge.types import VaultId, VaultPath
from bridge.vault.vault import Vault
from bridge.vault.watch import wait_for_stop

log = logging.getLogger(__name__)

MIN_SAME_VAULT_SHARE = 0.9
"""Share of a vanished vault's notes that a new path must hold, byte for byte, to adopt its index."""


def adopt(folders: Folders, vault: VaultId, files: Vault) -> VaultId | None:
    """Take over the index and history of a vault that was moved here."""
    if folders.index(vault).exists() or folders.state(vault).exists():
        return None
    vanished = [v for v, path in read_vault_list(folders).items() if v != vault and not path.exists()]
    candidates = [v for v in vanished if folders.index(v).is_dir()]
    if not candidates:
        return None
    here = set(digests(files))
    for old in candidates:
        if content_overlap(folders, old, here) >= MIN_SAME_VAULT_SHARE:
            for part in list(folders.vault(old).iterdir()):
                if part.name != "lock":
                    part.replace(folders.vault(vault) / part.name)
            add_former_id(folders, vault, old)
            log.info("Vault %s was moved; its index is kept as %s", old, vault)
            return old
    return None


def content_overlap(folders: Folders, old: VaultId, here: set[str]) -> float:
    try:
        index = Index.open(folders.index(old))
    except BridgeError as error:
        log.warning("The index of a vault that is gone cannot be opened: %s", error.code)
        return 0.0
    digests = [note.digest for note in index.notes.values()]
    index.abandon()
    return sum(digest in here for digest in digests) / len(digests) if digests else 0.0


def digests(files: Vault) -> Iterator[str]:
    for path in files.scan().files:
        with suppress(BridgeError):
            yield digest_of(files.read(VaultPath(path))[0])


MAX_NOTE_EVENTS = 200
"""Up to this many changed notes get an event each; more are only published as progress."""


def publish_changes(vault: OpenVault, written: Collection[IndexedNote], gone: Collection[VaultPath]) -> None:
    """Publish written and missing notes, and wake waiters."""
    vault.backfill.wake()
    if len(written) + len(gone) <= MAX_NOTE_EVENTS:
        for note in written:
            vault.events.publish(NoteUpdate(note.path, "indexed"), vault.id)
        for path in gone:
            vault.events.publish(NoteUpdate(path, "gone"), vault.id)
    publish_progress(vault)


def publish_progress(vault: OpenVault) -> None:
    vault.signal.notify()
    # An unreadable index is reopened in a moment.
    with contextlib.suppress(BridgeError):
        pending = PendingCounts(len(vault.indexer.pending), vault.index.pending_vectors())
        vault.events.publish(IndexProgress(pending, len(vault.index.notes)), vault.id)


MAX_RECHECKED_CHANGES = 10
"""Changes of which a crash may have kept some from being indexed."""
PATIENCE_S = 2.0
"""Seconds that a stop waits for running changes; the next start recovers interrupted ones."""

AGAIN_AFTER_S = 2.0
"""Seconds before a failed run is restarted."""

WAIT_CHECK_S = 0.25
"""Seconds between looks of a waiter, for what no signal tells."""


class HostHealth(Record):
    """What `doctor` checks of a vault."""

    folder: Path
    progress: Progress
    index: IndexHealth | None
    watches: bool
    """Whether the settings have the vault watched."""
    is_watched: bool
    store_sound: bool
    store_salvaged: bool


class Host:
    """Opens one vault, restarts it after failures, applies settings to it, and closes it."""

    def __init__(
        self,
        root: Path,
        name: str,
        folders: Folders,
        settings: Settings,
        events: Events,
        embedders: Embedders,
        generators: Generators,
        rerankers: Rerankers,
        jobs: Jobs,
        activity: Activity,
        hooks: Hooks,
    ) -> None:
        self.root = root.resolve()
        self.name = name
        self.id = vault_id(self.root)
        self.ids = frozenset({self.id})
        """Its id and those that it had at other paths, as far as they are known."""
        self._common_settings = settings
        self.settings = settings
        """Those for all vaults, with the agents' folder where it is in this one."""
        self.files = Vault(self.root, rules_of(self.root, settings))
        """The vault's files, under the current rules."""
        self.folders = folders
        self.folder_agreement = FolderAgreement(folders.vault(self.id) / "agents-folder.json", self.root)
        self.events = events
        events.hide(self.id, self.files.rules.denies)
        self.embedders = embedders
        self._generators = generators
        self._rerankers = rerankers
        self._jobs = jobs
        self._activity = activity
        self._hooks = hooks
        self._stop = asyncio.Event()
        self.signal = Signal()
        """Notified whenever something in the vault changes."""
        self._locks: list[VaultLock] = []
        self.rival = ""
        """What is said of a bridge that has the vault open with another data folder; empty without one."""
        self._task: asyncio.Task[None] | None = None
        self.trouble: BridgeError | None = None
        """The error that keeps the vault closed."""
        self.paused = False
        self._store: Store | None = None
        self._vault: OpenVault | None = None
        self.editor_sessions = EditorSessions(self.id, events)
        self.recent = ReadCache()
        self.long_notes = LongNoteCache()
        self._analytics = GraphAnalytics()
        self._readers = ParserPool(self.signal.notify)
        self._reindexing = asyncio.Lock()
        self._waiting_reindexes: dict[tuple[frozenset[VaultPath], bool], Job] = {}

    # -- life ---------------------------------------------------------------------------------------------------------

    def hold(self) -> None:
        """Take the vault's lock."""
        self._locks.append(VaultLock.take(self.folders.lock(self.id), self.folders.runtime(self.id)))
        try:
            self._locks += filter(None, [take_among_data_folders(self.id, self.folders)])
        except VaultHeld as error:
            self.rival = error.message
            log.warning("%s: %s", self.root, error.message)
        except BridgeError:
            log.info("There is no folder in which to see whether another bridge has this vault open.")
        state = self.folders.state(self.id)
        if state.exists():
            # Counters are available from the first answer on; `_open` reports what is wrong with the file.
            with contextlib.suppress(BridgeError):
                self._store = Store.open(state)
                self._store.failures.remove_if(self.files.rules.denies)

    @property
    def is_started(self) -> bool:
        return self._task is not None

    def refuse(self, error: BridgeError) -> None:
        self.trouble = error

    def start(self) -> None:
        """Start opening the index and following the vault; returns at once."""
        self.trouble = None
        self._task = asyncio.create_task(self._run(), name=f"vault {self.id}")

    async def stop(self, ends: float) -> None:
        """Stop following, close everything and release the lock.

        What is not saved of the index by a time on the loop's clock, the next start derives again from the notes.
        """
        self._stop.set()
        if self._vault is not None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(PATIENCE_S):
                    await self._vault.writing.close()
                    await self._vault.late_saves.finish()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self._readers.close()
        self._analytics.close()
        if self._vault is not None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout_at(ends):
                    await self._vault.close()
        if self._store is not None:
            await asyncio.to_thread(self._store.close)
        while self._locks:
            self._locks.pop().release()

    async def _run(self) -> None:
        """Open the vault and keep it current until cancelled; restart after a failure."""
        # A cancellation is lost where a task of the vault fails at the same time.
        while not self._stop.is_set():
            try:
                vault = await self._open()
                self.trouble = None
                await vault.run(self.folders.index(self.id), self._stop, *self._hooks.start(vault))
            except Exception as error:  # noqa: BLE001 - the top of the vault's task
                self.trouble = log_failure(error)
            await self._close()
            await wait_for_stop(self._stop, AGAIN_AFTER_S)

    async def _open(self) -> OpenVault:
        await asyncio.to_thread(adopt, self.folders, self.id, self.files)
        self.ids = frozenset({self.id, *read_former_ids(self.folders, self.id)})
        self._store = self._store or Store.open(self.folders.state(self.id))
        folder = self.folders.index(self.id)
        doubt = self.trouble if isinstance(self.trouble, IndexUnusable) else None
        if not folder.exists():
            self._readers.begin(self.files, learn=self.settings.boilerplate)
        keep_days, memory, vocabulary = self.settings.vector_keep_days, self.settings.memory_mb << 20, Vocabulary()
        index = await asyncio.to_thread(
            Index.open, folder, keep_days=keep_days, memory=memory, doubt=doubt, load_vectors=False
        )
        self.folder_agreement.begin(self._common_settings, index.notes)
        self.settings = self.folder_agreement.apply(self._common_settings, index.notes)
        index.keep_apart(*agents_folder(self.settings).kept_apart)
        # Built here, so that the first search does not have to wait for it.
        await asyncio.to_thread(vocabulary.follow, index.view("notes").notes)
        # From here on, changed settings are passed to the parts: nothing may be awaited before they exist.
        self._vault = vault = self._build(self._store, index, vocabulary)
        await self._recover(vault)
        await self._limit_history(vault)
        return vault

    def _build(self, store: Store, index: Index, vocabulary: Vocabulary) -> OpenVault:
        settings = self.settings

        def changed(written: Sequence[IndexedNote], gone: Collection[VaultPath]) -> None:
            followed = self.folder_agreement.notice(self._common_settings, index.notes, written, gone)
            if followed != self.settings:
                self.settings = followed
                vault.use_agents_folder(followed)
            self._activity.notice()
            self._hooks.notify_indexed(vault, written)
            publish_changes(vault, written, gone)

        def moved_into_denied() -> None:
            vault.eraser.erase_again()

        indexer = Indexer(self.files, index, store, settings, self._readers, changed, moved_into_denied)
        writing = ChangeWriter(
            self.id, indexer, store, settings, self.events, self.editor_sessions, self.folder_agreement
        )
        eraser = DenyEnforcer(indexer, store)
        eraser.hide()
        backfill = VectorBackfill(
            index,
            store,
            self.embedders,
            lambda: publish_progress(vault),
            lambda: choose_model(indexer.vault, [*index.notes], index.answering_model),
            lambda: indexer.is_reading_many or self._generators.is_speaking,
        )
        backfill.paused = self.paused
        vault = OpenVault(
            id=self.id,
            name=self.name,
            root=self.root,
            store=store,
            index=index,
            vocabularies={"notes": vocabulary, "agents": Vocabulary(), "all": Vocabulary()},
            indexer=indexer,
            first_answers=FirstAnswers(indexer, self._readers),
            backfill=backfill,
            eraser=eraser,
            co_reading=CoReadingTracker(index.view("notes"), store, settings),
            writing=writing,
            review=ChangeReview(store, writing, VaultCounter(indexer)),
            executor=RequestExecutor(indexer, writing, store, self.recent),
            late_saves=LateSaves(writing, store),
            embedders=self.embedders,
            rerankers=self._rerankers,
            analytics=self._analytics,
            recent=self.recent,
            long_notes=self.long_notes,
            folder_agreement=self.folder_agreement,
            events=self.events,
            signal=self.signal,
            activity=self._activity,
        )
        return vault

    async def _recover(self, vault: OpenVault) -> None:
        if await asyncio.to_thread(vault.store.journal.find_unsettled):
            vault.indexer.trouble = NotReady("A change that was interrupted is being undone or completed first.")
            await asyncio.to_thread(vault.review.recover)
            vault.indexer.trouble = None
        await asyncio.to_thread(self._ignore_unindexed, vault.store)

    def _ignore_unindexed(self, store: Store) -> None:
        """Do not take what a client wrote just before the bridge ended, and was not indexed, for a move by a person."""
        for change in store.journal.changes(ChangeFilter(state="applied"), MAX_RECHECKED_CHANGES):
            if change.facts.by_client:
                self.folder_agreement.ignore(
                    [one for one in change.steps if self.files.place(one.to or one.path).exists()]
                )

    async def _limit_history(self, vault: OpenVault) -> None:
        await asyncio.to_thread(vault.store.journal.limit_history, self.settings.history_mb, self.settings.history_days)

    async def _close(self) -> None:
        """Close the vault; the next run opens it again."""
        vault, self._vault = self._vault, None
        self._readers.close()
        if vault is not None:
            await vault.close()
        self.signal.notify()

    # -- what it holds ------------------------------------------------------------------------------------------------

    @property
    def vault(self) -> OpenVault:
        if self._vault is None:
            raise self.trouble or NotReady("The index is being opened.")
        return self._vault

    @property
    def open_vault(self) -> OpenVault | None:
        return self._vault

    @property
    def store(self) -> Store:
        """The vault's state, which is open before its index."""
        if self._store is None:
            raise self.trouble or NotReady("The index is being opened.")
        return self._store

    @property
    def known_names(self) -> Names | None:
        """Every file of the vault by name; None until it is open."""
        return self._vault.names if self._vault is not None else None

    def progress(self) -> Progress:
        """Return how far the index is behind the vault; never raises."""
        return measure_progress(
            self._vault, self._store, self.embedders, self.settings, self.trouble, paused=self.paused
        )

    def health(self) -> HostHealth:
        vault, index = self._vault, None
        # An index that cannot be read is reopened in a moment.
        with contextlib.suppress(IndexUnusable, NotReady):
            index = vault.index.health() if vault else None
        return HostHealth(
            self.folders.vault(self.id),
            self.progress(),
            index,
            watches=self.settings.watch != "off",
            is_watched=vault is not None and vault.indexer.watching,
            store_sound=self._store is not None and self._store.sound(),
            store_salvaged=self._store is not None and self._store.salvaged,
        )

    def model_keys(self) -> set[str]:
        return self._vault.model_keys() if self._vault is not None else set()

    @property
    def is_set_up(self) -> bool:
        """Whether a person agreed to the agents' folder."""
        return self.folder_agreement.is_agreed(self.files, self.settings)

    # -- waiting ------------------------------------------------------------------------------------------------------

    async def wait_until_readable(self, timeout: float, *, early: bool = False) -> None:
        """Wait until the first full scan is committed, an error occurs, or `timeout` seconds have passed."""
        ends = time.monotonic() + timeout
        while self.trouble is None and not (self._vault is not None and self._vault.is_readable(early=early)):
            left = ends - time.monotonic()
            if left <= 0:
                return
            await self.signal.wait(min(left, WAIT_CHECK_S))

    # -- requests -----------------------------------------------------------------------------------------------------

    def reindex(self, paths: Sequence[VaultPath], *, full: bool) -> Job:
        """Read notes again: these, the changed ones, or all of them with the boilerplate learned again.

        One job runs at a time; a request for what a waiting job will do joins it.
        """
        wanted = frozenset(paths), full

        async def work(job: Job) -> None:
            async with self._reindexing:
                del self._waiting_reindexes[wanted]
                vault = self.vault
                job.message = "Reading the vault"
                job.total = len(paths) if paths else len(vault.index.notes)
                job.done = await vault.indexer.reconcile(paths, everything=full)
                job.total = max(job.total, job.done)
                await vault.index.optimise()
                job.message = f"{job.done} notes were read again"

        if wanted not in self._waiting_reindexes:
            self._waiting_reindexes[wanted] = self._jobs.start("reindex", work)
        return self._waiting_reindexes[wanted]

    def pause(self) -> None:
        """Stop embedding until resumed; keyword search stays up to date."""
        self._set_paused(True)

    def resume(self) -> None:
        self._set_paused(False)

    def _set_paused(self, paused: bool) -> None:
        self.paused = paused
        if self._vault is not None:
            self._vault.backfill.paused = paused
            self._vault.backfill.wake()
            publish_progress(self._vault)

    async def use(self, settings: Settings) -> None:
        before, self._common_settings = self.settings, settings
        if self._vault is not None:
            settings = self.folder_agreement.apply(settings, self._vault.index.notes)
        self.settings = settings
        self.files = Vault(self.root, rules_of(self.root, settings))
        self.events.hide(self.id, self.files.rules.denies)
        self.long_notes.clear()
        if (vault := self._vault) is None:
            return
        await vault.use(settings, self.files)
        await self._limit_history(vault)
        if before.boilerplate != settings.boilerplate:
            self.reindex((), full=settings.boilerplate and not vault.index.boilerplate.version)
        vault.backfill.wake()


def log_failure(fault: Exception) -> BridgeError:
    """Log why following the vault failed, without any note content, and return it as an error."""
    errors = fault.exceptions if isinstance(fault, ExceptionGroup) else (fault,)
    bridge_errors = [error for error in errors if isinstance(error, BridgeError)]
    for error in errors:
        log.warning("The vault is not followed: %s", describe_failure(error))
    if bridge_errors:
        return bridge_errors[0]
    # LanceDB's errors have these classes, so the index may be damaged.
    kind = IndexUnusable if isinstance(errors[0], OSError | RuntimeError | ValueError) else NotReady
    return kind("Indexing broke off and is begun again.", hint=NotReady.hint)
