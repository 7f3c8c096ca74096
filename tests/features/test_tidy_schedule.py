"""A plan is made from time to time while nobody is there, never applied, and goes to the trash when it is old."""

import asyncio
import re
import time
from collections.abc import Callable
from typing import Any

import pytest

from bridge.api.call import OWNER, Call
from bridge.engine.activity import Activity
from bridge.engine.open_vault import OpenVault
from bridge.events import PlanReady
from bridge.features import get_operation
from bridge.features.tidy import schedule
from bridge.features.tidy.ledger import Ledger
from tests.engine.conftest import until
from tests.features.served import PATIENCE_S, Served
from tests.features.test_tidy import NOTES, call, content, edit_file, new_plan, root
from tests.server.clients import bearer, made
from tests.server.clients import call as call_as

__all__ = ["NOTES"]

DAY_S = 86_400.0


@pytest.fixture
async def vault(served: Served) -> OpenVault:
    """An open vault in which the agents' folder is set up and a plan is wanted every week."""
    await call(served, "set_up_memory", templates=False)
    await change(served, {"tidy.plan_every_days": 7})
    return served.bridge.find(None).vault


async def change(served: Served, settings: dict[str, Any]) -> None:
    await get_operation("change_settings").run(Call(served.bridge, OWNER), {"changes": settings})


def let_pass(vault: OpenVault, days: float) -> None:
    """Let some days pass for what is kept of plans."""
    for table, column in (("garden_plan", "made"), ("garden_run", "at")):
        vault.store.database.write(f"UPDATE {table} SET {column} = {column} - ?", (days * DAY_S,))


def plans(served: Served) -> list[str]:
    return sorted(path.name for path in (root(served) / "Agents/Tidy").glob("*.md"))


async def test_a_plan_is_made_once_in_the_days_and_changes_nothing_else(served: Served, vault: OpenVault) -> None:
    before = content(served)
    with vault.events.subscribe() as queue:
        path = await schedule.make_due_plan(vault)
    assert path is not None
    events = [message.event for message in [queue.get_nowait() for _ in range(queue.qsize())]]
    ready = [event for event in events if isinstance(event, PlanReady)]
    shown = await call(served, "show_plan", path=path)
    assert [(one.path, one.findings) for one in ready] == [(path, len(shown["findings"]))]
    assert content(served) == before
    change_of = (await call(served, "list_changes", limit=1))["changes"][0]
    assert (change_of["operation"], "plan_every_days" in change_of["reason"]) == ("plan_tidy", True)
    # Also without that plan, and with something new to find.
    (root(served) / path).unlink()
    await edit_file(served, "Land/Plot.md", lambda text: text + "More.\n")
    assert await schedule.make_due_plan(vault) is None
    let_pass(vault, 6)
    assert await schedule.make_due_plan(vault) is None
    let_pass(vault, 2)
    assert await schedule.make_due_plan(vault) is not None


async def test_none_is_made_unless_the_user_wants_it(served: Served, vault: OpenVault) -> None:
    await change(served, {"tidy.plan_every_days": 0})
    assert await schedule.make_due_plan(vault) is None
    await change(served, {"tidy.plan_every_days": 7})
    (root(served) / "Agents/About this folder.md").unlink()
    await vault.indexer.look_at(["Agents"])
    assert await schedule.make_due_plan(vault) is None
    assert not (root(served) / "Agents/Tidy").exists()


async def test_a_plan_with_nothing_to_find_writes_no_note(served: Served, vault: OpenVault) -> None:
    await change(served, {"tidy.never": ["**"]})
    with vault.events.subscribe() as queue:
        assert await schedule.make_due_plan(vault) is None
    assert not any(isinstance(queue.get_nowait().event, PlanReady) for _ in range(queue.qsize()))
    assert not (root(served) / "Agents/Tidy").exists()
    # It counts, all the same.
    await change(served, {"tidy.never": []})
    assert await schedule.make_due_plan(vault) is None
    let_pass(vault, 8)
    assert await schedule.make_due_plan(vault) is not None


