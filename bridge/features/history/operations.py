"""What was changed and proposed, and by whom; and the changes that Obsidian makes for the bridge."""

import asyncio
import re
import time
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Annotated, Literal

from msgspec import Meta
from msgspec.structs import asdict, replace

from bridge.api.call import Call
from bridge.api.change_view import change_state, way_back
from bridge.api.feature import Finding, Fix, make_finding
from bridge.api.hints import When
from bridge.api.markup import Column, Diff, Element, Table, notice, notices, path_of
from bridge.api.moments import iso, moment
from bridge.api.page import Page, PageArguments
from bridge.api.registry import operation
from bridge.api.write import (
    ChangeArguments,
    ChangeOptions,
    author,
    client_name,
    diff_of,
    is_proposer,
    session_of,
    unified_diff,
)
from bridge.changes.hunks import differences
from bridge.engine.host import Host
from bridge.engine.open_vault import OpenVault
from bridge.engine.transactions import ChangeOutcome
from bridge.errors import BridgeError, ChangeNotFound, Forbidden, InvalidArguments
from bridge.records import Record
from bridge.state.change_records import Change, ChangeFilter
from bridge.text.counts import count_of, join_some
from bridge.text.diff import diff_runs, display_text
from bridge.text.invisible import inline, quote_path
from bridge.types import Digest, Exact, Lines, NoteOrFolder, VaultPath
from bridge.vault.paths import is_hidden
from bridge.vault.plan import Step

State = Literal["applied", "proposed", "rejected", "expired", "undone", "conflict"]

DIFF_SHOWN = 4_000
"""Characters of a diff in a list."""


class ListedChange(Record):
    """A change to notes.

    Attributes:
        id: Its id.
        time: When it was made or proposed.
        client: The requesting program.
        session: The program's session.
        operation: The operation.
        reason: Its stated reason; before it, what accepting it means for what agents may do.
        paths: The files it touched, by their names then.
        diff: Unified diff; truncated in a list if long.
        state: Its state; `expired`: it waited too long, or the same was done otherwise; `conflict`: a crash cut it
            off, and these files, edited since, may still have it.
        expires: When a proposal expires.
        undoes: The changes it undid.
        by: The writer: the bridge to `disk`, or `obsidian`; null until written.
    """

    id: str
    time: str
    client: str | None
    session: str | None
    operation: str
    reason: str | None
    paths: tuple[VaultPath, ...]
    diff: Exact
    state: State
    expires: str | None
    undoes: tuple[str, ...]
    by: Literal["disk", "obsidian"] | None


class Words(Record):
    """Equal, removed or added text.

    Attributes:
        kind: `same`, `removed` or `added`.
        text: The text.
    """

    kind: Literal["same", "removed", "added"]
    text: Exact


class ShownHunk(Record):
    """Changed lines of a note, with context.

    Attributes:
        number: Its number, to accept or undo it.
        path: The note.
        before: Its lines before; without any, the last is one less than the first.
        after: Its lines afterwards, likewise.
        words: The lines, word by word.
        undone: Whether it was undone.
    """

    number: int
    path: VaultPath
    before: Lines
    after: Lines
    words: tuple[Words, ...]
    undone: bool


class ShownChange(ListedChange, kw_only=True):
    """A change to notes, in full.

    Attributes:
        now: Those files' names today.
        hunks: The hunks, each of which can be accepted or undone.
    """

    now: tuple[VaultPath, ...]
    hunks: tuple[ShownHunk, ...]


def summarize_change(vault: OpenVault, change: Change, *, cut: bool) -> ListedChange:
    diff = beginning_of_diff(vault, change) if cut else diff_of(change.steps, vault.store.snapshots.read_sound)
    return ListedChange(
        id=change.id,
        time=iso(change.time),
        client=change.client,
        session=change.session,
        operation=change.operation,
        reason=change.reason,
        paths=tuple(dict.fromkeys(file_of(step) for step in change.steps if not step.kind.endswith("_folder"))),
        diff=diff,
        # A change that is still being written counts as applied.
        state="applied" if change.state == "prepared" else change.state,
        expires=iso(change.expires) if change.expires is not None and change.state == "proposed" else None,
        undoes=change.facts.undoes,
        by=change.facts.by,
    )


