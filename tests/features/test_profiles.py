"""What is known about one note, and notes that are old and leaned upon."""

import asyncio
import os
import time
from typing import Any, get_args

from bridge.features.profiles.profile import ProfilePart
from tests.features.served import PATIENCE_S, Served, readable

NOTES = {
    "Rye.md": "---\nstatus: opne\ncreated: 2024-03-01\ntags: [bread]\n---\nTwo words.\n\n# Flour\nOne [[Spelt]] and "
    "[[Nowhere]].\n\n## Milling\nWheat is ground.\n\n- [ ] Buy flour 📅 2024-01-02\n- [x] Done\n",
    "Spelt.md": "---\nstatus: open\n---\n[[Rye]] and [[Wheat]].\n",
    "Wheat.md": "[[Rye]]\nCurrently the mill is closed. `currently` in code. See [[Rye]] next month.\n",
    "Oats.md": "[[Wheat]]\n",
    "Alone.md": "Text.\n",
    "2024-01-01.md": "[[Rye]]\n",
    "Day.md": "[[2024-01-01]]\n",
    "Schema.md": '---\ntype: schema\nfor_where: file.hasTag("bread")\n---\n|name|values|\n|-|-|\n|status|open|\n',
}


async def profile(served: Served, path: str, **arguments: Any) -> dict[str, Any]:
    answer = await served.call("note_profile", path=path, **arguments)
    assert answer.status == 200, answer.body
    found: dict[str, Any] = answer.json
    return found


async def test_a_profile_has_every_part(served: Served) -> None:
    found = await profile(served, "Rye.md", parts=get_args(ProfilePart))
    assert [(one["heading"], one["line"], one["words"]) for one in found["outline"]] == [
        ("", 6, 2),
        ("Flour", 8, 4),
        ("Flour > Milling", 11, 10),
    ]
    assert found["words"] == 16
    assert found["created"].startswith("2024-03-01T00:00:00")
    assert found["age_days"] == 0
    links = found["links"]
    assert (links["links"], links["backlinks"], links["unresolved"], links["rank"]) == (1, 3, ["Nowhere"], 1)
    assert found["ties"][0]["path"] == "Spelt.md"
    assert found["ties"][0]["mutual"]
    assert 0 < found["ties"][1]["strength"] < found["ties"][0]["strength"] < 1
    assert [(one["text"], one["target"], one["line"]) for one in found["missing_links"]] == [("Wheat", "Wheat.md", 12)]
    assert [(one["kind"], one["name"], one["found"], one["schema_note"]) for one in found["rules"]] == [
        ("values", "status", "opne", "Schema.md")
    ]
    assert [(one["text"], one["due"]) for one in found["tasks"]] == [("Buy flour", "2024-01-02")]
    assert found["structure"]["rank"] == 1
    assert found["structure"]["members"] >= 2
    assert (found["index"]["state"], found["index"]["embedded"]) == ("indexed", 0)
    assert {one["path"] for one in found["related"]}.isdisjoint({"Spelt.md", "Wheat.md", "Rye.md"})
    assert "history" not in found
    assert found["memories"] == []
    assert found["notices"] == []


async def test_only_chosen_parts_are_told_and_dear_ones_are_no_default(served: Served) -> None:
    chosen = await profile(served, "Rye.md", parts=["tasks"])
    assert [name for name in get_args(ProfilePart) if name in chosen] == ["tasks"]
    usual = await profile(served, "Rye.md")
    assert set(get_args(ProfilePart)) - set(usual) == {"structure", "aliases", "history"}
    assert usual["links"] == (await profile(served, "Rye.md", parts=["links"]))["links"]
    error = (await served.call("note_profile", path="Rey.md")).json["error"]
    assert error["code"] == "note_not_found"
    assert "Rye.md" in str(error)


async def test_the_last_change_and_who_made_it_are_told(served: Served) -> None:
    made = await served.call(
        "edit_note", path="Alone.md", edits=[{"op": "append", "text": "More."}], reason="It was short"
    )
    found = await profile(served, "Alone.md", parts=["history", "links"])
    assert found["history"]["change_id"] == made.json["change_id"]
    assert found["history"]["operation"] == "edit_note"
    assert found["history"]["reason"] == "It was short"
    assert found["links"].get("rank") is None


async def age(served: Served, days: dict[str, float]) -> None:
    root = served.bridge.find(None).root
    for path, each in days.items():
        then = time.time() - each * 86_400
        os.utime(root / path, (then, then))
    async with asyncio.timeout(PATIENCE_S):
        for path, each in days.items():
            while (await profile(served, path, parts=[]))["age_days"] != int(each):
                await served.call("report_changes", changes=[{"kind": "upsert", "path": path}])
                await asyncio.sleep(0.05)


async def test_old_notes_that_are_leaned_upon_are_listed_with_why(served: Served) -> None:
    await age(served, {"Rye.md": 400, "Wheat.md": 300, "Alone.md": 900, "2024-01-01.md": 900, "Oats.md": 500})
    found = (await served.call("stale_notes", days=200)).json
    notes = {one["path"]: one for one in found["notes"]}
    assert set(notes) == {"Rye.md", "Wheat.md"}
    assert (notes["Rye.md"]["age_days"], notes["Rye.md"]["backlinks"]) == (400, 3)
    assert any("1 open task overdue, the first since 2024-01-02" in one for one in notes["Rye.md"]["why"])
    assert any("`Spelt.md`" in one for one in notes["Rye.md"]["why"])
    said = [one for one in notes["Wheat.md"]["why"] if one.startswith("says")]
    assert said == ["says “Currently” in line 2", "says “next month” in line 2"]
    assert found["total"] == 2
    assert (await served.call("stale_notes", days=350)).json["total"] == 1
    alone = (await served.call("stale_notes", days=200, least_linked=0)).json["notes"]
    assert {"Alone.md", "Oats.md"} <= {one["path"] for one in alone}
    assert (await served.call("stale_notes", folder="Nowhere")).json["notices"] != []


async def test_recently_changed_notes_that_link_raise_the_score(served: Served) -> None:
    await age(served, {"Wheat.md": 300, "Oats.md": 500, "Spelt.md": 500})
    before = (await served.call("stale_notes", days=200)).json["notes"]
    await served.call("edit_note", path="Oats.md", edits=[{"op": "append", "text": "New."}])
    await readable(served)
    after = (await served.call("stale_notes", days=200)).json["notes"]
    score = {one["path"]: one["score"] for one in before}
    assert {one["path"]: one["score"] for one in after}["Wheat.md"] > score["Wheat.md"]
