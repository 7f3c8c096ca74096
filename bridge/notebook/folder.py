"""The agents' folder: where it is, whether it was set up, and who may write in it."""

import os
from collections.abc import Iterable

from bridge.index.note import IndexedNote
from bridge.records import dataclass
from bridge.settings.schema import Settings
from bridge.types import VaultPath
from bridge.vault.paths import nfc
from bridge.vault.vault import Vault

ABOUT_TYPE = "agents-folder"
"""The property `type` of the note by which a person agreed to the folder."""

_ABOUT = "About this folder.md"


@dataclass(frozen=True, slots=True)
class AgentsFolder:
    """The folder of the agents' notes, and the folders in it."""

    path: VaultPath
    may_plan: bool = False
    """Whether changes among the plans of the gardener apply at once, too, in which a person ticks."""

    @property
    def about(self) -> VaultPath:
        """The note by which a person agreed to the folder."""
        return self.place(_ABOUT)

    @property
    def memory(self) -> VaultPath:
        """The folder of memories."""
        return self.place("Memory")

    @property
    def sessions(self) -> VaultPath:
        """The folder of journals."""
        return self.place("Sessions")

    @property
    def handoffs(self) -> VaultPath:
        """The folder of handoffs."""
        return self.place("Handoffs")

    @property
    def templates(self) -> VaultPath:
        """The folder of templates."""
        return self.place("Templates")

    @property
    def policies(self) -> VaultPath:
        """The folder of policies."""
        return self.place("Policies")

    @property
    def plans(self) -> VaultPath:
        """The folder of the gardener's plans."""
        return self.place("Garden")

    def place(self, name: str) -> VaultPath:
        """Return the path of a file or folder in it."""
        return VaultPath(f"{self.path}/{name}")

    def holds(self, path: str) -> bool:
        """Return whether a path lies in the folder; the folder itself does not."""
        return path.startswith(f"{self.path}/")


def agents_folder(settings: Settings) -> AgentsFolder:
    """Return the agents' folder, whether or not it was set up."""
    return AgentsFolder(VaultPath(nfc(settings.agents_folder)))


def is_about_note(note: IndexedNote) -> bool:
    """Return whether it is a note by which a person agreed to an agents' folder, wherever it is."""
    return note.note_type == ABOUT_TYPE and note.path.endswith(f"/{_ABOUT}")


def is_set_up(vault: Vault, settings: Settings) -> bool:
    """Return whether a person agreed to the agents' folder: it exists with the note that explains it.

    A folder that merely has the name may hold something else.
    """
    return vault.has(agents_folder(settings).about)


def folder_for_client(vault: Vault, settings: Settings, client: str) -> AgentsFolder | None:
    """Return the folder in which the changes of a client apply at once; None if there is none."""
    named = {name.casefold() for name in settings.notebook_clients} & {"*", client.casefold()}
    return agents_folder(settings) if named and is_set_up(vault, settings) else None


def holds_all(folder: AgentsFolder, vault: Vault, paths: Iterable[VaultPath]) -> bool:
    """Return whether all paths lie in the folder, also behind links, and none among its plans unless it may."""
    real, plans = (os.path.realpath(vault.root / place) for place in (folder.path, folder.plans))

    def is_held(path: VaultPath) -> bool:
        place = os.path.realpath(vault.root / path)
        is_plan = f"{place}{os.sep}".casefold().startswith(f"{plans}{os.sep}".casefold())
        return folder.holds(path) and place.startswith(f"{real}{os.sep}") and (folder.may_plan or not is_plan)

    return all(map(is_held, paths))
