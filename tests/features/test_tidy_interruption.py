"""A look for what to tidy ends when nobody waits for it any more, and keeps to its time."""

import asyncio
import threading
from collections.abc import Iterator

import pytest

from bridge.api.call import OWNER, Call
from bridge.engine.open_vault import OpenVault
from bridge.errors import NotReady
from bridge.features import get_operation
from bridge.features.entities.merge_pairs import find_common_text, find_merge_pairs
from bridge.features.tidy import collect
from bridge.features.tidy.check_scope import CallerGone, CheckScope, TidyFinding
from bridge.features.tidy.checks.files import duplicates
from bridge.features.tidy.collect import collect_findings, open_scope
from tests.features.served import Served
from tests.features.test_tidy import content
from tests.features.test_tidy_checks import NOTES

__all__ = ["NOTES"]


class Endless:
    """A check that never comes to an end by itself."""

    name = "duplicates"
    sentence = "Looks for ever."

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.ended = threading.Event()

    def look(self, scope: CheckScope) -> Iterator[TidyFinding]:
        try:
            while not self.ended.is_set():
                scope.budget.pause()
                self.begun.set()
        finally:
            self.ended.set()
        yield from ()


@pytest.fixture
def endless(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endless]:
    check = Endless()
    monkeypatch.setattr(collect, "CHECKS", (check,))
    yield check
    check.ended.set()


@pytest.fixture
async def vault(served: Served) -> OpenVault:
    """An open vault in which plans have time."""
    await get_operation("change_settings").run(Call(served.bridge, OWNER), {"changes": {"tidy.cpu_s": 600}})
    return served.bridge.find(None).vault


async def test_it_ends_when_its_caller_is_gone(served: Served, vault: OpenVault, endless: Endless) -> None:
    before = content(served)
    plan = asyncio.create_task(collect.compose_plan(vault))
    assert await asyncio.to_thread(endless.begun.wait, 20)
    plan.cancel()
    with pytest.raises(asyncio.CancelledError):
        await plan
    assert await asyncio.to_thread(endless.ended.wait, 20)
    assert content(served) == before


async def test_it_ends_when_the_vault_is_closed(vault: OpenVault, endless: Endless) -> None:
    plan = asyncio.create_task(collect.compose_plan(vault))
    assert await asyncio.to_thread(endless.begun.wait, 20)
    vault.indexer.close()
    with pytest.raises(NotReady):
        await plan
    assert endless.ended.is_set()


class Enough(Exception):
    """Ends the work."""


@pytest.mark.parametrize("most", [0, 1, 150, 305, 310])
def test_the_comparison_of_texts_can_be_ended_anywhere(most: int) -> None:
    texts = [
        f"The dough number {at} rests in the cellar over night and is folded in the morning.\n" for at in range(300)
    ]
    copies = [*texts, *texts[:20]]
    calls = 0

    def pause() -> None:
        nonlocal calls
        calls += 1
        if calls > most:
            raise Enough

    with pytest.raises(Enough):
        find_common_text(copies, pause)
    assert calls == most + 1
    whole = 0

    def count() -> None:
        nonlocal whole
        whole += 1

    assert find_common_text(copies, count) == find_common_text(copies)
    assert whole > len(copies)


async def test_duplicates_keep_to_their_time_and_to_their_caller(vault: OpenVault) -> None:
    scope = await open_scope(vault, "", set(), set())
    scope.budget.begin("duplicates", 0)
    assert list(duplicates.look(scope))
    scope.budget.seconds = 0.0
    found = await asyncio.to_thread(collect_findings, scope, [duplicates], set(), 50)
    assert [(run.check, run.found, run.complete) for run in found.runs] == [("duplicates", 0, False)]
    scope.budget.leave()
    with pytest.raises(CallerGone):
        list(duplicates.look(scope))
    with pytest.raises(CallerGone):
        find_merge_pairs(scope.notes, scope.texts, scope.graph_snapshot.graph, scope.budget.pause)


async def test_findings_that_there_is_no_time_to_try_are_left_out(vault: OpenVault) -> None:
    scope = await open_scope(vault, "", set(), set())
    scope.budget.begin("duplicates", 0)
    findings = list(duplicates.look(scope))
    assert (await collect.try_findings(scope, findings)).untried == 0
    scope.budget.used["duplicates"] = scope.budget.seconds
    tried = await collect.try_findings(scope, findings)
    assert (tried.findings, tried.refused, tried.untried) == ([], findings, len(findings))
    composed = await collect.compose_plan(vault)
    assert not any("no time" in notice for notice in composed.notices)


async def test_texts_are_not_compared_if_no_note_has_changed(vault: OpenVault) -> None:
    scope = await open_scope(vault, "", set(vault.index.notes), set())
    scope.budget.begin("duplicates", 0)
    assert list(duplicates.look(scope)) == []
