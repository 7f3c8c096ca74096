"""The vault now against the index now: the least that must be read."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bridge.index.note import IndexedNote
from bridge.types import VaultPath

if TYPE_CHECKING:
    from bridge.vault.scan import Stat


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be done; `unchanged` needs nothing."""

    read: frozenset[VaultPath]
    gone: frozenset[VaultPath]
    unchanged: frozenset[VaultPath]


def plan(found: Mapping[VaultPath, "Stat"], known: Mapping[VaultPath, IndexedNote], recipe: str | None = None) -> Plan:
    """Compare files by time and size.

    A renamed file is one that is gone and one to read: `Index.write` recognises it by its digest, and no text of it
    is embedded again.

    Args:
        found: The files of the vault.
        known: The notes of the index.
        recipe: How notes are prepared now; those prepared in another way are read too.
    """
    unchanged = frozenset(
        path
        for path, stat in found.items()
        if (note := known.get(path)) is not None
        and (note.mtime_ns, note.size) == (stat.mtime_ns, stat.size)
        and recipe in {None, note.recipe}
    )
    return Plan(
        read=frozenset(found.keys() - unchanged), gone=frozenset(known.keys() - found.keys()), unchanged=unchanged
    )
