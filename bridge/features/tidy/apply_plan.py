"""Judging findings of a plan, and applying those that a person ticked: one change, compared with its forecast."""

import asyncio
import secrets
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Literal

from msgspec import Meta
from msgspec.structs import replace

from bridge.api.call import Call
from bridge.api.change_view import describe_forecast
from bridge.api.registry import operation
from bridge.api.write import WriteArguments, author, diff_of
from bridge.changes.draft import Draft
from bridge.changes.effect import Effect
from bridge.changes.requests.base import Request, RequestContext
from bridge.engine.agents_folder import agents_folder
from bridge.engine.apply_requests import ChangeLimits
from bridge.engine.open_vault import OpenVault
from bridge.engine.transactions import Author, ChangeOutcome
from bridge.errors import BridgeError, Declined, InvalidArguments
from bridge.features.corrections.public import NOTE, Replacement, settle_replacements
from bridge.features.tidy.check_scope import REMOVING_CHECKS
from bridge.features.tidy.checks.agents_notes import corrections, notes_about, read_replacements
from bridge.features.tidy.collect import CHECKS, change_limits, dismissed_findings, open_rules, require_checks
from bridge.features.tidy.ledger import MIN_ACCEPTANCE, MIN_JUDGEMENTS, Ledger, RuleRecord
from bridge.features.tidy.make_plan import CheckNames
from bridge.features.tidy.plan import (
    ListedFinding,
    OpenPlan,
    PlanNoteChange,
    describe_finding,
    find_staleness,
    open_plan,
)
from bridge.features.tidy.plan_note import mark_done, tick_line
from bridge.features.tidy.records import (
    AppliedCheck,
    AppliedPlan,
    DroppedFinding,
    FindingState,
    JudgedFinding,
    PlannedFinding,
    ShownPlan,
    TidyRule,
    TidyRules,
)
from bridge.state.change_records import ChangeFilter
from bridge.state.session_log import SessionEvent
from bridge.types import VaultPath


@operation(
    example={"finding": "g1", "verdict": "reject"},
    reads=False,
    scope="write",
    idempotent=True,
    tool=False,
)
async def judge_finding(
    call: Call,
    finding: Annotated[str, Meta(max_length=20)],
    verdict: Literal["accept", "reject"],
    path: VaultPath | None = None,
) -> JudgedFinding:
    """Accept or reject a finding of the plan: it is ticked, or unticked and never proposed again.

    Args:
        finding: Its id, such as `g3`.
        verdict: What the user thinks of it.
        path: The note of the plan; by default the one there is.

    Raises:
        NoteNotFound: There is no plan, or no note at `path`.
        InvalidArguments: It is not a plan that was made here, or it lists the finding twice.
        TextNotFound: The plan does not list such a finding.
        Declined: The caller is not the user.
    """
    if not call.is_user:
        raise Declined("Only the user judges what a plan proposes.", hint="Ask the user to tick or untick it.")
    vault = call.vault
    vault.require_keyword()
    plan = await asyncio.to_thread(open_plan, vault, path)
    id_ = plan.find(finding)
    accepts = verdict == "accept"
    one, dismissals, ledger = plan.findings[id_].finding, vault.store.dismissals, Ledger(vault.store.database)
    if accepts:
        await asyncio.to_thread(dismissals.remove, [one.dismissal])
    else:
        await asyncio.to_thread(dismissals.add, [one.dismissal], by_user=True)
    await asyncio.to_thread(ledger.judge, plan.id, [id_], verdict)
    request = PlanNoteChange(path=plan.path, edit=lambda text: tick_line(text, id_, ticked=accepts))
    await vault.executor.execute([request], replace(author(call, "judge_finding", None), confirmed=True))
    rules = await asyncio.to_thread(ledger.rules)
    record = rules.get(one.check, RuleRecord(0, 0))
    return JudgedFinding(id_, one.check, accepts, not accepts, record.is_muted)


