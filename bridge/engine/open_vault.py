"""What a vault is made of while it is open, and the tasks that keep it true."""

import asyncio
import contextlib
from collections.abc import Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bridge.engine.apply_requests import RequestExecutor
from bridge.engine.backfill import VectorBackfill
from bridge.engine.erase_denied import DenyEnforcer
from bridge.engine.indexer import Indexer
from bridge.engine.late_saves import LateSaves
from bridge.engine.mentions import MentionIndex
from bridge.engine.review import ChangeReview
from bridge.engine.schedule import CoReadingTracker, run_maintenance
from bridge.engine.transactions import ChangeWriter
from bridge.engine.watchdog import watch_index
from bridge.errors import BridgeError
from bridge.search.vocabulary import Vocabulary
from bridge.settings.schema import Settings
from bridge.vault.obsidian_settings import read_obsidian_settings
from bridge.vault.vault import Vault

if TYPE_CHECKING:
    from bridge.engine.host import VaultEngine
    from bridge.index.index import Index


@dataclass(frozen=True, slots=True)
class OpenVault:
    """Everything that is there from when the index was opened until it is closed."""

    index: "Index"
    vocabulary: Vocabulary
    mention_index: MentionIndex
    indexer: Indexer
    backfill: VectorBackfill
    eraser: DenyEnforcer
    co_reading: CoReadingTracker
    writing: ChangeWriter
    review: ChangeReview
    executor: RequestExecutor
    late_saves: LateSaves

    @property
    def trouble(self) -> BridgeError | None:
        """Return what keeps one of them from its work."""
        return self.indexer.trouble or self.backfill.trouble or self.eraser.trouble

    async def keep(self, folder: Path, stop: asyncio.Event, *more: Coroutine[Any, Any, None]) -> None:
        """Do all that keeps them true, until one of them fails.

        Args:
            folder: The index.
            stop: Set when it is enough.
            more: What else is to be done as long.
        """
        async with asyncio.TaskGroup() as group:
            group.create_task(self.eraser.run(), name="enforcing")
            group.create_task(self.indexer.run(stop), name="indexer")
            group.create_task(self.indexer.link_resolver.redraw(), name="redrawing")
            group.create_task(self.backfill.run(), name="backfill")
            group.create_task(self.co_reading.run(), name="co-reading")
            group.create_task(self.late_saves.run(), name="late saves")
            group.create_task(watch_index(self.index, folder), name="minding")
            group.create_task(run_maintenance(self.review, self.index), name="tidying")
            for work in more:
                group.create_task(work)

    async def use(self, settings: Settings, vault: Vault) -> None:
        """Take over changed settings, and the vault by the rules among them."""
        self.indexer.settings = settings
        self.co_reading.use(settings)
        self.writing.settings = settings
        await self.eraser.use(vault)

    async def close(self) -> None:
        """Close the index; what was being written is written first."""
        with contextlib.suppress(BridgeError, OSError, RuntimeError, ValueError):
            await self.index.close()


def build_open_vault(engine: "VaultEngine", index: "Index", vocabulary: Vocabulary) -> OpenVault:
    """Make the parts of a vault around its index."""
    settings, store, news = engine.settings, engine.store, engine.news
    indexer = Indexer(engine.vault, index, store, settings, engine.readers, news.changed, news.buried)
    writing = ChangeWriter(engine.id, indexer, store, settings, news.events, engine.editor_sessions)
    eraser = DenyEnforcer(indexer, store)
    eraser.hide()
    backfill = VectorBackfill(index, store, engine.embedders, news.progressed)
    backfill.paused = engine.paused
    return OpenVault(
        index=index,
        vocabulary=vocabulary,
        mention_index=MentionIndex(index, read_obsidian_settings(engine.root).template_folder),
        indexer=indexer,
        backfill=backfill,
        eraser=eraser,
        co_reading=CoReadingTracker(index, store, settings),
        writing=writing,
        review=ChangeReview(store, writing),
        executor=RequestExecutor(indexer, writing, store, engine.recent),
        late_saves=LateSaves(writing, store),
    )
