"""Runs the checks over a vault, and composes a plan of what they find, tried on a draft."""

import asyncio
import hashlib
import logging
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from bridge.api.change_view import describe_forecast
from bridge.api.note_names import folder_of
from bridge.changes.forecast import CountForecast
from bridge.changes.requests.many_notes import RenameProperty, RenameTag
from bridge.engine.agents_folder import agents_folder
from bridge.engine.apply_requests import ChangeLimits
from bridge.engine.open_vault import OpenVault
from bridge.engine.transactions import Author
from bridge.errors import BridgeError, InvalidArguments
from bridge.features.links.public import read_corpus
from bridge.features.properties.public import read_schemas
from bridge.features.tidy.check_scope import (
    SURE_CONFIDENCE,
    BudgetSpent,
    CheckScope,
    OrphansToCheck,
    PlanBudget,
    TidyCheck,
    TidyFinding,
    TidySettings,
)
from bridge.features.tidy.checks import agents_notes, files, links, properties, topics
from bridge.features.tidy.ledger import Ledger
from bridge.features.tidy.plan_note import code_words
from bridge.features.tidy.records import CheckRun
from bridge.features.topics.public import INSTRUCTIONS, TopicSettings, find_topic_folder, read_never
from bridge.index.note import Notes
from bridge.markdown.decode import digest_of
from bridge.markdown.edit.tags import TagRename
from bridge.records import Record
from bridge.state.dismissals import Dismissal, DismissalKind
from bridge.text.counts import count_of
from bridge.types import Digest, VaultPath
from bridge.vault.obsidian_settings import read_obsidian_settings
from bridge.vault.rules import GlobSet

CHECKS: Final[Sequence[TidyCheck]] = (
    links.broken_links,
    properties.tags,
    properties.property_names,
    properties.property_types,
    properties.conventions,
    agents_notes.corrections,
    topics.topics,
    files.headings,
    files.daily_notes,
    agents_notes.memories,
    links.orphans,
    files.duplicates,
    files.empty_notes,
    files.unfilled_notes,
    files.attachments,
    links.missing_links,
    links.prospects,
)


log = logging.getLogger(__name__)

MAX_RULES_CONFIDENCE = 0.8
"""Confidence at most of a finding that would change rules: it is never ticked for the user."""

CHECKS_VERSION = 1
"""Version of the checks; a new one looks at all notes again."""


class FoundDisorder(Record):
    """What the checks found."""

    scope: CheckScope
    findings: Sequence[TidyFinding]
    """The findings that the plan proposes, by check."""
    left_out: int
    dismissed: int
    """How many more were dismissed before."""
    runs: Sequence[CheckRun]
    version: str
    checked: Collection[VaultPath]
    """The notes that need not be looked at again until they change."""


def require_checks(names: Collection[str]) -> None:
    """Require that there are checks of these names."""
    known = {check.name for check in CHECKS}
    for name in names:
        if name not in known:
            raise InvalidArguments(f"There is no check `{name[:40]}`; there are {', '.join(sorted(known))}.")


def choose_checks(names: Collection[str], ledger: Ledger) -> tuple[list[TidyCheck], list[str]]:
    if names:
        require_checks(names)
        return [check for check in CHECKS if check.name in names], []
    muted = {name for name, record in ledger.rules().items() if record.is_muted}
    notices = [f"The check `{check.name}` is muted." for check in CHECKS if check.name in muted]
    return [check for check in CHECKS if check.name not in muted], notices


async def open_scope(
    vault: OpenVault, folder: str, skipped: Collection[VaultPath], checks: Collection[str]
) -> CheckScope:
    scope = await open_rules(vault)
    stated, _ = await read_schemas(vault, scope.graph_snapshot.notes)
    scope = replace(
        scope,
        corpus=await read_corpus(vault),
        texts=await scope.graph_snapshot.index.wholes(),
        stated=stated,
        folder=folder,
        skipped=frozenset(skipped),
    )
    likely = await topics.read_topics_to_check(scope) if topics.topics.name in checks else None
    orphans = await links.read_orphans(scope) if links.orphans.name in checks else OrphansToCheck()
    return replace(scope, topics=likely, orphans=orphans)


async def open_rules(vault: OpenVault) -> CheckScope:
    """Gather only what says which notes are to be left alone."""
    graph_snapshot = await vault.graph_snapshot()
    return CheckScope(
        vault=vault,
        graph_snapshot=graph_snapshot,
        style=await asyncio.to_thread(read_obsidian_settings, vault.root),
        never=read_opt_outs(vault, graph_snapshot.notes),
        budget=PlanBudget(vault, vault.settings.section(TidySettings).cpu_s),
    )


def read_opt_outs(vault: OpenVault, notes: Notes) -> GlobSet:
    folder = find_topic_folder(vault.settings.section(TopicSettings).folder, notes)
    rules = None if folder is None else notes.get(VaultPath(f"{folder}/{INSTRUCTIONS}"))
    return GlobSet((*vault.settings.section(TidySettings).never, *read_never(rules)))


def version_of(checks: Sequence[TidyCheck]) -> str:
    return hashlib.sha256(f"{CHECKS_VERSION} {' '.join(check.name for check in checks)}".encode()).hexdigest()[:16]


