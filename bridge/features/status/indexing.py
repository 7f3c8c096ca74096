"""Keeping the index true: hints, waiting, reading again, pausing."""

import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Annotated, Literal

from msgspec import Meta

from bridge.api.call import Call
from bridge.api.hints import json_name
from bridge.api.note_names import no_such_note
from bridge.api.registry import operation
from bridge.api.write import require_trust
from bridge.engine.host import Host
from bridge.engine.inspection import IndexPart, is_indexed
from bridge.engine.open_vault import OpenVault
from bridge.errors import InvalidArguments, NoteNotFound
from bridge.index.note import IndexedNote
from bridge.records import Record
from bridge.types import Digest, VaultPath

OPEN_LOOK_S = 0.05
LOOK_S = 1.0
"""Seconds between looks, for what no signal tells."""


async def wait_for_note(host: Host, path: VaultPath, digest: Digest | None, part: IndexPart, timeout: float) -> bool:
    """Wait until the index holds a note as it is on disk, or with this digest; it may be opened again meanwhile."""
    ends = time.monotonic() + timeout
    while host.known_names is None and time.monotonic() < ends:
        await host.signal.wait(OPEN_LOOK_S)
    if host.files.stat(path) is None and path not in host.vault.index.notes:
        raise host.vault.names.missing_error(path)
    if not is_indexed(host.vault.indexer, path, digest, part):
        await host.vault.indexer.look_at([path])
    while not is_indexed(host.vault.indexer, path, digest, part):
        left = ends - time.monotonic()
        if left <= 0:
            return False
        if part == "vectors":
            host.vault.backfill.hurry()
        await host.signal.wait(min(left, LOOK_S))
    return True


EVERY_S = 1.0
"""Seconds between two reports of progress."""

MAX_TIME_S = 1e11
"""Above this a time is counted in milliseconds: in seconds it would be in the year 5138."""

LOOK_EVERY_S = 0.05
"""Seconds between two looks at a job that is waited for."""

SAME_S = 0.002
"""Seconds by which two programs' rounding of one time may differ."""


class Seen(Record, rename=json_name):
    """A file as another program sees it.

    Attributes:
        path: The file.
        mtime: Modification time, in seconds since 1970, or milliseconds as in Obsidian.
        size: Size in bytes.
    """

    path: str
    mtime: float
    size: int


class Reported(Record, rename=json_name):
    """A change seen by another program.

    Attributes:
        kind: `upsert`, `rename` or `delete`.
        path: The file; after a rename, its new path.
        from_: Its old path, after a rename.
    """

    kind: Literal["upsert", "rename", "delete"]
    path: str
    from_: str | None = None


class ReportTaken(Record):
    """The outcome of a report.

    Attributes:
        news: Notes whose change was not yet known.
    """

    news: int


@operation(
    example={"changes": [{"kind": "upsert", "path": "Welcome.md"}]},
    reads=False,
    idempotent=True,
    scope="write",
    tasks=("tell the bridge that files changed",),
)
async def report_changes(
    call: Call, snapshot: tuple[Seen, ...] = (), changes: tuple[Reported, ...] = ()
) -> ReportTaken:
    """Hint that files may have changed. The disk decides, and repeats are harmless.

    Args:
        snapshot: Every file as the caller sees it; differing ones are read again.
        changes: Individual changes.
    """
    vault = call.vault
    # In a thread: the snapshot of a large vault takes seconds.
    hinted = await asyncio.to_thread(find_hinted, vault, snapshot, changes)
    return ReportTaken(await vault.indexer.look_at(hinted) if hinted else 0)


def find_hinted(vault: OpenVault, snapshot: Sequence[Seen], changes: Sequence[Reported]) -> list[VaultPath]:
    locate = vault.files.locate
    hinted = {locate(path) for change in changes for path in (change.path, change.from_) if path is not None}
    if snapshot:
        notes = vault.index.notes
        seen = {locate(file.path): file for file in snapshot}
        hinted |= notes.keys() - seen.keys()
        hinted |= {path for path, file in seen.items() if path not in notes or differs(notes[path], file)}
    return sorted(hinted)


def differs(note: IndexedNote, file: Seen) -> bool:
    seconds = file.mtime / 1000 if file.mtime > MAX_TIME_S else file.mtime
    return note.size != file.size or abs(note.mtime - seconds) > SAME_S


class Indexed(Record):
    """Whether the index caught up.

    Attributes:
        indexed: Whether the index holds the note; false on timeout.
    """

    indexed: bool


