"""Composing a plan: the checks look through the vault, and what they find is tried on a draft of it."""

import asyncio
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from bridge.api.change_view import describe_forecast
from bridge.api.note_names import folder_of
from bridge.changes.forecast import CountForecast
from bridge.engine.agents_folder import agents_folder
from bridge.engine.apply_requests import ChangeLimits
from bridge.engine.open_vault import OpenVault
from bridge.engine.transactions import Author
from bridge.errors import BridgeError
from bridge.features.tidy.check_scope import CheckScope
from bridge.features.tidy.collect import FoundDisorder, choose_checks, collect_findings, open_scope, version_of
from bridge.features.tidy.finding import SURE, TidyFinding
from bridge.features.tidy.ledger import Ledger
from bridge.markdown.decode import digest_of
from bridge.records import Record
from bridge.state.dismissals import Dismissal, DismissalKind
from bridge.text.counts import count_of
from bridge.types import Digest, VaultPath


class ComposedPlan(Record):
    """What a plan proposes, before it is written."""

    found: FoundDisorder
    tried: "TriedFindings"
    notices: Sequence[str]


async def compose_plan(
    vault: OpenVault,
    checks: Sequence[str] = (),
    folder: str | None = None,
    limit: int = 50,
    *,
    skip_checked: bool = True,
) -> ComposedPlan:
    """Let checks look through a vault, and choose what a plan proposes."""
    ledger = Ledger(vault.store.database)
    chosen, notices = await asyncio.to_thread(choose_checks, checks, ledger)
    notes = vault.index.view("notes").notes
    inside = folder_of(notes, folder)
    known = await asyncio.to_thread(ledger.read_checked, version_of(chosen)) if skip_checked else {}
    skipped = {path for path, digest in known.items() if path in notes and notes[path].digest == digest}
    if skipped:
        notices.append(f"Left out: {len(skipped):,} notes that were checked since they changed.")
    scope = await open_scope(vault, inside, skipped, {one.name for one in chosen})
    kinds = await asyncio.to_thread(dismissed_findings, vault)
    rules = await asyncio.to_thread(ledger.rules)
    favoured = {name for name, record in rules.items() if record.is_favoured}
    try:
        found = await asyncio.to_thread(collect_findings, scope, chosen, kinds, favoured, limit)
    finally:
        # A thread does not end by itself when nobody waits for it.
        scope.budget.leave()
    notices += [
        f"The check `{run.check}` stopped when its time was over; the next plan goes on."
        for run in found.runs
        if not run.complete
    ]
    tried = await try_findings(scope, found.findings)
    left_out = {
        "dismissed before": found.dismissed,
        "that there was no time to try; the next plan looks again": tried.untried,
        "that would change the same places as others; the next plan looks again": (
            len(tried.refused) - tried.breaking - tried.untried
        ),
        "after which links would lead nowhere": tried.breaking,
    }
    notices += [f"Left out: {count_of(count, 'finding')} {why}." for why, count in left_out.items() if count]
    return ComposedPlan(found, tried, notices)


def keep_checked(vault: OpenVault, composed: ComposedPlan) -> None:
    """Record which notes need not be looked at again until they change: those about which nothing was found. Blocks.

    What a plan proposes is found again until it is applied, changed or dismissed, whatever becomes of the plan.
    """
    again = {path for one in (*composed.tried.findings, *composed.tried.refused) for path in one.notes}
    found = composed.found
    checked = [(path, found.scope.notes[path].digest) for path in found.checked if path not in again]
    Ledger(vault.store.database).set_checked(found.version, checked)


def dismissed_findings(vault: OpenVault, *, by_user: bool = False) -> set[Dismissal]:
    """Return everything that was dismissed, in whichever report, or only what the user dismissed. Blocks."""
    kinds: tuple[DismissalKind, ...] = ("merge", "prospect", "orphan", "violation", "finding")
    every = ((one, user) for kind in kinds for one, user in vault.store.dismissals.of(kind).items())
    return {one for one, user in every if user or not by_user}


class TriedFindings(Record):
    """The findings that can be applied, and the counts after those that are very likely right."""

    findings: Sequence[TidyFinding]
    refused: Sequence[TidyFinding]
    """Those that cannot be applied beside the others."""
    breaking: int
    """How many of these would leave links that lead nowhere."""
    untried: int
    """For how many of these there was no time."""
    forecast: tuple[CountForecast, ...]


async def try_findings(scope: CheckScope, findings: Sequence[TidyFinding]) -> TriedFindings:
    vault = scope.vault
    limits = replace(change_limits(scope), seconds=scope.budget.for_trying)
    sure = await _try(vault, [one for one in findings if one.confidence >= SURE], limits)
    others = await _try(vault, [one for one in findings if one.confidence < SURE], limits)
    chosen = {id(one) for one in (*sure.findings, *others.findings)}
    refused = {id(one) for one in (*sure.refused, *others.refused)}
    return TriedFindings(
        [one for one in findings if id(one) in chosen],
        [one for one in findings if id(one) in refused],
        sure.breaking + others.breaking,
        sure.untried + others.untried,
        sure.forecast,
    )


async def _try(vault: OpenVault, findings: Sequence[TidyFinding], limits: ChangeLimits) -> TriedFindings:

    if not findings:
        return TriedFindings([], [], 0, 0, ())
    requests = [one.request for one in findings]
    tried = await vault.executor.carry_each(requests, Author("plan_tidy"), limits=limits, dry_run=True)
    kept = [one for number, one in enumerate(findings) if number not in tried.refused]
    refused = [findings[number] for number in tried.refused]
    forecast = describe_forecast(tried.outcome.planned.forecast)
    return TriedFindings(kept, refused, len(tried.breaking), len(tried.untried), forecast)


def change_limits(scope: CheckScope) -> ChangeLimits:
    """Return what plans may change: nothing that is to be left alone, nor a link outside of the plans themselves."""
    agents, plans = scope.vault.index.view("agents").notes, agents_folder(scope.vault.settings).plans

    def may_touch(path: VaultPath) -> bool:
        if path in agents:
            return not scope.vault.files.rules.keeps(path) and not scope.never.covers(path)
        return scope.may_change(path)

    return ChangeLimits(may_touch, lambda path: path.startswith(f"{plans}/"))


def note_digests(vault: OpenVault, finding: TidyFinding) -> Mapping[VaultPath, Digest]:
    """Return what the notes that a finding changes are like now. Blocks."""
    found: dict[VaultPath, Digest] = {}
    for path in changed_notes(finding):
        try:
            found[path] = digest_of(vault.files.read(path)[0])
        except BridgeError:
            continue
    return found


def changed_notes(finding: TidyFinding) -> tuple[VaultPath, ...]:
    """Return the notes that must be as they were for a finding to hold; renames hold however a note changes."""
    op = finding.request.op
    if op in ("rename_tag", "rename_property", "create_note"):
        return ()
    return finding.notes if op == "merge_notes" else (finding.request.path,)