def beginning_of_diff(vault: OpenVault, change: Change) -> str:
    """Return the diff of a change as far as it is shown in a list; what follows is not read."""
    diff, steps = "", len(change.steps)
    for number, found in enumerate(differences(change.steps, vault.store.snapshots.read_sound), 1):
        diff += unified_diff([found])
        if len(diff) > DIFF_SHOWN:
            end = diff.rfind("\n", 0, DIFF_SHOWN) + 1
            more = f"{len(diff) - end:,} more characters" + (
                f" and {steps - number:,} more files" if number < steps else ""
            )
            return f"{diff[:end]}… {more}; `show_change` shows them.\n"
    return diff


def describe_change(vault: OpenVault, change: Change) -> ShownChange:
    summary = summarize_change(vault, change, cut=False)
    found = differences(change.steps, vault.store.snapshots.read_sound)
    return ShownChange(
        **asdict(summary),
        now=tuple(dict.fromkeys(change.places)),
        hunks=tuple(
            ShownHunk(
                hunk.number,
                one.step.path,
                hunk.before,
                hunk.after,
                tuple(Words(run.kind, display_text(run.text)) for run in diff_runs(hunk)),
                undone=hunk.number in change.facts.undone,
            )
            for one in found
            for hunk in one.hunks
        ),
    )


def file_of(step: Step) -> VaultPath:
    """Return the file that a step is about, as it was called then, or is since it came out of the trash."""
    return step.to if step.to is not None and is_hidden(step.path) else step.path


ChangeId = Annotated[str, Meta(max_length=100)]


ABSENCE = "There is no file or folder `{}`, and none of these changes names one."
"""The notice on a path that neither the vault nor a change has."""


class ListedChanges(Record):
    """Changes.

    Attributes:
        changes: Newest first.
        notices: Remarks, such as on a missing `path`.
    """

    changes: tuple[ListedChange, ...]
    notices: tuple[str, ...] = ()


@operation(
    example={"limit": 5},
    tasks=(
        "what was changed yesterday",
        "what was changed lately",
        "continue the work that was done yesterday",
        "history of a note",
        "list proposals that wait",
        "what did an agent do",
        "who changed a note",
    ),
)
async def list_changes(
    call: Call,
    path: NoteOrFolder | None = None,
    state: State | None = None,
    client: Annotated[str, Meta(max_length=200)] | None = None,
    session: Annotated[str, Meta(max_length=200)] | None = None,
    operation: Annotated[str, Meta(max_length=100)] | None = None,
    since: When | None = None,
    until: When | None = None,
    page: PageArguments = Page(20),
) -> ListedChanges:
    """List what was changed or proposed through the bridge, newest first.

    Args:
        path: Only changes to this file or folder, by its old or current name.
        state: Only those in this state; `proposed` ones await approval.
        client: Only those by this program, in any case.
        session: Only those of this session.
        operation: Only those by this operation.
        since: Only those at this time or later.
        until: Only those before this time.
    """
    criteria = ChangeFilter(
        since=moment("since", since),
        until=moment("until", until),
        client=client,
        session=session,
        operation=operation,
        state=state,
        path=path,
    )

    await call.vault.review.expire()

    def listing() -> ListedChanges:
        found = call.vault.review.changes(criteria, page.limit, page.offset)
        notices = [] if found or page.offset or path is None or call.host.files.has(path) else [ABSENCE.format(path)]
        return ListedChanges(tuple(summarize_change(call.vault, change, cut=True) for change in found), tuple(notices))

    return await asyncio.to_thread(listing)


@operation(
    example={"change_id": "0"},
    tasks=("show the diff of a change", "what exactly did a change do", "details of a proposal"),
)
async def show_change(call: Call, change_id: ChangeId) -> ShownChange:
    """Show a change or proposal in full, with its state.

    Args:
        change_id: Its id, from the write or `list_changes`.

    Raises:
        ChangeNotFound: No such change.
    """
    await call.vault.review.expire()
    return await asyncio.to_thread(lambda: describe_change(call.vault, call.vault.review.change(change_id)))


OWN_SESSION = "session"
"""What stands for the id of the caller's own session."""

Hunks = Annotated[tuple[Annotated[int, Meta(ge=1)], ...], Meta(min_length=1, max_length=10_000)]


class Settled(Record):
    """The outcome for some changes.

    Attributes:
        changes: The requested changes, with their new state.
        change_id: The change that did it; null if nothing was written.
        diff: Unified diff.
        state: `applied`, or `proposed` if it awaits approval.
        warnings: Warnings about the change.
        dry_run: Whether this is a dry run; nothing was written.
        would: The change in one line; empty if nothing is to be written.
    """

    changes: tuple[ListedChange, ...]
    change_id: str | None
    diff: Exact
    state: Literal["applied", "proposed"]
    warnings: tuple[str, ...]
    dry_run: bool
    would: str = ""


