"""Properties and tags: what the notes have, and renaming it everywhere."""

import json
from pathlib import Path
from typing import Any

import pytest

from bridge.access.tokens import Tokens
from bridge.settings.file import save_settings
from tests.features.served import Served

NOTES = {
    "Rye.md": "---\nstatus: open # why\ntags: [todo, 'bread']\nrating: 4\n---\n# Rye\n\n#todo/now and `#todo`.\n",
    "Spelt.md": "---\nStatus: Open\ntags: todo, bread\nrating: good\n---\nText #TODO.\r\n",
    "Wheat.md": "---\nstatus:\n  - open # first\n  - closed\nstate: new\n---\n",
    "Oats.md": "---\nstatus: [open\ntags: todo\n---\n#todo\n",
    "Query.md": "```query\ntag:#todo status\n```\n",
    "Folder/Barley.md": "---\nstatus: '[[Rye|the rye]]'\ntype: grain\n---\n#task\n",
    "Board.canvas": '{"nodes":[{"id":"1","type":"text","text":"A card #todo","x":0,"y":0}],"edges":[]}',
    "All.base": 'filters: file.hasTag("todo") && status == "open"\n',
    ".obsidian/types.json": '{"types": {"status": "text", "rating": "number"}}',
    ".obsidian/bookmarks.json": '{"items": [{"type": "search", "query": "tag:#todo"}]}',
}


def contents(served: Served) -> dict[str, bytes]:
    root = served.bridge.find(None).root
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.relative_to(root).as_posix() in NOTES
    }


async def set_settings(served: Served, values: dict[str, Any]) -> None:
    await served.bridge.use(save_settings(served.bridge.settings_path, values))


async def error(served: Served, operation: str, **arguments: Any) -> dict[str, Any]:
    answer = await served.call(operation, **arguments)
    assert answer.status != 200, answer.body
    found: dict[str, Any] = answer.json["error"]
    return found


async def test_a_report_lists_types_spellings_and_what_is_inconsistent(served: Served) -> None:
    report = (await served.call("property_report")).json
    facts = {one["name"]: one for one in report["properties"]}
    assert list(facts) == ["status", "rating", "tags", "state", "type"]
    assert facts["status"]["notes"] == 4
    assert facts["status"]["types"] == {"text": 2, "list": 1, "link": 1}
    assert facts["status"]["spellings"] == ["status", "Status"]
    assert facts["status"]["values"] == 3
    assert facts["status"]["obsidian_type"] == "text"
    assert facts["status"]["problems"][0] == "It has 2 spellings: status, Status."
    assert facts["rating"]["problems"] == ["Its values differ in type: 1 number, 1 text."]
    assert report["unreadable"] == ["Oats.md"]
    assert report["total"] == 5
    assert [one["name"] for one in (await served.call("property_report", limit=1)).json["properties"]] == ["status"]
    assert (await served.call("property_report", folder="Folder")).json["notes"] == 1
    assert (await served.call("property_report", folder="Nowhere")).json["notices"] != []


async def test_values_are_counted_item_by_item_and_without_case(served: Served) -> None:
    listed = (await served.call("property_report", name="STATUS")).json
    assert [(one["value"], one["type"], one["notes"]) for one in listed["values"]] == [
        ("open", "text", 3),
        ("[[Rye|the rye]]", "link", 1),
        ("closed", "text", 1),
    ]
    assert listed["values"][0]["spellings"] == ["open (2)", "Open (1)"]
    assert listed["values"][0]["paths"] == ["Rye.md", "Spelt.md", "Wheat.md"]
    assert listed["notes"] == 4
    assert "There is no property `statsu`" in (await served.call("property_report", name="statsu")).json["notices"][0]


async def test_links_to_headings_with_a_tag_follow_its_new_name(served: Served) -> None:
    root, card = served.bridge.find(None).root, "# Card #todo\\n> [!note] #todo\\n[[Plan#Now todo]]"
    texts = {
        "Plan.md": "# Now #todo\n\nSoon #todo/soon\n---\n\n> #todo\n\n| a |\n|-|\n| #todo |\n\n- #todo [[#Now todo]]",
        "Other.md": "[[Plan#Now todo|n]] ![[Plan#Soon todo/soon]] [n](Plan.md#Now%20todo)",
        "Cards.canvas": f'{{"nodes":[{{"id":"1","type":"text","text":"{card}","x":0,"y":0}}],"edges":[]}}',
    }
    for name, text in texts.items():
        (root / name).write_text(text)
    await served.bridge.find(None).vault.indexer.look_at([""])
    made = await served.result("change_notes", rename_tags={"todo": "task"})
    assert (made["links_broken"], made["links_rewritten"]) == ([], 5)
    assert {name: (root / name).read_text() for name in texts} == {
        name: text.replace("todo", "task") for name, text in texts.items()
    }
    await served.result("undo_change", change_id=made["change_id"])
    assert {name: (root / name).read_text() for name in texts} == texts


