"""Corrections that say which words should be which are applied where these words stand."""

from typing import Any

from bridge.settings.file import save_settings
from tests.features.served import Served
from tests.features.test_tidy import content, edit_file, is_sure, new_plan
from tests.features.test_tidy import root as root_of

PLACE = "Agents/Corrections.md"
CORRECTIONS = """\
---
type: corrections
---
- [ ] wrong_name · “Kneip” should be “Kneipp” · 2026-01-02 ^c-00000001
- [ ] wrong_name · Wörishoven → Wörishofen · in [[Bath]] · by agent · 2026-01-02 ^c-00000002
- [x] wrong_name · Basel → Bern · 2026-01-02 · applied ^c-00000003
- [ ] wrong_fact · Rye needs more water than the table says · 2026-01-02 ^c-00000004
- [ ] wrong_name · salt → sea salt · 2026-01-02 ^c-00000005
- cold bath → cold affusion
- Call me in the morning
"""
NOTES = {
    "Bath.md": "In Wörishoven he took a cold bath. A cold bath in Basel, with salt.\n",
    "Life.md": "Wörishoven was small. Sebastian Gruber was born there, and took the cold bathes.\n",
    "Linked.md": "See [[cold bath]] and a cold bath.\n",
    "Code.md": "A cold bath is `cold bath`.\n",
    "Properties.md": "---\ntitle: A cold bath\n---\nA cold bath.\n",
    "Ignored.md": "---\ntidy: ignore\n---\nA cold bath.\n",
    PLACE: CORRECTIONS,
}


async def test_words_are_replaced_where_they_stand_as_words_of_the_text(served: Served) -> None:
    plan = await new_plan(served, checks=["corrections"])
    before = content(served)
    assert {one["text"]: is_sure(one) for one in plan["findings"]} == {
        "In [[Bath]], change “Wörishoven” to “Wörishofen” (1 place)": False,
        "In [[Bath]], change “cold bath” to “cold affusion” (2 places)": False,
    }
    for one in plan["findings"]:
        await served.result("judge_finding", path=plan["path"], finding=one["id"], verdict="accept")
    done = await served.result("apply_plan", path=plan["path"], confirm=True)
    assert [(one["state"], one["dropped"]) for one in done["checks"]] == [("applied", [])]
    now = content(served)
    assert now["Bath.md"].decode() == ("In Wörishofen he took a cold affusion. A cold affusion in Basel, with salt.\n")
    # “cold bath” still stands where it cannot be replaced.
    assert listed(served) == CORRECTIONS.replace(
        "- [ ] wrong_name · Wörishoven → Wörishofen · in [[Bath]] · by agent · 2026-01-02 ^",
        "- [x] wrong_name · Wörishoven → Wörishofen · in [[Bath]] · by agent · 2026-01-02 · applied ^",
    )
    assert {path: data for path, data in now.items() if path != "Bath.md"} == {
        path: data for path, data in before.items() if path != "Bath.md"
    }
    await served.result("undo_change", change_id=done["session"])
    assert content(served) == before
    assert listed(served) == CORRECTIONS


def listed(served: Served) -> str:
    """Return the list of corrections."""
    return (root_of(served) / PLACE).read_bytes().decode()


async def apply(served: Served, *words: str) -> Any:
    """Make a plan, tick the findings with some words, and apply them."""
    plan = await new_plan(served, checks=["corrections"])
    for one in plan["findings"]:
        if any(each in one["text"] for each in words):
            await served.result("judge_finding", path=plan["path"], finding=one["id"], verdict="accept")
    return await served.result("apply_plan", path=plan["path"], confirm=True)


async def test_a_correction_is_settled_with_the_last_of_its_places_and_opened_by_undo(served: Served) -> None:
    lines = "- [ ] Gruber → Huber\r\n- Gruber → Huber\n"
    await edit_file(served, PLACE, lambda text: text + lines)
    await edit_file(served, "Bath.md", lambda text: text + "Gruber, too.\n")
    await apply(served, "In [[Life]], change “Gruber”")
    assert listed(served) == CORRECTIONS + lines
    before = content(served)
    done = await apply(served, "In [[Bath]], change “Gruber”")
    assert listed(served) == CORRECTIONS + lines.replace("[ ]", "[x]")
    (made,) = done["checks"]
    assert (done["files"], made["dropped"]) == (2, [])
    await served.result("undo_change", change_id=made["change_id"])
    assert (listed(served), content(served)) == (CORRECTIONS + lines, before)


async def test_a_list_that_is_to_be_left_alone_stays_open(served: Served) -> None:
    await served.bridge.use(save_settings(served.bridge.settings_path, {"readonly": [PLACE]}))
    done = await apply(served, "Wörishoven")
    assert [(one["state"], done["files"], one["dropped"]) for one in done["checks"]] == [("applied", 1, [])]
    now = content(served)
    assert listed(served) == CORRECTIONS
    assert now["Bath.md"].decode().startswith("In Wörishofen")


async def test_a_correction_is_found_in_notes_that_were_checked_before_it(served: Served) -> None:
    await served.result("plan_tidy", checks=["corrections", "headings"])
    await edit_file(served, PLACE, lambda text: text + "- not “Gruber”, but “Kneipp”\n")
    plan = await served.result("plan_tidy", checks=["corrections", "headings"])
    assert "In [[Life]], change “Gruber” to “Kneipp” (1 place)" in {one["text"] for one in plan["findings"]}


async def test_without_a_list_nothing_is_found(served: Served) -> None:
    (root_of(served) / PLACE).unlink()
    assert (await served.result("plan_tidy", checks=["corrections"], dry_run=True))["findings"] == []
