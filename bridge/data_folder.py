"""The data folder, private to the user and never inside a vault, and the list of known vaults."""

import json
import os
import warnings
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from bridge.private_files import make_private, write_private
from bridge.text.fold import fold_case
from bridge.types import VaultId

T = TypeVar("T")


class Folders:
    """The paths of all files in the data folder."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.settings = data / "settings.toml"
        self.vaults = data / "vaults.json"
        """The list of vaults ever opened."""
        self.tokens = data / "tokens.json"
        self.servers = data / "servers.toml"
        """The user's MCP servers; never in a vault, since it starts programs."""
        self.secrets = data / "secrets.toml"
        """The secrets that these servers get."""

    def vault(self, vault: VaultId) -> Path:
        return self.data / "vaults" / vault

    def index(self, vault: VaultId) -> Path:
        """The LanceDB folder of one vault; may be deleted at any time."""
        return self.vault(vault) / "index"

    def state(self, vault: VaultId) -> Path:
        return self.vault(vault) / "state.sqlite"

    def history(self, vault: VaultId) -> Path:
        """The folder of the notes' texts before and after changes in one vault."""
        return snapshots_folder(self.state(vault))

    def lock(self, vault: VaultId) -> Path:
        """The file whose lock is held by the process that writes this vault's data."""
        return self.vault(vault) / "lock"

    def former_ids(self, vault: VaultId) -> Path:
        return self.vault(vault) / "former-ids.json"

    def log(self, vault: VaultId) -> Path:
        return self.vault(vault) / "bridge.log"

    def owner(self, vault: VaultId) -> Path:
        """The file with the token by which programs of the user change settings."""
        return self.vault(vault) / "owner.json"

    def runtime(self, vault: VaultId) -> Path:
        """The file in which the bridge records its address and token."""
        return self.data / "run" / f"{vault}.json"

    def make(self) -> None:
        """Create the data folder, readable by the user only."""
        for folder in (self.data, self.data / "vaults", self.data / "run"):
            make_private(folder)


def snapshots_folder(state: Path) -> Path:
    """Return the snapshots folder that belongs to a vault's SQLite file."""
    return state.with_name("snapshots")


def folder_size(folder: Path, below: str = "") -> int:
    """Sum the bytes of the files in a folder, or only of those below folders named `below`; 0 if it is missing."""
    total = 0
    for place, _, names in os.walk(folder):
        if below and below not in Path(place).parts:
            continue
        for name in names:
            # Files may disappear during the walk.
            with suppress(FileNotFoundError):
                total += Path(place, name).stat().st_size
    return total


DATA_DIR, MODELS_DIR = "VAULTSIDE_DATA_DIR", "VAULTSIDE_MODELS_DIR"
"""Environment variables that override the default folders."""

FORMER_NAME = "vault-bridge"
"""The name of the product, and of its folder, before it was Vaultside."""


def _read_variable(name: str) -> str | None:
    """Return an environment variable; one of the product's former name counts too, else its data would seem lost."""
    return os.environ.get(name) or os.environ.get(name.replace("VAULTSIDE", "VAULT_BRIDGE"))


def resolve_data_dir() -> Path:
    """Return the data folder from the environment, else the default one."""
    return Path(_read_variable(DATA_DIR) or default_data_dir()).absolute()


def resolve_models_dir() -> Path:
    """Return the models folder from the environment, else the default one."""
    return Path(_read_variable(MODELS_DIR) or default_models_dir()).absolute()


def default_data_dir() -> Path:
    """Return the platform's folder for this program's user data."""
    import platformdirs

    return platformdirs.user_data_path("vaultside", appauthor=False)


def user_runtime_dir() -> Path:
    """Return the platform's folder for what programs of this user share while they run, whatever their data folder."""
    import platformdirs

    with warnings.catch_warnings(action="ignore"):
        return platformdirs.user_runtime_path("vaultside", appauthor=False)


def default_models_dir() -> Path:
    """Return the user's models folder, shared by all vaults."""
    return default_data_dir() / "models"


def folder_options(data_dir: Path, models_dir: Path | None = None) -> list[str]:
    """Return the options by which a command uses these folders; none for the usual ones."""
    data = [] if data_dir.absolute() == default_data_dir() else ["--data-dir", str(data_dir.absolute())]
    if models_dir is None or models_dir.absolute() == default_models_dir():
        return data
    return [*data, "--models-dir", str(models_dir.absolute())]


def vault_id(root: Path) -> VaultId:
    """Return the id of the vault at a path: a digest of its real path."""
    import hashlib

    return VaultId(hashlib.sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:16])


def read_former_ids(folders: Folders, vault: VaultId) -> tuple[VaultId, ...]:
    """Return the ids that a vault had at other paths; none if their file is damaged."""
    try:
        return tuple(VaultId(id_) for id_ in json.loads(folders.former_ids(vault).read_bytes()) if isinstance(id_, str))
    except (OSError, ValueError, TypeError):
        return ()


def add_former_id(folders: Folders, vault: VaultId, former: VaultId) -> None:
    ids = dict.fromkeys((*read_former_ids(folders, vault), former))
    write_private(folders.former_ids(vault), json.dumps([*ids]).encode())


def read_vault_list(folders: Folders) -> Mapping[VaultId, Path]:
    """Read the list; a damaged one counts as empty, since it only serves to adopt moved vaults."""
    try:
        return {VaultId(key): Path(value["path"]) for key, value in json.loads(folders.vaults.read_bytes()).items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def add_to_vault_list(folders: Folders, vaults: Mapping[VaultId, Path]) -> None:
    write_vault_list(folders, {**read_vault_list(folders), **vaults})


def remove_from_vault_list(folders: Folders, vault: VaultId) -> None:
    write_vault_list(folders, {id_: path for id_, path in read_vault_list(folders).items() if id_ != vault})


def write_vault_list(folders: Folders, vaults: Mapping[VaultId, Path]) -> None:
    listed = {key: {"path": str(path), "name": path.name} for key, path in vaults.items()}
    write_private(folders.vaults, json.dumps(listed, ensure_ascii=False).encode())


def find_known_vaults(folders: Folders, reference: str) -> list[Path]:
    """Return the vaults of this name or id that were opened before and still exist."""
    there = {id_: path for id_, path in read_vault_list(folders).items() if path.is_dir()}
    return match_vaults(reference, {id_: path.name for id_, path in there.items()}, there)


def match_vaults(reference: str, names: Mapping[VaultId, str], vaults: Mapping[VaultId, T]) -> list[T]:
    """Return the vaults of a name or id; if there is none, those whose names differ in case only."""
    if exact := [vaults[id_] for id_, name in names.items() if reference in {id_, name}]:
        return exact

    return [vaults[id_] for id_, name in names.items() if fold_case(name) == fold_case(reference)]


def enclosing_vault(folder: Path, vaults: Collection[Path] = ()) -> Path | None:
    """Return the vault that contains a folder: the nearest with `.obsidian`, else the nearest known one."""
    places = (folder, *folder.parents)
    marked = (place for place in places if (place / ".obsidian").is_dir())
    return next(marked, None) or next((place for place in places if place in vaults), None)
