"""Locks a vault's data for one process; the lock ends with the process, however it ends."""

import os
from pathlib import Path
from typing import Any

import orjson

from bridge.errors import VaultHeld
from bridge.private_files import lock_file, make_private, write_error


class VaultLock:
    """The lock on one vault's data folder."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    @classmethod
    def take(cls, lock: Path, runtime: Path) -> "VaultLock":
        """Take the lock."""
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


def read_holder(runtime: Path) -> dict[str, Any]:
    """Read which process serves the vault, without the token; empty when unknown."""
    try:
        facts = orjson.loads(runtime.read_bytes())
        return {"url": facts["url"], "pid": facts["pid"]}
    except (OSError, orjson.JSONDecodeError, KeyError, TypeError):
        return {}
