"""Making a plan: a note that proposes changes, of which a person ticks what is to be done."""

import asyncio
import logging
import time
from typing import Annotated

from msgspec import Meta

from bridge.api.call import Call
from bridge.api.hints import Folder
from bridge.api.registry import operation
from bridge.api.write import WriteArguments, WriteOptions, author, execute_requests
from bridge.engine.open_vault import OpenVault
from bridge.engine.transactions import Author
from bridge.errors import BridgeError
from bridge.events import PlanReady
from bridge.features.tidy.check_scope import TidySettings
from bridge.features.tidy.collect import ComposedPlan, compose_plan, keep_checked
from bridge.features.tidy.ledger import Ledger
from bridge.features.tidy.plan import build_plan_note, written_plan
from bridge.features.tidy.records import TidyPlan
from bridge.text.counts import count_of
from bridge.types import VaultPath

CheckNames = Annotated[tuple[str, ...], Meta(max_length=50)]


@operation(
    example={"folder": "Bread", "limit": 5, "dry_run": True},
    reads=False,
    scope="write",
    tasks=(
        "tidy up the vault",
        "propose what to clean up in my notes",
        "find and fix broken links, duplicate notes and inconsistent tags",
        "vault maintenance plan",
        "find images and attachments that no note uses",
        "files in the vault that are never used",
        "find empty notes and headings that occur twice",
    ),
    whole_vault=True,
)
async def plan_tidy(
    call: Call,
    checks: CheckNames = (),
    folder: Folder | None = None,
    limit: Annotated[int, Meta(ge=1, le=500)] = 50,
    skip_checked: bool = True,
    *,
    options: WriteArguments,
) -> TidyPlan:
    """Look for broken links, duplicates and inconsistencies, and propose what to do in a note, as tasks to tick.

    `apply_plan` then does what is ticked. A note with the property `tidy: ignore` is left alone.

    Args:
        checks: Only these checks, such as `attachments` for files that no note uses; `tidy_rules` lists them. Muted
            ones run only if named.
        folder: Only findings about notes under this folder.
        limit: Maximum findings in the plan.
        skip_checked: Leave out notes that were checked since they changed.

    Raises:
        FolderNotFound: No notes in such a folder; the message names the closest.
    """
    vault = call.vault
    vault.require_keyword()
    composed = await compose_plan(vault, checks, folder, limit, skip_checked=skip_checked)
    plan = await _write(call, composed, options)
    if plan.state == "applied" and not options.dry_run:
        # A proposal may be rejected, and then nobody saw what was found.
        await asyncio.to_thread(keep_checked, vault, composed)
    return plan


async def _write(call: Call, composed: ComposedPlan, options: WriteOptions) -> TidyPlan:
    """Write the note of a plan; without findings there is none."""
    vault, tried, left_out = call.vault, composed.tried, composed.found.left_out
    runs, notices = tuple(composed.found.runs), tuple(composed.notices)
    replaced = await asyncio.to_thread(written_plan, vault)
    # An agent only proposes to replace what a person works in.
    is_in_use = replaced is not None and replaced.is_in_use
    lent = None if is_in_use else author(call, "plan_tidy", None).applies_in
    note = await asyncio.to_thread(build_plan_note, vault, tried.findings, replaced)
    if note is None:
        return TidyPlan(None, (), left_out, (), runs, notices, "applied", None)
    made = await execute_requests(call, [note.request], options, operation="plan_tidy", agreed=lent)
    if not options.dry_run:
        await asyncio.to_thread(note.keep, vault)
        if made.state == "applied":
            vault.events.publish(PlanReady(note.path, len(note.findings)), vault.id)
    return TidyPlan(note.path, note.findings, left_out, tried.forecast, runs, notices, made.state, made.change_id)


DAY_S = 86_400.0

log = logging.getLogger(__name__)

LOOK_EVERY_S = 60.0
"""Seconds between looks whether a plan is due."""

QUIET_S = 300.0
"""Seconds for which nobody called and no note changed before a plan is made."""

AGAIN_AFTER_S = 3_600.0
"""Seconds before a plan that was not finished is begun again."""


async def plan_when_idle(vault: OpenVault) -> None:
    """Make a plan whenever one is due and nobody uses the bridge, until cancelled."""
    while True:
        await asyncio.sleep(LOOK_EVERY_S)
        if not is_idle(vault, QUIET_S):
            continue
        try:
            await make_due_plan(vault)
        except BridgeError as error:
            log.warning("No plan is made now: %s", error.code)


def is_idle(vault: OpenVault, quiet_s: float) -> bool:
    settled = vault.indexer.complete and not vault.indexer.pending and vault.indexer.link_resolver.is_settled
    embeds = vault.backfill.model is not None and not vault.backfill.paused and vault.trouble is None
    return settled and not (embeds and vault.index.pending_vectors()) and vault.activity.quiet_s() >= quiet_s


async def make_due_plan(vault: OpenVault) -> VaultPath | None:
    ledger = Ledger(vault.store.database)
    days = vault.settings.section(TidySettings).plan_every_days
    if not days or not vault.is_set_up:
        return None
    replaced = await asyncio.to_thread(written_plan, vault)
    if not await asyncio.to_thread(is_due, ledger, days) or (replaced is not None and replaced.is_in_use):
        return None
    # Kept first: a restart in between does not begin it at once again.
    await asyncio.to_thread(ledger.set_run, "tried")
    composed = await compose_plan(vault)
    note = await asyncio.to_thread(build_plan_note, vault, composed.tried.findings, replaced)
    if note is not None:
        by = Author("plan_tidy", reason=f"Every {count_of(days, 'day')}, by the setting `tidy.plan_every_days`")
        await asyncio.to_thread(note.keep, vault)
        await vault.executor.execute([note.request], by)
    await asyncio.to_thread(keep_checked, vault, composed)
    await asyncio.to_thread(ledger.set_run, "done")
    if note is None:
        return None
    vault.events.publish(PlanReady(note.path, len(note.findings)), vault.id)
    return note.path


def is_due(ledger: Ledger, days: int) -> bool:
    """Return whether the last plan by the schedule is old enough. Blocks."""
    now = time.time()

    def is_within(moment: float, seconds: float) -> bool:
        # A clock that was set back must not delay a plan for years.
        return 0 <= now - moment < seconds

    return not is_within(ledger.last_run("done"), days * DAY_S) and not is_within(
        ledger.last_run("tried"), AGAIN_AFTER_S
    )