@operation(
    example={},
    reads=False,
    idempotent=True,
    tasks=("which checks look for what to tidy", "how often were findings of plans accepted"),
)
async def tidy_rules(
    call: Call,
    check: Annotated[str, Meta(max_length=50)] | None = None,
    muted: bool | None = None,
    ticked: bool | None = None,
) -> TidyRules:
    """List the checks that look for what to tidy, with how the user judged what they found; the user may mute a check.

    Args:
        check: The check to change; what is left out stays as it is.
        muted: Whether plans leave it out; unmuting forgets how its findings were judged before.
        ticked: Whether new plans tick all that it finds.

    Raises:
        InvalidArguments: There is no such check, or all that it finds are deletions and merges, which are not to be
            ticked unseen.
        Declined: The caller is not the user, and wants to change a check.
    """
    ledger = Ledger(call.vault.store.database)
    if check is not None:
        call.principal.require("write")
        require_checks([check])
        if not call.is_user:
            raise Declined("Only the user switches checks.", hint="Ask the user.")
        if ticked and check in REMOVING_CHECKS:
            raise InvalidArguments(f"What `{check}` finds is deleted or merged.", hint="Tick each in the plan.")
        if muted is not None:
            await asyncio.to_thread(ledger.mute, check, muted=muted)
        if ticked is not None:
            await asyncio.to_thread(ledger.favour, check, favoured=ticked)
    return await asyncio.to_thread(_list_rules, ledger)


def _list_rules(ledger: Ledger) -> TidyRules:
    records = ledger.rules()
    rules = []
    for check in CHECKS:
        record = records.get(check.name, RuleRecord(0, 0))
        why = "The user muted it." if record.is_muted_by_user else ""
        if record.mutes_itself:
            why = (
                f"Fewer than {MIN_ACCEPTANCE:.0%} of its findings are right, after {MIN_JUDGEMENTS} or more judgements."
            )
        judged = (record.accepted, record.rejected, round(record.rate, 2))
        rules.append(TidyRule(check.name, check.sentence, *judged, record.is_muted, why, record.is_favoured))
    return TidyRules(tuple(rules))


class CorrectionsSettlement(Request, kw_only=True, tag="apply_plan"):
    """Ticks corrections whose old words are gone after the requests before it; whatever else the list says stays.

    Attributes:
        places: The notes that say the old words of each correction now.
    """

    places: Mapping[Replacement, tuple[VaultPath, ...]]

    def plan(self, draft: Draft, context: RequestContext) -> Effect:  # noqa: ARG002
        gone = {one for one, notes in self.places.items() if not any(_says(draft, note, one) for note in notes)}
        text = draft.read(self.path).decode("utf-8", "surrogateescape")
        draft.replace(self.path, settle_replacements(text, gone).encode("utf-8", "surrogateescape"))
        return Effect()


def _says(draft: Draft, path: VaultPath, one: Replacement) -> bool:
    return draft.has(path) and one.spans(draft.read(path).decode("utf-8", "replace")) != []


async def settle_corrections(vault: OpenVault, keys: Collection[str]) -> list[Request]:
    """Return the request that settles the corrections of some findings, by their keys; none without an open one."""
    scope = await open_rules(vault)
    texts = await scope.graph_snapshot.index.wholes()
    place = agents_folder(vault.settings).place(NOTE)
    places = {
        one: tuple(note.path for note in notes_about(scope, one) if one.spans(texts.get(note.path, "")))
        for one in await asyncio.to_thread(read_replacements, vault, place)
        if one.key in keys
    }
    return [CorrectionsSettlement(path=place, places=places)] if places else []


