"""There is one plan, which a new one replaces; it is made from time to time while nobody is there, never applied."""

import asyncio
import re
import time
from collections.abc import Callable

import pytest

from bridge.engine.activity import Activity
from bridge.engine.open_vault import OpenVault
from bridge.events import PlanReady
from bridge.features.tidy import make_plan
from bridge.features.tidy.ledger import Ledger
from tests.engine.conftest import until
from tests.features.served import PATIENCE_S, Served
from tests.features.test_tidy import NOTES, change, content, edit_file, is_sure, new_plan, root, tick, ticked_plan
from tests.features.test_tidy_values import put_value
from tests.server.clients import bearer, made
from tests.server.clients import call as call_as

__all__ = ["NOTES"]

DAY_S = 86_400.0


@pytest.fixture
async def vault(served: Served) -> OpenVault:
    """An open vault in which the agents' folder is set up and a plan is wanted every week."""
    await served.result("set_up_memory", templates=False)
    await change(served, {"tidy.plan_every_days": 7})
    return served.bridge.find(None).vault


def let_pass(vault: OpenVault, days: float) -> None:
    """Let some days pass for what is kept of plans."""
    for table, column in (("garden_plan", "made"), ("garden_run", "at")):
        vault.store.database.write(f"UPDATE {table} SET {column} = {column} - ?", (days * DAY_S,))


def plans(served: Served) -> list[str]:
    return sorted(path.name for path in (root(served) / "Agents/Tidy").glob("*.md"))


async def test_a_plan_is_made_once_in_the_days_and_changes_nothing_else(served: Served, vault: OpenVault) -> None:
    before = content(served)
    with vault.events.subscribe() as queue:
        path = await make_plan.make_due_plan(vault)
    assert path is not None
    events = [message.event for message in [queue.get_nowait() for _ in range(queue.qsize())]]
    ready = [event for event in events if isinstance(event, PlanReady)]
    shown = await served.result("show_plan", path=path)
    assert [(one.path, one.findings) for one in ready] == [(path, len(shown["findings"]))]
    assert content(served) == before
    change_of = (await served.result("list_changes", limit=1))["changes"][0]
    assert (change_of["operation"], "plan_every_days" in change_of["reason"]) == ("plan_tidy", True)
    # Also without that plan, and with something new to find.
    (root(served) / path).unlink()
    await edit_file(served, "Land/Plot.md", lambda text: text + "More.\n")
    assert await make_plan.make_due_plan(vault) is None
    let_pass(vault, 6)
    assert await make_plan.make_due_plan(vault) is None
    let_pass(vault, 2)
    assert await make_plan.make_due_plan(vault) is not None


async def test_none_is_made_unless_the_user_wants_it(served: Served, vault: OpenVault) -> None:
    await change(served, {"tidy.plan_every_days": 0})
    assert await make_plan.make_due_plan(vault) is None
    await change(served, {"tidy.plan_every_days": 7})
    (root(served) / "Agents/About this folder.md").unlink()
    await vault.indexer.look_at(["Agents"])
    assert await make_plan.make_due_plan(vault) is None
    assert not (root(served) / "Agents/Tidy").exists()


async def test_a_plan_with_nothing_to_find_writes_no_note(served: Served, vault: OpenVault) -> None:
    await change(served, {"tidy.never": ["**"]})
    with vault.events.subscribe() as queue:
        assert await make_plan.make_due_plan(vault) is None
    assert not any(isinstance(queue.get_nowait().event, PlanReady) for _ in range(queue.qsize()))
    assert not (root(served) / "Agents/Tidy").exists()
    # It counts, all the same.
    await change(served, {"tidy.never": []})
    assert await make_plan.make_due_plan(vault) is None
    let_pass(vault, 8)
    assert await make_plan.make_due_plan(vault) is not None


async def test_one_that_failed_is_not_begun_again_at_once(vault: OpenVault) -> None:
    await asyncio.to_thread(Ledger(vault.store.database).set_run, "tried")
    assert await make_plan.make_due_plan(vault) is None
    let_pass(vault, 0.5)
    assert await make_plan.make_due_plan(vault) is not None


@pytest.mark.parametrize(
    ("review", "is_replaced"),
    [
        (lambda text: text, True),
        (lambda text: text.replace("\n", "\r\n"), True),
        (lambda text: re.sub(r"(?m)^- \[ \].*\n", "", text, count=1), True),
        (lambda text: text.replace("- [ ]", "- [x]", 1), False),
        (lambda text: text + "\nI will look at it.\n", False),
    ],
)
async def test_a_plan_that_a_person_works_in_is_left_alone(
    served: Served, vault: OpenVault, review: Callable[[str], str], is_replaced: bool
) -> None:
    path = await make_plan.make_due_plan(vault)
    assert path is not None
    await edit_file(served, path, review)
    before = (root(served) / path).read_bytes()
    let_pass(vault, 8)
    assert (await make_plan.make_due_plan(vault) is not None) == is_replaced
    assert ((root(served) / path).read_bytes() != before) == is_replaced
    assert plans(served) == ["Plan.md"]


async def test_it_is_replaced_when_what_is_ticked_was_applied_or_does_not_hold_any_more(
    served: Served, vault: OpenVault
) -> None:
    await ticked_plan(served, checks=["headings", "daily_notes"])
    assert await make_plan.make_due_plan(vault) is None
    await served.result("apply_plan", checks=["headings"], confirm=True)
    assert await make_plan.make_due_plan(vault) is None
    await edit_file(served, "2025-01-03.md", lambda text: text + "More.\n")
    assert await make_plan.make_due_plan(vault) is not None


