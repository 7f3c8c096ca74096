"""Chooses the vault that an agent works with."""

from pathlib import Path

from bridge.data_folder import Folders, enclosing_vault, find_known_vaults, read_vault_list
from bridge.errors import NoSuchVault
from bridge.private_files import modified_at
from bridge.server.runtime_file import read_runtime

NAME_ONE = "Run `vault-bridge mcp` with the folder of your notes."


def choose_vault(folders: Folders, reference: str | None, here: Path) -> Path:
    if reference is not None:
        return find_named_vault(folders, reference)
    return (
        enclosing_vault(here, read_vault_list(folders).values())
        or only_served_vault(folders)
        or last_used_vault(folders)
    )


def find_named_vault(folders: Folders, reference: str) -> Path:
    if Path(reference).is_dir():
        return Path(reference)
    match find_known_vaults(folders, reference):
        case [path]:
            return path
        case []:
            raise NoSuchVault(f"There is no folder and no known vault `{reference}`.", hint=NAME_ONE)
        case _:
            raise NoSuchVault(f"Several vaults are called `{reference}`.", hint=NAME_ONE)


def only_served_vault(folders: Folders) -> Path | None:
    match [path for id_, path in read_vault_list(folders).items() if read_runtime(folders.runtime(id_)) is not None]:
        case []:
            return None
        case [path]:
            return path
        case paths:
            names = ", ".join(f"`{path.name}`" for path in paths)
            raise NoSuchVault(
                "Several vaults are being served; choose one.", hint=f"Run `vault-bridge mcp` with one of {names}."
            )


def last_used_vault(folders: Folders) -> Path:
    there = {id_: path for id_, path in read_vault_list(folders).items() if path.is_dir()}
    if not there:
        raise NoSuchVault("No vault has been opened yet, so there is none to choose.", hint=NAME_ONE)
    return there[max(there, key=lambda id_: modified_at(folders.state(id_)))]
