"""Applying what a person ticked in a plan: one change a check, each compared with its forecast."""

import asyncio
import secrets
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Annotated

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
from bridge.engine.apply_requests import ChangeLimits, ChangeSelection
from bridge.engine.open_vault import OpenVault
from bridge.engine.transactions import Author
from bridge.errors import BridgeError, ConfirmationRequired, InvalidArguments
from bridge.features.corrections.public import NOTE, Replacement, settle_replacements
from bridge.features.tidy.checks.agents_notes import Corrections, notes_about, read_replacements
from bridge.features.tidy.collect import CHECKS, open_rules
from bridge.features.tidy.compose import change_limits, dismissed_findings
from bridge.features.tidy.ledger import Ledger
from bridge.features.tidy.make_plan import CheckNames
from bridge.features.tidy.plan_note import mark_done
from bridge.features.tidy.plan_text import PlanNoteChange, describe_finding
from bridge.features.tidy.read_plan import (
    ListedFinding,
    OpenPlan,
    current_finding,
    find_staleness,
    open_plan,
)
from bridge.features.tidy.records import (
    AppliedCheck,
    AppliedPlan,
    DroppedFinding,
    FindingState,
    PlannedFinding,
    ShownPlan,
)
from bridge.state.change_records import ChangeFilter
from bridge.state.session_log import SessionEvent
from bridge.types import Digest, VaultPath


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
    return draft.has(path) and one.pattern.search(draft.read(path).decode("utf-8", "replace")) is not None


