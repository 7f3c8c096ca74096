"""Executes changes for every write operation, and describes the result."""

import asyncio
import contextlib
import hashlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated, Literal, TypeVar

from msgspec import Meta
from msgspec.structs import asdict, replace

from bridge.api.call import Call, Principal
from bridge.api.hints import Reason
from bridge.api.registry import operation
from bridge.api.signature import Spread
from bridge.changes.draft import Draft
from bridge.changes.hunks import Difference, differences, fold_moves
from bridge.changes.requests.base import KINDS, Request, operation_of
from bridge.docstrings import docstring_of
from bridge.engine.agents_folder import AgentsFolder
from bridge.engine.open_vault import OpenVault
from bridge.engine.transactions import Author, ChangeOutcome, LargeChange
from bridge.errors import BridgeError, ChangeNotFound, ConfirmationRequired, ExpectationFailed
from bridge.records import Record
from bridge.settings.schema import Settings
from bridge.state.change_records import Change
from bridge.text.counts import count_of
from bridge.types import SHORT_DIGEST, Digest, Exact, VaultPath
from bridge.vault.plan import Step
from bridge.vault.write.bulk import replaces_only

MAX_NOTICES = 3
"""Most proposals of which an answer has a notice."""


async def outcome_notices(
    vault: OpenVault, outcome: ChangeOutcome, paths: Collection[VaultPath] = ()
) -> tuple[str, ...]:
    """Return a notice for each other proposal that waits for a file of a change, or for one of these."""
    files = [step for step in outcome.plan.steps if not step.kind.endswith("_folder")]
    places = {place for step in files for place in (step.path, step.to) if place is not None}
    created = frozenset(step.path for step in outcome.plan.steps if step.kind == "put" and step.before is None)
    own = outcome.change.id if outcome.change else None
    return await asyncio.to_thread(proposal_notices, vault, places.union(paths), own, created)


def proposal_notices(
    vault: OpenVault, paths: Collection[VaultPath], own: str | None = None, created: Collection[str] = ()
) -> tuple[str, ...]:
    found = [change for change in vault.review.proposals(paths) if change.id != own]
    rest = len(found) - MAX_NOTICES
    more = (f"{count_of(rest, 'more proposal')} {'waits' if rest == 1 else 'wait'}: see `list_changes`.",)
    return (*(_describe(change, paths, created) for change in found[:MAX_NOTICES]), *(more if rest > 0 else ()))


def _describe(change: Change, paths: Collection[VaultPath], created: Collection[str]) -> str:
    by = f" by {change.client}" if change.client else ""
    new = (step.path for step in change.steps if step.kind == "put" and step.before is None)
    again = next((path for path in new if path in created), None)
    if again is not None:
        wants = f"to create `{again}` already: only one of the two can be accepted"
    else:
        places = (place for step in change.steps for place in (step.path, step.to) if place in paths)
        place = next(iter((*places, *(now for now in change.places if now in paths))), None)
        wants = f"for `{place}`" if place is not None else "for its folder"
    return f"A proposal{by} waits {wants} ({change.operation} {change.id}); `show_change {change.id}` shows it."


class ChangeOptions(Record):
    """How a change is made.

    Attributes:
        dry_run: Only preview the change.
        reason: Why, for the user.
    """

    dry_run: bool = False
    reason: Reason | None = None


class WriteOptions(ChangeOptions):
    """How a change is made that may be large.

    Attributes:
        confirm: Proceed although confirmation is asked for.

    Raises:
        ConfirmationRequired: The change exceeds `confirm_files` or `confirm_kb`.
    """

    confirm: bool = False


ChangeArguments = Annotated[ChangeOptions, Spread()]
WriteArguments = Annotated[WriteOptions, Spread()]

Fetch = Callable[[Digest], bytes | None]
"""Returns content by its digest; None if it is no longer kept."""


class ChangedFile(Record):
    """A file touched by a change.

    Attributes:
        path: Its path afterwards; for a removed file, its former path.
        digest: SHA-256 of the whole file afterwards; null for a folder, a removed file, a dry run or a proposal.
        added: Lines added.
        removed: Lines removed.
        moved_from: Its former path; null if not moved.
        deleted: Whether it is deleted.
        trash: Its path in the vault's trash, if known.
    """

    path: VaultPath
    digest: Digest | None
    added: int
    removed: int
    moved_from: VaultPath | None = None
    deleted: bool = False
    trash: VaultPath | None = None


class LostLink(Record):
    """A link broken by a change.

    Attributes:
        path: The note that contains it.
        line: Its line.
        text: Its target as written.
    """

    path: VaultPath
    line: int
    text: str


