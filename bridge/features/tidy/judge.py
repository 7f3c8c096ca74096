"""Judging findings, and the checks by how they were judged."""

import asyncio
from typing import Annotated, Literal

from msgspec import Meta
from msgspec.structs import replace

from bridge.api.call import Call
from bridge.api.registry import operation
from bridge.api.write import author
from bridge.errors import Declined, InvalidArguments
from bridge.features.tidy.check_scope import REMOVING
from bridge.features.tidy.collect import CHECKS, require_checks
from bridge.features.tidy.ledger import MIN_ACCEPTANCE, MIN_JUDGEMENTS, Ledger, RuleRecord
from bridge.features.tidy.plan import PlanNoteChange, open_plan
from bridge.features.tidy.plan_note import tick_line
from bridge.features.tidy.records import JudgedFinding, TidyRule, TidyRules
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
        if ticked and check in REMOVING:
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
