"""`vaultside forget`: deletes the data kept about a vault; the vault itself is never touched."""

import argparse
import shutil
from pathlib import Path

from bridge.cli.console import NotConfirmed, confirm, json_line, print_message
from bridge.data_folder import Folders, folder_size, match_vaults, read_vault_list, remove_from_vault_list, vault_id
from bridge.engine.vault_lock import VaultLock
from bridge.errors import InvalidArguments, NoSuchVault, VaultHeld
from bridge.types import VaultId


def main(given: argparse.Namespace) -> int:
    """Delete the data of a vault, once the user has confirmed."""
    folders = Folders(given.data_dir)
    if not given.vault:
        raise InvalidArguments("VAULT is empty.")
    vault, path = find_kept_vault(folders, given.vault)
    lock = take_lock(folders, vault)
    try:
        what = (
            f"everything kept of {path or vault} ({folder_size(folders.vault(vault)) / 1e6:,.1f} MB): "
            "the index, and the history by which changes are undone"
        )
        if not given.yes and not confirm(f"Delete {what}? The notes themselves stay as they are."):
            raise NotConfirmed(f"This deletes {what}. The notes themselves stay as they are.")
        delete(folders, vault)
    finally:
        lock.release()
    print_message(f"Deleted {what}. The notes themselves are untouched.")
    if given.json:
        json_line({"forgotten": {"id": vault, "path": None if path is None else str(path)}})
    return 0


def find_kept_vault(folders: Folders, reference: str) -> tuple[VaultId, Path | None]:
    paths = dict(read_vault_list(folders))
    # Data of a vault that is no longer in the list is found by its id.
    ids = {*paths, *(VaultId(folder.name) for folder in folders.vault(VaultId("")).glob("*"))}
    names = {id_: paths[id_].name if id_ in paths else id_ for id_ in ids}
    found = (
        [id_]
        if (id_ := vault_id(Path(reference))) in ids
        else match_vaults(reference, names, {id_: id_ for id_ in ids})
    )
    if len(found) == 1:
        return found[0], paths.get(found[0])
    if found:
        places = ", ".join(str(paths.get(id_, id_)) for id_ in found)
        raise NoSuchVault(f"Several vaults are called `{reference}`.", hint=f"Give the path of one: {places}.")
    known_ones = ", ".join(f"`{path.name}`" for path in paths.values())
    raise NoSuchVault(
        f"No data is stored about a vault `{reference}`.",
        hint=f"Known vaults: {known_ones}." if known_ones else "No vault is known.",
    )


def take_lock(folders: Folders, vault: VaultId) -> VaultLock:
    """Take the vault's lock, so that no bridge uses the data while it is deleted."""
    try:
        return VaultLock.take(folders.lock(vault), folders.runtime(vault))
    except VaultHeld as error:
        way_out = f"Stop it with `vaultside stop --vault {vault}`." if error.facts else "Wait until it has ended."
        raise VaultHeld(error.message, hint=way_out, **error.facts) from None


def delete(folders: Folders, vault: VaultId) -> None:
    """Delete a vault's data, and its list entry last, so that an interrupted deletion can be repeated."""
    lock = folders.lock(vault)
    for part in list(folders.vault(vault).iterdir()):
        if part.is_dir() and not part.is_symlink():
            shutil.rmtree(part)
        elif part != lock:
            part.unlink()
    folders.runtime(vault).unlink(missing_ok=True)
    remove_from_vault_list(folders, vault)
    try:
        lock.unlink()
        lock.parent.rmdir()
    except OSError:
        # Windows does not delete an open file; an empty folder does no harm.
        return
