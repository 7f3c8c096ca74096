"""What is known of a vault when a change to its names is planned."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from bridge.errors import ProtectedPath
from bridge.index.note import IndexedNote
from bridge.markdown.names import Names
from bridge.types import VaultPath
from bridge.vault.rules import Rules

BOOKMARKS: Final = ".obsidian/bookmarks.json"


@dataclass(frozen=True, slots=True)
class VaultView:
    """A vault as a planner sees it; nothing of it may change meanwhile. Denied files are in none of it."""

    names: Names
    notes: Mapping[VaultPath, IndexedNote]
    """What the index has; links of other documents are read from the files."""
    read: Callable[[VaultPath], bytes]
    rules: Rules
    bookmarks: bytes = b""
    """Obsidian's file of bookmarks."""

    def require_changeable(self, path: VaultPath) -> None:
        """Let only a note pass that may change with another.

        Raises:
            ProtectedPath: The user's settings keep it as it is.
        """
        if self.rules.keeps(path):
            why = "the user's settings say that the note stays as it is"
            raise ProtectedPath(f"`{path}` would have to change, and {why}.", path=path)
