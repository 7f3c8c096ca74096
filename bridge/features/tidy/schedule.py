"""Makes a plan from time to time while nobody uses the bridge, and never applies one."""

import asyncio
import logging
import time

from bridge.engine.open_vault import OpenVault
from bridge.engine.transactions import Author
from bridge.errors import BridgeError
from bridge.events import PlanReady
from bridge.features.tidy.check_scope import TidySettings
from bridge.features.tidy.compose import compose_plan, keep_checked
from bridge.features.tidy.ledger import Ledger
from bridge.features.tidy.plan import build_plan_note, written_plan
from bridge.text.counts import count_of
from bridge.types import VaultPath

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
    replaced = await written_plan(vault)
    if not await asyncio.to_thread(is_due, ledger, days) or (replaced is not None and replaced.is_in_use):
        return None
    # Kept first: a restart in between does not begin it at once again.
    await asyncio.to_thread(ledger.set_run, "tried")
    composed = await compose_plan(vault)
    note = await build_plan_note(vault, composed.tried, replaced)
    if note is not None:
        by = Author("plan_tidy", reason=f"Every {count_of(days, 'day')}, by the setting `tidy.plan_every_days`")
        await asyncio.to_thread(note.keep, vault)
        await vault.executor.carry([note.request], by)
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