async def test_the_task_waits_until_nobody_is_there(
    served: Served, vault: OpenVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(make_plan, "LOOK_EVERY_S", 0.01)
    monkeypatch.setattr(make_plan, "QUIET_S", 0.1)
    looks, is_idle = 0, make_plan.is_idle

    def counted(vault: OpenVault, quiet_s: float) -> bool:
        nonlocal looks
        looks += 1
        return is_idle(vault, quiet_s)

    monkeypatch.setattr(make_plan, "is_idle", counted)
    with vault.events.subscribe() as queue:
        async with asyncio.TaskGroup() as group:
            task = group.create_task(make_plan.plan_when_idle(vault))
            with served.bridge.activity.during_call():
                # Each look takes a tenth of that pause, or longer.
                await until(lambda: looks > 20)
                assert not plans(served)
            async with asyncio.timeout(PATIENCE_S):
                while not isinstance((await queue.get()).event, PlanReady):
                    pass
            task.cancel()
    assert len(plans(served)) == 1


def test_calls_work_and_changes_are_activity() -> None:
    clock, busy = [100.0], [False]
    activity = Activity(lambda: busy[0], lambda: clock[0])
    clock[0] += 10
    assert activity.quiet_s() == 10
    with activity.during_call():
        clock[0] += 10
        assert activity.quiet_s() == 0
    clock[0] += 5
    assert activity.quiet_s() == 5
    busy[0] = True
    assert activity.quiet_s() == 0
    busy[0] = False
    clock[0] += 1
    assert activity.quiet_s() == 1
    activity.notice()
    assert activity.quiet_s() == 0


async def test_calls_of_clients_and_saves_count_as_activity(served: Served, vault: OpenVault) -> None:
    for be_there in (served.result("tidy_rules"), edit_file(served, "Land/Plot.md", lambda text: text + "More.\n")):
        long_ago = time.monotonic() - 1_000
        served.bridge.activity._latest = long_ago
        await be_there
        assert vault.activity.quiet_s() < 1_000


async def test_a_new_plan_takes_the_place_of_the_one_before_and_keeps_its_ticks(served: Served) -> None:
    first = await ticked_plan(served, checks=["headings", "broken_links"])
    chosen = {one["text"] for one in first["findings"] if is_sure(one)}
    before = (root(served) / first["path"]).read_bytes()
    await put_value(served, await new_plan(served, checks=["daily_notes"]), "daily_notes", "Days/Another")
    second = await new_plan(served)
    assert plans(served) == ["Plan.md"]
    assert {one["check"] for one in second["findings"]} > {"headings", "broken_links"}
    # The plan between had no such findings, and another value is not what is proposed.
    assert not any(one["ticked"] for one in second["findings"])
    await served.result("undo_change", change_id=second["change_id"])
    (root(served) / first["path"]).write_bytes(before)
    third = await new_plan(served)
    assert {one["text"] for one in third["findings"] if one["ticked"]} == chosen
    shown = await served.result("show_plan")
    assert {one["text"] for one in shown["findings"] if one["ticked"]} == chosen
    # What an agent would replace waits, and a plan that was ticked in meanwhile stays.
    agent = bearer(made(served, "agent", "read", "write"))
    proposed = (await call_as(served, agent, "plan_tidy", checks=["tags"], confirm=True)).json
    assert proposed["state"] == "proposed"
    await tick(served, third, third["findings"][-1]["id"])
    ticked = (root(served) / first["path"]).read_bytes()
    refused = await served.call("decide", id=proposed["change_id"], verdict="accept")
    assert refused.code in ("change_conflict", "note_changed")
    assert (root(served) / first["path"]).read_bytes() == ticked


async def test_what_is_no_plan_of_the_bridge_is_not_replaced(served: Served, vault: OpenVault) -> None:
    note = root(served) / "Agents/Tidy/Plan.md"
    note.parent.mkdir(parents=True)
    note.write_text("My plan.\n")
    assert (await served.call("plan_tidy")).code == "note_exists"
    assert note.read_text() == "My plan.\n"
    # One that another machine made is, if the person asks for it.
    note.write_text("---\ntype: tidy-plan\nplan: 0123456789abcdef\n---\n- [x] Delete it ^g1\n")
    assert await make_plan.make_due_plan(vault) is None
    assert "was made here" in (await served.call("apply_plan")).json["error"]["message"]
    made_plan = await new_plan(served)
    assert f"plan: {'0' * 4}" not in note.read_text()
    assert not any(one["ticked"] for one in made_plan["findings"])


async def test_without_a_plan_it_is_said_how_to_make_one(served: Served) -> None:
    for operation in ("show_plan", "apply_plan"):
        error = (await served.call(operation)).json["error"]
        assert (error["code"], error["hint"]) == ("note_not_found", "`plan_tidy` makes one.")


async def test_a_rejected_plan_hides_nothing(served: Served) -> None:
    agent = bearer(made(served, "agent", "read", "write"))
    proposed = (await call_as(served, agent, "plan_tidy", confirm=True)).json
    assert (proposed["state"], bool(proposed["findings"])) == ("proposed", True)
    await served.result("decide", id=proposed["change_id"], verdict="reject")
    mine = await new_plan(served)
    assert [one["text"] for one in mine["findings"]] == [one["text"] for one in proposed["findings"]]
