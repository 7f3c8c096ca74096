"""Making a plan: a note that proposes changes, of which a person ticks what is to be done."""

import asyncio
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

from annotated_types import Interval, MaxLen

from bridge.api.agreement import SetUpMemory, has_agreed, require_agreement
from bridge.api.call import Call
from bridge.api.count_forecast import CountForecast, describe_forecast
from bridge.api.hints import Folder
from bridge.api.not_found import folder_of
from bridge.api.registry import operation
from bridge.api.write import WriteArguments, WriteOptions, author, execute_requests
from bridge.changes.requests.create_note import CreateNote
from bridge.errors import BridgeError
from bridge.features.gardener.finding import TICKED, GardenFinding, encode_finding
from bridge.features.gardener.ledger import Ledger
from bridge.features.gardener.records import GardenPlan, PlannedFinding
from bridge.notebook.folder import agents_folder
from bridge.notebook.plan_note import TYPE, PlanLine, PlanSection, record_digest, write_plan
from bridge.records import dataclass
from bridge.state.dismissals import Dismissal, DismissalKind
from bridge.text.counts import count_of
from bridge.types import Digest, VaultPath

if TYPE_CHECKING:
    from bridge.changes.requests.base import Request
    from bridge.engine.open_vault import OpenVault
    from bridge.engine.request_selection import ChangeLimits
    from bridge.features.gardener.collect import FoundDisorder
    from bridge.features.gardener.garden import Garden

CheckNames = Annotated[tuple[str, ...], MaxLen(50)]

COUNTS: Mapping[str, str] = {"dangling": "unresolved links"}
"""Counts that people know by another name."""

MOST_SHOWN = 12
"""Counts that the note shows."""


@operation(
    example={"folder": "Bread", "limit": 5, "dry_run": True},
    reads=False,
    scope="write",
    tasks=(
        "tidy up the vault",
        "propose what to clean up in my notes",
        "find and fix broken links, duplicate notes and inconsistent tags",
        "vault maintenance plan",
    ),
)
async def plan_garden(
    call: Call,
    checks: CheckNames = (),
    folder: Folder | None = None,
    limit: Annotated[int, Interval(ge=1, le=500)] = 50,
    skip_checked: bool = True,
    *,
    options: WriteArguments,
) -> GardenPlan:
    """Look for broken links, duplicates and inconsistencies, and propose what to do in a note, as tasks to tick.

    `apply_plan` then does what is ticked. A note with the property `gardener: ignore` is left alone.

    Args:
        checks: Only these checks, from `garden_rules`; muted ones run only if named.
        folder: Only findings about notes under this folder.
        limit: Maximum findings in the plan.
        skip_checked: Leave out notes that were checked since they changed.

    Raises:
        FolderNotFound: No notes in such a folder; the message names the closest.
        ConfirmationRequired: The user did not agree to the agents' folder yet.
    """
    from bridge.features.gardener.collect import choose_checks, collect_findings, open_garden, version_of

    vault = call.vault
    vault.require_keyword()
    agents = agents_folder(vault.settings)
    if not vault.files.has(agents.about) and not options.dry_run:
        require_agreement(call, agents, confirm=options.confirm)
    ledger = Ledger(vault.store.database)
    chosen, notices = await asyncio.to_thread(choose_checks, checks, ledger)
    notes = vault.index.view("notes").notes
    inside = folder_of(notes, folder)
    known = await asyncio.to_thread(ledger.checked, version_of(chosen)) if skip_checked else {}
    skipped = {path for path, digest in known.items() if path in notes and notes[path].digest == digest}
    if skipped:
        notices.append(f"Left out: {len(skipped):,} notes that were checked since they changed.")
    garden = await open_garden(vault, inside, skipped, similar=any(one.name == "duplicates" for one in chosen))
    kinds = await asyncio.to_thread(dismissed_findings, vault)
    found = await asyncio.to_thread(collect_findings, garden, chosen, kinds, limit)
    notices += [
        f"The check `{run.check}` stopped when its time was over; the next plan goes on."
        for run in found.runs
        if not run.complete
    ]
    tried = await try_findings(call, garden, found.findings)
    if found.dismissed:
        notices.append(f"Left out: {count_of(found.dismissed, 'finding')} dismissed before.")
    if beside := len(tried.refused) - tried.breaking:
        left = count_of(beside, "finding")
        notices.append(f"Left out: {left} that would change the same places as others; the next plan looks again.")
    if tried.breaking:
        left = count_of(tried.breaking, "finding")
        notices.append(f"Left out: {left} after which links would lead nowhere.")
    plan = await _write(call, found, tried, notices, options)
    if not options.dry_run:
        again = {path for one in tried.refused for path in one.notes}
        checked = [(path, garden.notes[path].digest) for path in found.checked if path not in again]
        await asyncio.to_thread(ledger.set_checked, found.version, checked)
    return plan


