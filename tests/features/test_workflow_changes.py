"""A workflow drafted from changes does again what was done, in notes that were not among the examples."""

import datetime as dt
import re
from typing import Any

import pytest

from bridge.markdown.decode import digest_of
from tests.features.served import Served
from tests.features.workflows import contents, root

TODAY = dt.datetime.now().astimezone().date()
YESTERDAY = TODAY - dt.timedelta(days=1)

NOTES = {
    ".obsidian/daily-notes.json": '{"folder": "Log"}',
    **{
        f"Songs/{name}.md": "---\ntype: song\ntags: [tune]\n---\n# Song\n"
        for name in ("Amber", "Beige", "Cobalt", "Dun")
    },
    **{f"Live/{day}.md": f"---\nDate: {day}\n---\n# Show\n" for day in ("1983-08-24", "1984-10-12", "2001-06-01")},
    "Lists/Week.md": "# Week\n\n## List\n\n- [[Old]]\n\n## Other\n",
    **{f"Shows/{name}.md": "" for name in ("1983-08-24 Ulm", "1983-10-12 Bern", "2001-06-01 Rome")},
    **{
        f"References/{name}.md": f'---\ncategories: ["[[{kind}]]"]\n---\n'
        for name, kind in (("Emma", "Books"), ("Dune", "Books"), ("Ulysses", "Books"), ("Rome", "Places"))
    },
    "Papers/One-two.md": "---\ntags: [paper, read]\n---\nWords of One-two\n",
    "Papers/Three-four.md": "---\ntags: [paper]\n---\nWords of Three-four\n",
    "Papers/Five-six.md": "---\ntags: [paper]\n---\nWords of Five-six\n",
    "Notes/Ann.md": "---\ntags: [person]\n---\n",
    f"Log/{YESTERDAY}.md": "## Work\n\n## Tasks\n\n- [x] Bake\n- [ ] Sweep\n",
}


async def done(served: Served, operation: str, **arguments: Any) -> str:
    made = await served.result(operation, confirm=True, **arguments)
    await served.bridge.find(None).vault.indexer.look_at([""])
    change: str = made["change_id"]
    return change


async def run(served: Served, examples: list[str], description: str = "", **variables: Any) -> dict[str, str]:
    """Draft a workflow, run it, and see that an undo restores every byte; return what it wrote."""
    drafted = await served.call(
        "author_workflow", name="Again", description=description, examples=examples, confirm=True
    )
    assert drafted.status == 200, drafted.body
    assert drafted.json["problems"] == [], drafted.json["diff"]
    before = contents(served)
    ran = await served.call("run_workflow", path=drafted.json["path"], variables=variables, confirm=True)
    assert ran.status == 200, (ran.body, drafted.json["diff"])
    after = contents(served)
    assert (await served.call("undo_change", change_id=ran.json["change_id"])).status == 200
    assert contents(served) == before
    return {path: text.decode() for path, text in after.items() if before.get(path) != text}


async def test_a_property_is_set_to_the_day(served: Served) -> None:
    ids = [
        await done(served, "set_properties", path=f"Songs/{name}.md", properties={"Reviewed": str(TODAY)})
        for name in ("Amber", "Beige")
    ]
    for examples in (ids, ["Amber", "Beige"]):
        found = await run(served, examples, "Set Reviewed to today", note="Dun")
        assert f"Reviewed: {TODAY}\n" in found["Songs/Dun.md"]


async def test_a_note_moves_to_the_folder_of_its_year(served: Served) -> None:
    ids = [
        await done(served, "move_note", path=f"Live/{day}.md", to=f"Live/{day[:4]}/{day}.md")
        for day in ("1983-08-24", "1984-10-12")
    ]
    found = await run(served, ids, note="2001-06-01")
    assert "Live/2001/2001-06-01.md" in found


async def test_an_item_is_added_to_a_list(served: Served) -> None:
    for name in ("Amber", "Beige"):
        edit = {"op": "add_item", "heading": "List", "text": f"[[{name}]]"}
        await done(served, "edit_note", path="Lists/Week.md", edits=[edit])
    found = await run(served, ["Lists/Week.md"], "Add a song to the list", song="Dun")
    assert "- [[Beige]]\n- [[Dun]]\n\n## Other\n" in found["Lists/Week.md"]