async def test_one_that_failed_is_not_begun_again_at_once(vault: OpenVault) -> None:
    await asyncio.to_thread(Ledger(vault.store.database).set_run, "tried")
    assert await schedule.make_due_plan(vault) is None
    let_pass(vault, 0.5)
    assert await schedule.make_due_plan(vault) is not None


@pytest.mark.parametrize(
    ("review", "next_one"),
    [
        (lambda text: text, False),
        (lambda text: text.replace("\n", "\r\n"), False),
        (lambda text: text.replace("- [x]", "- [ ]", 1), True),
        (lambda text: re.sub(r"(?m)^- \[x\].*\n", "", text, count=1), True),
        (lambda text: text + "\nI will look at it.\n", True),
    ],
)
async def test_plans_do_not_pile_up_unread(
    served: Served, vault: OpenVault, review: Callable[[str], str], next_one: bool
) -> None:
    path = await schedule.make_due_plan(vault)
    assert path is not None
    await edit_file(served, "Land/Plot.md", lambda text: text + "More.\n")
    await edit_file(served, path, review)
    let_pass(vault, 8)
    assert (await schedule.make_due_plan(vault) is not None) == next_one


@pytest.mark.parametrize("operation", ["apply_plan", "judge_finding"])
async def test_a_plan_that_was_applied_or_judged_is_reviewed(served: Served, vault: OpenVault, operation: str) -> None:
    path = await schedule.make_due_plan(vault)
    assert path is not None
    more = {"confirm": True} if operation == "apply_plan" else {"finding": "g1", "verdict": "accept"}
    await call(served, operation, path=path, **more)
    await edit_file(served, "Land/Left.md", lambda text: text + "\n## A\n\n## A\n")
    let_pass(vault, 8)
    assert await schedule.make_due_plan(vault) is not None


async def test_the_task_waits_until_nobody_is_there(
    served: Served, vault: OpenVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schedule, "LOOK_EVERY_S", 0.01)
    monkeypatch.setattr(schedule, "QUIET_S", 0.1)
    looks, is_idle = 0, schedule.is_idle

    def counted(vault: OpenVault, quiet_s: float) -> bool:
        nonlocal looks
        looks += 1
        return is_idle(vault, quiet_s)

    monkeypatch.setattr(schedule, "is_idle", counted)
    with vault.events.subscribe() as queue:
        async with asyncio.TaskGroup() as group:
            task = group.create_task(schedule.plan_when_idle(vault))
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
    for be_there in (call(served, "tidy_rules"), edit_file(served, "Land/Plot.md", lambda text: text + "More.\n")):
        long_ago = time.monotonic() - 1_000
        served.bridge.activity._latest = long_ago
        await be_there
        assert vault.activity.quiet_s() < 1_000


async def test_old_plans_go_to_the_trash_and_come_back(served: Served, vault: OpenVault) -> None:
    first = await new_plan(served, checks=["headings"])
    await call(served, "apply_plan", path=first["path"], confirm=True)
    second = await new_plan(served, checks=["broken_links"])
    file = root(served) / second["path"]
    file.write_text(file.read_text().replace("- [x]", "* [ ]", 1).replace("\n", "\r\n"))
    kept = {name: (root(served) / "Agents/Tidy" / name).read_bytes() for name in plans(served)}
    let_pass(vault, 31)
    third = await new_plan(served, checks=["tags"])
    assert plans(served) == [third["path"].rpartition("/")[2]]
    assert any("2 plans older than 30 days" in one for one in third["notices"])
    retired = (await call(served, "list_changes", limit=1))["changes"][0]
    assert retired["operation"] == "plan_tidy"
    await call(served, "undo_change", change_id=retired["id"])
    for name, data in kept.items():
        assert (root(served) / "Agents/Tidy" / name).read_bytes() == data


