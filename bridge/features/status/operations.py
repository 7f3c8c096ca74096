"""How far the bridge is: all vaults at a glance, and one note in detail."""

import asyncio
import os
import shutil
from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from itertools import islice
from math import ceil
from pathlib import Path

from msgspec import field
from msgspec.structs import asdict, replace

import bridge as program
from bridge.api.call import Call
from bridge.api.markup import Element, Line, Role, Segment, path_of
from bridge.api.moments import iso
from bridge.api.note_names import no_such_note
from bridge.api.registry import operation
from bridge.data_folder import Folders, folder_size
from bridge.engine.host import Host
from bridge.engine.inspection import IndexStatus
from bridge.engine.progress import ModelInUse
from bridge.errors import BridgeError
from bridge.events import PendingCounts
from bridge.models.model_setup import ModelSetup
from bridge.records import Record
from bridge.text.counts import count_of
from bridge.text.invisible import inline
from bridge.types import Exact, VaultId, VaultPath


class VaultDisk(Record):
    """Bytes kept for one vault.

    Attributes:
        index: The index, which is rebuilt if deleted.
        history: Note contents before and after changes.
        state: The rest: records of changes and calls with their backups, the log, a damaged index.
    """

    index: int
    history: int
    state: int


class Disk(Record):
    """Bytes shared by all vaults.

    Attributes:
        models: The models, in use or not.
        free: Free space where the data folder is.
    """

    models: int
    free: int


class Ready(Record):
    """What can be searched.

    Attributes:
        keyword: Whether the first full scan is complete.
        semantic: Whether `keyword` is true, a model answers and at least half of the passages have vectors.
        words: Whether `search` answers from all notes; true before `keyword` when a vault is read for the first time.
    """

    keyword: bool
    semantic: bool
    words: bool


class Left(Record):
    """One file that is not in the index.

    Attributes:
        path: The file, or with a trailing `/` a whole folder.
        reason: Why.
    """

    path: Exact
    reason: str


class LeftFor(Record):
    """Files left out of the index for one reason.

    Attributes:
        reason: The reason.
        count: How many.
        first: The first of them.
    """

    reason: str
    count: int
    first: tuple[Exact, ...]


class LeftOut(Record):
    """Files left out of the index.

    Attributes:
        count: How many.
        first: Some of them.
        reasons: Most frequent reasons.
    """

    count: int
    first: tuple[Left, ...]
    reasons: tuple[LeftFor, ...]


class Embedding(Record):
    """Embedding progress.

    Attributes:
        per_second: Recent passages per second.
        seconds_left: Estimated seconds to completion.
    """

    per_second: float
    seconds_left: int


class VaultStatus(Record):
    """The index of one vault.

    Attributes:
        id: The vault's id.
        name: The vault's name.
        path: Its folder.
        notes: Notes in the index.
        passages: Passages in the index.
        pending: Outstanding work.
        ready: What can be searched.
        skipped: Files left out by a rule.
        failed: Files that could not be read.
        model: The model in use; null without one.
        embedded_total: Passages ever embedded for this vault.
        embedding: Embedding progress; null while idle.
        paused: Whether embedding is paused.
        trouble: Why indexing is stopped.
        disk: Disk usage, if requested.
        model_known: Whether the bridge has looked for a model; until then `model` is null.
        model_setup: Why no model can be used; null once llama.cpp is installed.
        types: Notes of each type that a property `type` names, most frequent first.
        indexed: When the index last took in changes; null before the first time.
        vectors_on_disk: Whether an index on disk finds the vectors that a search compares, as they are more than the
            setting `memory_mb` allows.
    """

    id: VaultId
    name: str
    path: Exact
    notes: int
    passages: int
    pending: PendingCounts
    ready: Ready
    skipped: LeftOut
    failed: LeftOut
    model: ModelInUse | None
    embedded_total: int
    embedding: Embedding | None
    paused: bool
    trouble: str | None
    disk: VaultDisk | None
    model_known: bool = True
    model_setup: ModelSetup | None = None
    types: Mapping[str, int] = field(default_factory=dict)
    indexed: str | None = None
    vectors_on_disk: bool = False


class RunningBridge(Record):
    """The serving process.

    Attributes:
        url: Its address.
        pid: Its process id.
        since: When it started.
    """

    url: str
    pid: int
    since: str


class Status(Record):
    """The state of the bridge.

    Attributes:
        vaults: Every vault, or the requested one.
        version: The bridge's version.
        bridge: The serving process; null if a command opened the vaults itself.
        disk: Shared disk usage, if requested.
    """

    vaults: tuple[VaultStatus, ...]
    version: str
    bridge: RunningBridge | None
    disk: Disk | None = None


SIZES = ("bytes", "kB", "MB", "GB", "TB")


def status_view(status: Status) -> Iterable[Element]:
    """Show which bridge serves the vaults, and how far each is indexed."""
    for vault in status.vaults:
        yield from _vault_status(vault, status.bridge)
    if status.disk is not None:
        yield _disk_sizes(status.disk)


