"""The notes of a vault, and those of them that link to a file."""

from bridge.api.note_names import no_such_note
from bridge.engine.link_graph import ResolvedLinks
from bridge.engine.open_vault import OpenVault
from bridge.index.note import Notes
from bridge.types import Among, VaultPath


def snapshot(vault: OpenVault, among: Among = "all") -> Notes:
    """Copy the note table, so that a thread can iterate over it while the index changes."""
    return dict(vault.index.view(among).notes)


def sources_of(vault: OpenVault, resolved_links: ResolvedLinks, notes: Notes, path: VaultPath) -> set[VaultPath]:
    """Return the notes that link to a file."""
    if path not in vault.names and path not in notes:
        raise no_such_note(vault, path)
    return notes.keys() & resolved_links.sources(path)