async def test_a_tag_is_renamed_everywhere_and_undone_byte_for_byte(served: Served) -> None:
    before = contents(served)
    tried = await served.result("change_notes", rename_tags={"#todo": "task"}, dry_run=True)
    assert contents(served) == before
    made = await served.result("change_notes", rename_tags={"#todo": "task"}, expect={"files": 3})
    assert {one["path"] for one in made["changed"]} == {"Board.canvas", "Rye.md", "Spelt.md"}
    assert (tried["diff"], tried["occurrences"], tried["files"]) == (made["diff"], 5, 3)
    assert [one["path"] for one in made["skipped"]] == ["Oats.md"]
    assert "line 3" in made["skipped"][0]["why"]
    assert made["named_in"] == ["Query.md", "All.base", ".obsidian/bookmarks.json"]
    after = contents(served)
    assert after["Rye.md"] == before["Rye.md"].replace(b"[todo", b"[task").replace(b"#todo/now", b"#task/now")
    assert after["Spelt.md"] == before["Spelt.md"].replace(b"todo,", b"task,").replace(b"#TODO", b"#task")
    assert after["Board.canvas"] == before["Board.canvas"].replace(b"#todo", b"#task")
    changed = {"Rye.md", "Spelt.md", "Board.canvas"}
    assert {path: after[path] for path in after if path not in changed} == {
        path: before[path] for path in before if path not in changed
    }
    tags = {one["tag"]: one["count"] for one in (await served.call("list_tags")).json["tags"]}
    assert (tags["task"], tags["task/now"]) == (4, 1)
    await served.result("undo_change", change_id=made["change_id"])
    assert contents(served) == before
    some = await served.result("change_notes", rename_tags={"todo": "task"}, paths=["Rye.md"], children=False)
    assert [one["path"] for one in some["changed"]] == ["Rye.md"]
    assert b"#todo/now" in contents(served)["Rye.md"]
    await served.result("undo_change", change_id=some["change_id"])
    assert contents(served) == before


async def test_a_property_is_renamed_where_it_can_be(served: Served) -> None:
    before = contents(served)
    refused = await error(served, "change_notes", rename={"status": "state"})
    assert refused["code"] == "invalid_arguments"
    assert "both `status` and `state`: `Wheat.md`" in refused["message"]
    assert contents(served) == before
    kept = await served.result("change_notes", rename={"STATUS": "state"}, on_clash="keep")
    assert [one["path"] for one in kept["skipped"]] == ["Oats.md", "Wheat.md"]
    assert contents(served)["Rye.md"] == before["Rye.md"].replace(b"status:", b"state:")
    assert contents(served)["Spelt.md"] == before["Spelt.md"].replace(b"Status:", b"state:")
    assert any("types.json" in warning for warning in kept["warnings"])
    assert kept["named_in"] == ["Query.md", "All.base"]
    await served.result("undo_change", change_id=kept["change_id"])
    assert contents(served) == before
    cased = await served.result("change_notes", rename={"status": "Status"})
    assert contents(served)["Wheat.md"] == before["Wheat.md"].replace(b"status:", b"Status:")
    await served.result("undo_change", change_id=cased["change_id"])
    inside = await served.result("change_notes", rename={"status": "phase"}, folder="folder")
    assert [one["path"] for one in inside["changed"]] == ["Folder/Barley.md"]
    assert inside["skipped"] == []
    await served.result("undo_change", change_id=inside["change_id"])
    assert contents(served) == before


async def test_an_unreadable_note_without_the_name_is_not_listed(served: Served) -> None:
    tried = await served.result("change_notes", rename={"rating": "stat"}, dry_run=True)
    assert tried["skipped"] == []


async def test_a_clash_can_be_merged(served: Served) -> None:
    root = served.bridge.find(None).root
    made = await served.result("change_notes", rename={"state": "status"}, on_clash="merge")
    assert (root / "Wheat.md").read_text() == "---\nstatus:\n  - open # first\n  - closed\n  - new\n---\n"
    await served.result("undo_change", change_id=made["change_id"])


