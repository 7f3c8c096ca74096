"""Compares the vault with the index, to read as few files as possible."""

from collections.abc import Mapping

from bridge.index.note import IndexedNote
from bridge.records import dataclass
from bridge.types import VaultPath
from bridge.vault.scan import Stat


@dataclass(frozen=True, slots=True)
class SyncPlan:
    """The changes to make; `unchanged` needs nothing."""

    read: frozenset[VaultPath]
    gone: frozenset[VaultPath]
    unchanged: frozenset[VaultPath]


def plan(
    found: Mapping[VaultPath, Stat], known: Mapping[VaultPath, IndexedNote], recipe: str | None = None
) -> SyncPlan:
    """Compare files by time and size.

    A renamed file appears as one removed and one to read: `Index.write` recognises it by its digest, and embeds none of
    its text again.
    """
    unchanged = frozenset(
        path
        for path, stat in found.items()
        if (note := known.get(path)) is not None
        and (note.mtime_ns, note.size) == (stat.mtime_ns, stat.size)
        and recipe in {None, note.recipe}
    )
    return SyncPlan(
        read=frozenset(found.keys() - unchanged), gone=frozenset(known.keys() - found.keys()), unchanged=unchanged
    )