async def settle_corrections(vault: OpenVault, keys: Collection[str]) -> list[Request]:
    """Return the request that settles the corrections of some findings, by their keys; none without an open one."""
    scope = await open_rules(vault)
    texts = await scope.graph_snapshot.index.wholes()
    place = agents_folder(vault.settings).place(NOTE)
    places = {
        one: tuple(note.path for note in notes_about(scope, one) if one.pattern.search(texts.get(note.path, "")))
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
    """Do what is ticked in the plan, as one change for each check; of a client that may only propose, as proposals.

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
    plan = await open_plan(vault, path)
    if unknown := [name for name in checks if name not in {check.name for check in CHECKS}]:
        raise InvalidArguments(f"There is no check `{unknown[0][:40]}`.", hint="`tidy_rules` lists them.")
    plan.require_known(plan.ticked_ids)
    by = author(call, "apply_plan", options.reason, confirm=options.confirm)
    by = replace(by, session=f"tidy-{secrets.token_hex(6)}", applies_in=None)
    if call.has_agreed:
        by = replace(by, proposes=False)
    application = PlanApplication(call, plan, by, await current_limits(call))
    asked = [
        check.name
        for check in CHECKS
        if (not checks or check.name in checks) and application.ticked_findings(check.name)
    ]
    if options.dry_run:
        tried = {name: await application.try_check(name) for name in asked}
        done = [application.describe(name, one) for name, one in tried.items()]
        refusal = find_refusal(tried.values())
        return AppliedPlan(
            plan.path, tuple(done), None, dry_run=True, confirmation=refusal.message if refusal else None
        )
    if not (by.confirmed or by.proposes) and len(asked) > 1:
        # A later change may be too large to be made unconfirmed, and then none is made. In all other cases the plan
        # that is made under the lock, and compared with the files there, is the only one.
        refusal = find_refusal([await application.try_check(name) for name in asked])
        if refusal is not None:
            raise refusal
    session = await application.begin()
    applied = [await application.apply_check(name, is_only=len(asked) == 1) for name in asked]
    await application.finish(applied)
    has_changes = any(one.change_id for one in applied) or await asyncio.to_thread(is_active, vault, session)
    if has_changes:
        await asyncio.to_thread(list_session, vault, session)
    return AppliedPlan(plan.path, tuple(applied), session if has_changes else None, dry_run=False)


def list_session(vault: OpenVault, session: str) -> None:
    began = SessionEvent(session, time.time(), client="tidy")
    for event in (began, replace(began, state="completed")):
        vault.store.sessions.record(event)


def is_active(vault: OpenVault, session: str) -> bool:
    return bool(vault.review.changes(ChangeFilter(session=session, state="applied"), 1, 0))


def find_refusal(tried: Iterable[ChangeSelection | None]) -> ConfirmationRequired | None:
    return next((one.outcome.confirmation for one in tried if one and one.outcome.confirmation), None)


class PlanApplication:
    """The application of one plan."""

    def __init__(self, call: Call, plan: OpenPlan, by: Author, limits: ChangeLimits) -> None:
        self._call = call
        self._vault = call.vault
        self._plan = plan
        self._by = by
        self._limits = limits
        self._written: dict[tuple[VaultPath, Digest], Digest] = {}
        """What the changes so far made of notes."""
        self._dropped: dict[str, list[DroppedFinding]] = {}

    def ticked_findings(self, check: str) -> list[ListedFinding]:
        ticked = set(self._plan.ticked_ids)
        return [one for id_, one in self._plan.findings.items() if id_ in ticked and one.finding.check == check]

    async def _choose(self, check: str) -> list[ListedFinding]:
        # What an agent dismissed does not outweigh a tick.
        dismissed = await asyncio.to_thread(dismissed_findings, self._vault, by_user=True)
        denies = self._vault.files.rules.denies
        dropped: list[DroppedFinding] = []
        chosen: list[ListedFinding] = []
        for one in self.ticked_findings(check):
            if one.is_applied:
                why: str | None = "it was applied before."
            elif one.change and self._by.proposes:
                why = "it waits for the user already."
            elif any(map(denies, one.finding.notes)):
                why = "a note of it is gone."
            elif one.finding.dismissal in dismissed:
                why = "it was dismissed."
            else:
                why = await asyncio.to_thread(find_staleness, self._vault, one, self._written)
            if why is None:
                chosen.append(one)
            else:
                dropped.append(DroppedFinding(one.line.id, why))
        self._dropped[check] = dropped
        return chosen

    async def try_check(self, check: str) -> ChangeSelection | None:
        return await self._carry(check, dry_run=True)

    async def _carry(self, check: str, *, dry_run: bool) -> ChangeSelection | None:

        chosen = await self._choose(check)
        if not chosen:
            return None
        requests: list[Request] = [current_finding(one, self._written).request for one in chosen]
        if check == Corrections.name:
            requests += await settle_corrections(self._vault, {one.finding.key for one in chosen})
        made = await self._vault.executor.carry_each(requests, self._by, limits=self._limits, dry_run=dry_run)
        refused = [(at, why) for at, why in made.refused.items() if at < len(chosen)]
        self._dropped[check] += [DroppedFinding(chosen[at].line.id, why) for at, why in refused]
        return made

    def describe(self, check: str, made: ChangeSelection | None) -> AppliedCheck:
        dropped = tuple(self._dropped.get(check, ()))
        gone = {one.id for one in dropped}
        ids = tuple(one.line.id for one in self.ticked_findings(check) if one.line.id not in gone)
        if made is None or not made.outcome.plan.steps:
            dropped += tuple(DroppedFinding(id_, "nothing is left to do.") for id_ in ids)
            return AppliedCheck(check, (), (), dropped, "left_out", None, 0, ())
        outcome, texts = made.outcome, {one.line.id: one.finding.text for one in self.ticked_findings(check)}
        return AppliedCheck(
            check,
            ids,
            tuple(texts[id_] for id_ in ids),
            dropped,
            outcome.state,
            outcome.change.id if outcome.change else None,
            outcome.counts.get("files", 0),
            describe_forecast(outcome.planned.forecast),
        )

    async def begin(self) -> str:
        """Return the session of the changes: the one of a call of the user that was broken off, or a new one."""
        session = self._by.session or ""
        if not self._by.proposes:
            ledger = Ledger(self._vault.store.database)
            session = await asyncio.to_thread(ledger.begin_session, self._plan.id, session)
            self._by = replace(self._by, session=session)
        return session

    async def apply_check(self, check: str, *, is_only: bool) -> AppliedCheck:
        try:
            made = await self._carry(check, dry_run=False)
        except BridgeError as error:
            if is_only and isinstance(error, ConfirmationRequired) and not self._by.proposes:
                raise
            dropped = tuple(self._dropped.get(check, ()))
            return AppliedCheck(check, (), (), dropped, "failed", None, 0, (), f"{error.message} {error.hint}".strip())
        done = self.describe(check, made)
        if made is not None and done.change_id:
            await asyncio.to_thread(self._record, done)
            if done.state == "applied":
                self._written |= {
                    (step.path, step.before): step.after
                    for step in made.outcome.plan.steps
                    if step.kind == "put" and step.before is not None and step.after is not None
                }
        return done

    def _record(self, done: AppliedCheck) -> None:
        ledger = Ledger(self._vault.store.database)
        ledger.set_change(self._plan.id, done.findings, done.change_id or "")
        if self._call.is_user:
            ledger.judge(self._plan.id, done.findings, "accept")

    async def finish(self, applied: Sequence[AppliedCheck]) -> None:
        """Mark in the note what was applied, now or by a call that ended before it could."""
        ids = [id_ for one in applied if one.state == "applied" and one.change_id for id_ in one.findings]
        ids += [id_ for id_, one in self._plan.findings.items() if one.is_applied]
        if mark_done(self._plan.text, ids) != self._plan.text:
            request = PlanNoteChange(path=self._plan.path, edit=lambda text: mark_done(text, ids))
            # That the note cannot be marked does not undo what was applied.
            with suppress(BridgeError):
                await self._vault.executor.carry([request], replace(self._by, confirmed=True))
        if not self._by.proposes:
            await asyncio.to_thread(Ledger(self._vault.store.database).end_session, self._plan.id)


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
    plan = await open_plan(vault, path)
    shown = await _describe(call, plan, list(plan.findings) if finding is None else [plan.find(finding)])
    wanted = [one for one in shown if (one.ticked or finding) and one.state in ("open", "proposed")]
    notices = [f"`^{id_}` cannot be applied: {why}" for id_, why in plan.altered.items()]
    notices += [f"`^{id_}` is worded otherwise in the note; it does what is said here." for id_ in plan.reworded_ids]
    ticked = sum(one.ticked and one.state in ("open", "proposed") for one in shown)
    if not wanted:
        return ShownPlan(plan.path, shown, ticked, (), tuple(notices))
    requests = [plan.findings[one.id].finding.request for one in wanted]
    tried = await vault.executor.carry_each(
        requests, author(call, "apply_plan", None), limits=await current_limits(call), dry_run=True
    )
    made = tried.outcome
    diff = await asyncio.to_thread(diff_of, made.plan.steps, made.plan.blobs.get) if finding else None
    return ShownPlan(plan.path, shown, ticked, describe_forecast(made.planned.forecast), tuple(notices), diff)


async def _describe(call: Call, plan: OpenPlan, ids: list[str]) -> tuple[PlannedFinding, ...]:
    denies = call.vault.files.rules.denies
    shown = []
    for one in map(plan.findings.__getitem__, ids):
        if any(map(denies, one.finding.notes)):
            continue
        stale = await asyncio.to_thread(find_staleness, call.vault, one, {})
        state: FindingState = one.change.state if one.change else "stale" if stale else "open"  # type: ignore[assignment]
        shown.append(replace(describe_finding(one.line.id, one.finding, ticked=one.line.ticked), state=state))
    return tuple(shown)