async def test_a_value_changes_also_in_lists_and_by_its_type(served: Served) -> None:
    before = contents(served)
    made = await served.result("change_notes", properties={"status": "closed"}, old={"status": "open"})
    after = contents(served)
    assert after["Rye.md"] == before["Rye.md"].replace(b"open", b"closed")
    assert after["Wheat.md"] == b"---\nstatus:\n  # first\n  - closed\nstate: new\n---\n"
    assert after["Spelt.md"] == before["Spelt.md"]
    await served.result("undo_change", change_id=made["change_id"])
    rated = await served.result("change_notes", properties={"rating": "good"}, old={"rating": 4})
    assert contents(served)["Rye.md"] == before["Rye.md"].replace(b"4", b"good")
    await served.result("undo_change", change_id=rated["change_id"])
    assert contents(served) == before
    missing = await error(served, "change_notes", properties={"rating": 5}, old={"rating": "4"})
    assert missing["code"] == "text_not_found"


@pytest.mark.parametrize(
    ("operation", "arguments", "code", "said"),
    [
        ("change_notes", {"rename_tags": {"tood": "x"}}, "text_not_found", "There is no tag `tood`"),
        ("change_notes", {"rename_tags": {"todo": "a b"}}, "invalid_arguments", "is not a tag"),
        ("change_notes", {"rename_tags": {"todo": "#todo"}}, "invalid_arguments", "the same tag"),
        ("change_notes", {"rename_tags": {"todo": "x"}, "expect": {"files": 9}}, "expectation_failed", "not 9"),
        ("change_notes", {"rename": {"statsu": "x"}}, "text_not_found", "There is no property `statsu`"),
        ("change_notes", {"rename": {"status": ""}}, "invalid_arguments", "one line of 1 to 200"),
        ("change_notes", {"rename": {"status": "x"}, "folder": "No"}, "folder_not_found", "No"),
        ("change_notes", {"properties": {"status": "x"}, "old": {"status": "opne"}}, "text_not_found", "`opne`"),
        ("change_notes", {"properties": {"status": 1.0}, "old": {"status": 1}}, "invalid_arguments", "the same one"),
    ],
)
async def test_bad_input_is_refused_with_a_way_out(
    served: Served, operation: str, arguments: dict[str, Any], code: str, said: str
) -> None:
    found = await error(served, operation, **arguments)
    assert found["code"] == code
    assert said in found["message"]
    assert found["hint"]


async def test_denied_notes_are_neither_counted_nor_changed(served: Served) -> None:
    before = contents(served)
    await set_settings(served, {"deny": ["Spelt.md"]})
    facts = {one["name"]: one for one in (await served.call("property_report")).json["properties"]}
    assert facts["status"]["spellings"] == ["status"]
    await served.result("change_notes", rename_tags={"todo": "task"})
    assert contents(served)["Spelt.md"] == before["Spelt.md"]


async def test_many_files_must_be_confirmed(served: Served) -> None:
    await set_settings(served, {"confirm_files": 2})
    found = await error(served, "change_notes", rename_tags={"todo": "task"})
    assert found["code"] == "confirmation_required"
    tried = await served.result("change_notes", rename_tags={"todo": "task"}, dry_run=True)
    assert tried["confirmation"]
    assert (await served.result("change_notes", rename_tags={"todo": "task"}, confirm=True))["state"] == "applied"


async def test_what_an_agent_renames_waits_for_the_user(served: Served) -> None:
    before = contents(served)
    Tokens(served.bridge.folders.tokens).create("agent", ["read", "write"])
    headers = {"Authorization": f"Bearer {served.runtime.token}", "X-Vaultside-Client": "agent"}
    body = json.dumps({"rename_tags": {"todo": "task"}}).encode()
    proposed = (await served.request("POST", "/api/change_notes", headers=headers, data=body)).json
    assert proposed["state"] == "proposed"
    assert contents(served) == before
    await served.result("decide", id=proposed["change_id"], verdict="accept")
    assert contents(served)["Rye.md"] != before["Rye.md"]


async def test_a_number_on_the_command_line_is_a_number(served: Served) -> None:
    ran = await served.command("change-notes", "--old", "rating=4", "--properties", "rating=5", "--dry-run", "--json")
    assert ran.status == 0, ran.err
    assert "+rating: 5" in ran.json["diff"]
    shown = await served.command("property-report", "--name", "status")
    assert "open" in shown.out
    assert Path(served.bridge.find(None).root, "Rye.md").read_bytes() == NOTES["Rye.md"].encode()


def book(status: str, year: str = "1999") -> str:
    return f"---\ntype: book\nstatus: {status}\nyear: {year}\n---\n## Review\n"


async def write_books(served: Served) -> None:
    texts = {f"Books/Book {number}.md": book("done" if number % 2 else "open") for number in range(10)}
    texts["Books/Wrong.md"] = book("opne", "soon")
    edits = [{"op": "create_note", "path": path, "text": text} for path, text in texts.items()]
    await served.result("change_set", edits=edits, confirm=True)


