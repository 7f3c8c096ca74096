"""Keeps the links between notes current: resolved at once, built into a graph when a batch has settled."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice

import numpy as np

from bridge.graph.columns import CODES, LinkColumns, Nodes, concat_tables
from bridge.graph.graph import Graph
from bridge.index.background import Searches, pause_gc, trim_soon
from bridge.index.index import Index
from bridge.index.link_file import StoredLinks
from bridge.index.note import IndexedNote, Notes
from bridge.markdown.links import name_key, target_file
from bridge.markdown.names import Names
from bridge.markdown.note import Link, LinkKind
from bridge.records import Record
from bridge.types import Among, VaultPath


def links_to_store(
    nodes: Nodes, names: Mapping[str, int], table: LinkColumns, order: Sequence[VaultPath], files: Iterable[VaultPath]
) -> StoredLinks:
    """Return links as they are stored, without what no link needs any more."""
    notes = np.array([nodes.of(path) for path in order], np.int32)
    rank = np.full(len(nodes), len(notes), np.int32)
    rank[notes] = np.arange(len(notes), dtype=np.int32)
    rows = np.argsort(rank[table.owner], kind="stable")
    owner, source, target, kind, count, name = (column[rows] for column in table.columns)
    old_nodes, nodes_at = number_anew(np.concatenate([notes, np.column_stack((source, target)).ravel()]), len(nodes))
    old_names, names_at = number_anew(name[name >= 0], len(names))
    keys, labels, asked = nodes.keys(), nodes.labels, [*names]
    # Arrows ask for no name, and their number stays as it is: it is negative, and so the last one here.
    columns = (nodes_at[owner], nodes_at[source], nodes_at[target], kind, count, np.append(names_at, -1)[name])
    return StoredLinks(
        nodes=[keys[number] for number in old_nodes.tolist()],
        labels=[labels[number] for number in old_nodes.tolist()],
        names=[asked[number] for number in old_names.tolist()],
        files=sorted(files),
        columns=[column.astype(np.int32, copy=False) for column in columns],
    )


def number_anew(used: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    each, first = np.unique(used, return_index=True)
    old = each[np.argsort(first)]
    new = np.full(size, -1, np.int32)
    new[old] = np.arange(len(old), dtype=np.int32)
    return old, new


NOTES_AT_ONCE = 1_000
"""Notes whose links form one table: building larger arrays would block other threads."""

NO_NAME = -1

Row = tuple[int, int, int, int, int, int]


class StaleLinks(Record):
    """What must be resolved again."""

    notes: frozenset[VaultPath]
    names: frozenset[VaultPath]
    """Files that appeared or vanished: any link to one of these names may resolve differently now."""
    everything: bool


class ResolvedLinks(Record, eq=False):
    """Every link as it was last resolved."""

    nodes: Nodes
    table: LinkColumns

    def sources(self, path: VaultPath) -> frozenset[VaultPath]:
        number = self.nodes.find(path)
        owners = () if number is None else self.table.leading_to(number)
        return frozenset(VaultPath(self.nodes.labels[owner]) for owner in owners)

    def graph(self, notes: Collection[VaultPath]) -> Graph:
        """Build the graph of some notes; call in a thread."""
        return Graph(self.nodes, notes, self.table)


class LinkRequest(Record):
    """The target of a link as written."""

    file: str
    name: int
    number: int | None
    """The number of the target; None when that depends on the linking note."""


class LinkTable:
    """The resolved links of every note; only links that a change can affect are resolved again."""

    def __init__(self, searches: Searches | None = None) -> None:
        self._searches = searches or Searches()
        self.resolved_links: ResolvedLinks | None = None
        """The result of the last `resolve`; replaced, never mutated."""
        self._nodes = Nodes()
        self._names: dict[str, int] = {}
        self._resolved_of: dict[VaultPath, IndexedNote] = {}
        """Every note as it was when its links were resolved."""
        self._due = StaleLinks(frozenset(), frozenset(), everything=True)

    def mark_changed(self, paths: Iterable[VaultPath], *, names: Iterable[VaultPath] = ()) -> None:
        due = self._due
        self._due = StaleLinks(due.notes.union(paths), due.names.union(names), due.everything)

    @property
    def is_settled(self) -> bool:
        return self._due == StaleLinks(frozenset(), frozenset(), everything=False)

    def take(self) -> StaleLinks:
        """Take the stale links out of the queue; call on the event loop, before `resolve`."""
        due, self._due = self._due, StaleLinks(frozenset(), frozenset(), everything=False)
        return due

    def resolve(self, due: StaleLinks, notes: Mapping[VaultPath, IndexedNote], names: Names) -> None:
        """Resolve stale links; call in a thread, one call at a time."""
        if due.everything or self.resolved_links is None:
            with pause_gc():
                self._resolve_all(notes, names)
            return
        numbers = {number for path in due.names if (number := self._names.get(name_key(path))) is not None}
        # Scanning all links takes as long as everything else.
        owners = self.resolved_links.table.asking_for(numbers) if numbers else ()
        asking = {VaultPath(self._nodes.labels[owner]) for owner in owners}
        kept = {path for path in due.notes - asking if path in notes and self._has_same_links(notes[path])}
        self._resolved_of |= {path: notes[path] for path in kept}
        self._replace(self.resolved_links.table, sorted((due.notes | asking) - kept), notes, names)

    def _has_same_links(self, note: IndexedNote) -> bool:
        before = self._resolved_of.get(note.path)
        return before is not None and before.targets == note.targets and before.arrows == note.arrows

    def _resolve_all(self, notes: Mapping[VaultPath, IndexedNote], names: Names) -> None:
        """Resolve all links from scratch; missing notes lose their number."""
        self._nodes, self._names = Nodes(), {}
        self._resolved_of = {}
        for path in notes:
            self._nodes.of(path)
        self._replace(concat_tables(()), notes, notes, names)

    def restore(self, stored: StoredLinks, notes: Notes) -> None:
        self._nodes = Nodes.from_keys(stored.nodes, stored.labels)
        self._names = {name: number for number, name in enumerate(stored.names)}
        self._resolved_of = {**notes}
        self.resolved_links = ResolvedLinks(self._nodes, LinkColumns(*stored.columns))

    def to_store(self, notes: Notes, names: Names) -> StoredLinks | None:
        """Return the links as they are stored; None unless they are those of these notes, in the order of resolving."""
        links, known = self.resolved_links, self._resolved_of
        if links is None or not self.is_settled or known.keys() != notes.keys():
            return None
        # A write whose end nobody learned of, because it was cancelled, may have replaced a note.
        if any(known[path] is not note for path, note in notes.items()):
            return None
        return links_to_store(self._nodes, self._names, links.table, [*notes], names)

    def _replace(
        self, table: LinkColumns, stale: Collection[VaultPath], notes: Mapping[VaultPath, IndexedNote], names: Names
    ) -> None:
        owners = [self._nodes.of(path) for path in stale]
        for path in stale:
            self._resolved_of.pop(path, None)
        self._resolved_of |= {path: notes[path] for path in stale if path in notes}
        self.resolved_links = ResolvedLinks(
            self._nodes, table.replace_rows(owners, concat_tables(self._resolve_rows(stale, notes, names)))
        )

    def _resolve_rows(
        self, stale: Iterable[VaultPath], notes: Mapping[VaultPath, IndexedNote], names: Names
    ) -> Iterator[LinkColumns]:
        left, seen = iter(stale), dict[tuple[str, LinkKind], LinkRequest | None]()
        while some := tuple(islice(left, NOTES_AT_ONCE)):
            unhurried = self._after_searches(some)
            yield LinkColumns.of(
                row for path in unhurried if path in notes for row in self._rows(notes[path], names, seen)
            )

    def _after_searches(self, paths: Iterable[VaultPath]) -> Iterator[VaultPath]:
        since = time.perf_counter()
        for path in paths:
            since = self._searches.give_way_in_thread(since)
            yield path

    def _rows(
        self, note: IndexedNote, names: Names, seen: dict[tuple[str, LinkKind], LinkRequest | None]
    ) -> Iterator[Row]:
        """Resolve the links of a note, each target once for each kind; `seen` caches earlier targets."""
        owner = self._nodes.of(note.path)
        found: Counter[tuple[int, int, int, int]] = Counter()
        for link in note.links:
            key = link.target, link.kind
            if key not in seen:
                seen[key] = self._link_request(link, note.path, names)
            request = seen[key]
            if request is not None:
                number = request.number
                if number is None:
                    number = self._target(names.resolve(link.target, note.path, link.kind).path, request.file)
                found[owner, number, CODES[link.kind], request.name] += 1
        for begin, end, _ in note.arrows:
            first, second = (names.resolve(file, note.path, "canvas").path for file in (begin, end))
            # The canvas links to both files on its own; an arrow to a card connects no two notes.
            if first is not None and second is not None:
                found[self._nodes.of(first), self._nodes.of(second), CODES["arrow"], NO_NAME] += 1
        for (source, target, kind, name), count in found.items():
            yield owner, source, target, kind, count, name

    def _link_request(self, link: Link, source: VaultPath, names: Names) -> LinkRequest | None:
        file = target_file(link.target, link.kind)
        if not file:
            return None
        name = self._name(name_key(file))
        if names.depends_on_source(file, link.kind):
            return LinkRequest(file, name, None)
        return LinkRequest(file, name, self._target(names.resolve(link.target, source, link.kind).path, file))

    def _target(self, path: VaultPath | None, file: str) -> int:
        return (
            self._nodes.of(path)
            if path is not None
            else self._nodes.of_name(name_key(file, whole=True), file.removesuffix(".md"))
        )

    def _name(self, key: str) -> int:
        return self._names.setdefault(key, len(self._names))


def resolve_targets(note: IndexedNote, names: Names) -> tuple[VaultPath, ...]:
    """Return the path that each link of a note resolves to, leaving out unresolved links."""
    found = (names.resolve(link.target, note.path, link.kind).path for link in note.links)
    return tuple(path for path in found if path is not None)


SETTLED_S, MAX_WAIT_S = 0.1, 1.0
"""Seconds without a change before the graph is rebuilt, so that writers get the processor first; and at most."""


class LinkResolver:
    """The links and the graph of one vault; belongs to one event loop."""

    def __init__(self, index: Index, names: Names, on_update: Callable[[], None]) -> None:
        self.graph: Graph | None = None
        """The graph of the last settled batch, without the agents' notes."""
        self._index = index
        self._view = index.view("notes")
        self._opened_with = index.notes
        self._wider: dict[Among, tuple[Notes, Graph]] = {}
        self._names = names
        self._on_update = on_update
        self._links = LinkTable(index.searches)
        self._resolving = asyncio.Lock()
        self._drawing = asyncio.Lock()
        self._undrawn = asyncio.Event()
        self._hidden = 0

    @property
    def is_settled(self) -> bool:
        """Whether the links of every written note are resolved."""
        # What is being resolved has left the queue already.
        return self.resolved_links is not None and self._links.is_settled and not self._resolving.locked()

    @property
    def resolved_links(self) -> ResolvedLinks | None:
        """Every link as currently resolved; None before the first time."""
        return self._links.resolved_links

    def mark_changed(self, paths: Iterable[VaultPath], *, names: Iterable[VaultPath] = ()) -> None:
        """Record what changed, as `LinkTable.mark_changed` does."""
        self._links.mark_changed(paths, names=names)

    def hide(self, denied: Collection[VaultPath]) -> None:
        """Hide notes at once; a running build does not show them either."""
        self.graph = None
        self._wider = {}
        self._hidden += 1
        self._links.mark_changed(denied, names=denied)
        self._undrawn.set()

    async def resolve(self) -> None:
        """Resolve the links that a change can affect; afterwards `resolved_links` and `current_graph` show them."""
        async with self._resolving:
            before = None
            while before != self._hidden:
                before, due = self._hidden, self._links.take()
                if self.resolved_links is None:
                    due = await asyncio.to_thread(self._restore, due, frozenset(self._names))
                everything = due.everything or self.resolved_links is None
                await asyncio.to_thread(self._resolve, due, everything=everything)
                if everything:
                    trim_soon()
        self._undrawn.set()
        self._on_update()

    def _resolve(self, due: StaleLinks, *, everything: bool) -> None:
        self._links.resolve(due, self._in_order() if everything else self._index.notes, self._names)

    def _in_order(self) -> Notes:
        """Return all notes in the order of paths, the agents' last.

        Communities and pictures depend on the order of notes, but not on that in which they were read.
        """
        notes, ordinary = self._index.notes, self._view.notes
        return {path: notes[path] for path in sorted(notes, key=lambda path: (path not in ordinary, path))}

    def _restore(self, due: StaleLinks, files: frozenset[VaultPath]) -> StaleLinks:
        """Load the links as they were stored, and return what is stale in them; all is, if none were."""
        stored, before, now = self._index.link_file.load(self._opened_with), self._opened_with, self._index.notes
        if stored is None:
            return due
        self._links.restore(stored, before)
        rewritten = {path for path in before.keys() | now.keys() if before.get(path) is not now.get(path)}
        # Every file that is no note appeared since the start, but not since the links were stored.
        return StaleLinks(due.notes | rewritten, files ^ {*map(VaultPath, stored.files)}, everything=False)

    def save(self) -> None:
        """Store the links for the next start; call in a thread, once the index is closed."""
        notes = self._in_order()
        if (links := self._links.to_store(notes, self._names)) is not None:
            self._index.link_file.save(links, notes)

    async def current_graph(self) -> Graph | None:
        async with self._drawing:
            while (resolved_links := self.resolved_links) is not None and (
                self.graph is None or self.graph.table is not resolved_links.table
            ):
                before = self._hidden
                graph = await asyncio.to_thread(resolved_links.graph, self._view.notes)
                if before == self._hidden:
                    # Later links are left to the next call, or constant writing would keep this loop running.
                    self.graph = graph
                    break
            return self.graph

    async def graph_among(self, among: Among) -> Graph | None:
        """Return the graph of some notes; None before there is any."""
        graph, notes = await self.current_graph(), self._index.view(among).notes
        if graph is None or among == "notes" or (among == "all" and notes is self._view.notes):
            return graph
        of, wider = self._wider.get(among, (None, graph))
        if of is not notes or wider.table is not graph.table:
            wider = await asyncio.to_thread(Graph, graph.nodes, notes, graph.table)
            self._wider[among] = notes, wider
        return wider

    async def redraw(self) -> None:
        """Rebuild the graph after each settled batch, until cancelled."""
        while True:
            await self._undrawn.wait()
            if self.graph is not None:
                await self._pause()
            self._undrawn.clear()
            await self.current_graph()
            self._on_update()

    async def _pause(self) -> None:
        ends = time.monotonic() + MAX_WAIT_S
        before: ResolvedLinks | None = None
        while before is not self.resolved_links and time.monotonic() < ends:
            before = self.resolved_links
            await asyncio.sleep(SETTLED_S)
