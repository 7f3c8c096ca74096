"""How far the bridge is: all vaults at a glance, and one note in detail."""

import asyncio
import os
import shutil
from collections import defaultdict
from collections.abc import Mapping
from itertools import islice
from math import ceil
from pathlib import Path

from msgspec.structs import asdict, replace

import bridge as program
from bridge.api.call import Call
from bridge.api.moments import iso
from bridge.api.note_names import no_such_note
from bridge.api.registry import operation
from bridge.data_folder import Folders, folder_size
from bridge.engine.bridge import Bridge
from bridge.engine.host import Host
from bridge.engine.inspection import Passage
from bridge.errors import BridgeError
from bridge.events import PendingCounts
from bridge.features.status.records import (
    Disk,
    Embedding,
    Left,
    LeftFor,
    LeftOut,
    Ready,
    RunningBridge,
    Status,
    VaultDisk,
    VaultStatus,
)
from bridge.records import Record
from bridge.types import Digest, VaultId, VaultPath

SHOWN = 20
"""Skipped and failed files, reasons and types that `status` names; `index_status` tells of any one file."""

NAMED = 10
"""Files that are named for each reason."""


def disk_of(folders: Folders, vault: VaultId) -> VaultDisk:
    """Weigh what is kept of a vault; reads a folder's names, so not for the event loop."""
    index, history = folder_size(folders.index(vault)), folder_size(folders.history(vault))
    return VaultDisk(index, history, max(0, folder_size(folders.vault(vault)) - index - history))


def free_bytes(folders: Folders) -> int:
    data = folders.data
    return shutil.disk_usage(next(folder for folder in (data, *data.parents) if folder.exists())).free


@operation(
    example={},
    vault=False,
    tasks=(
        "how many notes are indexed",
        "is the bridge ready",
        "what is left to index",
        "size of the vault",
        "which vaults are there",
    ),
)
async def status(call: Call, disk: bool = False) -> Status:
    """Show what is indexed, pending and left out in each vault; never `not_ready`.

    Args:
        disk: Add disk usage, measured from the files.
    """
    hosts = call.bridge.vaults.values() if call.vault_name is None else [call.host]
    found = Status(tuple(map(vault_status, hosts)), program.__version__, describe_running(call.bridge))
    return (
        await asyncio.to_thread(add_disk_sizes, found, call.bridge.folders, call.bridge.models_dir) if disk else found
    )


def describe_running(bridge: Bridge) -> RunningBridge | None:
    return None if bridge.url is None else RunningBridge(bridge.url, os.getpid(), iso(bridge.since))


def add_disk_sizes(status: Status, folders: Folders, models: Path) -> Status:
    vaults = tuple(replace(vault, disk=disk_of(folders, vault.id)) for vault in status.vaults)
    return replace(status, vaults=vaults, disk=Disk(models=folder_size(models), free=free_bytes(folders)))


def vault_status(host: Host) -> VaultStatus:
    progress = host.progress()
    speed = progress.per_second
    return VaultStatus(
        id=host.id,
        name=host.name,
        path=str(host.root),
        notes=progress.notes,
        passages=progress.passages,
        pending=PendingCounts(progress.pending_keyword, progress.pending_vectors),
        ready=Ready(progress.ready_keyword, progress.ready_semantic, progress.ready_words),
        skipped=group_left_out(progress.skipped),
        failed=group_left_out(progress.failed),
        model=progress.model,
        embedded_total=progress.embedded_total,
        embedding=Embedding(round(speed, 1), ceil(progress.pending_vectors / speed)) if speed else None,
        paused=progress.paused,
        trouble=progress.trouble,
        disk=None,
        model_known=progress.model_known,
        model_setup=progress.model_setup,
        types=count_types(host),
        indexed=None if progress.indexed is None else iso(progress.indexed),
        vectors_on_disk=progress.vectors_on_disk,
    )


def count_types(host: Host) -> Mapping[str, int]:
    """Count the notes of each type; a vault that is not open yet counts as empty."""
    try:
        return dict(host.vault.index.count_types().most_common(SHOWN))
    except BridgeError:
        return {}


def group_left_out(reasons: Mapping[str, str]) -> LeftOut:
    paths: defaultdict[str, list[str]] = defaultdict(list)
    for path, reason in reasons.items():
        paths[reason].append(path)
    frequent = sorted(paths.items(), key=lambda entry: -len(entry[1]))[:SHOWN]
    return LeftOut(
        len(reasons),
        tuple(Left(path, reason) for path, reason in islice(reasons.items(), SHOWN)),
        tuple(LeftFor(reason, len(some), tuple(some[:NAMED])) for reason, some in frequent),
    )


class IndexStatus(Record):
    """A file in the index.

    Attributes:
        path: The file.
        state: `indexed`, `pending`, `skipped` or `failed`.
        reason: Why it is not indexed.
        digest: SHA-256 of the file as indexed.
        passages: Its passages.
        left_out: What was not embedded, such as lines repeated across many notes.
        problems: What could not be parsed.
    """

    path: VaultPath
    state: str
    reason: str | None
    digest: Digest | None
    passages: tuple[Passage, ...]
    left_out: tuple[str, ...]
    problems: tuple[str, ...]


@operation(
    example={"path": "Bread/Starters/Sourdough starter.md"},
    tasks=(
        "can a new note be found already",
        "why a note is not found by search",
        "what the index knows of a note",
        "is a note indexed",
        "is the index complete and up to date",
    ),
)
async def index_status(call: Call, path: VaultPath) -> IndexStatus:
    """Show what the index holds of a file, what was left out, and why search does not find it.

    Args:
        path: The file.

    Raises:
        NoteNotFound: No such file; the message names the closest.
    """
    # In a thread: of a note with very many passages, reading them takes seconds.
    found = await asyncio.to_thread(call.vault.inspect, path)
    if found.state == "unknown":
        raise no_such_note(call.vault, path)
    return IndexStatus(path=path, **asdict(found))
