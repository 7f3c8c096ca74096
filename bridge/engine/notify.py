"""Tells waiters and clients what changed in an open vault."""

import contextlib
from collections.abc import Collection

from bridge.engine.open_vault import OpenVault
from bridge.errors import BridgeError
from bridge.events import IndexProgress, NoteUpdate, PendingCounts
from bridge.index.note import IndexedNote
from bridge.types import VaultPath

FEW_CHANGES = 200
"""Up to this many changed notes get an event each; more are only published as progress."""


def publish_changes(vault: OpenVault, written: Collection[IndexedNote], gone: Collection[VaultPath]) -> None:
    """Publish written and missing notes, and wake waiters."""
    vault.backfill.wake()
    if len(written) + len(gone) <= FEW_CHANGES:
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
