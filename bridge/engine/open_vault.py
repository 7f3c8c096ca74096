"""An open vault: what operations work with, and the tasks that keep it current."""

import asyncio
import contextlib
from collections.abc import Collection, Coroutine, Mapping
from pathlib import Path
from typing import Any, TypeVar

from msgspec import field
from msgspec.structs import replace

from bridge.engine.activity import Activity
from bridge.engine.agents_folder import AgentsFolder, agents_folder
from bridge.engine.analytics import GraphAnalytics, GraphSnapshot
from bridge.engine.apply_requests import RequestExecutor
from bridge.engine.backfill import VectorBackfill
from bridge.engine.erase_denied import DenyEnforcer
from bridge.engine.folder_agreement import FolderAgreement
from bridge.engine.indexer import FirstAnswers, Indexer
from bridge.engine.inspection import IndexStatus, inspect_note
from bridge.engine.late_saves import LateSaves
from bridge.engine.link_graph import ResolvedLinks
from bridge.engine.model_pool import Embedders, Rerankers, model_key
from bridge.engine.read_cache import LongNoteCache, ReadCache
from bridge.engine.review import ChangeReview
from bridge.engine.schedule import CoReadingTracker, run_maintenance, watch_index
from bridge.engine.transactions import ChangeWriter
from bridge.errors import BridgeError, ModelMissing, NotReady
from bridge.events import Events, Signal
from bridge.graph.graph import Graph
from bridge.index.index import Index
from bridge.markdown.names import Names
from bridge.records import Record
from bridge.search.model import Sources
from bridge.search.outcome import BEING_EMBEDDED
from bridge.search.vocabulary import Vocabulary
from bridge.settings.schema import Settings
from bridge.state.store import Store
from bridge.text.counts import count_of
from bridge.types import Among, VaultId, VaultPath
from bridge.vault.vault import Vault

T = TypeVar("T")

LINKS_CHECK_S = 1.0
"""Seconds between looks whether links are resolved."""