def diff_of(steps: Sequence[Step], fetch: Fetch) -> str:
    """Return steps as one unified diff, with renames as in git and remarks where a diff cannot show a change."""
    return unified_diff(differences(steps, fetch))


def unified_diff(found: Iterable[Difference]) -> str:
    parts: list[str] = []
    for one in found:
        if one.step.kind == "move":
            parts.append(f"rename from {one.step.path}\nrename to {one.step.to}\n")
        parts += [*(f"{one.step.path}: {remark}\n" for remark in one.remarks), one.diff]
    return "".join(parts)


def changed_files(found: Iterable[Difference]) -> tuple[ChangedFile, ...]:
    """Return each file that a change touches once, by its path afterwards."""
    files: dict[VaultPath, ChangedFile] = {}
    for one in found:
        step = one.step
        match step.kind:
            case "put" | "remove":
                kinds = [row.kind for hunk in one.hunks for row in hunk.rows]
                before = files.get(step.path) if step.before is not None and step.kind == "put" else None
                files[step.path] = ChangedFile(
                    step.path,
                    step.after,
                    kinds.count("added"),
                    kinds.count("removed"),
                    moved_from=before.moved_from if before else None,
                    deleted=step.kind == "remove",
                )
            case "move" if step.to is not None:
                moved = files.pop(step.path, ChangedFile(step.path, step.before, 0, 0))
                files[step.to] = replace(moved, path=step.to, moved_from=moved.moved_from or step.path)
    return tuple(files.values())


MAX_FILES = 1_000
"""Maximum files in a result."""

MAX_PREVIEWS = 20


class Written(Record):
    """A change made, proposed or previewed.

    Attributes:
        change_id: Its id for `undo_change`; null if nothing was written.
        path: The note, by its path afterwards.
        digest: SHA-256 of the whole file afterwards, or in a dry run or a proposal now; null without one.
        diff: Unified diff; of replaced files, of at most 1,000.
        state: `applied`, or `proposed` if it awaits approval; a dry run predicts it.
        warnings: Warnings about the change.
        links_rewritten: Links updated in other places.
        links_broken: Links to files, headings and blocks that are gone afterwards.
        files: Files written, moved or removed.
        by: What wrote it: the bridge to `disk`, or `obsidian`.
        dry_run: Whether this is a dry run; nothing was written.
        would: The change in one line.
        confirmation: Why a dry run's change needs confirmation; null if it does not.
        changed: The files, with a folder as one; at most 1,000.
        preview: Of a dry run that only changes notes: the id with which `change_set` makes exactly this change, as
            long as nothing that it touches has changed; absent otherwise.
    """

    change_id: str | None
    path: VaultPath
    digest: Digest | None
    diff: Exact
    state: Literal["applied", "proposed"]
    warnings: tuple[str, ...]
    links_rewritten: int
    links_broken: tuple[LostLink, ...]
    files: int
    by: Literal["disk", "obsidian"]
    dry_run: bool
    would: str
    confirmation: str | None
    changed: tuple[ChangedFile, ...]
    preview: str | None = None


class Preview(Record):
    """What a dry run of a client has shown."""

    operation: str
    requests: tuple[Request, ...]
    steps: tuple[Step, ...]
    """What it does to which versions of files, without the versions that it writes."""
    reason: str | None

    @property
    def id(self) -> str:
        """An id that two previews share if they show the same."""
        shown = repr((self.operation, self.requests, self.steps))
        return hashlib.sha256(shown.encode("utf-8", "backslashreplace")).hexdigest()[:SHORT_DIGEST]


class Previews(OrderedDict[tuple[str | None, str], Preview]):
    """The latest previews of an open vault, by client and id."""

    def keep(self, client: str | None, preview: Preview) -> str:
        self[client, preview.id] = preview
        while len(self) > MAX_PREVIEWS:
            self.popitem(last=False)
        return preview.id


def drop_outcomes(steps: Iterable[Step]) -> tuple[Step, ...]:
    """Return steps without what they write: a text may have the time in it."""
    return tuple(replace(step, after=None) for step in steps)


def keep_preview(
    call: Call, steps: Sequence[Step], requests: Sequence[Request], operation: str, reason: str | None
) -> str | None:
    """Keep what a dry run has shown, and return its id; None if it would do nothing."""
    if not steps:
        return None
    preview = Preview(operation, tuple(requests), drop_outcomes(steps), reason)
    return call.vault.part(Previews).keep(client_name(call), preview)


