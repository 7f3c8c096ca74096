"""Notes that are old and leaned upon."""

import asyncio
import os
import time
from datetime import datetime

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


async def age(served: Served, days: dict[str, float]) -> None:
    root = served.bridge.find(None).root
    for path, each in days.items():
        then = time.time() - each * 86_400
        os.utime(root / path, (then, then))
    async with asyncio.timeout(PATIENCE_S):
        for path, each in days.items():
            while abs((await modified(served, path)) - (time.time() - each * 86_400)) > 3_600:
                await served.call("report_changes", changes=[{"kind": "upsert", "path": path}])
                await asyncio.sleep(0.05)


async def modified(served: Served, path: str) -> float:
    (note,) = (await served.call("find_notes", where=f'file.path == "{path}"')).json["notes"]
    return datetime.fromisoformat(note["modified"]).timestamp()


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
    assert (await served.call("stale_notes", folder="Nowhere")).json["notices"] != []


async def test_recently_changed_notes_that_link_raise_the_score(served: Served) -> None:
    await age(served, {"Wheat.md": 300, "Oats.md": 500, "Spelt.md": 500})
    before = (await served.call("stale_notes", days=200)).json["notes"]
    await served.call("edit_note", path="Oats.md", edits=[{"op": "append", "text": "New."}])
    await readable(served)
    after = (await served.call("stale_notes", days=200)).json["notes"]
    score = {one["path"]: one["score"] for one in before}
    assert {one["path"]: one["score"] for one in after}["Wheat.md"] > score["Wheat.md"]
