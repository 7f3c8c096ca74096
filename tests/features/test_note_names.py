"""A note may be named by what a link to it says, wherever a note that exists is meant."""

from typing import Any, get_args

import pytest

from bridge.api.hints import role_of, walk_hint
from bridge.features import get_operation, operations
from bridge.settings.file import save_settings
from bridge.types import PathRole
from tests.features.served import Served

NOTES = {
    "Index.md": "[[Rye]]\n",
    "Bread/Rye.md": "# Rye\n\nDark.\n\n## Baking\n\nLong.\n",
    "Bread/Notes.md": "Of bread.\n",
    "Garden/Notes.md": "Of the garden.\n",
    "Garden/Overgarden/Notes.md": "Deep.\n",
    "Garden/C# club.md": "Sharp.\n",
    "Bread/Plan.md": "A plan.\n",
    "Plan.md": "The plan.\n",
    "Topic/Topic.md": "About it.\n",
    "v1.2 plans.md": "Soon.\n",
}


@pytest.mark.parametrize(
    ("written", "path"),
    [
        ("Bread/Rye", "Bread/Rye.md"),
        ("Rye", "Bread/Rye.md"),
        ("rye", "Bread/Rye.md"),
        ("[[Rye]]", "Bread/Rye.md"),
        ("[[Rye.md|the dark one]]", "Bread/Rye.md"),
        ("![[Bread/Rye]]", "Bread/Rye.md"),
        ("bread/notes", "Bread/Notes.md"),
        ("bread/notes.md", "Bread/Notes.md"),
        ("Plan", "Plan.md"),
        ("Topic", "Topic/Topic.md"),
        ("v1.2 plans", "v1.2 plans.md"),
        ("C# club", "Garden/C# club.md"),
        ("Garden/Notes", "Garden/Notes.md"),
    ],
)
async def test_a_name_that_means_one_note_is_taken_for_its_path(served: Served, written: str, path: str) -> None:
    assert (await served.call("read_note", path=written)).json["path"] == path


async def test_a_name_is_taken_wherever_a_note_that_exists_is_meant(served: Served) -> None:
    found = (await served.call("find_notes", links_to="Rye")).json
    assert [note["path"] for note in found["notes"]] == ["Index.md"]
    edit = {"op": "edit_note", "path": "Rye", "edits": [{"op": "append", "text": "More."}]}
    changed = await served.call("change_set", edits=[edit], dry_run=True)
    assert changed.json["path"] == "Bread/Rye.md"
    moved = await served.call("move_note", path="Topic", to="Subject", dry_run=True)
    assert moved.json["diff"].startswith("rename from Topic\n")
    made = await served.call("create_note", path="Of bread.md", template="Bread/Notes")
    assert made.json["path"] == "Of bread.md"
    made = await served.call("create_note", path="bread/notes.md", template="", text="Another.\n")
    assert made.json["path"] == "bread/notes.md"


async def test_notes_that_link_to_a_name_without_a_note_are_found(served: Served) -> None:
    text = "[[barley flour|it]] and [[Barley flour#Uses]], [mill](Mill%20stone.md), [[Rye]]\n"
    await served.call("create_note", path="Grain.md", text=text)
    for name in ("Barley flour", "[[barley flour]]", "Mill stone.md"):
        found = await served.result("find_notes", links_to=name)
        assert [note["path"] for note in found["notes"]] == ["Grain.md"]
    assert (await served.call("find_notes", links_to="Rye.md")).code == "note_not_found"


async def test_a_name_of_several_notes_is_refused_with_their_paths(served: Served) -> None:
    refused = await served.call("read_note", path="[[Notes]]")
    assert refused.code == "note_not_found"
    error = refused.json["error"]
    assert error["closest"] == ["Bread/Notes.md", "Garden/Notes.md", "Garden/Overgarden/Notes.md"]
    assert error["message"].startswith("3 notes are named `Notes`: `Bread/Notes.md`, ")
    # The end of a folder's name is no folder.
    assert (await served.call("read_note", path="garden/Notes")).json["path"] == "Garden/Notes.md"


@pytest.mark.parametrize("written", ["Rye.md", "Nothing", "[[Nothing]]", "Garden/Rye", "[[]]", "read/Rye"])
async def test_what_names_no_note_is_refused_as_before(served: Served, written: str) -> None:
    assert (await served.call("read_note", path=written)).code == "note_not_found"