def collect_findings(
    scope: CheckScope, checks: Sequence[TidyCheck], favoured: Collection[str], limit: int
) -> FoundDisorder:
    """Let checks look through a vault; call in a thread."""
    found: list[list[TidyFinding]] = []
    runs: list[CheckRun] = []
    about = Counter[VaultPath]()
    declined = 0
    for left, check in enumerate(checks, 1 - len(checks)):
        since, own, count, complete = time.thread_time(), list[TidyFinding](), 0, True
        scope.budget.begin(check.name, -left)
        try:
            for one in check.look(scope):
                one = replace(one, check=check.name)  # noqa: PLW2901
                if not _is_wanted(scope, one):
                    continue
                if one.dismissal in scope.dismissed:
                    declined += 1
                    continue
                count += 1
                about.update(one.notes)
                is_rules = _rewrites_rules(scope, one)
                own.append(_doubt(one) if is_rules else replace(one, is_ticked=check.name in favoured))
                if len(own) > 2 * limit:
                    # One note may have a hundred thousand.
                    own = _take_best(own, limit)
        except BudgetSpent:
            complete = False
        scope.budget.used[check.name] = time.thread_time() - since
        runs.append(CheckRun(check.name, count, complete))
        log.debug("The check %s took %.2f s", check.name, scope.budget.used[check.name])
        found.append(_take_best(own, limit))
    chosen = _take_in_turn(found, limit)
    cut = about - Counter(path for one in chosen for path in one.notes)
    visited = list(scope.budget.visited.values())
    checked = frozenset.intersection(*map(frozenset, visited)) - cut.keys() if visited else frozenset[VaultPath]()
    left_out = sum(run.found for run in runs) - len(chosen)
    return FoundDisorder(scope, chosen, left_out, declined, runs, version_of(checks), checked)


def _take_best(findings: Sequence[TidyFinding], limit: int) -> list[TidyFinding]:
    return sorted(findings, key=lambda one: -one.confidence)[:limit]


def _is_wanted(scope: CheckScope, finding: TidyFinding) -> bool:
    rules = scope.vault.files.rules
    if any(map(rules.denies, finding.notes)):
        return False
    if finding.notes and all(path in scope.skipped for path in finding.notes):
        return False
    return any(map(scope.is_inside, finding.notes)) and (
        finding.request.path in scope.agents or scope.may_change(finding.request.path)
    )


def _rewrites_rules(scope: CheckScope, finding: TidyFinding) -> bool:
    match finding.request:
        case RenameTag(tag=tag, to=to):
            rename = TagRename(tag, to)
            return any(rename.apply(tag) for note in scope.rules.values() for tag in note.tags)
        case RenameProperty(name=name):
            return any(name in note.properties for note in scope.rules.values())
        case request:
            return request.path in scope.rules


def _doubt(finding: TidyFinding) -> TidyFinding:
    why = f"{finding.why}; it would change what Vaultside reads as rules"
    return replace(finding, confidence=min(finding.confidence, MAX_RULES_CONFIDENCE), why=why)


def _take_in_turn(found: Sequence[Sequence[TidyFinding]], limit: int) -> list[TidyFinding]:
    """Return the best findings of each check in turn, so that none takes the room of the others; by check."""
    turns = sorted((place, check) for check, own in enumerate(found) for place in range(len(own)))[:limit]
    return [found[check][place] for check, place in sorted((check, place) for place, check in turns)]


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
        notices.append(f"Left out: {count_of(len(skipped), 'note')} checked since the last change.")
    scope = await open_scope(vault, inside, skipped, {one.name for one in chosen})
    scope = replace(scope, dismissed=await asyncio.to_thread(dismissed_findings, vault))
    rules = await asyncio.to_thread(ledger.rules)
    favoured = {name for name, record in rules.items() if record.is_favoured}
    try:
        found = await asyncio.to_thread(collect_findings, scope, chosen, favoured, limit)
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
            len(tried.refused) - tried.breaking - tried.untried - tried.locked.total()
        ),
        f"that would change what is read-only: {', '.join(map(code_words, tried.locked))}": tried.locked.total(),
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
    locked: Counter[VaultPath]
    """The read-only files that others of these would change, and how many would."""
    forecast: tuple[CountForecast, ...]


async def try_findings(scope: CheckScope, findings: Sequence[TidyFinding]) -> TriedFindings:
    limits = replace(change_limits(scope), seconds=scope.budget.for_trying)
    refused, breaking, untried, locked = set[int](), 0, 0, Counter[VaultPath]()
    forecast: tuple[CountForecast, ...] = ()
    for is_sure in (True, False):
        if some := [one for one in findings if (one.confidence >= SURE_CONFIDENCE) == is_sure]:
            made, tried = await scope.vault.executor.execute_each(
                [one.request for one in some], Author("plan_tidy"), limits=limits, dry_run=True
            )
            refused |= {id(some[number]) for number in tried.refused}
            breaking += len(tried.breaking)
            untried += len(tried.untried)
            locked.update(tried.locked.values())
            forecast = describe_forecast(made.planned.forecast) if is_sure else forecast
    kept, others = ([one for one in findings if (id(one) in refused) == is_refused] for is_refused in (False, True))
    return TriedFindings(kept, others, breaking, untried, locked, forecast)


def change_limits(scope: CheckScope) -> ChangeLimits:
    """Return what plans may change: nothing that is to be left alone, nor a link outside of the plans themselves."""
    agents, plans = scope.agents, agents_folder(scope.vault.settings).plans

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
    return finding.notes if op in ("merge_notes", "delete_files") else (finding.request.path,)
