"""How much disk the bridge takes, by what would be lost with it."""

import shutil
from dataclasses import dataclass

from bridge.folders import Folders, size_of
from bridge.types import VaultId


@dataclass(frozen=True, slots=True)
class VaultDisk:
    """Bytes that are kept of one vault.

    Attributes:
        index: The index, which is built again when it is deleted.
        history: What notes said before and after changes.
        state: What is left: the record of changes and calls with its backups, the log, a damaged index.
    """

    index: int
    history: int
    state: int


@dataclass(frozen=True, slots=True)
class Disk:
    """Bytes that all vaults share.

    Attributes:
        models: The models, also those that are not in use.
        free: What is free where the data folder lies.
    """

    models: int
    free: int


def disk_of(folders: Folders, vault: VaultId) -> VaultDisk:
    """Weigh what is kept of a vault; reads a folder's names, so not for the event loop."""
    index, history = size_of(folders.index(vault)), size_of(folders.history(vault))
    return VaultDisk(index, history, max(0, size_of(folders.vault(vault)) - index - history))


def free_in(folders: Folders) -> int:
    """Return the bytes that are free for the data folder, or where it will be made."""
    data = folders.data
    return shutil.disk_usage(next(folder for folder in (data, *data.parents) if folder.exists())).free
