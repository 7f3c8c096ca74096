"""How often the changes of a plan are planned, and what is done if one of them must be confirmed."""

import pytest

from bridge.api.call import OWNER, Call
from bridge.changes.effect import Effect
from bridge.engine.apply_requests import RequestSelection
from bridge.features import get_operation
from tests.features.served import Served
from tests.features.test_tidy import NOTES, content, edit_file, is_sure, ticked_plan

__all__ = ["NOTES"]


@pytest.fixture
def planned(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of requests of each selection that is planned."""
    counts: list[int] = []
    make = RequestSelection.make

    def count(selection: RequestSelection) -> Effect:
        counts.append(len(selection.requests))
        return make(selection)

    monkeypatch.setattr(RequestSelection, "make", count)
    return counts


async def test_what_is_ticked_is_planned_once(served: Served, planned: list[int]) -> None:
    plan = await ticked_plan(served, checks=["headings", "broken_links"])
    planned.clear()
    done = await served.result("apply_plan")
    assert [one["state"] for one in done["checks"]] == ["applied"] * 2
    assert planned == [sum(map(is_sure, plan["findings"]))]


@pytest.mark.parametrize("checks", [["headings", "tags"], ["tags"]])
async def test_nothing_is_applied_before_it_is_confirmed(served: Served, checks: list[str]) -> None:
    plan = await ticked_plan(served, checks=checks)
    for one in plan["findings"]:
        await served.result("judge_finding", path=plan["path"], finding=one["id"], verdict="accept")
    await get_operation("change_settings").run(Call(served.bridge, OWNER), {"changes": {"confirm_files": 1}})
    for name in ("Build log.md", "Land/Left.md"):
        await edit_file(served, name, lambda text: text.replace("#Garden", "#Garden #tools") + "#tools\n")
    before = content(served)
    answer = await served.call("apply_plan", path=plan["path"])
    assert answer.code == "confirmation_required"
    assert content(served) == before
