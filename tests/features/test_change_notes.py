"""Changes of many notes as one, chosen by folder, tag, condition or path, and made by the id of their dry run."""

import json
from pathlib import Path

import pytest

from tests.features.served import Served
from tests.features.test_properties import contents, error, set_settings

NOTES = {
    "In/Rye.md": "---\nstatus: open\ntags: [bread]\n---\nA loaf of rye. [[Spelt]]\n",
    "In/Spelt.md": "# Spelt\n\nA loaf, a loaf and #flour.\n",
    "In/Deep/Oats.md": "---\nstatus: done # since May\nRating: 3\n---\nNo bread.\n",
    "In/Broken.md": "---\nstatus: [open\n---\nA loaf.\n",
    "Out.md": "---\ntags: bread, old\n---\nA loaf. [[In/Rye]] and [[Oats]]\n",
    "In/picture.canvas": '{"nodes": [], "edges": []}',
}


def text_of(served: Served, path: str) -> str:
    return (served.bridge.find(None).root / path).read_text()


async def test_a_property_is_set_in_a_folder_and_undone_by_one_call(served: Served) -> None:
    before = {path: text_of(served, path) for path in NOTES}
    tried = await served.result("change_notes", folder="In", properties={"status": "kept", "rating": 5}, dry_run=True)
    assert {(one["name"], one["before"], one["after"]) for one in tried["forecast"]} == {
        ("properties", 3, 4),
        ("property status", 2, 3),
        ("property rating", 0, 2),
    }
    made = await served.result("change_notes", folder="In", properties={"status": "kept", "rating": 5})
    assert {one["path"] for one in made["changed"]} == {"In/Rye.md", "In/Spelt.md", "In/Deep/Oats.md"}
    assert made["forecast"] == []
    assert [one["path"] for one in made["skipped"]] == ["In/Broken.md"]
    assert text_of(served, "In/Spelt.md").startswith("---\nstatus: kept\nrating: 5\n---\n# Spelt\n")
    assert text_of(served, "In/Deep/Oats.md").startswith("---\nstatus: kept # since May\nRating: 5\n---\n")
    await served.result("undo_change", change_id=made["change_id"])
    assert {path: text_of(served, path) for path in NOTES} == before


async def test_notes_are_chosen_by_tag_condition_and_path_together(served: Served) -> None:
    async def changed(**chosen: object) -> list[str]:
        made = await served.result("change_notes", **chosen, properties={"seen": True}, dry_run=True)
        return sorted(one["path"] for one in made["changed"])

    assert await changed(tag="bread") == ["In/Rye.md", "Out.md"]
    assert await changed(where="rating > 2") == ["In/Deep/Oats.md"]
    assert await changed(tag="bread", folder="In") == ["In/Rye.md"]
    assert await changed(paths=["Out.md", "In/Spelt.md"], folder="In") == ["In/Spelt.md"]


@pytest.mark.parametrize(
    ("tag", "typed"), [("kişi", "KİŞİ"), ("Βιβλίος", "ΒΙΒΛΊΟΣ"), ("पेशा", "पेशा"), ("straße", "STRASSE")]
)
async def test_a_tag_is_renamed_in_any_case(served: Served, tag: str, typed: str) -> None:
    text = f"---\ntags: [{tag}]\n---\n#{tag}, #{tag}2\n"
    await served.result("create_note", path="New.md", text=text)
    await served.result("change_notes", rename_tags={typed: "new"}, confirm=True)
    assert text_of(served, "New.md") == f"---\ntags: [new]\n---\n#new, #{tag}2\n"


async def test_tags_are_added_once_and_removed_from_properties_only(served: Served) -> None:
    made = await served.result("change_notes", add_tags=["#Bread", "flour"], remove_tags=["old"])
    assert text_of(served, "In/Rye.md").startswith("---\nstatus: open\ntags: [bread, flour]\n---\n")
    assert text_of(served, "In/Spelt.md").startswith("---\ntags:\n  - Bread\n---\n# Spelt\n")
    assert text_of(served, "Out.md").startswith("---\ntags:\n  - bread\n  - flour\n---\n")
    assert [one["path"] for one in made["skipped"]] == ["In/Broken.md"]
    made = await served.result("change_notes", remove_tags=["flour", "bread"])
    assert [(one["path"], one["why"]) for one in made["skipped"] if "Spelt" in one["path"]] == [
        ("In/Spelt.md", "`#flour` stands in the text of `In/Spelt.md`, line 7.")
    ]
    assert text_of(served, "Out.md").startswith("A loaf.")


