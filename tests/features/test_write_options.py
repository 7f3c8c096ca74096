"""What new notes and edits may ask for: links at the end, existing notes, and stamps."""

import re

from tests.features.served import Served

NOTES = {
    "Sourdough.md": "A way of baking.\n",
    "Overnight sponge.md": "A dough.\n",
    "Zinfandel Valley.md": "A place.\n",
    "Log.md": "- 9:15 Fed\n",
    "Linked.md": "Already [[Overnight sponge]] and [[Sourdough]].\n",
}
TEXT = "Today the Overnight sponge was ready before we left for Zinfandel Valley."


def text_of(served: Served, path: str) -> str:
    return (served.bridge.find(None).root / path).read_text(encoding="utf-8")


async def test_suggested_links_are_appended_up_to_the_limit(served: Served) -> None:
    both = "→ [[Overnight sponge]], [[Zinfandel Valley]]"
    await served.result("create_note", path="Day.md", text=TEXT, append_links=5)
    assert sorted(re.findall(r"\[\[.+?\]\]", text_of(served, "Day.md"))) == sorted(re.findall(r"\[\[.+?\]\]", both))
    assert text_of(served, "Day.md").splitlines()[-1].startswith("→ [[")
    await served.result("create_note", path="One.md", text=TEXT, append_links=1, confirm=True)
    assert text_of(served, "One.md").count("[[") == 1
    await served.result("create_note", path="None.md", text=TEXT, confirm=True)
    assert "[[" not in text_of(served, "None.md")
    assert (await served.call("create_note", path="Six.md", text=TEXT, append_links=6)).status == 400


async def test_what_is_linked_is_never_appended(served: Served) -> None:
    edits = [{"op": "append", "text": TEXT}]
    tried = await served.result("edit_note", path="Linked.md", edits=edits, append_links=5, dry_run=True)
    made = await served.result("edit_note", path="Linked.md", edits=edits, append_links=5)
    assert made["diff"] == tried["diff"]
    assert text_of(served, "Linked.md").splitlines()[-1] == "→ [[Zinfandel Valley]]"
    await served.result("edit_note", path="Linked.md", edits=edits, append_links=5)
    assert text_of(served, "Linked.md").count("→") == 1
    await served.result("undo_change", change_id=made["change_id"])
    assert "→" not in text_of(served, "Linked.md")


async def test_an_existing_note_is_an_error_skipped_or_added_to(served: Served) -> None:
    before = text_of(served, "Sourdough.md")
    assert (await served.call("create_note", path="Sourdough.md", text="New")).code == "note_exists"
    skipped = await served.result("create_note", path="Sourdough.md", text="New", if_exists="skip")
    assert skipped["change_id"] is None
    assert "already exists and stays" in " ".join(skipped["warnings"])
    assert text_of(served, "Sourdough.md") == before
    added = await served.result("create_note", path="Sourdough.md", text="New", properties={"a": 1}, if_exists="append")
    assert text_of(served, "Sourdough.md") == f"{before}\nNew\n"
    assert "Its properties stay" in " ".join(added["warnings"])
    await served.result("undo_change", change_id=added["change_id"])
    assert text_of(served, "Sourdough.md") == before
    await served.result("create_note", path="Fresh.md", text="New", if_exists="append")
    assert text_of(served, "Fresh.md") == "New\n"
    edits = [{"op": "create_note", "path": "Fresh.md", "text": "More", "if_exists": "append"}]
    await served.result("change_set", edits=edits)
    assert text_of(served, "Fresh.md") == "New\n\nMore\n"


async def test_an_added_item_is_stamped_as_the_note_does_it(served: Served) -> None:
    await served.result("edit_note", path="Log.md", edits=[{"op": "add_item", "text": "Folded", "stamp": True}])
    assert re.fullmatch(r"- 9:15 Fed\n- \d{1,2}:\d\d Folded\n", text_of(served, "Log.md"))
    await served.result("edit_note", path="Sourdough.md", edits=[{"op": "add_item", "text": "Bake", "stamp": True}])
    assert re.search(r"^- \*\*\d\d:\d\d\*\* Bake$", text_of(served, "Sourdough.md"), re.MULTILINE)