async def test_conventions_name_who_violates_them(served: Served) -> None:
    await write_books(served)
    found = (await served.call("check_notes", folder="Books", conventions=True)).json
    rules = {(one["kind"], one["name"]): one for one in found["conventions"]}
    assert rules["values", "status"]["expected"] == ["done", "open"]
    assert rules["values", "status"]["violators"] == ["Books/Wrong.md"]
    assert rules["type", "year"]["share"] == 0.909
    assert rules["heading", "Review"]["violators"] == []
    assert (await served.call("check_notes", folder="Bokos")).json["notices"] != []


async def test_violations_say_the_line_and_the_nearest_value(served: Served) -> None:
    await write_books(served)
    found = (await served.call("check_notes", paths=["Books/Wrong.md"], rules="inferred")).json
    wrong = {(one["kind"], one["name"]): one for one in found["violations"]}
    assert wrong["values", "status"]["line"] == 3
    assert (wrong["values", "status"]["found"], wrong["values", "status"]["suggestion"]) == ("opne", "open")
    assert (wrong["type", "year"]["found"], wrong["type", "year"]["expected"]) == ("soon", ["number"])
    assert (await served.call("check_notes", paths=["Books/Book 1.md"], rules="inferred")).json["total"] == 0
    assert (await error(served, "check_notes", paths=["Books/None.md"]))["code"] == "note_not_found"


async def test_a_schema_note_overrules_what_is_inferred(served: Served) -> None:
    await write_books(served)
    rows = ["name | type | required | values", "--|--|--|--", "status | text | yes | opne", "isbn | number | yes |"]
    table = "".join(f"| {row} |\n" for row in rows)
    created = await served.call(
        "create_note", path="Schemas/Book.md", text=f"---\ntype: schema\nfor_type: book\n---\n{table}"
    )
    assert created.status == 200, created.body
    found = (await served.call("check_notes", folder="Books", rules="both", limit=500)).json
    wrong = {(one["path"], one["kind"], one["name"]) for one in found["violations"]}
    assert ("Books/Book 1.md", "values", "status") in wrong
    assert ("Books/Wrong.md", "values", "status") not in wrong
    assert {one["schema_note"] for one in found["violations"] if one["name"] == "isbn"} == {"Schemas/Book.md"}
    assert ("Books/Wrong.md", "type", "year") in wrong
    stated = (await served.call("check_notes", folder="Books", rules="schema")).json
    assert stated["rules"] == 5
    assert {one["name"] for one in stated["violations"]} == {"status", "isbn"}


async def test_rules_hold_where_their_conditions_are_true(served: Served) -> None:
    await write_books(served)
    rows = [
        "name | required | where | must",
        "--|--|--|--",
        'finished | yes | status == "done" |',
        "year | | | year > 1992",
        ' | | | file.hasLink("Nowhere") \\|\\| status != "open"',
        'odd | yes | file.hasTga("x")',
    ]
    text = '---\ntype: schema\nfor_where: file.inFolder("Books")\n---\n' + "".join(f"| {row} |\n" for row in rows)
    await served.result("create_note", path="Schemas/Shelf.md", text=text)
    found = (await served.call("check_notes", rules="schema", limit=500)).json
    books = (await served.call("find_notes", folder="Books", limit=200)).json["notes"]
    state = {one["path"]: (await served.call("read_note", path=one["path"])).json["properties"] for one in books}
    wrong = {(one["path"], one["kind"], one["name"]): one for one in found["violations"]}
    assert {path for path, kind, _ in wrong if kind == "required"} == {
        path for path, each in state.items() if each["status"] == "done"
    }
    assert {path for path, _, name in wrong if name == "year"} == {
        path for path, each in state.items() if not (isinstance(each["year"], int) and each["year"] > 1992)
    }
    early = next(one for key, one in wrong.items() if key[2] == "year")
    assert early["expected"] == ["year > 1992"]
    assert early["line"] is not None
    assert {path for path, _, name in wrong if name == ""} == {
        path for path, each in state.items() if each["status"] == "open"
    }
    [problem] = found["notices"]
    assert "line 10" in problem
    assert "hasTag" in problem
    rules = (await served.call("check_notes", folder="Books", conventions=True)).json
    stated = [one for one in rules["conventions"] if one["schema_note"]]
    assert rules["conventions"][: len(stated)] == stated
    assert {(one["kind"], one["name"]) for one in stated} == {
        ("required", "finished"),
        ("condition", "year"),
        ("condition", ""),
    }
    assert stated[0]["where"] == '(file.inFolder("Books")) && (status == "done")'
    assert rules["notices"] == [problem]