async def test_a_name_is_given(served: Served) -> None:
    ids = [
        await done(served, "move_note", path=f"Papers/{name}.md", to=f"Papers/{name.replace('-', ' ')}.md")
        for name in ("One-two", "Three-four")
    ]
    assert "Papers/Five six.md" in await run(served, ids, note="Five-six", name="Five six")


async def test_what_a_tag_describes_is_found(served: Served) -> None:
    change = await done(served, "change_notes", where='file.hasTag("tune")', add_tags=["heard"])
    (root(served) / "Songs/Ecru.md").write_text("---\ntype: song\ntags: [tune, slow]\n---\n")
    await served.bridge.find(None).vault.indexer.look_at([""])
    found = await run(served, [change])
    assert found["Songs/Ecru.md"] == "---\ntype: song\ntags: [tune, slow, heard]\n---\n"
    assert {path for path in found if path.startswith("Songs/")} == {"Songs/Ecru.md"}


async def test_all_notes_that_a_description_names_are_found(served: Served) -> None:
    ids = [
        await done(served, "set_properties", path=f"{name}.md", properties={"shelf": "wall"})
        for name in ("References/Emma", "References/Dune")
    ]
    found = await run(served, ids, "Set shelf to wall on all books")
    assert {path for path in found if path.startswith("Ref")} == {"References/Ulysses.md"}
    drafted = await served.call(
        "author_workflow", name="All", description="Set shelf to wall on all books", examples=ids
    )
    assert "It is for 3 notes" in " ".join(drafted.json["warnings"])
    drafted = await served.call(
        "author_workflow", name="One", description="Set shelf to wall on all of them", examples=ids, dry_run=True
    )
    assert "one note at a time" in " ".join(drafted.json["warnings"])
    assert "{{variables.note}}" in drafted.json["diff"]


async def test_a_note_moves_by_the_day_in_its_name(served: Served) -> None:
    ids = [
        await done(served, "move_note", path=f"Shows/{day} {place}.md", to=f"Shows/{day[:4]}/{day} {place}.md")
        for day, place in (("1983-08-24", "Ulm"), ("1983-10-12", "Bern"))
    ]
    assert "Shows/2001/2001-06-01 Rome.md" in await run(served, ids, note="2001-06-01 Rome")


async def test_a_task_is_due_as_many_days_later(served: Served) -> None:
    due = str(TODAY + dt.timedelta(days=7))
    ids = [
        await done(served, "add_task", path="Lists/Week.md", text=text, heading="Other", due=due)
        for text in ("Answer the letter about tables", "Check the colors of walls")
    ]
    found = await run(served, ids, text="Sweep")
    assert f"- [ ] Sweep 📅 {due}\n" in found["Lists/Week.md"]


async def test_a_task_is_ticked_a_heading_renamed_and_a_note_merged(served: Served) -> None:
    await done(served, "create_note", path="Chores.md", text="- [ ] Sweep\n- [ ] Bake\n- [ ] Wash\n")
    ids = [await done(served, "toggle_task", path="Chores.md", text=text) for text in ("Sweep", "Bake")]
    assert "- [x] Wash" in (await run(served, ids, text="Wash"))["Chores.md"]
    ids = [
        await done(served, "rename_heading", path=f"Songs/{name}.md", heading="Song", to="Tune")
        for name in ("Amber", "Beige")
    ]
    assert "# Tune\n" in (await run(served, ids, note="Dun"))["Songs/Dun.md"]
    ids = [
        await done(served, "merge_notes", path=path, into="Lists/Week.md", digest=digest_of(contents(served)[path]))
        for path in ("Papers/One-two.md", "Papers/Three-four.md")
    ]
    found = await run(served, ids, note="Five-six")
    assert "Words of Five-six" in found["Lists/Week.md"]


async def test_a_line_with_the_time_is_added_to_the_day(served: Served) -> None:
    edit = {"op": "insert_under", "heading": "Work", "text": "- 09:30 Sorted"}
    change = await done(served, "edit_note", path=f"Log/{YESTERDAY}.md", edits=[edit])
    # Today's note is created where it is missing.
    found = await run(served, [change], text="Wrote")
    assert re.search(r"## Work\n+- \d\d:\d\d Wrote\n", found[f"Log/{TODAY}.md"])
    await done(served, "create_note", path=f"Log/{TODAY}.md", text="## Work\n")
    found = await run(served, [change], text="Wrote")
    assert re.fullmatch(r"## Work\n+- \d\d:\d\d Wrote\n", found[f"Log/{TODAY}.md"])


