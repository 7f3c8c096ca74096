"""The parts of an open vault, and the tasks that keep them current."""

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
    """The parts that exist from the opening of the index until it is closed."""

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
        """The error that keeps a part from its work."""
        return self.indexer.trouble or self.backfill.trouble or self.eraser.trouble

    async def keep(self, folder: Path, stop: asyncio.Event, *more: Coroutine[Any, Any, None]) -> None:
        """Run the tasks of all parts, until one fails.

        Args:
            folder: The index.
            stop: Set to end the tasks.
            more: Further tasks to run alongside.
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
        """Apply changed settings, and the vault with their rules."""
        self.indexer.settings = settings
        self.co_reading.use(settings)
        self.writing.settings = settings
        await self.eraser.use(vault)

    async def close(self) -> None:
        """Close the index after pending writes."""
        with contextlib.suppress(BridgeError, OSError, RuntimeError, ValueError):
            await self.index.close()


def build_open_vault(engine: "VaultEngine", index: "Index", vocabulary: Vocabulary) -> OpenVault:
    """Create the parts of a vault around its index."""
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