class OpenVault(Record, eq=False):
    """One vault from the opening of its index until that is closed.

    It never changes. Its parts do: settings and rules are always the current ones.
    """

    id: VaultId
    name: str
    root: Path
    store: Store
    index: Index
    vocabularies: Mapping[Among, Vocabulary]
    indexer: Indexer
    first_answers: FirstAnswers
    backfill: VectorBackfill
    eraser: DenyEnforcer
    co_reading: CoReadingTracker
    writing: ChangeWriter
    review: ChangeReview
    executor: RequestExecutor
    late_saves: LateSaves
    embedders: Embedders
    rerankers: Rerankers
    analytics: GraphAnalytics
    recent: ReadCache
    long_notes: LongNoteCache
    folder_agreement: FolderAgreement
    events: Events
    signal: Signal
    activity: Activity
    _parts: dict[type, Any] = field(default_factory=dict)

    def part(self, kind: type[T]) -> T:
        """Return what a feature keeps while the vault is open; it is made when first asked for."""
        if kind not in self._parts:
            self._parts[kind] = kind()
        part: T = self._parts[kind]
        return part

    @property
    def files(self) -> Vault:
        return self.indexer.vault

    @property
    def settings(self) -> Settings:
        return self.indexer.settings

    @property
    def names(self) -> Names:
        return self.indexer.names

    @property
    def graph(self) -> Graph | None:
        """The graph of the last settled batch, without the agents' notes; None before the first scan."""
        return self.indexer.link_resolver.graph

    @property
    def is_set_up(self) -> bool:
        """Whether a person agreed to the agents' folder; one that merely has the name may hold something else."""
        return self.folder_agreement.is_agreed(self.files, self.settings)

    def folder_for_client(self, client: str) -> AgentsFolder | None:
        """Return the folder in which the changes of a client apply at once; None if there is none."""
        named = {name.casefold() for name in self.settings.notebook_clients} & {"*", client.casefold()}
        return agents_folder(self.settings) if named and self.is_set_up else None

    @property
    def trouble(self) -> BridgeError | None:
        """The error that keeps a part from its work."""
        return self.indexer.trouble or self.backfill.trouble or self.eraser.trouble

    # -- questions ----------------------------------------------------------------------------------------------------

    def is_readable(self, *, early: bool = False) -> bool:
        """Return whether the first full scan is committed, or `early`, whether a search by words is answered."""
        return self.first_answers.ready if early else self.indexer.complete

    def require_keyword(self) -> None:
        """Require that the first full scan is committed."""
        self.indexer.require_complete()

    async def resolved_links(self) -> ResolvedLinks:
        """Return every link as currently resolved, once all links have been."""
        self.require_keyword()
        while (resolved_links := self.indexer.link_resolver.resolved_links) is None:
            await self.signal.wait(LINKS_CHECK_S)
            self.require_keyword()
        return resolved_links

    async def graph_snapshot(self, among: Among = "notes") -> GraphSnapshot:
        """Return the graph of the notes written so far, once there is one."""
        await self.resolved_links()
        graph = await self.indexer.link_resolver.graph_among(among)
        if graph is None:
            raise NotReady("The index is being reopened.")
        view = self.index.view(among)
        return GraphSnapshot(graph, view.notes, view, among)

    def inspect(self, path: VaultPath) -> IndexStatus:
        """Return what the index holds of a note, or why it holds nothing."""
        return inspect_note(self.indexer, self.store, path)

    def sources(self) -> Sources:
        """Return the parts that a search needs, without the agents' notes."""
        setup = self.embedders.setup()
        return Sources(
            index=self.index.view("notes"),
            embed_query=self.embed_query,
            known_words=self.known_words,
            no_model=setup.notice if setup else self._why_by_words(),
            rerank=self.rerankers.score,
            graph=self.graph,
            co_reading=self.co_reading.co_reading,
            vocabulary=self.vocabularies["notes"],
            reading=not self.indexer.complete,
        )

    async def sources_among(self, among: Among) -> Sources:
        """Return the parts that a search of some notes needs."""
        if among == "notes":
            return self.sources()
        graph = await self.indexer.link_resolver.graph_among(among)
        view, vocabulary = self.index.view(among), self.vocabularies[among]
        return replace(self.sources(), index=view, graph=graph, vocabulary=vocabulary)

    async def embed_query(self, text: str) -> Any:
        """Embed a query with the model of the searchable vectors; None when no model can."""
        return await self.embedders.embed_query(self.index.answering_model, text)

    async def known_words(self, words: Collection[str]) -> frozenset[str]:
        """Return those of some words that the model of the searchable vectors knows; none where no model can tell."""
        return await self.embedders.known_words(self.index.answering_model, words)

    def _why_by_words(self) -> str:
        """Return why a search is by words only, if only for want of vectors; empty when it is not, or of a model."""
        is_late = not self.index.answering_model and self.index.pending_vectors() > 0
        if not is_late or self.embedders.trouble or self.backfill.trouble:
            return ""
        # The first searches come before the model is chosen.
        known = self.backfill.model is not None or self.embedders.has_installed()
        return BEING_EMBEDDED if known else ""

    def why_not_by_meaning(self) -> BridgeError:
        """Return why `embed_query` has no vector: no model, an unusable model, or no vectors yet."""
        if trouble := self.embedders.trouble or self.backfill.trouble:
            return trouble
        # The first searches come before the model is chosen.
        if not (self.backfill.model or self.embedders.has_installed()):
            return ModelMissing("No model that embeds notes is installed.")
        return NotReady(f"No model answers yet; {count_of(self.index.pending_vectors(), 'passage')} without vectors.")

    def model_keys(self) -> set[str]:
        keys = {self.index.answering_model} if self.index.answering_model else set()
        if self.backfill.model:
            keys.add(model_key(self.backfill.model.model))
        return keys

    # -- life ---------------------------------------------------------------------------------------------------------

    async def run(self, folder: Path, stop: asyncio.Event, *more: Coroutine[Any, Any, None]) -> None:
        """Run the tasks of all parts, until one fails."""
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

    def keep_apart(self) -> None:
        if self.index.keep_apart(*agents_folder(self.settings).kept_apart):
            self.indexer.link_resolver.hide(())

    def use_agents_folder(self, settings: Settings) -> None:
        self.indexer.settings = settings
        self.co_reading.use(settings)
        self.writing.settings = settings
        self.keep_apart()

    async def use(self, settings: Settings, vault: Vault) -> None:
        self.use_agents_folder(settings)
        await self.eraser.use(vault)

    async def close(self) -> None:
        """Close the index after pending writes; waiters get an error."""
        self.indexer.close()
        with contextlib.suppress(BridgeError, OSError, RuntimeError, ValueError):
            await self.index.close()
            await asyncio.to_thread(self.indexer.link_resolver.save)