async def test_a_text_is_replaced_in_all_notes(served: Served) -> None:
    made = await served.result("change_notes", find="A loaf", replace="Two loaves", expect={"files": 4})
    assert made["occurrences"] == 4
    assert text_of(served, "In/Spelt.md") == "# Spelt\n\nTwo loaves, a loaf and #flour.\n"
    assert "Two loaves" in text_of(served, "In/Broken.md")
    none = await error(served, "change_notes", find="No such text", replace="x")
    assert none["code"] == "text_not_found"


async def test_a_replacement_tells_of_longer_words_and_can_leave_them(served: Served) -> None:
    tried = await served.result("change_notes", find="loa", replace="bre", paths=["Out.md"], dry_run=True)
    assert "1 occurrence within longer words: \u201cloaf\u201d; `whole_words` leaves these." in tried["warnings"]
    none = await error(served, "change_notes", find="loa", replace="bre", paths=["Out.md"], whole_words=True)
    assert none["code"] == "text_not_found"
    made = await served.result("change_notes", find="loaf", replace="bun", paths=["Out.md"], whole_words=True)
    assert made["occurrences"] == 1
    assert not any("longer words" in warning for warning in made["warnings"])


@pytest.mark.parametrize(
    ("text", "find", "left"),
    [
        ("東京都に住む。京都。", "京都", "東京都に住む。X。"),
        ("我在北京住，每天坐北京地铁。北京人很多。", "北京", "我在X住，每天坐X地铁。北京人很多。"),
        ("กาแฟ กา", "กา", "กาแฟ X"),
        ("रामायण, राम ने", "राम", "रामायण, X ने"),
        ("김민수, 민수는 민수가", "민수", "김민수, X는 X가"),
    ],
)
async def test_whole_words_are_replaced_in_any_script(served: Served, text: str, find: str, left: str) -> None:
    (served.bridge.find(None).root / "Out.md").write_text(text, encoding="utf-8")
    change = {"find": find, "replace": "X", "paths": ["Out.md"]}
    tried = await served.result("change_notes", **change, dry_run=True)
    made = await served.result("change_notes", **change, whole_words=True)
    assert text_of(served, "Out.md") == left
    assert tried["occurrences"] == made["occurrences"] + 1
    assert [one.rpartition("; ")[2] for one in made["warnings"] if "longer words" in one] == ["they are left."]


@pytest.mark.parametrize("text", ["a" * 200_000, "a\u0301" * 100_000, "e" + "\u0301" * 200_000])
async def test_a_replacement_within_an_endless_word_ends(served: Served, text: str) -> None:
    (served.bridge.find(None).root / "Out.md").write_text(text, encoding="utf-8")
    find = {"find": text[1], "replace": "o", "paths": ["Out.md"], "dry_run": True}
    tried = await served.result("change_notes", **find)
    assert tried["occurrences"] == text.count(text[1])
    (warning,) = [one for one in tried["warnings"] if "longer words" in one]
    assert len(warning) < 500
    assert (await error(served, "change_notes", **find, whole_words=True))["code"] == "text_not_found"


async def test_a_replacement_of_lines_meets_either_line_break(served: Served) -> None:
    root: Path = served.bridge.find(None).root
    (root / "Out.md").write_bytes(b"one\r\ntwo\r\n")
    (root / "In/Rye.md").write_bytes(b"one\ntwo\n")
    await served.result("change_notes", find="one\ntwo", replace="1\n2")
    assert (root / "Out.md").read_bytes() == b"1\r\n2\r\n"
    assert (root / "In/Rye.md").read_bytes() == b"1\n2\n"


async def test_a_replacement_tells_of_links_that_it_breaks(served: Served) -> None:
    tried = await served.result("change_notes", find="[[Spelt]]", replace="[[Splet]]", dry_run=True)
    assert [(one["path"], one["text"]) for one in tried["links_broken"]] == []
    assert any("Splet" in warning for warning in tried["warnings"])


async def test_notes_move_with_their_links_and_stay_where_they_are_already(served: Served) -> None:
    made = await served.result("change_notes", folder="In", to="In/Deep", properties={"moved": True})
    root: Path = served.bridge.find(None).root
    assert sorted(path.name for path in (root / "In/Deep").iterdir()) == [
        "Broken.md",
        "Oats.md",
        "Rye.md",
        "Spelt.md",
        "picture.canvas",
    ]
    assert "[[In/Deep/Rye]]" in text_of(served, "Out.md")
    assert "moved: true" in text_of(served, "In/Deep/Rye.md")
    await served.result("undo_change", change_id=made["change_id"])
    assert text_of(served, "Out.md") == NOTES["Out.md"]