@contextlib.contextmanager
def offer_preview(call: Call, requests: Sequence[Request], operation: str, reason: str | None) -> Iterator[None]:
    """Keep a change that must be confirmed, so that its id is enough to repeat it."""
    try:
        yield
    except LargeChange as error:
        id_ = keep_preview(call, error.steps, requests, operation, reason)
        error.facts = {**error.facts, "preview": id_}
        error.hint = f"{error.hint} `change_set` with the preview `{id_}` and `confirm` repeats it, too."
        raise


async def make_previewed(call: Call, id_: str, options: WriteOptions) -> Written:
    """Make the change that a dry run of this client has shown, if it would still touch the same versions of files."""
    previews, key = call.vault.part(Previews), (client_name(call), id_)
    preview = previews.get(key)
    if preview is None:
        raise ChangeNotFound(f"There is no preview `{id_}`.", hint="Look at the change with `dry_run` once more.")

    def require_unchanged(draft: Draft) -> None:
        if drop_outcomes(draft.plan.steps) != preview.steps:
            raise ExpectationFailed(
                "Since the preview something changed that the change touches.",
                hint="Nothing was written. Look at the change with `dry_run` once more.",
            )

    options = replace(options, reason=options.reason or preview.reason)
    outcome = await execute_for_outcome(
        call, preview.requests, options, operation=preview.operation, check=require_unchanged
    )
    if not options.dry_run:
        previews.pop(key, None)
    return await describe_outcome(call, outcome, preview.requests, dry_run=options.dry_run)


async def execute_requests(
    call: Call,
    requests: Sequence[Request],
    options: WriteOptions,
    *,
    operation: str | None = None,
    expect: Mapping[str, int] | None = None,
    agreed: AgentsFolder | None = None,
) -> Written:
    # What else another operation does, or requires, would be left out of a preview.
    is_whole, name = operation in (None, "change_set"), operation or requests[0].op
    with offer_preview(call, requests, name, options.reason) if is_whole else contextlib.nullcontext():
        outcome = await execute_for_outcome(call, requests, options, operation=operation, expect=expect, agreed=agreed)
    made = await describe_outcome(call, outcome, requests, dry_run=options.dry_run)
    if not options.dry_run or not is_whole:
        return made
    return replace(made, preview=keep_preview(call, outcome.plan.steps, requests, name, options.reason))


async def execute_for_outcome(
    call: Call,
    requests: Sequence[Request],
    options: WriteOptions,
    *,
    operation: str | None = None,
    expect: Mapping[str, int] | None = None,
    agreed: AgentsFolder | None = None,
    forecast: bool = False,
    check: Callable[[Draft], None] | None = None,
) -> ChangeOutcome:
    """Execute requests as `execute_requests` does, and return the outcome.

    `forecast` also forecasts the counts; what `check` raises when it gets the whole draft refuses the change.
    """
    by = author(call, operation or requests[0].op, options.reason, confirm=options.confirm)
    if agreed is not None:
        by = replace(by, applies_in=replace(agreed, is_whole=True))
    client = None if call.principal.local else call.principal.name
    complete = await call.bridge.hooks.complete_draft(call.vault, client, requests)

    def finish(draft: Draft) -> None:
        complete(draft)
        if check is not None:
            check(draft)

    return await call.vault.executor.execute(
        requests, by, dry_run=options.dry_run, expect=expect, finish=finish, forecast=forecast
    )


async def describe_outcome(
    call: Call, outcome: ChangeOutcome, requests: Sequence[Request], *, dry_run: bool
) -> Written:
    """Describe the outcome of requests, with notices of other proposals for their notes."""
    made = await build_written(outcome, dry_run=dry_run)
    waiting = await outcome_notices(call.vault, outcome, {request.path for request in requests})
    return replace(made, warnings=(*made.warnings, *waiting))


def author(call: Call, operation: str, reason: str | None, *, confirm: bool | None = None) -> Author:
    """Return who makes a change; `confirm` of an operation whose large changes must be confirmed."""
    proposes, vault = is_proposer(call), call.vault
    return Author(
        operation,
        client_name(call),
        session_of(call),
        reason,
        proposes=proposes,
        confirmed=confirm is None or call.is_confirmed(confirm),
        needs_user=confirm is not None and not call.may_decide,
        applies_in=vault.folder_for_client(call.principal.name) if proposes else None,
        is_agent=not (call.principal.local and call.may_decide),
    )


def session_of(call: Call) -> str:
    if call.transport != "command":
        return call.bridge.sessions.of(client_name(call), call.session)
    return call.bridge.sessions.of(client_name(call), call.session, partial(latest_session, call))


def latest_session(call: Call) -> str | None:
    with contextlib.suppress(BridgeError):
        return call.host.store.sessions.latest(client_name(call))
    return None


