"""What was changed, by whom, and turning it back."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from annotated_types import Interval, MaxLen, MinLen

from bridge.operations.call import Call
from bridge.operations.hints import When
from bridge.operations.registry import operation
from bridge.operations.showing import diff_of, kept
from bridge.operations.times import iso, moment
from bridge.operations.writing import Reason
from bridge.operations.written import author, session_of
from bridge.types import Lines, VaultPath

if TYPE_CHECKING:
    from bridge.engine import Made, VaultEngine
    from bridge.steps import Step
    from bridge.store import Change

State = Literal["applied", "proposed", "rejected", "expired", "undone", "conflict"]

Hunks = Annotated[tuple[Annotated[int, Interval(ge=1)], ...], MinLen(1), MaxLen(10_000)]

ChangeId = Annotated[str, MaxLen(100)]

DIFF_SHOWN = 4_000
"""Characters of a diff in a list."""


@dataclass(frozen=True, slots=True)
class ListedChange:
    """A change to notes.

    Attributes:
        id: Its id.
        time: When it was made or proposed.
        client: The program that asked for it.
        session: What tells that program's calls at that time from others.
        operation: What it asked for.
        reason: Why, in its words.
        paths: The files it touched, as they were called then.
        diff: What changed, as a unified diff; in a list a long one is cut.
        state: What became of it: `conflict` needs a look, since a crash and somebody's edit left it half made.
        expires: When a proposal is given up.
        undoes: The changes that it turned back.
        by: What wrote: the bridge itself, to the `disk`, or `obsidian`; null when nothing was written yet.
    """

    id: str
    time: str
    client: str | None
    session: str | None
    operation: str
    reason: str | None
    paths: tuple[VaultPath, ...]
    diff: str
    state: State
    expires: str | None
    undoes: tuple[str, ...]
    by: Literal["disk", "obsidian"] | None


@dataclass(frozen=True, slots=True)
class ListedChanges:
    """Changes.

    Attributes:
        changes: The newest first.
    """

    changes: tuple[ListedChange, ...]


@dataclass(frozen=True, slots=True)
class Words:
    """Text that stayed, went or came.

    Attributes:
        kind: Which.
        text: The text.
    """

    kind: Literal["same", "removed", "added"]
    text: str


@dataclass(frozen=True, slots=True)
class ShownHunk:
    """Lines of a note that differ, and those around them.

    Attributes:
        number: By which it is accepted or undone.
        path: The note.
        before: Its lines before; when there are none, the last is one less than the first.
        after: Its lines afterwards, likewise.
        words: The lines, word by word.
        undone: Whether it was turned back, alone or with the whole change.
    """

    number: int
    path: VaultPath
    before: Lines
    after: Lines
    words: tuple[Words, ...]
    undone: bool


@dataclass(frozen=True, slots=True)
class ShownChange:
    """A change to notes, with all that is kept of it.

    Attributes:
        id: Its id.
        time: When it was made or proposed.
        client: The program that asked for it.
        session: What tells that program's calls at that time from others.
        operation: What it asked for.
        reason: Why, in its words.
        paths: The files it touched, as they were called then.
        now: What those files are called today.
        diff: What changed, as a unified diff.
        state: What became of it.
        expires: When a proposal is given up.
        undoes: The changes that it turned back.
        by: What wrote: the bridge itself, to the `disk`, or `obsidian`; null when nothing was written yet.
        hunks: What changed, in parts that can be accepted or undone one by one.
    """

    id: str
    time: str
    client: str | None
    session: str | None
    operation: str
    reason: str | None
    paths: tuple[VaultPath, ...]
    now: tuple[VaultPath, ...]
    diff: str
    state: State
    expires: str | None
    undoes: tuple[str, ...]
    by: Literal["disk", "obsidian"] | None
    hunks: tuple[ShownHunk, ...]


@dataclass(frozen=True, slots=True)
class Settled:
    """What became of changes.

    Attributes:
        changes: The changes that were asked for, as they stand now.
        change_id: The change that did it; null when nothing was written.
        diff: What was written, as a unified diff.
        state: `applied`; or `proposed`, when it waits until the user accepts it.
        warnings: What to know about it.
    """

    changes: tuple[ListedChange, ...]
    change_id: str | None
    diff: str
    state: Literal["applied", "proposed"]
    warnings: tuple[str, ...]


@operation(example={"limit": 5})
async def list_changes(
    call: Call,
    path: VaultPath | None = None,
    state: State | None = None,
    client: Annotated[str, MaxLen(200)] | None = None,
    session: Annotated[str, MaxLen(200)] | None = None,
    operation: Annotated[str, MaxLen(100)] | None = None,
    since: When | None = None,
    until: When | None = None,
    limit: Annotated[int, Interval(ge=1, le=200)] = 20,
    offset: Annotated[int, Interval(ge=0)] = 0,
) -> ListedChanges:
    """List what was changed or proposed through the bridge, the newest first.

    Args:
        path: Only changes that touched this file or folder, by its name then or today.
        state: Only those in this state; `proposed` ones wait for the user.
        client: Only those of this program.
        session: Only those of this session.
        operation: Only those that this operation made.
        since: Only those from this moment on.
        until: Only those before this moment.
        limit: Most changes to return.
        offset: Changes to leave out at the start.
    """
    from bridge.store import Wanted

    wanted = Wanted(
        since=moment("since", since),
        until=moment("until", until),
        client=client,
        session=session,
        operation=operation,
        state=state,
        path=path,
    )

    await call.engine.deciding.expire()

    def listing() -> ListedChanges:
        found = call.engine.deciding.changes(wanted, limit, offset)
        return ListedChanges(tuple(listed(call.engine, change, cut=True) for change in found))

    return await asyncio.to_thread(listing)


@operation(example={"change_id": "0"})
async def show_change(call: Call, change_id: ChangeId) -> ShownChange:
    """Show a change or proposal whole, and what became of it.

    Args:
        change_id: Its id, as the write or `list_changes` told it.

    Raises:
        ChangeNotFound: There is no such change.
    """
    await call.engine.deciding.expire()
    return await asyncio.to_thread(lambda: shown_whole(call.engine, call.engine.deciding.change(change_id)))


@operation(example={"change_id": "0"}, reads=False, scope="write", destructive=True)
async def undo_change(
    call: Call,
    change_id: ChangeId,
    hunks: Hunks | None = None,
    dry_run: bool = False,
    reason: Reason | None = None,
) -> Settled:
    """Turn a change back, however long ago; what was written since stays, or it is refused.

    Args:
        change_id: Its id.
        hunks: Only these parts of it, as `show_change` numbers them.
        dry_run: Only tell what would happen.
        reason: Why, for the user.

    Raises:
        ChangeNotFound: There is no such change, or what it took away is kept no more.
        ChangeConflict: The same lines were changed since; `conflicts` tells which.
    """
    made = await call.engine.deciding.undo([change_id], author(call, "undo_change", reason), hunks, dry_run=dry_run)
    return settled(call.engine, [change_id], made)


@operation(example={"session": "none"}, reads=False, scope="write", destructive=True)
async def undo_session(
    call: Call,
    session: Annotated[str, MaxLen(200)] | None = None,
    dry_run: bool = False,
    reason: Reason | None = None,
) -> Settled:
    """Turn back all that was changed in one session, as one change; all or nothing.

    Args:
        session: The session, as `list_changes` tells it; without, the one that the caller's own changes belong to.
        dry_run: Only tell what would happen.
        reason: Why, for the user.

    Raises:
        ChangeNotFound: Nothing of it is in force, or what it took away is kept no more.
        ChangeConflict: The same lines were changed since; `conflicts` tells which.
    """
    ids = await asyncio.to_thread(call.engine.deciding.of_session, session or session_of(call))
    made = await call.engine.deciding.undo(ids, author(call, "undo_session", reason), dry_run=dry_run)
    return settled(call.engine, ids, made)


@operation(example={"change_id": "0"}, reads=False, scope="write", destructive=True)
async def redo_change(call: Call, change_id: ChangeId, dry_run: bool = False, reason: Reason | None = None) -> Settled:
    """Make a change again that was turned back.

    Args:
        change_id: Its id.
        dry_run: Only tell what would happen.
        reason: Why, for the user.

    Raises:
        ChangeNotFound: There is no such change, or what it wrote is kept no more.
        ChangeConflict: It was not turned back, or the same lines were changed since.
    """
    made = await call.engine.deciding.redo(change_id, author(call, "redo_change", reason), dry_run=dry_run)
    return settled(call.engine, [change_id], made)


@operation(example={"change_id": "0"}, reads=False, scope="write", destructive=True)
async def accept_change(call: Call, change_id: ChangeId, hunks: Hunks | None = None) -> Settled:
    """Make a change that was proposed; only the user's own programs may.

    Args:
        change_id: The proposal's id.
        hunks: Only these parts of it, as `show_change` numbers them; the others are rejected.

    Raises:
        Forbidden: An agent asks.
        ChangeNotFound: There is no such change.
        ChangeConflict: It waits no more, or the same lines were changed since.
    """
    call.principal.require_local()
    made = await call.engine.deciding.accept(change_id, author(call, "accept_change", None), hunks)
    return settled(call.engine, [change_id], made)


@operation(example={"change_id": "0"}, reads=False, scope="write")
async def reject_change(call: Call, change_id: ChangeId) -> Settled:
    """Settle that a proposed change is not made, or that a `conflict` was looked at; the user's own programs may.

    Args:
        change_id: The proposal's id.

    Raises:
        Forbidden: An agent asks.
        ChangeNotFound: There is no such change.
        ChangeConflict: It waits no more.
    """
    call.principal.require_local()
    change = await call.engine.deciding.reject(change_id)
    return Settled((listed(call.engine, change, cut=True),), None, "", "applied", ())


def settled(engine: "VaultEngine", ids: Sequence[str], made: "Made") -> Settled:
    """Tell what became of changes."""
    return Settled(
        changes=tuple(listed(engine, engine.deciding.change(id_), cut=True) for id_ in ids),
        change_id=made.change.id if made.change else None,
        diff=diff_of(made.plan.steps, made.plan.blobs.get),
        state=made.state,
        warnings=made.warnings,
    )


def listed(engine: "VaultEngine", change: "Change", *, cut: bool) -> ListedChange:
    """Tell of a change."""
    diff = diff_of(change.steps, kept(engine))
    if cut and len(diff) > DIFF_SHOWN:
        end = diff.rfind("\n", 0, DIFF_SHOWN) + 1
        diff = f"{diff[:end]}… {len(diff) - end:,} more characters; `show_change` shows them.\n"
    undoes = change.facts.get("undoes")
    return ListedChange(
        id=change.id,
        time=iso(change.time),
        client=change.client,
        session=change.session,
        operation=change.operation,
        reason=change.reason,
        paths=tuple(dict.fromkeys(file_of(step) for step in change.steps if not step.kind.endswith("_folder"))),
        diff=diff,
        state=known_state(change),
        expires=iso(change.expires) if change.expires is not None and change.state == "proposed" else None,
        undoes=tuple(map(str, undoes)) if isinstance(undoes, list) else (),
        by=wrote(change),
    )


def file_of(step: "Step") -> VaultPath:
    """Return the file that a step is about, as it was called then, or is since it came out of the trash."""
    from bridge.vault import is_hidden

    return step.to if step.to is not None and is_hidden(step.path) else step.path


def shown_whole(engine: "VaultEngine", change: "Change") -> ShownChange:
    """Tell all of a change."""
    from bridge.changes import differences, runs, shown
    from bridge.store import parts_undone

    told = listed(engine, change, cut=False)
    undone = parts_undone(change.facts)
    found = differences(change.steps, kept(engine))
    return ShownChange(
        **{name: getattr(told, name) for name in ListedChange.__slots__},
        now=tuple(dict.fromkeys(change.now)),
        hunks=tuple(
            ShownHunk(
                hunk.number,
                one.step.path,
                hunk.before,
                hunk.after,
                tuple(Words(run.kind, shown(run.text)) for run in runs(hunk)),
                undone=hunk.number in undone,
            )
            for one in found
            for hunk in one.hunks
        ),
    )


def wrote(change: "Change") -> Literal["disk", "obsidian"] | None:
    """Return what wrote a change."""
    match change.facts.get("by"):
        case "disk" | "obsidian" as by:
            return by
        case _:
            return None


def known_state(change: "Change") -> State:
    """Return a change's state; one that is being written is not told of."""
    return "applied" if change.state == "prepared" else change.state