async def test_open_tasks_are_taken_over_by_the_starter(served: Served) -> None:
    change = await done(served, "create_note", path=f"Log/{TODAY}.md", text="## Tasks\n\n- [ ] Sweep\n")
    for example in (change, f"Log/{TODAY}.md"):
        drafted = await served.call("author_workflow", name="Over", examples=[example], dry_run=True)
        assert "roll-over" in " ".join(drafted.json["warnings"])
        assert "list_tasks" in drafted.json["diff"]


async def test_what_was_done_together_is_done_together(served: Served) -> None:
    for title, author in (("Emma", "Jane Austen"), ("Dune", "Frank Herbert")):
        edits = [
            {"op": "create_note", "path": f"Books/{title}.md", "properties": {"author": author}},
            {"op": "edit_note", "path": "Lists/Week.md", "edits": [{"op": "append", "text": f"- [[{title}]]"}]},
        ]
        await done(served, "change_set", edits=edits)
    changes = (await served.call("list_changes", limit=2)).json["changes"]
    found = await run(served, [one["id"] for one in changes], title="Ulysses", author="James Joyce")
    assert found["Books/Ulysses.md"] == "---\nauthor: James Joyce\n---\n"
    assert found["Lists/Week.md"].endswith("- [[Dune]]\n- [[Ulysses]]\n")


async def test_the_callers_own_session_is_an_example(served: Served) -> None:
    for name in ("Ann", "Bob"):
        edits = [{"op": "create_note", "path": f"Letters/To {name}.md", "text": f"Dear {name}, all is well here.\n"}]
        await done(served, "change_set", edits=edits)
    drafted = await served.call("author_workflow", name="Letter", examples=["session"], dry_run=True)
    assert "Dear {{variables." in drafted.json["diff"]


async def test_a_noun_phrase_asks_for_a_note_and_folders_that_differ_become_a_variable(served: Served) -> None:
    for folder, title in (("Shelf/Old", "Emma"), ("Shelf/New", "Dune"), ("Attic", "Ulysses")):
        await done(
            served,
            "create_note",
            path=f"{folder}/{title}.md",
            properties={"kind": "book"},
            text=f"# {title}\n\nRead.\n",
        )
    paths = ["Shelf/Old/Emma.md", "Shelf/New/Dune.md", "Attic/Ulysses.md"]
    drafted = await served.call("author_workflow", name="Book", description="a book I read", examples=paths)
    assert "path: '{{variables.folder}}/{{variables.title}}.md'" in drafted.json["diff"].replace('"', "'")
    found = await run(served, paths, folder="Shelf/Lent", title="Middlemarch")
    assert found["Shelf/Lent/Middlemarch.md"].endswith("# Middlemarch\n\nRead.\n")


async def test_the_heading_of_most_examples_and_links_without_quotes_are_kept(served: Served) -> None:
    for name, level, label in (("One", "#", "Amber"), ("Two", "##", "Beige"), ("Three", "##", "Beige")):
        text = f"---\nlabel: [[{label}]]\n---\n# {name}\n\n{level} Crew\n"
        (root(served) / f"Papers/{name}.md").write_text(text)
    await served.bridge.find(None).vault.indexer.look_at([""])
    drafted = await served.call("author_workflow", name="Page", examples=["One", "Two", "Three"], dry_run=True)
    assert "+    ## Crew\n" in drafted.json["diff"]
    assert drafted.json["text_left_out"] == []
    assert "description: '[[Amber]] · [[Beige]]'" in drafted.json["diff"]


