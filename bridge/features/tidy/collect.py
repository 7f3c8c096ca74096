"""Runs the checks over a vault, and chooses what of their findings a plan proposes."""

import asyncio
import hashlib
import logging
import time
from collections.abc import Collection, Sequence
from typing import Final

from msgspec.structs import replace

from bridge.changes.requests.many_notes import RenameProperty, RenameTag
from bridge.engine.open_vault import OpenVault
from bridge.errors import InvalidArguments
from bridge.features.links.public import read_corpus, similar_notes
from bridge.features.properties.public import read_schemas
from bridge.features.tidy.check_scope import Budget, BudgetSpent, CheckScope, OrphansToCheck, TidySettings
from bridge.features.tidy.checks.agents_notes import Corrections, ExpiredMemories
from bridge.features.tidy.checks.files import (
    Duplicates,
    EmptyNotes,
    RepeatedHeadings,
    StrayDailyNotes,
    UnfilledNotes,
    UnusedAttachments,
)
from bridge.features.tidy.checks.links import BrokenLinks, MissingLinks, Orphans, Prospects, read_orphans
from bridge.features.tidy.checks.properties import PropertyNames, PropertyTypes, TagVariants, ViolatedConventions
from bridge.features.tidy.checks.topics import Topics, read_topics_to_check
from bridge.features.tidy.finding import TidyCheck, TidyFinding
from bridge.features.tidy.ledger import Ledger
from bridge.features.tidy.records import CheckRun
from bridge.features.topics.public import INSTRUCTIONS, TopicSettings, find_topic_folder, read_never
from bridge.index.note import Notes
from bridge.markdown.edit.tags import TagRename
from bridge.records import Record
from bridge.state.dismissals import Dismissal
from bridge.types import VaultPath
from bridge.vault.obsidian_settings import read_obsidian_settings
from bridge.vault.rules import GlobSet

CHECKS: Final[Sequence[TidyCheck]] = (
    BrokenLinks(),
    TagVariants(),
    PropertyNames(),
    PropertyTypes(),
    ViolatedConventions(),
    Corrections(),
    Topics(),
    RepeatedHeadings(),
    StrayDailyNotes(),
    ExpiredMemories(),
    Orphans(),
    Duplicates(),
    EmptyNotes(),
    UnfilledNotes(),
    UnusedAttachments(),
    MissingLinks(),
    Prospects(),
)


log = logging.getLogger(__name__)

UNSURE = 0.8
"""Confidence at most of a finding that would change rules: it is never ticked for the user."""

VERSION = 1
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


def choose_checks(names: Collection[str], ledger: Ledger) -> tuple[list[TidyCheck], list[str]]:
    known = {check.name: check for check in CHECKS}
    if unknown := [name for name in names if name not in known]:
        raise InvalidArguments(f"There is no check `{unknown[0][:40]}`; there are {', '.join(known)}.")
    if names:
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
        near=await similar_notes(vault, scope.graph_snapshot) if Duplicates.name in checks else [],
        stated=stated,
        folder=folder,
        skipped=frozenset(skipped),
    )
    topics = await read_topics_to_check(scope) if Topics.name in checks else None
    orphans = await read_orphans(scope) if Orphans.name in checks else OrphansToCheck()
    return replace(scope, topics=topics, orphans=orphans)


async def open_rules(vault: OpenVault) -> CheckScope:
    """Gather only what says which notes are to be left alone."""
    graph_snapshot = await vault.graph_snapshot()
    return CheckScope(
        vault=vault,
        graph_snapshot=graph_snapshot,
        style=await asyncio.to_thread(read_obsidian_settings, vault.root),
        never=read_opt_outs(vault, graph_snapshot.notes),
        budget=Budget(vault, vault.settings.section(TidySettings).cpu_s),
    )


def read_opt_outs(vault: OpenVault, notes: Notes) -> GlobSet:
    folder = find_topic_folder(vault.settings.section(TopicSettings).folder, notes)
    rules = None if folder is None else notes.get(VaultPath(f"{folder}/{INSTRUCTIONS}"))
    return GlobSet((*vault.settings.section(TidySettings).never, *read_never(rules)))


def version_of(checks: Sequence[TidyCheck]) -> str:
    return hashlib.sha256(f"{VERSION} {' '.join(check.name for check in checks)}".encode()).hexdigest()[:16]


def collect_findings(
    scope: CheckScope,
    checks: Sequence[TidyCheck],
    dismissed: Collection[Dismissal],
    favoured: Collection[str],
    limit: int,
) -> FoundDisorder:
    """Let checks look through a vault; call in a thread."""
    found: list[list[TidyFinding]] = []
    runs: list[CheckRun] = []
    declined = 0
    for left, check in enumerate(checks, 1 - len(checks)):
        since, own, complete = time.thread_time(), list[TidyFinding](), True
        scope.budget.begin(check.name, -left)
        try:
            for one in check.look(scope):
                if not _is_wanted(scope, one):
                    continue
                if one.dismissal in dismissed:
                    declined += 1
                else:
                    is_rules = _rewrites_rules(scope, one)
                    own.append(_doubt(one) if is_rules else replace(one, is_ticked=check.name in favoured))
        except BudgetSpent:
            complete = False
        own.sort(key=lambda one: -one.confidence)
        scope.budget.used[check.name] = time.thread_time() - since
        runs.append(CheckRun(check.name, len(own), complete))
        log.debug("The check %s took %.2f s", check.name, scope.budget.used[check.name])
        found.append(own)
    chosen = _take_in_turn(found, limit)
    cut = {path for own in found for one in own if one not in chosen for path in one.notes}
    visited = list(scope.budget.visited.values())
    checked = frozenset.intersection(*map(frozenset, visited)) - cut if visited else frozenset[VaultPath]()
    order = [one for own in found for one in own if one in chosen]
    left_out = sum(map(len, found)) - len(order)
    return FoundDisorder(scope, order, left_out, declined, runs, version_of(checks), checked)


def _is_wanted(scope: CheckScope, finding: TidyFinding) -> bool:
    rules = scope.vault.files.rules
    if any(map(rules.denies, finding.notes)):
        return False
    if finding.notes and all(path in scope.skipped for path in finding.notes):
        return False
    agents = scope.vault.index.view("agents").notes
    return any(map(scope.is_inside, finding.notes)) and (
        finding.request.path in agents or scope.may_change(finding.request.path)
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
    return replace(finding, confidence=min(finding.confidence, UNSURE), why=why)


def _take_in_turn(found: Sequence[Sequence[TidyFinding]], limit: int) -> list[TidyFinding]:
    """Return the best findings of each check in turn, so that none takes the room of the others."""
    chosen: list[TidyFinding] = []
    for place in range(max(map(len, found), default=0)):
        for own in found:
            if place < len(own) and len(chosen) < limit:
                chosen.append(own[place])
        if len(chosen) >= limit:
            break
    return chosen
