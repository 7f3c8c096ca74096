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
    mentioning: MentionIndex
    following: Indexer
    filling: VectorBackfill
    enforcing: DenyEnforcer
    drifting: CoReadingTracker
    writing: ChangeWriter
    deciding: ChangeReview
    carrying: RequestExecutor
    late_saves: LateSaves

    @property
    def trouble(self) -> BridgeError | None:
        """Return what keeps one of them from its work."""
        return self.following.trouble or self.filling.trouble or self.enforcing.trouble

    async def keep(self, folder: Path, stop: asyncio.Event, *more: Coroutine[Any, Any, None]) -> None:
        """Do all that keeps them true, until one of them fails.

        Args:
            folder: The index.
            stop: Set when it is enough.
            more: What else is to be done as long.
        """
        async with asyncio.TaskGroup() as group:
            group.create_task(self.enforcing.run(), name="enforcing")
            group.create_task(self.following.run(stop), name="following")
            group.create_task(self.following.weaving.redraw(), name="redrawing")
            group.create_task(self.filling.run(), name="filling")
            group.create_task(self.drifting.run(), name="drifting")
            group.create_task(self.late_saves.run(), name="late saves")
            group.create_task(watch_index(self.index, folder), name="minding")
            group.create_task(run_maintenance(self.deciding, self.index), name="tidying")
            for work in more:
                group.create_task(work)

    async def use(self, settings: Settings, vault: Vault) -> None:
        """Take over changed settings, and the vault by the rules among them."""
        self.following.settings = settings
        self.drifting.use(settings)
        self.writing.settings = settings
        await self.enforcing.use(vault)

    async def close(self) -> None:
        """Close the index; what was being written is written first."""
        with contextlib.suppress(BridgeError, OSError, RuntimeError, ValueError):
            await self.index.close()


def build_open_vault(engine: "VaultEngine", index: "Index", vocabulary: Vocabulary) -> OpenVault:
    """Make the parts of a vault around its index."""
    settings, store, news = engine.settings, engine.store, engine.news
    following = Indexer(engine.vault, index, store, settings, engine.readers, news.changed, news.buried)
    writing = ChangeWriter(engine.id, following, store, settings, news.events, engine.handing)
    enforcing = DenyEnforcer(following, store)
    enforcing.hide()
    filling = VectorBackfill(index, store, engine.embedders, news.progressed)
    filling.paused = engine.paused
    return OpenVault(
        index=index,
        vocabulary=vocabulary,
        mentioning=MentionIndex(index, read_obsidian_settings(engine.root).template_folder),
        following=following,
        filling=filling,
        enforcing=enforcing,
        drifting=CoReadingTracker(index, store, settings),
        writing=writing,
        deciding=ChangeReview(store, writing),
        carrying=RequestExecutor(following, writing, store, engine.recent),
        late_saves=LateSaves(writing, store),
    )