def _vault_status(vault: VaultStatus, bridge: RunningBridge | None) -> Iterable[Element]:
    ready, pending = vault.ready, vault.pending
    yield Line(Segment(inline(vault.name), "title"), "  ", path_of(vault.path))
    yield _fact("bridge", _describe_bridge(bridge))
    yield _fact("indexed", f"{count_of(vault.notes, 'note')}, {count_of(vault.passages, 'passage')}")
    words = "ready" if ready.keyword else "being read"
    left = f", {count_of(pending.keyword, 'note')} to go" if pending.keyword else ""
    yield _fact("words", Segment(words, "ok" if ready.keyword else "warning"), left)
    meaning = Segment(_semantic_state(vault), "ok" if ready.semantic else "warning")
    yield _fact("meaning", meaning, _backlog(vault, bridge))
    if (setup := vault.model_setup) and setup.state != "running":
        yield _fact("", Segment(inline(setup.hint), "hint"))
    if vault.vectors_on_disk:
        yield _fact("", Segment("Vectors are found by an index on disk, since they exceed `memory_mb`.", "hint"))
    if vault.paused:
        yield Line("  ", Segment("Embedding is paused; `resume_indexing` resumes it.", "hint"))
    if vault.trouble:
        yield Line("  ", Segment(inline(vault.trouble), "error"))
    yield from _left_out("skipped", "muted", vault.skipped)
    yield from _left_out("failed", "error", vault.failed)
    if vault.disk:
        yield _fact("disk", _disk_sizes(vault.disk))


def _fact(name: str, *values: str | Segment) -> Line:
    return Line(Segment(f"  {name:8} ", "muted"), *values)


def _left_out(kind: str, role: Role, files: LeftOut) -> Iterable[Line]:
    for one in files.first:
        yield _fact(kind, path_of(one.path), Segment(f": {inline(one.reason)}", role))
    if more := files.count - len(files.first):
        yield _fact(kind, f"… and {more:,} more")


def _describe_bridge(bridge: RunningBridge | None) -> str:
    if bridge is None:
        return "none runs; this command opened the vault by itself"
    since = datetime.fromisoformat(bridge.since).strftime("%Y-%m-%d %H:%M")
    return f"process {bridge.pid} at {bridge.url}, since {since}"


def _semantic_state(vault: VaultStatus) -> str:
    state = "ready" if vault.ready.semantic else "not ready"
    if model := vault.model:
        reason = f" ({model.reason})" if model.reason else ""
        return f"{state}, {model.id}{reason}"
    if vault.ready.semantic:
        return state
    if setup := vault.model_setup:
        return f"not ready. {inline(setup.message)}"
    return "not ready, no model is installed" if vault.model_known else "not ready, looking for a model"


def _backlog(vault: VaultStatus, bridge: RunningBridge | None) -> str:
    """Say how many passages have no vector, and how fast they are embedded."""
    pending, embedding = vault.pending.vectors, vault.embedding
    if not pending or not vault.model:
        return ""
    if bridge is None:
        return f", {count_of(pending, 'passage')} without a vector; `vaultside index` embeds them"
    speed = ""
    if embedding is not None:
        speed = f", {embedding.per_second:,} a second, {timedelta(seconds=embedding.seconds_left)} left"
    return f", {count_of(pending, 'passage')} to go{speed}"


def _disk_sizes(disk: VaultDisk | Disk) -> str:
    return ", ".join(f"{name} {_disk_size(size)}" for name, size in asdict(disk).items())


def _disk_size(size: float) -> str:
    unit = 0
    while size >= 1_000 and unit < len(SIZES) - 1:
        size, unit = size / 1_000, unit + 1
    return f"{size:,.1f} {SIZES[unit]}" if unit else count_of(int(size), "byte")


def summarize_vault(vault: VaultStatus) -> str:
    if vault.ready.semantic:
        how = "words and meaning"
    elif setup := vault.model_setup:
        how = "words; meaning follows" if setup.state == "running" else "words only"
        how = f"{how}. {inline(setup.message.rstrip('.'))}"
    elif vault.model is None:
        how = "words only, since no model is installed"
    else:
        how = "words; by meaning when half of the passages are embedded"
    skipped = f", {vault.skipped.count:,} skipped" if vault.skipped.count else ""
    failed = f", {vault.failed.count:,} unreadable" if vault.failed.count else ""
    return f"{vault.name}: {count_of(vault.notes, 'note')}{skipped}{failed}; search by {how}."


MAX_SHOWN_ENTRIES = 20
"""Skipped and failed files, reasons and types that `status` names; `index_status` tells of any one file."""

MAX_NAMED_FILES = 10


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
    """Show what is indexed, pending and left out in each vault.

    Args:
        disk: Add disk usage, measured from the files.
    """
    hosts = call.bridge.vaults.values() if call.vault_name is None else [call.host]
    bridge = call.bridge
    running = None if bridge.url is None else RunningBridge(bridge.url, os.getpid(), iso(bridge.since))
    found = Status(tuple(map(vault_status, hosts)), program.__version__, running)
    return (
        await asyncio.to_thread(add_disk_sizes, found, call.bridge.folders, call.bridge.models_dir) if disk else found
    )


def add_disk_sizes(status: Status, folders: Folders, models: Path) -> Status:
    """Weigh what is kept of each vault; reads the names of folders, so not for the event loop."""

    def weigh(vault: VaultId) -> VaultDisk:
        index, history = folder_size(folders.index(vault)), folder_size(folders.history(vault))
        return VaultDisk(index, history, max(0, folder_size(folders.vault(vault)) - index - history))

    vaults = tuple(replace(vault, disk=weigh(vault.id)) for vault in status.vaults)
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
        return dict(host.vault.index.count_types().most_common(MAX_SHOWN_ENTRIES))
    except BridgeError:
        return {}


def group_left_out(reasons: Mapping[str, str]) -> LeftOut:
    paths: defaultdict[str, list[str]] = defaultdict(list)
    for path, reason in reasons.items():
        paths[reason].append(path)
    frequent = sorted(paths.items(), key=lambda entry: -len(entry[1]))[:MAX_SHOWN_ENTRIES]
    return LeftOut(
        len(reasons),
        tuple(Left(path, reason) for path, reason in islice(reasons.items(), MAX_SHOWN_ENTRIES)),
        tuple(LeftFor(reason, len(some), tuple(some[:MAX_NAMED_FILES])) for reason, some in frequent),
    )


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
    return found