@operation(
    example={"change_id": "0"},
    reads=False,
    scope="write",
    destructive=True,
    tasks=(
        "take back the last change",
        "undo a change",
        "revert one change",
        "bring back a deleted note",
        "roll back an edit",
        "restore a change after it was undone",
        "redo an undone change",
        "undo all changes of this session",
        "revert everything you did",
        "undo all that an agent did in a conversation",
    ),
)
async def undo_change(
    call: Call,
    change_id: ChangeId,
    hunks: Hunks | None = None,
    redo: bool = False,
    *,
    options: ChangeArguments,
) -> Settled:
    """Undo a change or session, or withdraw your proposals. Later edits are kept; where they overlap, it is refused.

    Args:
        change_id: Its id, or a session's, from `list_changes`; `session` is yours.
        hunks: Only these hunks of `show_change`.
        redo: Make an undone change again.

    Raises:
        ChangeNotFound: No such change, none of the session is active, or removed content is no longer kept.
        ChangeConflict: The same lines have changed since; `conflicts` lists them. Of a session only such changes stay.
            Or `redo`, and it is not undone.
    """
    review, session = call.vault.review, await asyncio.to_thread(find_session, call, change_id)
    if session is not None:
        if redo or hunks:
            raise InvalidArguments("`redo` and `hunks` are of one change, not of a session.")
        return await undo_session(call, session, options)
    if not redo and await asyncio.to_thread(is_own_proposal, call, change_id):
        return await withdraw(call, change_id, hunks, options)
    if redo:
        made = await review.redo(change_id, author(call, "redo_change", options.reason), dry_run=options.dry_run)
    else:
        by = author(call, "undo_change", options.reason)
        made = await review.undo([change_id], by, hunks, dry_run=options.dry_run)
    return await build_settled(call.vault, [change_id], made, dry_run=options.dry_run)


def is_own_proposal(call: Call, id_: str) -> bool:
    """Return whether a change waits for the user and the caller proposed it, or is the user. Blocks."""
    change = call.vault.store.journal.change(id_)
    return change is not None and change.state == "proposed" and (call.is_user or change.client == client_name(call))


async def withdraw(call: Call, id_: str, hunks: tuple[int, ...] | None, options: ChangeOptions) -> Settled:
    """Take back a proposal, of which nothing was written."""
    if hunks is not None:
        raise InvalidArguments("A proposal is withdrawn as a whole; only what was written has `hunks` to undo.")
    if not options.dry_run:
        await call.vault.review.reject(id_, by_user=call.is_user)
    settled = await build_settled(call.vault, [id_], None, dry_run=options.dry_run)
    return replace(settled, would=f"withdraw the proposal `{id_}`" if options.dry_run else "")


def find_session(call: Call, id_: str) -> str | None:
    """Return the session that an id means; None if it is the id of a change, or of nothing. Blocks."""
    if id_ == OWN_SESSION:
        return session_of(call)
    is_change = call.vault.store.journal.change(id_) is not None
    return None if is_change or not call.vault.review.changes(ChangeFilter(session=id_), 1, 0) else id_


async def undo_session(call: Call, session: str, options: ChangeOptions) -> Settled:
    review = call.vault.review
    ids = [change.id for change in await asyncio.to_thread(review.of_session, session, "applied")]
    waiting = () if call.is_user else await asyncio.to_thread(review.of_session, session, "proposed")
    withdrawn = [change.id for change in waiting if change.client == client_name(call)]
    left = tuple(map(explain_left_out, await asyncio.to_thread(review.of_session, session, "conflict")))
    if not ids and not withdrawn:
        raise ChangeNotFound(f"The session `{session[:40]}` has no active changes.", hint=" ".join(left) or None)
    by = author(call, "undo_change", options.reason)
    made = await review.undo(ids, by, dry_run=options.dry_run) if ids else None
    for id_ in withdrawn if not options.dry_run else ():
        await review.reject(id_)
    settled = await build_settled(call.vault, [*ids, *withdrawn], made, dry_run=options.dry_run)
    would = settled.would or f"withdraw {count_of(len(withdrawn), 'proposal')}" * options.dry_run
    return replace(settled, would=would, warnings=(*left, *settled.warnings))


