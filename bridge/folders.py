"""Where the bridge keeps what: one data folder, private to the user, never inside a vault; and the vaults it knows."""

import hashlib
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import orjson
import platformdirs

from bridge.private import make_private, write_private
from bridge.types import VaultId


@dataclass(frozen=True, slots=True)
class Folders:
    """Names every file below the data folder."""

    data: Path

    @property
    def settings(self) -> Path:
        """The settings file."""
        return self.data / "settings.toml"

    @property
    def vaults(self) -> Path:
        """The list of vaults ever opened."""
        return self.data / "vaults.json"

    @property
    def tokens(self) -> Path:
        """The clients that hold tokens."""
        return self.data / "tokens.json"

    def vault(self, vault: VaultId) -> Path:
        """The folder of one vault."""
        return self.data / "vaults" / vault

    def index(self, vault: VaultId) -> Path:
        """The LanceDB folder of one vault; may be deleted at any time."""
        return self.vault(vault) / "index"

    def state(self, vault: VaultId) -> Path:
        """The SQLite file of one vault."""
        return self.vault(vault) / "state.sqlite"

    def history(self, vault: VaultId) -> Path:
        """The folder of what notes of one vault said before and after changes."""
        return history_beside(self.state(vault))

    def lock(self, vault: VaultId) -> Path:
        """The file whose lock says that a process writes this vault's data."""
        return self.vault(vault) / "lock"

    def log(self, vault: VaultId) -> Path:
        """The log of a bridge of this vault that nobody watches."""
        return self.vault(vault) / "bridge.log"

    def owner(self, vault: VaultId) -> Path:
        """The file with the token by which programs of the user change settings."""
        return self.vault(vault) / "owner.json"

    def runtime(self, vault: VaultId) -> Path:
        """The file that tells other programs where the bridge listens."""
        return self.data / "run" / f"{vault}.json"

    def make(self) -> None:
        """Make the data folder, readable by the user only.

        Raises:
            ReadOnly: It cannot be made or written.
            DiskFull: There is no room.
        """
        for folder in (self.data, self.data / "vaults", self.data / "run"):
            make_private(folder)


def history_beside(state: Path) -> Path:
    """Return where the snapshots of a vault's changes lie, by its SQLite file."""
    return state.with_name("snapshots")


def size_of(folder: Path, below: str = "") -> int:
    """Add up the bytes of the files in a folder, or only of those in folders of one name; 0 when it is missing."""
    total = 0
    for place, _, names in os.walk(folder):
        if below and below not in Path(place).parts:
            continue
        for name in names:
            # Files come and go while this looks.
            with suppress(FileNotFoundError):
                total += Path(place, name).stat().st_size
    return total


def default_data_dir() -> Path:
    """Return the platform's place for a user's data of this program."""
    return platformdirs.user_data_path("vault-bridge", appauthor=False)


def default_models_dir() -> Path:
    """Return the user's models folder, shared by all vaults."""
    return default_data_dir() / "models"


def vault_id(root: Path) -> VaultId:
    """Return the id of the vault at a path: a digest of its real path."""
    return VaultId(hashlib.sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:16])


def remembered(folders: Folders) -> Mapping[VaultId, Path]:
    """Read the list; a damaged one is an empty one, since it only serves adoption."""
    try:
        return {VaultId(key): Path(value["path"]) for key, value in orjson.loads(folders.vaults.read_bytes()).items()}
    except (OSError, orjson.JSONDecodeError, KeyError, TypeError, AttributeError):
        return {}


def remember(folders: Folders, vaults: Mapping[VaultId, Path]) -> None:
    """Add vaults to the list.

    Raises:
        ReadOnly: The list cannot be written.
        DiskFull: There is no room.
    """
    known = {**remembered(folders), **vaults}
    listed = {key: {"path": str(path), "name": path.name} for key, path in known.items()}
    write_private(folders.vaults, orjson.dumps(listed))


def known_as(folders: Folders, wanted: str) -> list[Path]:
    """Return the vaults of this name or id that were opened before and are still there."""
    vaults = remembered(folders).items()
    return [path for id_, path in vaults if wanted in {id_, path.name} and path.is_dir()]


def vault_around(folder: Path) -> Path | None:
    """Return the vault that a folder lies in."""
    return next((place for place in (folder, *folder.parents) if (place / ".obsidian").is_dir()), None)