@operation(
    example={"dry_run": True},
    reads=False,
    scope="write",
    destructive=True,
    tasks=("apply the ticked findings of the tidy plan", "carry out the plan to tidy up"),
)
async def apply_plan(
    call: Call, path: VaultPath | None = None, checks: CheckNames = (), *, options: WriteArguments
) -> AppliedPlan:
    """Do what is ticked in the plan, as one change; of a client that may only propose, as a proposal.

    What is written is compared with the forecast, and undone if it differs. Findings whose notes changed are left out.

    Args:
        path: The note of the plan; by default the one there is.
        checks: Only these checks.

    Raises:
        NoteNotFound: There is no plan, or no note at `path`.
        InvalidArguments: It is not a plan that was made here, or a ticked line is none of its findings.
    """
    vault = call.vault
    vault.require_keyword()
    plan = await asyncio.to_thread(open_plan, vault, path)
    require_checks(checks)
    plan.require_known(plan.ticked_ids)
    by = author(call, "apply_plan", options.reason, confirm=options.confirm)
    by = replace(by, session=f"tidy-{secrets.token_hex(6)}", applies_in=None)
    if call.has_agreed:
        by = replace(by, proposes=False)
    ticked = [
        one
        for check in CHECKS
        for one in plan.findings.values()
        if one.line.ticked and one.finding.check == check.name and (not checks or check.name in checks)
    ]
    dropped = await asyncio.to_thread(_find_dropped, vault, ticked, proposes=by.proposes)
    chosen = [one for one in ticked if one.line.id not in dropped]
    outcome, refused = await _execute(call, chosen, by, dry_run=options.dry_run)
    dropped |= {chosen[at].line.id: why for at, why in refused.items() if at < len(chosen)}
    if outcome and not outcome.plan.steps:
        dropped = {one.line.id: "nothing is left to do." for one in chosen} | dropped
    done = [one.line.id for one in chosen if one.line.id not in dropped]
    change_id = outcome.change.id if outcome and outcome.change else None
    if change_id:
        await asyncio.to_thread(_record, call, plan.id, done, change_id)
    if not options.dry_run:
        now = done if outcome and outcome.state == "applied" else []
        await _mark(vault, plan, [*now, *(id_ for id_, one in plan.findings.items() if one.is_applied)], by)
        await asyncio.to_thread(_list_session, vault, by.session or "")
    return AppliedPlan(
        plan.path,
        _by_check(ticked, dropped, outcome.state if outcome else "applied", change_id),
        by.session if change_id else None,
        outcome.counts.get("files", 0) if outcome else 0,
        describe_forecast(outcome.planned.forecast) if outcome else (),
        options.dry_run,
        outcome.confirmation.message if outcome and outcome.confirmation else None,
    )


async def _execute(
    call: Call, chosen: Sequence[ListedFinding], by: Author, *, dry_run: bool
) -> tuple[ChangeOutcome | None, Mapping[int, str]]:
    """Return what was done, if anything, and why some of the requests were refused, by their number."""
    if not chosen:
        return None, {}
    corrected = {one.finding.key for one in chosen if one.finding.check == corrections.name}
    requests: list[Request] = [one.finding.request for one in chosen]
    requests += await settle_corrections(call.vault, corrected) if corrected else []
    limits = await current_limits(call)
    outcome, tried = await call.vault.executor.execute_each(requests, by, limits=limits, dry_run=dry_run)
    return outcome, tried.refused


def _find_dropped(vault: OpenVault, ticked: Iterable[ListedFinding], *, proposes: bool) -> dict[str, str]:
    """Return why ticked findings are not applied, by their ids."""
    # What an agent dismissed does not outweigh a tick.
    dismissed = dismissed_findings(vault, by_user=True)
    dropped: dict[str, str] = {}
    for one in ticked:
        if one.is_applied:
            dropped[one.line.id] = "it was applied before."
        elif one.change and proposes:
            dropped[one.line.id] = "it waits for the user already."
        elif any(map(vault.files.rules.denies, one.finding.notes)):
            dropped[one.line.id] = "a note of it is gone."
        elif one.finding.dismissal in dismissed:
            dropped[one.line.id] = "it was dismissed."
        elif stale := find_staleness(vault, one):
            dropped[one.line.id] = stale
    return dropped


def _by_check(
    ticked: Sequence[ListedFinding],
    dropped: Mapping[str, str],
    state: Literal["applied", "proposed"],
    change_id: str | None,
) -> tuple[AppliedCheck, ...]:
    found: list[AppliedCheck] = []
    for name in dict.fromkeys(one.finding.check for one in ticked):
        own = [one for one in ticked if one.finding.check == name]
        done = [one for one in own if one.line.id not in dropped]
        found.append(
            AppliedCheck(
                name,
                tuple(one.line.id for one in done),
                tuple(one.finding.text for one in done),
                tuple(DroppedFinding(one.line.id, dropped[one.line.id]) for one in own if one.line.id in dropped),
                state if done else "left_out",
                change_id if done else None,
            )
        )
    return tuple(found)