async def test_notes_keep_their_subfolders_when_their_folder_moves(served: Served) -> None:
    for path in ("In/Sub/Deep/Far.md", "Kept/New.md", "Kept/In/Sub/Older.md"):
        await served.result("create_note", path=path, text="A loaf. #bread\n")

    async def moved(**arguments: str) -> dict[str, str]:
        tried = await served.result("change_notes", **arguments, dry_run=True)
        return {one["moved_from"]: one["path"] for one in tried["changed"] if one.get("moved_from")}

    found = await moved(folder="in", to="Kept/In")
    assert found["In/Sub/Deep/Far.md"] == "Kept/In/Sub/Deep/Far.md"
    assert found["In/Rye.md"] == "Kept/In/Rye.md"
    assert await moved(folder="Kept", to="kept/in") == {"Kept/New.md": "Kept/In/New.md"}
    assert await moved(folder="Kept/In/Sub", to="Kept/In") == {"Kept/In/Sub/Older.md": "Kept/In/Older.md"}
    # Chosen by a tag from wherever they lie, they have no folder in common.
    found = await moved(tag="bread", to="Kept")
    assert found["In/Sub/Deep/Far.md"] == "Kept/Far.md"
    assert "Kept/In/Sub/Older.md" not in found


async def test_the_id_of_a_dry_run_makes_what_it_showed(served: Served) -> None:
    tried = await served.result("change_notes", folder="In", find="loaf", replace="bun", reason="Buns.", dry_run=True)
    assert text_of(served, "In/Rye.md") == NOTES["In/Rye.md"]
    made = await served.result("change_set", preview=tried["preview"])
    assert (made["diff"], made["files"]) == (tried["diff"], tried["files"])
    listed = (await served.call("list_changes", limit=1)).json["changes"][0]
    assert (listed["operation"], listed["reason"]) == ("change_notes", "Buns.")
    again = await error(served, "change_set", preview=tried["preview"])
    assert again["code"] == "change_not_found"


async def test_the_id_of_a_dry_run_is_refused_when_a_note_has_changed_since(served: Served) -> None:
    tried = await served.result("change_notes", folder="In", to="Kept", dry_run=True)
    await served.result("edit_note", path="Out.md", edits=[{"op": "append", "text": "[[In/Spelt]]"}])
    refused = await error(served, "change_set", preview=tried["preview"])
    assert refused["code"] == "expectation_failed"
    assert "dry_run" in refused["hint"]
    assert text_of(served, "In/Rye.md") == NOTES["In/Rye.md"]


async def test_any_change_is_made_by_the_id_of_its_dry_run(served: Served) -> None:
    tried = await served.result("create_note", path="New.md", text="New.", dry_run=True)
    made = await served.result("change_set", preview=tried["preview"])
    assert made["changed"][0]["path"] == "New.md"
    assert text_of(served, "New.md") == "New.\n"
    nothing = await served.result("set_properties", path="In/Rye.md", properties={"status": "open"}, dry_run=True)
    assert "preview" not in nothing
    there = await error(served, "change_notes", paths=["New.md"], to="")
    assert "already" in there["message"]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ({}, "invalid_arguments", "Nothing is to be changed."),
        ({"folder": "In"}, "invalid_arguments", "Nothing is to be changed."),
        ({"folder": "Inn", "remove": ["status"]}, "folder_not_found", "Inn"),
        ({"tag": "braed", "remove": ["status"]}, "note_not_found", "braed"),
        ({"paths": ["In/Ry.md"], "remove": ["status"]}, "note_not_found", "In/Rye.md"),
        ({"where": "stauts == 'open'", "remove": ["status"]}, "note_not_found", "stauts"),
        ({"where": "status ==", "remove": ["status"]}, "invalid_arguments", ""),
        ({"add_tags": ["a b"]}, "invalid_arguments", "is not a tag"),
        ({"old": {"status": "open"}}, "invalid_arguments", "`properties`"),
        ({"properties": {"a\nb": 1}, "folder": "In"}, "invalid_arguments", "one line"),
        ({"to": "In/Deep", "paths": ["In/Rye.md", "Out.md"], "expect": {"files": 9}}, "expectation_failed", "not 9"),
    ],
)
async def test_bad_input_is_refused_with_a_way_out(
    served: Served, arguments: dict[str, object], code: str, said: str
) -> None:
    found = await error(served, "change_notes", **arguments)
    assert found["code"] == code
    assert said in found["message"]
    assert found["hint"]


