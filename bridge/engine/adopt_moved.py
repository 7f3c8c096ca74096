"""Adopts the index of a vault that was moved to another path."""

import hashlib
import logging
from collections.abc import Iterator
from contextlib import suppress

from bridge.data_folder import Folders, add_former_id, read_vault_list
from bridge.errors import BridgeError
from bridge.index.index import Index
from bridge.types import VaultId, VaultPath
from bridge.vault.vault import Vault

log = logging.getLogger(__name__)

SAME_VAULT = 0.9
"""Share of a vanished vault's notes that a new path must hold, byte for byte, to adopt its index."""


def adopt(folders: Folders, vault: VaultId, files: Vault) -> VaultId | None:
    """Take over the index and history of a vault that was moved here."""
    if folders.index(vault).exists() or folders.state(vault).exists():
        return None
    vanished = [v for v, path in read_vault_list(folders).items() if v != vault and not path.exists()]
    candidates = [v for v in vanished if folders.index(v).is_dir()]
    if not candidates:
        return None
    here = set(digests(files))
    for old in candidates:
        if content_overlap(folders, old, here) >= SAME_VAULT:
            for part in list(folders.vault(old).iterdir()):
                if part.name != "lock":
                    part.replace(folders.vault(vault) / part.name)
            add_former_id(folders, vault, old)
            log.info("Vault %s was moved; its index is kept as %s", old, vault)
            return old
    return None


def content_overlap(folders: Folders, old: VaultId, here: set[str]) -> float:
    try:
        index = Index.open(folders.index(old))
    except BridgeError as error:
        log.warning("The index of a vault that is gone cannot be opened: %s", error.code)
        return 0.0
    digests = [note.digest for note in index.notes.values()]
    index.abandon()
    return sum(digest in here for digest in digests) / len(digests) if digests else 0.0


def digests(files: Vault) -> Iterator[str]:
    for path in files.scan().files:
        with suppress(BridgeError):
            yield hashlib.sha256(files.read(VaultPath(path))[0]).hexdigest()
