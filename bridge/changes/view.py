"""The view of a vault that planning a change of names needs."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from bridge.changes.link_sources import LinkSources
from bridge.errors import ProtectedPath
from bridge.index.note import IndexedNote
from bridge.markdown.names import Names
from bridge.records import dataclass
from bridge.types import VaultPath
from bridge.vault.rules import Rules

BOOKMARKS: Final = ".obsidian/bookmarks.json"


@dataclass(frozen=True, slots=True)
class VaultView:
    """A vault as a planner sees it; it must not change meanwhile. It contains no denied files."""

    names: Names
    notes: Mapping[VaultPath, IndexedNote]
    """The indexed notes, as they were before the change."""
    links: LinkSources
    read: Callable[[VaultPath], bytes]
    rules: Rules
    bookmarks: bytes = b""
    """The content of Obsidian's bookmarks file."""
    agents: str = ""
    """The agents' folder, whose notes a change of many notes leaves alone unless it names the folder."""

    def in_reach(self, paths: Iterable[VaultPath], folder: str = "") -> set[VaultPath]:
        """Return those of some notes that a change of many notes may be about."""
        inside = f"{folder}/" if folder else ""
        apart = f"{self.agents}/" if self.agents and not f"{folder}/".startswith(f"{self.agents}/") else None
        return {path for path in paths if path.startswith(inside) and not (apart and path.startswith(apart))}

    def require_changeable(self, path: VaultPath) -> None:
        if self.rules.keeps(path):
            why = "the user's settings say that the note stays as it is"
            raise ProtectedPath(f"`{path}` would have to change, and {why}.", path=path)