@pytest.mark.parametrize(
    "change_of",
    [
        {"find": "A loaf", "replace": "x"},
        {"rename_tags": {"bread": "loaf"}},
        {"rename": {"status": "state", "tags": "about"}},
        {"properties": {"seen": True}},
    ],
    ids=str,
)
async def test_a_protected_note_is_left_out_and_named(served: Served, change_of: dict[str, object]) -> None:
    before = text_of(served, "Out.md")
    await set_settings(served, {"readonly": ["Out.md"]})
    made = await served.result("change_notes", **change_of)
    assert "In/Rye.md" in {one["path"] for one in made["changed"]}
    assert "the user's settings say" in {one["path"]: one["why"] for one in made["skipped"]}["Out.md"]
    assert text_of(served, "Out.md") == before


async def test_a_move_stops_where_a_link_to_it_stands_in_a_protected_note(served: Served) -> None:
    before = contents(served)
    await set_settings(served, {"readonly": ["Out.md"]})
    found = await error(served, "change_notes", paths=["In/Rye.md"], to="In/Deep")
    assert (found["code"], "readonly" in found["hint"]) == ("protected_path", True)
    assert contents(served) == before


async def test_the_named_note_is_one_that_changes(served: Served) -> None:
    tried = await served.result("change_notes", find="No bread", replace="Bread", dry_run=True)
    assert (tried["path"], tried["digest"]) == ("In/Deep/Oats.md", None)
    made = await served.result("change_notes", find="No bread", replace="Bread")
    assert (made["path"], made["digest"]) == ("In/Deep/Oats.md", made["changed"][0]["digest"])


async def test_nothing_to_change_names_no_note(served: Served) -> None:
    made = await served.result("change_notes", paths=["In/Rye.md", "In/Spelt.md"], remove=["missing"])
    assert made["warnings"][0] == "No change: every note is as it was before."


async def test_a_refused_large_change_is_confirmed_by_its_id(served: Served) -> None:
    await set_settings(served, {"confirm_files": 1})
    refused = await error(served, "change_notes", folder="In", properties={"seen": True})
    assert refused["code"] == "confirmation_required"
    assert refused["preview"] in refused["hint"]
    assert (await error(served, "change_set", preview=refused["preview"]))["code"] == "confirmation_required"
    made = await served.result("change_set", preview=refused["preview"], confirm=True)
    assert len(made["changed"]) == 3
    edits = [{"op": "set_properties", "path": f"In/{name}.md", "properties": {"a": 1}} for name in ("Rye", "Spelt")]
    again = await error(served, "change_set", edits=edits)
    (served.bridge.find(None).root / "In/Rye.md").write_text("Saved meanwhile.\n")
    await served.call("wait_until_indexed", path="In/Rye.md")
    assert (await error(served, "change_set", preview=again["preview"], confirm=True))["code"] == "expectation_failed"


async def test_another_client_cannot_make_what_a_dry_run_showed_to_one(served: Served) -> None:
    tried = await served.result("change_notes", folder="In", remove=["status"], dry_run=True)
    headers = {"Authorization": f"Bearer {served.runtime.token}", "X-Vaultside-Client": "other"}
    body = json.dumps({"preview": tried["preview"]}).encode()
    refused = (await served.request("POST", "/api/change_set", headers=headers, data=body)).json
    assert refused["error"]["code"] == "change_not_found"


async def test_a_file_that_is_written_and_moved_is_counted_once(served: Served) -> None:
    paths = ["In/Rye.md", "In/Spelt.md"]
    made = await served.result("change_notes", paths=paths, properties={"seen": True}, to="Kept", confirm=True)
    # `Out.md` links to one of them.
    assert (made["files"], len(made["changed"])) == (3, 3)
    moved = {one["path"] for one in made["changed"] if one["moved_from"]}
    assert moved == {"Kept/Rye.md", "Kept/Spelt.md"}
    ran = await served.command("list-changes", "--limit", "1", cwd=served.bridge.find(None).root)
    assert "→ Kept/Rye.md → Kept/Spelt.md" in ran.out