async def test_a_place_in_a_note_is_refused_with_its_path(served: Served) -> None:
    refused = await served.call("read_note", path="[[Rye#Baking]]")
    assert refused.code == "invalid_arguments"
    assert "names a place in `Bread/Rye.md`" in refused.json["error"]["message"]


async def test_a_new_path_is_taken_as_it_is_written(served: Served) -> None:
    assert (await served.call("create_note", path="Rye", text="Mine.")).code == "invalid_arguments"
    # Only the place of a note that moves may lack its extension; no other note is looked for.
    moved = await served.result("move_note", path="Plan.md", to="Rye", dry_run=True)
    assert moved["path"] == "Rye.md"
    new = {
        (operation.name, argument.name)
        for operation in operations()
        for argument in operation.arguments
        if role_of(argument.hint) is PathRole.NEW
    }
    assert new == {("create_note", "path"), ("move_note", "to"), ("split_note", "to")}
    inside = [part for argument in get_operation("change_set").arguments for part in walk_hint(argument.hint)]
    assert sum(PathRole.NEW in get_args(part) for part in inside) == len(new)


@pytest.mark.parametrize(
    ("path", "to", "meant"),
    [
        ("Plan.md", "Archive/", "Archive/Plan.md"),
        ("Plan", "Archive/Old/", "Archive/Old/Plan.md"),
        ("Bread/Rye.md", "Garden/", "Garden/Rye.md"),
        ("Bread/Rye.md", "Nowhere/yet/", "Nowhere/yet/Rye.md"),
        ("Bread", "Garden/", "Garden/Bread"),
        ("Bread", "Archive/", "Archive/Bread"),
        ("Bread", "Loaves/", "Loaves"),
    ],
)
async def test_a_slash_at_the_end_names_the_folder_to_move_into(served: Served, path: str, to: str, meant: str) -> None:
    root = served.bridge.find(None).root
    (root / "Archive").mkdir()
    tried = await served.call("move_note", path=path, to=to, dry_run=True)
    assert tried.json["path"] == meant
    assert not (root / meant).exists()


async def test_what_was_moved_into_a_folder_may_be_meant_afterwards(served: Served) -> None:
    moved = {"op": "move_note", "path": "Plan.md", "to": "Archive/"}
    edit = {"op": "edit_note", "path": "Archive/Plan.md", "edits": [{"op": "append", "text": "More."}]}
    made = {"op": "create_note", "path": "Archive/", "text": "No name."}
    assert (await served.call("change_set", edits=[moved, edit], dry_run=True)).json["files"] == 1
    assert (await served.call("change_set", edits=[moved, made], dry_run=True)).code == "invalid_arguments"


async def test_a_note_that_the_same_change_makes_may_be_meant(served: Served) -> None:
    made = {"op": "create_note", "path": "Kitchen/Rye.md", "text": "Another."}
    edit: dict[str, Any] = {"op": "edit_note", "path": "Rye", "edits": [{"op": "append", "text": "More."}]}
    refused = await served.call("change_set", edits=[made, edit], dry_run=True)
    assert refused.json["error"]["closest"] == ["Bread/Rye.md", "Kitchen/Rye.md"]
    made["path"], edit["path"] = "Kitchen/Wheat.md", "Wheat"
    assert (await served.call("change_set", edits=[made, edit], dry_run=True)).json["path"] == "Kitchen/Wheat.md"


async def test_what_the_rules_deny_has_no_name(served: Served) -> None:
    await served.bridge.use(save_settings(served.bridge.settings_path, {"deny": ["Garden/**"]}))
    assert (await served.call("read_note", path="Notes")).json["path"] == "Bread/Notes.md"
    assert (await served.call("read_note", path="C# club")).code == "note_not_found"


async def test_the_place_of_a_note_may_be_given_without_its_extension(served: Served) -> None:
    assert (await served.result("move_note", path="Plan", to="Archive/Plan 2026"))["path"] == "Archive/Plan 2026.md"
    refused = await served.call("move_note", path="Archive/Plan 2026.md", to="Archive")
    assert refused.json["error"]["code"] == "invalid_arguments"