def dismissed_findings(vault: "OpenVault", *, by_user: bool = False) -> set[Dismissal]:
    """Return everything that was dismissed, in whichever report, or only what the user dismissed. Blocks."""
    kinds: tuple[DismissalKind, ...] = ("merge", "prospect", "orphan", "violation", "finding")
    every = ((one, user) for kind in kinds for one, user in vault.store.dismissals.of(kind).items())
    return {one for one, user in every if user or not by_user}


@dataclass(frozen=True, slots=True)
class TriedFindings:
    """The findings that can be applied, and the counts afterwards."""

    findings: Sequence[GardenFinding]
    refused: Sequence[GardenFinding]
    """Those that cannot be applied beside the others."""
    breaking: int
    """How many of these would leave links that lead nowhere."""
    forecast: tuple[CountForecast, ...]


async def try_findings(call: Call, garden: "Garden", findings: Sequence[GardenFinding]) -> TriedFindings:
    """Try each finding on a draft of the vault, and forecast the counts after those that are ticked."""
    limits, ticked = change_limits(garden), [one for one in findings if one.confidence >= TICKED]
    sure = await _try(call, ticked, limits)
    others = await _try(call, [one for one in findings if one.confidence < TICKED], limits)
    chosen = {id(one) for one in (*sure.findings, *others.findings)}
    refused = {id(one) for one in (*sure.refused, *others.refused)}
    return TriedFindings(
        [one for one in findings if id(one) in chosen],
        [one for one in findings if id(one) in refused],
        sure.breaking + others.breaking,
        sure.forecast,
    )


async def _try(call: Call, findings: Sequence[GardenFinding], limits: "ChangeLimits") -> TriedFindings:
    from bridge.engine.transactions import Author

    if not findings:
        return TriedFindings([], [], 0, ())
    requests = [one.request for one in findings]
    tried = await call.vault.executor.carry_each(requests, Author("plan_garden"), limits=limits, dry_run=True)
    kept = [one for number, one in enumerate(findings) if number not in tried.refused]
    refused = [findings[number] for number in tried.refused]
    forecast = describe_forecast(tried.outcome.planned.forecast)
    return TriedFindings(kept, refused, len(tried.breaking), forecast)


def change_limits(garden: "Garden") -> "ChangeLimits":
    """Return what plans may change: nothing that is to be left alone, nor a link outside of the plans themselves."""
    from bridge.engine.request_selection import ChangeLimits

    agents, plans = garden.vault.index.view("agents").notes, agents_folder(garden.vault.settings).plans

    def may_touch(path: VaultPath) -> bool:
        if path in agents:
            return not garden.vault.files.rules.keeps(path) and not garden.never.covers(path)
        return garden.may_change(path)

    return ChangeLimits(may_touch, lambda path: path.startswith(f"{plans}/"))


