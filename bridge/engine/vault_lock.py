"""Locks a vault's data for one process; the lock ends with the process, however it ends."""

import os
from pathlib import Path
from typing import Any

import orjson

from bridge.data_folder import Folders, user_runtime_dir
from bridge.errors import VaultHeld
from bridge.private_files import lock_file, make_private, write_error, write_private
from bridge.types import VaultId


class VaultLock:
    """The lock on one vault's data folder."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    @classmethod
    def take(cls, lock: Path, runtime: Path) -> "VaultLock":
        make_private(lock.parent)
        try:
            descriptor = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise write_error(lock, error) from None
        try:
            lock_file(descriptor, wait=False)
        except OSError:
            os.close(descriptor)
            facts = read_holder(runtime)
            who = f"process {facts['pid']} at {facts['url']}" if facts else "another process"
            raise VaultHeld(f"This vault is already open in {who}.", **facts) from None
        return cls(descriptor)

    def release(self) -> None:
        os.close(self._descriptor)


def take_among_data_folders(vault: VaultId, folders: Folders) -> VaultLock | None:
    """Take the lock that bridges of this user with other data folders take, too; None if one of this has it."""
    lock = user_runtime_dir() / f"{vault}.lock"
    holder = lock.with_suffix(".json")
    # A bridge with a temporary data folder has the settings of another one.
    data = os.fspath(folders.settings.resolve().parent)
    try:
        taken = VaultLock.take(lock, holder)
    except VaultHeld:
        other = read_json(holder)
        if other == data:
            return None
        raise VaultHeld(
            f"Another bridge has this vault open with the data folder `{other}`: neither undoes what the other changed."
            " Stop one, or give both the same `--data-dir`."
        ) from None
    write_private(holder, orjson.dumps(data))
    return taken


def read_holder(runtime: Path) -> dict[str, Any]:
    """Read which process serves the vault, without the token; empty when unknown."""
    try:
        facts = read_json(runtime)
        return {"url": facts["url"], "pid": facts["pid"]}
    except (KeyError, TypeError):
        return {}


def read_json(file: Path) -> Any:
    try:
        return orjson.loads(file.read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return None
