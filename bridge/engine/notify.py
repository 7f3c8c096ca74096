"""Notifies waiters and clients of changes in a vault."""

import contextlib
from collections.abc import Collection
from typing import TYPE_CHECKING

from bridge.errors import BridgeError
from bridge.events import Events
from bridge.types import VaultPath

if TYPE_CHECKING:
    from bridge.engine.host import VaultEngine

FEW_CHANGES = 200
"""Up to this many changed notes get an event each; more are only published as progress."""


class Notifications:
    """The notifications of one vault."""

    def __init__(self, engine: "VaultEngine", events: Events) -> None:
        self._engine = engine
        self.events = events

    def changed(self, written: Collection[VaultPath], gone: Collection[VaultPath]) -> None:
        """Publish written and missing notes, and wake waiters."""
        engine = self._engine
        engine.signal.tell()
        if engine.is_open:
            engine.parts.backfill.wake()
        if len(written) + len(gone) <= FEW_CHANGES:
            for path in written:
                self.events.publish("note_changed", engine.id, path=path, change="indexed")
            for path in gone:
                self.events.publish("note_changed", engine.id, path=path, change="gone")
        self.progressed()

    def buried(self) -> None:
        """Erase the data of a note that was moved into a denied path."""
        if self._engine.is_open:
            self._engine.parts.eraser.erase_again()

    def progressed(self) -> None:
        """Publish the indexing progress."""
        engine = self._engine
        engine.signal.tell()
        with contextlib.suppress(BridgeError):
            self.events.publish(
                "index_progress",
                engine.id,
                pending={"keyword": len(engine.indexer.pending), "vectors": engine.index.pending_vectors()},
                notes=len(engine.index.notes),
            )
