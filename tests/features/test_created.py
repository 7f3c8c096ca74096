"""When notes were created, and when others were named in them."""

import os
from datetime import datetime

from bridge.api.moments import iso
from bridge.vault.open_file import birth_time
from tests.features.served import Served

NOTES = {
    "2026-01-05.md": "Met [[Anna]] and [[Ben]]. Anna was late.\n\n"
    "- [ ] Call Anna 📅 2026-01-07\n- [x] Bake ✅ 2026-01-06\n",
    "2026-01-20.md": "[[Anna]] again, with [[Cleo]] and [[Ben]].\n\n- [x] Pay 📅 2026-01-21 ✅ 2026-01-22\n",
    "2026-02-03.md": "Saw Anna in town. Nobody else.\n",
    "Anna.md": "---\naliases: [Annie]\n---\nShe.\n",
    "Ben.md": "He.\n",
    "Cleo.md": "---\ncreated: 2026-01-06\n---\nThey know Annie.\n",
    "Trip 2026-02-30.md": "---\ndate created: 2026-02-04\n---\nWith [[Zoe Quill]].\n",
    "Letter.md": "---\ncreated: 2026-03-02\n---\nFrom Zoe Quill.\n",
}


async def test_sentences_that_name_a_note_have_the_day_of_theirs(served: Served) -> None:
    found = await served.result("note_links", path="Anna.md", mentions=True, context=True)
    assert [(one["path"], one["context"], one["day"]) for one in found["backlinks"]] == [
        ("2026-01-05.md", "Met [[Anna]] and [[Ben]].", "2026-01-05"),
        ("2026-01-20.md", "[[Anna]] again, with [[Cleo]] and [[Ben]].", "2026-01-20"),
    ]
    days = {one["path"]: one["day"] for one in found["mentions"]}
    assert days == {"2026-01-05.md": "2026-01-05", "2026-02-03.md": "2026-02-03", "Cleo.md": "2026-01-06"}
    bare = await served.result("note_links", path="Anna.md", mentions=True)
    assert not any(one.get("day") for one in (*bare["backlinks"], *bare["mentions"]))


async def test_without_a_date_a_note_was_created_when_the_system_says_if_not_changed_before(
    served: Served,
) -> None:
    root = served.bridge.find(None).root
    then = datetime(2020, 1, 6).astimezone().timestamp()
    (root / "Copied.md").write_text("Kept its date.\n", "utf-8")
    os.utime(root / "Copied.md", (then, then))
    (root / "Made.md").write_text("New.\n", "utf-8")
    os.utime(root / "Made.md", (then * 2, then * 2))
    for path in ("Copied.md", "Made.md"):
        await served.call("wait_until_indexed", path=path)
    created = {one["path"]: one["created"] for one in (await served.result("find_notes"))["notes"]}
    born = birth_time(root / "Made.md")
    assert (created["Copied.md"], created["Made.md"]) == (born and iso(then), born and iso(born))


async def test_notes_are_sorted_by_when_they_were_created(served: Served) -> None:
    stated = ["Cleo.md", "Trip 2026-02-30.md", "Letter.md"]
    for sort, order in (("created", stated), ("-created", stated[::-1])):
        notes = (await served.result("find_notes", sort=sort))["notes"]
        dated = [one["path"] for one in notes if one["path"] in stated]
        assert dated == order
        known = [bool(one.get("created")) for one in notes]
        assert known == sorted(known, reverse=True)
    [letter] = [one for one in notes if one["path"] == "Letter.md"]
    assert letter["created"].startswith("2026-03-02T00:00:00")
    [hit] = (await served.result("search", query="from zoe quill", limit=1))["hits"]
    assert hit["created"] == letter["created"]