@operation(
    example={"path": "Welcome.md", "what": "keyword", "timeout": 5},
    tasks=("wait until a note can be found", "wait for the index"),
)
async def wait_until_indexed(
    call: Call,
    path: VaultPath,
    digest: Digest | None = None,
    what: Literal["keyword", "links", "vectors"] = "keyword",
    timeout: Annotated[float, Meta(ge=0, le=600)] = 10,  # the contract's argument
) -> Indexed:
    """Wait until the index holds a note as it is on disk.

    Args:
        path: The note.
        digest: Content to wait for; by default, the file on disk.
        what: Which search must find it.
        timeout: Maximum seconds.

    Raises:
        NoteNotFound: No such note; the message names the closest.
    """
    try:
        async with periodic_progress(call, timeout, f"Waiting for `{path}`"):
            return Indexed(await wait_for_note(call.host, path, digest, what, timeout))
    except NoteNotFound:
        raise no_such_note(call.vault, path) from None


class JobStarted(Record):
    """A background job.

    Attributes:
        job_id: The job, as `job_status` takes it.
    """

    job_id: str


@operation(
    example={"paths": ["Welcome.md"]},
    reads=False,
    idempotent=True,
    scope="write",
    tasks=("rebuild the index", "index again", "index the notes anew"),
)
async def reindex(call: Call, paths: tuple[VaultPath, ...] = (), full: bool = False) -> JobStarted:
    """Compare the vault with the index and read again what differs.

    Args:
        paths: Notes to read again even if they look unchanged.
        full: Read every note and detect repeated lines again; keeps vectors of unchanged text.

    Raises:
        Forbidden: `full`, by a caller that may only propose changes.
    """
    if paths and full:
        raise InvalidArguments("Give `paths` or `full`, not both.")
    if full:
        require_trust(call, "reindex")
    call.vault.require_keyword()
    return JobStarted(call.host.reindex(paths, full=full).id)


class JobStatus(Record):
    """The progress of a job.

    Attributes:
        job_id: The job.
        kind: Its kind.
        state: `running`, `done`, `failed` or `cancelled`.
        done: Steps done.
        total: Steps in all; 0 while unknown.
        message: Its current step or outcome.
    """

    job_id: str
    kind: str
    state: str
    done: int
    total: int
    message: str


@operation(
    example={"job_id": "0123456789abcdef"},
    vault=False,
    tasks=("progress of a job", "how far is the reindexing"),
)
async def job_status(
    call: Call,
    job_id: Annotated[str, Meta(max_length=100)],
    wait: Annotated[float, Meta(ge=0, le=600)] = 0,
) -> JobStatus:
    """Show the progress of a job.

    Args:
        job_id: The job's id, from `reindex`.
        wait: Maximum seconds to wait for its end.

    Raises:
        JobNotFound: No such job, or it ended long ago.
    """
    job = call.bridge.jobs[job_id]
    ends, last_done = time.monotonic() + wait, -1
    while job.state == "running" and time.monotonic() < ends:
        if job.done > last_done:
            call.progress(job.done, job.total or None, job.message)
            last_done = job.done
        await asyncio.sleep(LOOK_EVERY_S)
    return JobStatus(job.id, job.kind, job.state, job.done, job.total, job.message)


class Paused(Record):
    """Whether embedding is paused.

    Attributes:
        paused: Whether embedding is paused; keyword indexing continues.
    """

    paused: bool


@operation(
    example={},
    reads=False,
    idempotent=True,
    scope="write",
    tasks=("stop embedding for now", "pause indexing to save processor and power"),
)
async def pause_indexing(call: Call) -> Paused:
    """Pause embedding until it is resumed; words and links stay up to date.

    Raises:
        Forbidden: The caller may only propose changes.
    """
    require_trust(call, "pause-indexing")
    call.host.pause()
    return Paused(paused=call.host.progress().paused)


@operation(
    example={},
    reads=False,
    idempotent=True,
    scope="write",
    tasks=("go on embedding", "continue paused indexing"),
)
async def resume_indexing(call: Call) -> Paused:
    """Resume embedding.

    Raises:
        Forbidden: The caller may only propose changes.
    """
    require_trust(call, "resume-indexing")
    call.host.resume()
    return Paused(paused=call.host.progress().paused)


@asynccontextmanager
async def periodic_progress(call: Call, timeout: float, message: str) -> AsyncIterator[None]:
    """Report the seconds passed every second during a block, for the first time at once."""

    async def tell() -> None:
        for passed in itertools.count():
            call.progress(passed * EVERY_S, timeout, message)
            await asyncio.sleep(EVERY_S)

    telling = asyncio.create_task(tell(), name="ticking")
    # The first report comes before the block starts.
    await asyncio.sleep(0)
    try:
        yield
    finally:
        telling.cancel()