def _record(call: Call, plan: str, ids: Sequence[str], change: str) -> None:
    ledger = Ledger(call.vault.store.database)
    ledger.set_change(plan, ids, change)
    if call.is_user:
        ledger.judge(plan, ids, "accept")


async def _mark(vault: OpenVault, plan: OpenPlan, ids: Sequence[str], by: Author) -> None:
    """Mark in the note what was applied, now or by a call that ended before it could."""
    if mark_done(plan.text, ids) != plan.text:
        merges = {id_: plan.findings[id_].line.text for id_ in ids if plan.findings[id_].finding.kind == "merge"}
        request = PlanNoteChange(path=plan.path, edit=lambda text: mark_done(text, ids, merges))
        # That the note cannot be marked does not undo what was applied.
        with suppress(BridgeError):
            await vault.executor.execute([request], replace(by, confirmed=True))


def _list_session(vault: OpenVault, session: str) -> None:
    """List the session if it changed something."""
    if vault.review.changes(ChangeFilter(session=session, state="applied"), 1, 0):
        began = SessionEvent(session, time.time(), client="tidy")
        for event in (began, replace(began, state="completed")):
            vault.store.sessions.record(event)


async def current_limits(call: Call) -> ChangeLimits:
    return change_limits(await open_rules(call.vault))


@operation(
    example={},
    tasks=("show the plan to tidy up", "what is ticked in the tidy plan", "what would applying the plan change"),
)
async def show_plan(
    call: Call, path: VaultPath | None = None, finding: Annotated[str, Meta(max_length=20)] | None = None
) -> ShownPlan:
    """Show the plan as its note says now: which findings are ticked, which still hold, and the counts afterwards.

    Args:
        path: The note of the plan; by default the one there is.
        finding: Only this finding, such as `g3`, ticked or not, with what it would change.

    Raises:
        NoteNotFound: There is no plan, or no note at `path`.
        InvalidArguments: It is not a plan that was made here, or it lists `finding` twice.
        TextNotFound: The plan does not list `finding`.
    """
    vault = call.vault
    vault.require_keyword()
    plan = await asyncio.to_thread(open_plan, vault, path)
    shown = await _describe(call, plan, list(plan.findings) if finding is None else [plan.find(finding)])
    wanted = [one for one in shown if (one.ticked or finding) and one.state in ("open", "proposed")]
    notices = [f"`^{id_}` cannot be applied: {why}" for id_, why in plan.altered.items()]
    notices += [f"`^{id_}` is worded otherwise in the note; it does what is said here." for id_ in plan.reworded_ids]
    ticked = sum(one.ticked and one.state in ("open", "proposed") for one in shown)
    if not wanted:
        return ShownPlan(plan.path, shown, ticked, (), tuple(notices))
    requests = [plan.findings[one.id].finding.request for one in wanted]
    made, _ = await vault.executor.execute_each(
        requests, author(call, "apply_plan", None), limits=await current_limits(call), dry_run=True
    )
    diff = await asyncio.to_thread(diff_of, made.plan.steps, made.plan.blobs.get) if finding else None
    return ShownPlan(plan.path, shown, ticked, describe_forecast(made.planned.forecast), tuple(notices), diff)


async def _describe(call: Call, plan: OpenPlan, ids: list[str]) -> tuple[PlannedFinding, ...]:
    denies = call.vault.files.rules.denies
    shown = []
    for one in map(plan.findings.__getitem__, ids):
        if any(map(denies, one.finding.notes)):
            continue
        stale = await asyncio.to_thread(find_staleness, call.vault, one)
        state: FindingState = one.change.state if one.change else "stale" if stale else "open"  # type: ignore[assignment]
        shown.append(replace(describe_finding(one.line.id, one.finding, ticked=one.line.ticked), state=state))
    return tuple(shown)