def explain_left_out(change: Change) -> str:
    """Return why a change in the state `conflict` is not undone with its session, and how it is."""
    path = next((step.path for step in change.steps), "")
    return (
        f"`{change.id}` ({change.operation} of `{path}`) is left out: it was cut off, and its notes were changed since."
        f" `undo_change {change.id}` undoes it; once its notes are right, `decide {change.id} reject` closes it."
    )


async def build_settled(
    vault: OpenVault, ids: Sequence[str], made: ChangeOutcome | None, *, dry_run: bool = False
) -> Settled:
    """Describe what became of changes; without an outcome nothing was written."""

    def build() -> Settled:
        changes = tuple(summarize_change(vault, vault.review.change(id_), cut=True) for id_ in ids)
        if made is None:
            return Settled(changes, None, "", "applied", (), dry_run=dry_run)
        id_, diff = made.change.id if made.change else None, diff_of(made.plan.steps, made.plan.blobs.get)
        return Settled(changes, id_, diff, made.state, made.warnings, dry_run, made.would)

    # In a thread: the diff of many notes takes seconds.
    return await asyncio.to_thread(build)


MIB = 1 << 20

WEEK_S = 7 * 24 * 3600.0
"""Seconds for which `doctor` names a change that was made in part; only a look at its notes settles it."""

MAX_NAMED_NOTES = 3

WRITTEN_S = 60.0
"""Seconds after which a change that is still being written is left over."""


def check_changes(host: Host) -> Finding:
    """Look at the changes that were not settled, and at what is kept so that others can be undone."""
    try:
        store, now = host.store, time.time()
        left = sum(change.time < now - WRITTEN_S for change, _ in store.journal.find_unsettled())
        half = store.journal.changes(ChangeFilter(state="conflict", since=now - WEEK_S), 1_000)
        damaged, size = store.snapshots.count_damaged(), store.snapshots.size
    except BridgeError as error:
        return make_finding("changes", "warn", error.message, error.hint or "Ask again in a moment.")
    if half:
        fix = Fix("List them", "vaultside list-changes --state conflict", None)
        text = f"Changes that were left half made in the last week: {len(half)}."
        return make_finding("changes", "warn", text, f"`{fix.command}` shows them; {_look_at(host, half)}", fix)
    if left:
        return make_finding("changes", "warn", f"Changes that broke off: {left}.", "Restart: they are made whole then.")
    if damaged:
        do = "Check the disk. The notes are as they were; only changes to these versions cannot be undone."
        return make_finding(
            "changes", "warn", f"Earlier versions of notes that were damaged on the disk: {damaged}.", do
        )
    text = f"{size / MIB:.1f} of {host.settings.history_mb:,} MiB are taken by earlier versions of notes."
    if size > host.settings.history_mb * MIB:
        return make_finding("changes", "warn", text, "Accept or reject what was proposed, or raise `history_mb`.")
    return make_finding("changes", "ok", text)


def _look_at(host: Host, changes: Sequence[Change]) -> str:
    try:
        notes = host.vault.index.notes
    except BridgeError:
        return "look at their notes."
    replaced = ((step.path, step.before) for change in changes for step in change.steps if step.kind == "put")
    other = list(dict.fromkeys(path for path, before in replaced if path in notes and notes[path].digest != before))
    if not other:
        return "all their notes are as they were before."
    return f"look at {join_some([f'`{path}`' for path in other], MAX_NAMED_NOTES)}: the others are as they were before."


def editor_session(call: Call) -> AbstractContextManager[None]:
    """Count the caller as a program that makes changes of its vault, until the block is left."""
    require_editor(call)
    return call.host.editor_sessions.connect_editor()


def require_editor(call: Call) -> None:
    """Let only those make changes of others who may change notes at once: who takes one can hold it up."""
    call.principal.require("write")
    if is_proposer(call):
        raise Forbidden(
            f"`{call.principal.name}` may not do this.",
            hint="Use the token of the runtime file, or name the client in the setting `apply_clients`.",
        )


class ClaimedChange(Record):
    """A change that only the caller may now make.

    Attributes:
        change_id: Its id.
        path: The note.
        before: Required SHA-256 of the whole file.
        after: SHA-256 of the whole file afterwards.
        text: Whole text of the note afterwards.
    """

    change_id: str
    path: VaultPath
    before: Digest
    after: Digest
    text: Exact


class Acknowledged(Record):
    """The outcome of a claimed change.

    Attributes:
        change_id: Its id.
        state: `applied`; `rejected` if not made, or `proposed` if it awaits approval again; `conflict` if the note
            differs and was not reported as not made.
    """

    change_id: str
    state: State


