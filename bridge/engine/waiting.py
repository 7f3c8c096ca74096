"""Waits until what is known of a vault is as somebody needs it."""

import time
from typing import TYPE_CHECKING

from bridge.engine.atlas import Chart
from bridge.engine.links import Web
from bridge.engine.looking import What, holds
from bridge.errors import NotReady
from bridge.types import Digest, VaultPath

if TYPE_CHECKING:
    from bridge.engine.vault_engine import VaultEngine

OPEN_LOOK_S = 0.05
READY_LOOK_S = 0.25
LOOK_S = 1.0


class Waiting:
    """Waits for one vault; its parts may be closed and opened again meanwhile."""

    def __init__(self, engine: "VaultEngine") -> None:
        self._engine = engine

    async def web(self) -> Web:
        """Return every link as it is resolved now, as soon as all are.

        Raises:
            NotReady: The first full scan is not committed.
        """
        self._engine.require_keyword()
        while (web := self._engine.following.weaving.web) is None:
            await self._engine.signal.wait(LOOK_S)
            self._engine.require_keyword()
        return web

    async def chart(self) -> Chart:
        """Return the graph of all that is written by now with its notes, as soon as there is one.

        Raises:
            NotReady: The first full scan is not committed.
        """
        await self.web()
        graph = await self._engine.following.weaving.drawn()
        if graph is None:
            raise NotReady("The index is being opened again.")
        return Chart(graph, self._engine.index.notes, self._engine.index)

    async def readable(self, timeout: float) -> None:
        """Wait until the first full scan is committed, something is wrong, or `timeout` seconds have passed."""
        engine, ends = self._engine, time.monotonic() + timeout
        while engine.trouble is None and not (engine.is_open and engine.following.complete):
            left = ends - time.monotonic()
            if left <= 0:
                return
            await engine.signal.wait(min(left, READY_LOOK_S))

    async def indexed(self, path: VaultPath, digest: Digest | None, what: What, timeout: float) -> bool:
        """Wait until the index holds a note as it is on disk, or as `digest` names it.

        Args:
            path: The note.
            digest: The content to wait for; what is on disk now when absent.
            what: Which part of the index must hold it.
            timeout: Seconds.

        Raises:
            NoteNotFound: There is no such note, neither on disk nor in the index.
        """
        engine, ends = self._engine, time.monotonic() + timeout
        while not engine.is_open and time.monotonic() < ends:
            await engine.signal.wait(OPEN_LOOK_S)
        if engine.vault.stat(path) is None and path not in engine.index.notes:
            raise engine.names.missing(path)
        if not holds(engine.following, path, digest, what):
            await engine.report([path])
        while not holds(engine.following, path, digest, what):
            left = ends - time.monotonic()
            if left <= 0:
                return False
            if what == "vectors":
                engine.parts.filling.hurry()
            await engine.signal.wait(min(left, LOOK_S))
        return True