async def test_what_cannot_be_done_again_is_refused(served: Served) -> None:
    refused = await served.call(
        "author_workflow", name="N", description="Move a song to the archive", examples=["Amber", "Beige"]
    )
    assert (refused.code, "list_changes" in refused.json["error"]["hint"]) == ("invalid_arguments", True)
    change = await done(served, "delete_note", path="Notes/Ann.md", digest=await digest(served, "Notes/Ann.md"))
    assert (await served.call("author_workflow", name="N", examples=[change])).code == "invalid_arguments"
    edit = {"op": "replace_text", "old": "Old", "new": "New"}
    change = await done(
        served, "edit_note", path="Lists/Week.md", edits=[edit], digest=await digest(served, "Lists/Week.md")
    )
    refused = await served.call("author_workflow", name="N", examples=[change])
    assert "add lines" in refused.json["error"]["hint"]
    change = await done(served, "set_properties", path="Songs/Amber.md", properties={"a": 1})
    await served.call("undo_change", change_id=change)
    assert "undone" in (await served.call("author_workflow", name="N", examples=[change])).json["error"]["message"]


async def digest(served: Served, path: str) -> str:
    found: str = (await served.call("read_note", path=path)).json["digest"]
    return found


@pytest.mark.parametrize("description", ["", "A song."])
async def test_a_new_note_is_told_to_be_none_of_the_changes(served: Served, description: str) -> None:
    ids = [
        await done(served, "set_properties", path=f"Songs/{name}.md", properties={"seen": True})
        for name in ("Amber", "Dun")
    ]
    drafted = await served.call(
        "author_workflow", name="Song", description=description, examples=["Amber", "Dun"], dry_run=True
    )
    assert "create_note" in drafted.json["diff"]
    assert all(one in " ".join(drafted.json["warnings"]) for one in ids)


async def test_two_changes_of_one_note_take_one_variable(served: Served) -> None:
    ids = [
        await done(served, "set_properties", path="Songs/Amber.md", properties={"seen": True}),
        await done(served, "move_note", path="Songs/Amber.md", to="Attic/Amber.md"),
        await done(served, "set_properties", path="Attic/Amber.md", properties={"place": "attic"}),
    ]
    found = await run(served, ids, note="Dun")
    assert all(line in found["Attic/Dun.md"] for line in ("seen: true\n", "place: attic\n"))


async def test_notes_beside_changes_are_refused(served: Served) -> None:
    change = await done(served, "set_properties", path="Songs/Amber.md", properties={"seen": True})
    refused = await served.call("author_workflow", name="N", examples=[change, "Songs/Dun.md"])
    assert (refused.code, "`Songs/Dun.md` is a note" in refused.json["error"]["message"]) == ("invalid_arguments", True)


@pytest.mark.parametrize("description", ["Rename notes", "Rename a note", "Move notes to the archive", "Tag notes"])
async def test_an_order_to_change_notes_makes_no_new_note(served: Served, description: str) -> None:
    refused = await served.call("author_workflow", name="N", description=description, examples=["Beige"])
    assert (refused.code, "list_changes" in refused.json["error"]["hint"]) == ("invalid_arguments", True)


@pytest.mark.parametrize("description", ["A note of a song", "Weekly note", "Reading note", "Song"])
async def test_what_names_a_note_makes_a_new_one(served: Served, description: str) -> None:
    made = await served.result("author_workflow", name="N", description=description, examples=["Beige"], dry_run=True)
    assert "create_note" in made["diff"]


async def test_what_is_no_workflow_is_not_written(served: Served) -> None:
    before = contents(served)
    for text in ("steps: [", "version: 1", "version: 1\nsteps: []"):
        refused = await served.call("author_workflow", name="Broken", text=text)
        assert (refused.code, refused.json["error"]["message"][:5]) == ("invalid_arguments", "Line ")
    assert (await served.call("author_workflow", name="", text="steps: [")).json["error"]["message"] == (
        "`name` is empty."
    )
    assert contents(served) == before


async def test_all_variables_without_a_value_are_named_at_once(served: Served) -> None:
    text = (
        "version: 1\nvariables: {name: {description: Its name}, day: {type: date}, more: {required: false}}\n"
        "steps: [{id: note, do: create_note, path: '{{variables.name}}.md', "
        "text: '{{variables.day}} {{variables.more}}'}]\n"
    )
    made = await served.result("author_workflow", name="Two", text=text)
    refused = await served.call("run_workflow", path=made["path"], variables={"day": ""}, dry_run=True)
    assert refused.json["error"]["message"] == "These variables have no value: `name` (Its name), `day`."