@operation(example={"change_id": "0"}, reads=False, scope="write", tool=False)
async def claim_change(call: Call, change_id: ChangeId) -> ClaimedChange:
    """Claim a change from an `apply_change` event, to make it in Obsidian; the first claim within a second wins.

    Args:
        change_id: Its id.

    Raises:
        Forbidden: The caller may not apply changes.
        ChangeNotFound: It is no longer offered.
        ChangeConflict: It is already claimed, or too late.
    """
    require_editor(call)
    offer = await call.host.editor_sessions.claim(change_id)
    (step,) = offer.change.steps
    if step.before is None or step.after is None:
        raise AssertionError(step)
    return ClaimedChange(change_id, step.path, step.before, step.after, offer.text)


@operation(
    example={"change_id": "0", "applied": False, "reason": "unsaved"},
    reads=False,
    scope="write",
    idempotent=True,
    tool=False,
)
async def acknowledge_change(
    call: Call, change_id: ChangeId, applied: bool, reason: Literal["unsaved", "changed", "failed"] | None = None
) -> Acknowledged:
    """Report whether a claimed change was made, at any later time. The file on disk decides.

    Args:
        change_id: Its id.
        applied: Whether it was made.
        reason: Why not: `unsaved` edits in Obsidian, `changed` from `before`, or `failed`.

    Raises:
        Forbidden: The caller may not apply changes.
        ChangeNotFound: No such change.
        ChangeConflict: It is not claimed.
    """
    require_editor(call)
    refused = None if applied else reason or "failed"
    state = await call.vault.review.acknowledge(change_id, refused)
    return Acknowledged(change_id, "conflict" if state == "prepared" else state)


SHOWN_LINES = 400
"""Most diff lines of a change that a model asked for."""

MAX_CHANGES = 50
"""Most changes of a list that a model reads."""

MOVED_TO = re.compile(r"^rename to (.*)$", re.MULTILINE)
"""Where a diff says that a file is now."""

CHANGES = (
    Column("id"),
    Column("time", most=16),
    Column("client", " · by {}"),
    Column("operation"),
    Column("state"),
    Column("paths", " · {}", role="path", most=1),
    Column("moved", " {}", value=lambda change: [f"→ {to}" for to in MOVED_TO.findall(change.diff)], most=1),
    Column("reason", " ({})", detail=True),
    Column("session", " · session {}"),
)


def change_list_view(listed: ListedChanges) -> Iterable[Element]:
    yield from notices(listed.notices)
    yield Table(CHANGES, listed.changes, most=MAX_CHANGES)
    if not listed.changes:
        yield notice("No change found.")


def change_view(change: ShownChange) -> Iterable[Element]:
    yield notice(f"{change.id} · {change.time[:16]} · {change.state} · {_summary(change)}")
    if change.expires:
        yield notice(f"expires {change.expires[:16]}")
    for hunk in change.hunks if len(change.hunks) > 1 else ():
        place = path_of(hunk.path, f":{hunk.after[0]}")
        yield notice(f"hunk {hunk.number}: ", place, " (undone)" * hunk.undone)
    yield Diff(change.diff, SHOWN_LINES)


def settled_view(settled: Settled) -> Iterable[Element]:
    """Show the outcome for changes that were undone, redone, accepted or rejected."""
    for change in settled.changes if not settled.dry_run else ():
        yield notice(f"{change.id} is {change.state}: {_summary(change)}")
    would, state = inline(settled.would), change_state(settled.change_id, settled.state, dry_run=settled.dry_run)
    if settled.dry_run:
        yield notice(f"{state}. The call would {would or 'change no note'}.")
    elif settled.change_id:
        done = "Done" if settled.state == "applied" else state
        yield notice(f"{done}, as change {settled.change_id}{f': {would}' if would else ''}")
    else:
        yield notice(f"{state}.")
    yield from notices(settled.warnings, "note: ")
    yield Diff(settled.diff)
    yield from way_back(settled.change_id, settled.state)


def _summary(change: ListedChange) -> str:
    more = f" and {len(change.paths) - 1} more" if len(change.paths) > 1 else ""
    by = f" by {inline(change.client)}" if change.client else ""
    why = f" ({inline(change.reason)})" if change.reason else ""
    return " ".join([change.operation, *map(quote_path, change.paths[:1])]) + more + by + why
