"""Finds the notes of which a change of ours replaced the properties only, so that they need not be prepared again."""

import time
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Final

from bridge.errors import BridgeError
from bridge.index.carried_note import CarriedNote, carry_over
from bridge.index.index import Index
from bridge.types import VaultPath
from bridge.vault.plan import Blobs, Step
from bridge.vault.vault import Vault

Replacement = tuple[bytes, bytes]
"""The bytes of a file before and after."""

NOTHING_REPLACED: Final[Mapping[VaultPath, Replacement]] = MappingProxyType({})


def replaced_bytes(steps: Iterable[Step], blobs: Blobs) -> Mapping[VaultPath, Replacement]:
    found: dict[VaultPath, Replacement] = {}
    for step in steps:
        before, after = (None if digest is None else blobs.get(digest) for digest in (step.before, step.after))
        if step.kind == "put" and before is not None and after is not None:
            found[step.path] = before, after
    return found


def carry_notes(
    vault: Vault,
    index: Index,
    recipe: str,
    paths: Collection[VaultPath],
    replaced: Mapping[VaultPath, Replacement],
) -> list[CarriedNote]:
    """Read the files again, and return those notes of which only the properties changed; call in a thread."""
    found: list[CarriedNote] = []
    notes, since = index.notes, time.perf_counter()
    for path in paths:
        known = notes.get(path)
        if known is None or known.recipe != recipe or path not in replaced:
            continue
        since = index.searches.give_way_in_thread(since)
        before, after = replaced[path]
        # One that cannot be read is dealt with where all are read.
        with suppress(BridgeError):
            data, stat = vault.read(path)
            if data == after and (carried := carry_over(known, before, after, stat)) is not None:
                found.append(carried)
    return found
