"""Keeps the links between notes true to what they say: resolved at once, drawn as a graph when a batch has settled."""

import asyncio
import time
from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING

from bridge.engine.links import Links, Web
from bridge.graph import Graph
from bridge.types import VaultPath
from bridge.vault import Names

if TYPE_CHECKING:
    from bridge.index import Index

SETTLED_S, LONGEST_S = 0.1, 1.0
"""Seconds without a change before the graph is drawn anew, for whoever writes has the processor first; and at most."""


class Weaving:
    """The links and the graph of one vault; belongs to one event loop."""

    def __init__(self, index: "Index", names: Names, told: Callable[[], None]) -> None:
        """Know of no link yet.

        Args:
            index: Holds the notes with their links as written.
            names: What links can mean; it changes with the vault.
            told: Called when links were resolved, and when the graph was drawn.
        """
        self.graph: Graph | None = None
        """The graph of the last settled batch."""
        self._index = index
        self._names = names
        self._told = told
        self._links = Links()
        self._resolving = asyncio.Lock()
        self._drawing = asyncio.Lock()
        self._undrawn = asyncio.Event()
        self._hidden = 0

    @property
    def settled(self) -> bool:
        """True when the links of every written note are resolved."""
        return self.web is not None and self._links.settled

    @property
    def web(self) -> Web | None:
        """Every link as it is resolved now; None before the first time."""
        return self._links.web

    def changed(self, paths: Iterable[VaultPath], *, names: Iterable[VaultPath] = ()) -> None:
        """Note what changed, as `Links.changed` does."""
        self._links.changed(paths, names=names)

    def hide(self, denied: Collection[VaultPath]) -> None:
        """Forget notes at once: nothing that is under way shows them any more."""
        self.graph = None
        self._hidden += 1
        self._links.changed(denied, names=denied)
        self._undrawn.set()

    async def resolve(self) -> None:
        """Resolve the links that a change can have moved; from then on `web` and `drawn` show them."""
        async with self._resolving:
            before = None
            while before != self._hidden:
                before, due = self._hidden, self._links.take()
                await asyncio.to_thread(self._links.resolve, due, self._index.notes, self._names)
        self._undrawn.set()
        self._told()

    async def drawn(self) -> Graph | None:
        """Return the graph of all links that are resolved now; None before there are any."""
        async with self._drawing:
            while (web := self.web) is not None and (self.graph is None or self.graph.table is not web.table):
                before = self._hidden
                graph = await asyncio.to_thread(web.graph, self._index.notes)
                if before == self._hidden:
                    # What was resolved meanwhile is for the next who asks, else busy times would have no end.
                    self.graph = graph
                    break
            return self.graph

    async def redraw(self) -> None:
        """Draw the graph anew after each settled batch, until cancelled."""
        while True:
            await self._undrawn.wait()
            if self.graph is not None:
                await self._pause()
            self._undrawn.clear()
            await self.drawn()
            self._told()

    async def _pause(self) -> None:
        """Wait until nothing changes for a moment."""
        ends = time.monotonic() + LONGEST_S
        before: Web | None = None
        while before is not self.web and time.monotonic() < ends:
            before = self.web
            await asyncio.sleep(SETTLED_S)