async def build_written(outcome: ChangeOutcome, *, dry_run: bool) -> Written:
    # In a thread: the diff of a long text takes seconds.
    return await asyncio.to_thread(_build_written, outcome, dry_run=dry_run)


def _build_written(outcome: ChangeOutcome, *, dry_run: bool) -> Written:

    planned = fold_moves(outcome.plan.steps)
    # Of a change that moves files, later steps may give other paths to the first ones.
    shown = planned[:MAX_FILES] if replaces_only(planned) else planned
    found = list(differences(shown, outcome.plan.blobs.get))
    more = f"… and {len(planned) - len(shown):,} more\n" if len(planned) > len(shown) else ""
    steps = outcome.change.steps if outcome.change else ()
    trash = {step.path: step.to for step in steps if step.kind == "remove"}
    files = [replace(file, trash=trash.get(file.path)) for file in changed_files(found)[:MAX_FILES]]
    return Written(
        change_id=outcome.change.id if outcome.change else None,
        path=outcome.planned.path,
        digest=outcome.digest,
        diff=unified_diff(found) + more,
        state=outcome.state,
        warnings=outcome.warnings,
        links_rewritten=outcome.counts["links_rewritten"],
        links_broken=tuple(LostLink(one.path, one.line, one.text) for one in outcome.planned.effect.broken),
        files=outcome.counts["files"],
        by=outcome.by,
        dry_run=dry_run,
        would=outcome.would,
        confirmation=outcome.confirmation.message if outcome.confirmation else None,
        # A digest of content that was not written is of no use to a caller.
        changed=tuple(replace(file, digest=None) for file in files)
        if dry_run or outcome.state == "proposed"
        else tuple(files),
    )


def client_name(call: Call) -> str | None:
    """Return the client's name: its token's, or the name it gives itself."""
    return call.principal.name_for(call.client)[:100] or None


def is_proposer(call: Call) -> bool:
    """Return whether this caller's changes await approval."""
    return proposes(call.principal, call.host.settings)


def proposes(principal: Principal, settings: Settings) -> bool:
    allowed = {name.casefold() for name in settings.apply_clients}
    return not principal.local and not allowed & {"*", principal.name.casefold()}


def require_trust(call: Call, command: str) -> None:
    """Require that a caller may do at once what concerns everybody."""
    if is_proposer(call):
        call.principal.require_local(command)


Count = Annotated[int, Meta(ge=0)]


class Expectation(Record):
    """The expected effect of a change; null fields are not checked.

    Attributes:
        files: Files written, moved or removed.
        links_rewritten: Links updated in other places.
        links_broken: Links to files, headings and blocks that are gone afterwards.
    """

    files: Count | None = None
    links_rewritten: Count | None = None
    links_broken: Count | None = None


def expected_counts(expect: Expectation | None) -> Mapping[str, int]:
    return {} if expect is None else {name: count for name, count in asdict(expect).items() if count is not None}


def nothing_written(path: VaultPath, why: str, *, digest: Digest | None = None) -> Written:
    """Describe a change that needs none."""
    return Written(
        change_id=None,
        path=path,
        digest=digest,
        diff="",
        state="applied",
        warnings=(why,),
        links_rewritten=0,
        links_broken=(),
        files=0,
        by="disk",
        dry_run=False,
        would="",
        confirmation=None,
        changed=(),
    )


Kind = TypeVar("Kind", bound=Request)

Objections = tuple[tuple[str, ...], ConfirmationRequired | None]
"""Warnings about a change, and the error unless the user confirms it."""


def change_operation(
    record: type[Kind], check: Callable[[Call, Kind], Awaitable[Objections]] | None = None
) -> Callable[..., Awaitable[Written]]:
    kind = KINDS[record]

    async def run(call: Call, request: Kind, options: WriteArguments) -> Written:
        warnings, refusal = ((), None) if check is None else await check(call, request)
        if call.is_confirmed(options.confirm):
            refusal = None
        if refusal is not None and not options.dry_run:
            raise refusal
        made = await execute_requests(call, [request], options)
        if refusal is not None:
            made = replace(made, confirmation=refusal.message, preview=None)
        return replace(made, warnings=(*made.warnings, *warnings))

    run.__name__, run.__doc__ = operation_of(record), docstring_of(record)
    run.__annotations__["request"] = Annotated[record, Spread(kind.required, kind.bounds)]
    return operation(
        example={**kind.example, "dry_run": True},
        reads=False,
        scope="write",
        destructive=kind.destructive,
        idempotent=kind.idempotent,
        tasks=kind.tasks,
    )(run)
