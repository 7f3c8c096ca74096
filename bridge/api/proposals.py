"""Notices about proposals that wait for the notes of a call."""

import asyncio
from collections.abc import Collection

from bridge.engine.open_vault import OpenVault
from bridge.engine.transactions import ChangeOutcome
from bridge.state.change_records import Change
from bridge.text.counts import count_of
from bridge.types import VaultPath

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
    """Return a notice for each proposal that waits for one of these files."""
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
        place = next(iter((*places, *(now for now in change.now if now in paths))), None)
        wants = f"for `{place}`" if place is not None else "for its folder"
    return f"A proposal{by} waits {wants} ({change.operation} {change.id}); `show_change {change.id}` shows it."