async def _write(
    call: Call, found: "FoundDisorder", tried: TriedFindings, notices: list[str], options: WriteOptions
) -> GardenPlan:
    """Write the note of a plan; without findings there is none."""
    vault, ids = call.vault, {number: f"g{number}" for number in range(1, len(tried.findings) + 1)}
    findings = dict(zip(ids.values(), tried.findings, strict=True))
    plan = secrets.token_hex(8)
    records = {
        id_: encode_finding(one, id_, await asyncio.to_thread(note_digests, vault, one))
        for id_, one in findings.items()
    }
    described = tuple(describe_finding(id_, one, ticked=one.confidence >= TICKED) for id_, one in findings.items())
    if not findings:
        return GardenPlan(None, (), found.left_out, (), tuple(found.runs), tuple(notices), "applied", None)
    folder = agents_folder(vault.settings)
    begins = not vault.files.has(folder.about)
    now = datetime.now().astimezone()
    path = await asyncio.to_thread(_free_path, vault, folder.plans, now)
    text = write_plan(_summary(tried), _sections(findings), list(records.values()))
    requests: list[Request] = [SetUpMemory(path=folder.about, folder=folder, templates=False)] if begins else []
    properties = {"type": TYPE, "plan": plan, "made": now.strftime("%Y-%m-%dT%H:%M")}
    requests.append(CreateNote(path=path, text=text, properties=properties))
    lent = folder if begins and has_agreed(call) else author(call, "plan_garden", None).applies_in
    agreed = None if lent is None else replace(lent, may_plan=True)
    made = await execute_requests(call, requests, options, operation="plan_garden", agreed=agreed)
    if not options.dry_run:
        rows = [(id_, findings[id_].check, record_digest(plan, record)) for id_, record in records.items()]
        await asyncio.to_thread(Ledger(vault.store.database).add_plan, plan, rows)
    return GardenPlan(
        path, described, found.left_out, tried.forecast, tuple(found.runs), tuple(notices), made.state, made.change_id
    )


def note_digests(vault: "OpenVault", finding: GardenFinding) -> Mapping[VaultPath, Digest]:
    """Return what the notes that a finding changes are like now. Blocks."""
    from bridge.markdown.decode import digest_of

    found: dict[VaultPath, Digest] = {}
    for path in changed_notes(finding):
        try:
            found[path] = digest_of(vault.files.read(path)[0])
        except BridgeError:
            continue
    return found


def changed_notes(finding: GardenFinding) -> tuple[VaultPath, ...]:
    """Return the notes that must be as they were for a finding to hold; renames hold however a note changes."""
    op = finding.request.op
    if op in ("rename_tag", "rename_property", "create_note"):
        return ()
    return finding.notes if op == "merge_notes" else (finding.request.path,)


def describe_finding(id_: str, finding: GardenFinding, *, ticked: bool) -> PlannedFinding:
    """Return a finding in the form of the result."""
    return PlannedFinding(
        id_, finding.check, finding.text, finding.why, finding.confidence, ticked, finding.notes, "open"
    )


def finding_line(finding: GardenFinding) -> str:
    """Return what a finding's line says."""
    return f"{finding.text} · {finding.confidence:.2f} · {finding.why}"


def _free_path(vault: "OpenVault", folder: VaultPath, now: datetime) -> VaultPath:
    number = 1
    while True:
        path = VaultPath(f"{folder}/Plan {now:%Y-%m-%d}{f' {number}' if number > 1 else ''}.md")
        if not vault.files.has(path):
            return path
        number += 1


def _summary(tried: TriedFindings) -> list[str]:
    """Return the paragraphs on top of the note."""
    ticked = sum(one.confidence >= TICKED for one in tried.findings)
    explained = (
        "What the gardener proposes. Nothing is changed before a person applies this plan: tick what is right, untick"
        " or delete what is not. The words of a line may be changed, its `^g…` and the data at the end may not."
    )
    return [
        explained,
        f"If what is ticked now ({ticked} of {len(tried.findings)}) is applied: {counts_in_words(tried.forecast)}.",
    ]


def _sections(findings: Mapping[str, GardenFinding]) -> list[PlanSection]:
    from bridge.features.gardener.every_check import CHECKS

    sections: list[PlanSection] = []
    for check in CHECKS:
        own = {id_: one for id_, one in findings.items() if one.check == check.name}
        if not own:
            continue
        lines = [
            PlanLine(id_, one.confidence >= TICKED, finding_line(one), 0)
            for id_, one in sorted(own.items(), key=lambda each: -each[1].confidence)
        ]
        title = check.name.replace("_", " ").capitalize()
        sections.append(PlanSection(title, check.sentence, tuple(lines)))
    return sections


def counts_in_words(counts: Sequence[CountForecast]) -> str:
    """Return counts for people, such as `notes 120 → 119 · orphans 20 → 12`."""
    from bridge.notebook.plan_note import plain_words

    if not counts:
        return "no count changes"
    shown = [
        f"{plain_words(COUNTS.get(one.name, one.name))} {one.before:,} → {one.after:,}" for one in counts[:MOST_SHOWN]
    ]
    more = [f"{len(counts) - MOST_SHOWN} more"] if len(counts) > MOST_SHOWN else []
    return " · ".join([*shown, *more])