async def test_what_is_no_plan_of_ours_or_has_words_of_the_user_stays(served: Served, vault: OpenVault) -> None:
    plans_folder = root(served) / "Agents/Tidy"
    for words in ("x", "\nA thought of mine.\n"):
        plan = await new_plan(served, checks=["headings"], skip_checked=False)
        file = root(served) / plan["path"]
        text = file.read_text()
        file.write_text(re.sub(r"(?m)^(- \[x\].*)( \^g1)$", rf"\1{words}\2", text) if words == "x" else text + words)
    linked = await new_plan(served, checks=["headings"], skip_checked=False)
    name = linked["path"].rpartition("/")[2].removesuffix(".md")
    await edit_file(served, "Land/Left.md", lambda _: f"As planned in [[{name}]].\n")
    copied = await new_plan(served, checks=["headings"], skip_checked=False)
    text = (root(served) / copied["path"]).read_text()
    assert copied["path"] != linked["path"]
    (plans_folder / "Copy.md").write_text(text)
    (plans_folder / "Foreign.md").write_text(re.sub(r"(?m)^plan: .*", "plan: 0123456789abcdef", text))
    (plans_folder / "Mine.md").write_text("My garden.\n")
    await vault.indexer.look_at([""])
    before = plans(served)
    let_pass(vault, 31)
    new = await new_plan(served, checks=["tags"])
    assert plans(served) == sorted([*before, new["path"].rpartition("/")[2]])
    # Without the link to it, the third one goes.
    await edit_file(served, "Land/Left.md", lambda _: "As planned.\n")
    await new_plan(served, checks=["headings"], skip_checked=False)
    assert f"{name}.md" not in plans(served)
    assert set(before) - {f"{name}.md"} <= set(plans(served))


async def test_plans_stay_if_the_user_wants_them_to(served: Served, vault: OpenVault) -> None:
    await change(served, {"tidy.plans_keep_days": 0})
    await new_plan(served, checks=["headings"])
    let_pass(vault, 400)
    await new_plan(served, checks=["tags"])
    assert len(plans(served)) == 1
    await tick_otherwise(served)
    await new_plan(served, checks=["headings"])
    assert len(plans(served)) == 2


async def tick_otherwise(served: Served) -> None:
    """Change a box of the only plan."""
    (name,) = plans(served)
    await edit_file(served, f"Agents/Tidy/{name}", lambda text: text.replace("- [x]", "- [ ]", 1))


async def test_a_plan_that_nobody_touched_is_replaced_and_comes_back(served: Served, vault: OpenVault) -> None:
    first = await new_plan(served, checks=["headings"])
    before = (root(served) / first["path"]).read_bytes()
    let_pass(vault, 3)
    yesterday = root(served) / "Agents/Tidy/Plan 2020-01-31.md"
    (root(served) / first["path"]).rename(yesterday)
    await vault.indexer.look_at(["Agents"])
    second = await new_plan(served)
    assert plans(served) == [second["path"].rpartition("/")[2]]
    assert {one["check"] for one in second["findings"]} > {"headings"}
    shown = await call(served, "show_plan", path=second["path"])
    assert [one["id"] for one in shown["findings"]] == [one["id"] for one in second["findings"]]
    await call(served, "undo_change", change_id=second["change_id"])
    assert yesterday.read_bytes() == before
    await tick_otherwise(served)
    touched = yesterday.read_bytes()
    assert len({(await new_plan(served))["path"] for _ in range(2)}) == 1
    assert yesterday.read_bytes() == touched


async def test_a_rejected_plan_hides_nothing(served: Served) -> None:
    agent = bearer(made(served, "agent", "read", "write"))
    proposed = (await call_as(served, agent, "plan_tidy", confirm=True)).json
    assert (proposed["state"], bool(proposed["findings"])) == ("proposed", True)
    await call(served, "decide", id=proposed["change_id"], verdict="reject")
    mine = await new_plan(served)
    assert [one["text"] for one in mine["findings"]] == [one["text"] for one in proposed["findings"]]
