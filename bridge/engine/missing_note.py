"""The error for a note that is missing, which the bridge itself may have moved."""

from bridge.errors import NoteNotFound
from bridge.markdown.names import Names
from bridge.state.journal import Journal
from bridge.types import VaultPath
from bridge.vault.vault import Vault


def missing_note(vault: Vault, names: Names, journal: Journal, path: VaultPath) -> NoteNotFound:
    """Return the error for a missing note, with its path since a recorded move, or else with the closest ones."""
    now = journal.moved_to(path, vault.has)
    if now is None or vault.rules.denies(path):
        return names.missing(path)
    return NoteNotFound(f"`{path}` was moved to `{now}`.", hint="Use the new path.", path=path, closest=[now])
