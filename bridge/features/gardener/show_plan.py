"""Showing a plan as its note says now, and what a finding of it would change."""

import asyncio
from dataclasses import replace
from typing import Annotated

from annotated_types import MaxLen

from bridge.api.call import Call
from bridge.api.count_forecast import describe_forecast
from bridge.api.registry import operation
from bridge.api.write import author, diff_of
from bridge.features.gardener.apply_plan import current_limits
from bridge.features.gardener.plan_text import describe_finding
from bridge.features.gardener.read_plan import OpenPlan, find_staleness, open_plan
from bridge.features.gardener.records import FindingState, PlannedFinding, ShownPlan
from bridge.types import VaultPath


@operation(
    example={"path": "Agents/Garden/Plan 2025-01-01.md"},
    tasks=("show a plan of the gardener", "what is ticked in the garden plan", "what would applying the plan change"),
)
async def show_plan(call: Call, path: VaultPath, finding: Annotated[str, MaxLen(20)] | None = None) -> ShownPlan:
    """Show a plan as its note says now: which findings are ticked, which still hold, and the counts afterwards.

    Args:
        path: The note of the plan.
        finding: Only this finding, such as `g3`, ticked or not, with what it would change.

    Raises:
        NoteNotFound: No such note; the message names the closest.
        InvalidArguments: It is not a plan that was made here, or the data of `finding` were changed.
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
        return ShownPlan(path, shown, ticked, (), tuple(notices))
    requests = [plan.findings[one.id].finding.request for one in wanted]
    tried = await vault.executor.carry_each(
        requests, author(call, "apply_plan", None), limits=await current_limits(call), dry_run=True
    )
    made = tried.outcome
    diff = await asyncio.to_thread(diff_of, made.plan.steps, made.plan.blobs.get) if finding else None
    return ShownPlan(path, shown, ticked, describe_forecast(made.planned.forecast), tuple(notices), diff)


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
