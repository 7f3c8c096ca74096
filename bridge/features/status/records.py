"""What `status` answers."""

from collections.abc import Mapping

from msgspec import field

from bridge.engine.progress import ModelInUse
from bridge.events import PendingCounts
from bridge.models.model_setup import ModelSetup
from bridge.records import Record
from bridge.types import Exact, VaultId


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
