"""Notes are made and changed over HTTP, by the user's programs and by agents."""

import hashlib
from collections.abc import AsyncIterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson
import pytest
import pytest_asyncio

from bridge.access.tokens import Tokens
from bridge.settings.file import save_settings
from tests.features.served import Served, readable, serving, write_vault

STORY = (
    "The oven was built in the spring by four neighbours with clay from the river bank, straw from the mill and a "
    "great deal of patience, and it has baked every second Saturday since then without a single crack in its dome."
)

LAW = "Fixed/Law.md"

NOTES = {
    "Old Rye Starter.md": "---\naliases: [Gertrude]\n# kept by hand\nfed: yes\n---\nFed daily.\n",
    "Oven.md": f"# Oven\n\n{STORY}\n",
    "Tasks.md": "# Week\n\n- [ ] Sweep the flue 📅 2026-01-31\n- [x] Buy salt\n\n# Later\n\n- [ ] Rest\n",
    "Templates/Day.md": "# {{date:dddd}}\n\n## Log\n",
    "Private/Diary.md": "Secret words about the [[Oven]].\n",
    LAW: "# Law\n\n- [ ] Obey\n\nSee [[Oven]] and Tasks.\n",
}


@pytest_asyncio.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    vault = write_vault(tmp_path / "Notes", NOTES)
    settings = {"folder": "Days", "format": "YYYY-MM-DD", "template": "Templates/Day"}
    (vault / ".obsidian/daily-notes.json").write_bytes(orjson.dumps(settings))
    data = tmp_path / "data"
    data.mkdir(0o700)
    (data / "settings.toml").write_text(
        'deny = ["Private/**"]\nreadonly = ["Fixed/**"]\nauto_link_clients = ["weaver"]\napply_clients = ["weaver"]\n'
    )
    async with serving([vault], data, tmp_path / "no models") as served:
        await readable(served)
        yield served


def root(served: Served) -> Path:
    return served.bridge.find(None).root


async def read(served: Served, path: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = (await served.call("read_note", path=path)).json
    return found


async def test_what_another_note_says_already_must_be_confirmed(served: Served) -> None:
    refused = await served.call("create_note", path="Copy.md", text=STORY)
    assert refused.code == "confirmation_required"
    assert refused.json["error"]["message"] == "`Oven.md` already contains 100% of this text."
    half = STORY[: len(STORY) * 7 // 10]
    other = "Beans are sown after the last frost, in rows that run from north to south."
    told = (await served.call("create_note", path="Half.md", text=f"{half}\n\n{other}")).json
    assert any("`Oven.md` already contains" in warning for warning in told["warnings"])
    assert (await served.call("create_note", path="Copy.md", text=STORY, confirm=True)).status == 200


async def test_a_missing_note_is_refused_with_the_closest(served: Served) -> None:
    answer = await served.call("edit_note", path="Ovem.md", edits=[{"op": "append", "text": "x"}])
    assert answer.code == "note_not_found"
    assert "Oven.md" in answer.json["error"]["closest"]


async def test_properties_change_line_by_line(served: Served) -> None:
    digest = (await read(served, "Old Rye Starter.md"))["digest"]
    await served.result("set_properties", path="Old Rye Starter.md", digest=digest, properties={"rating": 5})
    assert (root(served) / "Old Rye Starter.md").read_text() == (
        "---\naliases: [Gertrude]\n# kept by hand\nfed: yes\nrating: 5\n---\nFed daily.\n"
    )


async def test_an_alias_is_renamed_with_the_links_that_show_it(served: Served) -> None:
    await served.call("create_note", path="Feeding.md", text="[[Old Rye Starter|Gertrude]] eats.")
    digest = (await read(served, "Old Rye Starter.md"))["digest"]
    asked = {"path": "Old Rye Starter.md", "alias": "Gertrude", "to": "Gerda", "digest": digest, "links": True}
    answer = await served.call("rename_alias", **asked)
    assert answer.json["links_rewritten"] == 1, answer.body
    assert (root(served) / "Feeding.md").read_text() == "[[Old Rye Starter|Gerda]] eats.\n"
    assert "aliases: [Gerda]\n# kept by hand\n" in (root(served) / "Old Rye Starter.md").read_text()
    assert (await served.call("rename_alias", **{**asked, "alias": "Hilda"})).code == "note_changed"


async def test_a_long_note_may_be_changed_a_little(served: Served) -> None:
    (root(served) / "Long.md").write_text("word " * 300_000 + "\n\n- [ ] Rest\n")
    await served.call("wait_until_indexed", path="Long.md")
    await served.result("toggle_task", path="Long.md", line=3, text="Rest")


async def test_a_blank_template_takes_no_words_away(served: Served) -> None:
    (root(served) / "Templates/Blank.md").write_text("\n\n")
    await served.result("create_note", path="New.md", text="Words.", template="Templates/Blank.md")
    assert (root(served) / "New.md").read_text() == "Words.\n"


async def test_replacing_needs_to_have_read(served: Served) -> None:
    edits = [{"op": "replace_text", "old": "Oven", "new": "Kiln"}]
    refused = await served.call("edit_note", path="Oven.md", edits=edits)
    assert (refused.code, "digest" in refused.json["error"]["message"]) == ("invalid_arguments", True)


async def test_the_daily_note_is_read_made_and_added_to(served: Served) -> None:
    asked = {"date": "2026-01-31"}
    before = (await served.call("daily_note", **asked)).json
    assert (before["path"], before["text"], before["digest"]) == ("Days/2026-01-31.md", None, None)
    made = (await served.call("daily_note", **asked, append="- Rain", heading="Log")).json
    assert made["text"] == "# Saturday\n\n## Log\n- Rain\n"
    again = (await served.call("daily_note", **asked, append="Night.")).json
    assert again["text"] == "# Saturday\n\n## Log\n- Rain\n\nNight.\n"
    assert again["digest"] == (await read(served, "Days/2026-01-31.md"))["digest"]
    undone = await served.call("undo_change", change_id=made["change_id"])
    assert undone.code == "change_conflict"
    today = (await served.call("daily_note")).json
    assert today["path"] == f"Days/{datetime.now().astimezone():%Y-%m-%d}.md"


async def test_who_may_only_read_may_read_the_daily_note(served: Served) -> None:
    Tokens(served.bridge.folders.tokens).create("reader", ["read"])
    assert (await served.call_as("reader", "daily_note", date="2026-01-31")).status == 200
    refused = await served.call_as("reader", "daily_note", date="2026-01-31", append="x")
    assert refused.code == "forbidden"


async def test_a_task_is_ticked_and_added(served: Served) -> None:
    task = next(t for t in (await served.call("list_tasks", path="Tasks.md")).json["tasks"] if "flue" in t["text"])
    await served.result("toggle_task", path="Tasks.md", line=task["line"], text=task["text"])
    assert "- [x] Sweep the flue 📅 2026-01-31\n" in (root(served) / "Tasks.md").read_text()
    wrong = await served.call("toggle_task", path="Tasks.md", line=4, text="Sweep the flue")
    assert wrong.code == "note_changed"
    await served.call("add_task", path="Tasks.md", text="Sleep", heading="Later", due="2026-02-01")
    assert (root(served) / "Tasks.md").read_text().endswith("- [ ] Rest\n- [ ] Sleep 📅 2026-02-01\n")


async def test_a_note_that_is_made_and_moved_is_shown_where_it_comes_to_lie(served: Served) -> None:
    edits = [
        {"op": "create_note", "path": "Draft/One.md", "text": "[[Two]]\n"},
        {"op": "move_note", "path": "Draft/One.md", "to": "Final/Uno.md"},
        {"op": "create_note", "path": "Final/Two.md", "text": "See.\n"},
    ]
    tried = await served.result("change_set", edits=edits, dry_run=True, expect={"files": 2})
    assert tried["files"] == 2
    assert [line for line in tried["diff"].splitlines() if line.startswith("+++")] == [
        "+++ b/Final/Uno.md",
        "+++ b/Final/Two.md",
    ]
    assert "Draft" not in tried["diff"]
    made = await served.result("change_set", edits=edits)
    assert [(one["path"], one["moved_from"]) for one in made["changed"]] == [
        ("Final/Uno.md", None),
        ("Final/Two.md", None),
    ]
    await served.result("undo_change", change_id=made["change_id"])
    assert not (root(served) / "Final").exists()


async def test_a_property_that_is_not_there_to_be_removed_is_told(served: Served) -> None:
    await served.call("create_note", path="Shop.md", text="Text.\n", properties={"url": "a", "kind": "b"})
    digest = (await read(served, "Shop.md"))["digest"]
    made = await served.result("set_properties", path="Shop.md", digest=digest, remove=["URL", "nope"])
    assert made["warnings"] == ["The note has no property `nope` to remove."]
    assert (root(served) / "Shop.md").read_text() == "---\nkind: b\n---\nText.\n"


async def test_a_new_task_begins_with_the_tag_of_the_others(served: Served) -> None:
    tagged = "- [ ] #task Sweep\n- [x] #task Rake\n"
    await served.call("create_note", path="Tagged.md", text=f"{tagged}- [ ] #task Mow 📅 2026-02-01\n")
    await served.call("add_task", path="Tagged.md", text="Dig")
    await served.call("add_task", path="Tagged.md", text="Rest #task")
    assert (root(served) / "Tagged.md").read_text().endswith("- [ ] #task Dig\n- [ ] Rest #task\n")
    await served.call("create_note", path="Fresh.md", text="# Fresh\n")
    await served.call("add_task", path="Fresh.md", text="Dig")
    await served.call("create_note", path="Many.md", text=tagged * 20)
    await served.call("add_task", path="Fresh.md", text="Sow")
    assert (root(served) / "Fresh.md").read_text() == "# Fresh\n- [ ] Dig\n- [ ] #task Sow\n"


async def test_a_task_is_found_by_its_text(served: Served) -> None:
    note = root(served) / "Packing.md"
    await served.call("create_note", path="Packing.md", text="- [ ] Tent\n- [ ] Rope 📅 2026-01-31\n- [ ] Tent\n")
    assert (await served.call("toggle_task", path="Packing.md", text="Rope")).status == 200
    assert "- [x] Rope" in note.read_text()
    refused = await served.call("toggle_task", path="Packing.md", text="Tent")
    assert (refused.code, "lines 1, 3" in refused.json["error"]["message"]) == ("invalid_arguments", True)
    assert (await served.call("toggle_task", path="Packing.md", text="Stove")).code == "text_not_found"
    assert (await served.call("toggle_task", path="Packing.md", text="Tent", line=3)).status == 200
    assert note.read_text().startswith("- [ ] Tent\n")


async def test_of_equal_tasks_the_one_that_was_listed_is_ticked(served: Served) -> None:
    note = root(served) / "Shopping.md"
    await served.call("create_note", path="Shopping.md", text="- [ ] Milk\n- [ ] Bread\n- [ ] Milk\n- [ ] Milk\n")
    *_, last = (await served.call("list_tasks", path="Shopping.md")).json["tasks"]
    listed = {name: last[name] for name in ("path", "line", "text", "digest")}
    for number in (2, 3):
        # The digest is still good after ticking, which moves no line.
        other = listed | {"line": number, "text": "Bread" if number == 2 else "Milk"}
        assert (await served.call("toggle_task", **other)).status == 200
    note.write_text("- [ ] Eggs\n" + note.read_text().replace("- [ ] Milk\n", "", 1))
    refused = await served.call("toggle_task", **listed)
    assert refused.code == "note_changed"
    note.write_text("- [ ] Eggs\n" + note.read_text())
    refused = await served.call("toggle_task", **listed)
    assert refused.code == "note_changed"
    assert note.read_text() == "- [ ] Eggs\n- [ ] Eggs\n- [x] Bread\n- [x] Milk\n- [ ] Milk\n"
    assert (await served.call("toggle_task", path="Shopping.md", line=5, text="Milk")).status == 200


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("create_note", {"path": "Fixed/New.md"}),
        ("edit_note", {"edits": [{"op": "append", "text": "x"}]}),
        ("set_properties", {"properties": {"x": 1}}),
        ("add_task", {"text": "x"}),
        ("toggle_task", {"line": 3, "text": "Obey"}),
        ("rename_heading", {"heading": "Law", "to": "Rule"}),
        ("move_note", {"to": "Out.md"}),
        ("move_note", {"path": "Fixed", "to": "Loose"}),
        ("move_note", {"path": "Tasks.md", "to": "Fixed/Tasks.md"}),
        ("delete_note", {}),
        ("apply_links", {"targets": ["Tasks.md"]}),
        ("change_set", {"edits": [{"op": "edit_note", "path": LAW, "edits": [{"op": "append", "text": "x"}]}]}),
    ],
)
async def test_a_note_that_must_stay_is_written_by_nothing(
    served: Served, operation: str, arguments: dict[str, Any]
) -> None:
    before = (root(served) / LAW).read_bytes()
    asked = {"path": LAW, **arguments} if operation != "change_set" else arguments
    if operation in {"set_properties", "rename_heading", "move_note", "delete_note"} and asked["path"] != "Fixed":
        asked["digest"] = (await read(served, asked["path"]))["digest"]
    refused = await served.call(operation, **asked)
    assert refused.code == "protected_path", refused.body
    assert (root(served) / LAW).read_bytes() == before
    assert [file.name for file in (root(served) / "Fixed").iterdir()] == ["Law.md"]


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("create_note", {"path": "Made.md", "text": "word " * 300}),
        ("edit_note", {"path": "Tasks.md", "edits": [{"op": "append", "text": "word " * 300}]}),
        ("set_properties", {"path": "Tasks.md", "properties": {"x": "word " * 300}}),
        ("add_task", {"path": "Tasks.md", "text": "word " * 300}),
        ("daily_note", {"append": "word " * 300}),
        ("delete_note", {"path": "Tasks.md"}),
    ],
)
async def test_what_is_large_is_made_once_it_is_confirmed(
    served: Served, operation: str, arguments: dict[str, Any]
) -> None:
    for name in ("One", "Two"):
        assert (await served.call("create_note", path=f"{name}.md", text=f"{name} of [[Tasks]].")).status == 200
    await served.bridge.use(save_settings(served.bridge.settings_path, {"confirm_kb": 1, "confirm_files": 1}))
    before = {file: file.read_bytes() for file in root(served).rglob("*.md")}
    if operation in {"set_properties", "delete_note"}:
        arguments["digest"] = (await read(served, "Tasks.md"))["digest"]
    refused = await served.call(operation, **arguments)
    assert refused.code == "confirmation_required", refused.body
    assert ("break links in 2 notes" in refused.json["error"]["message"]) == (operation == "delete_note")
    assert {file: file.read_bytes() for file in root(served).rglob("*.md")} == before
    await served.result(operation, **arguments, confirm=True)
    assert {file: file.read_bytes() for file in root(served).rglob("*.md")} != before


async def test_a_note_that_must_stay_keeps_others_from_moving(served: Served) -> None:
    digest = (await read(served, "Fixed/Law.md"))["digest"]
    refused = await served.call("delete_note", path="Fixed/Law.md", digest=digest)
    assert refused.code == "protected_path"
    refused = await served.call("edit_note", path="Fixed/Law.md", edits=[{"op": "append", "text": "x"}])
    assert refused.code == "protected_path"
    digest = (await read(served, "Oven.md"))["digest"]
    refused = await served.call("move_note", path="Oven.md", to="Kiln.md", digest=digest)
    assert refused.code == "protected_path"
    assert "Fixed/Law.md" in refused.json["error"]["message"]
    assert "Private" not in refused.body.decode()


@pytest.mark.parametrize("path", ["Private/Diary.md", "Private/New.md", "private/diary.md"])
async def test_a_denied_path_is_refused_alike_whether_or_not_there_is_a_note(served: Served, path: str) -> None:
    made = await served.call("create_note", path=path, text="x")
    assert made.code == "protected_path"
    edited = await served.call("edit_note", path=path, edits=[{"op": "append", "text": "x"}])
    assert edited.code == "note_not_found"
    assert not (root(served) / "Private/New.md").exists()


async def test_an_agents_text_gets_links_where_the_user_wants_them(served: Served) -> None:
    text = "Today the Old Rye Starter was fed, and the day was warm."
    plain = await served.call("create_note", path="Plain.md", text=text)
    assert plain.status == 200
    assert "[[" not in (root(served) / "Plain.md").read_text()
    woven = await served.call_as("weaver", "create_note", path="Woven.md", text=text, confirm=True)
    assert woven.status == 200, woven.body
    assert "[[Old Rye Starter]]" in (root(served) / "Woven.md").read_text()
    assert "[[Old Rye Starter]]" in woven.json["diff"]
    more = [{"op": "append", "text": "Nothing else of Gertrude."}]
    await served.call_as("weaver", "edit_note", path="Plain.md", edits=more)
    assert (root(served) / "Plain.md").read_text().startswith(text), "what stood there before is left alone"


async def test_a_client_without_leave_proposes_and_cannot_decide(served: Served) -> None:
    edits = [{"op": "append", "text": "More."}]
    proposed = await served.call_as("agent", "edit_note", path="Oven.md", edits=edits)
    change = proposed.json["change_id"]
    assert proposed.json["state"] == "proposed"
    # The file is as it was, and so is the digest that the next edit needs.
    assert (
        proposed.json["digest"] == hashlib.sha256((served.bridge.find(None).root / "Oven.md").read_bytes()).hexdigest()
    )
    assert [file["digest"] for file in proposed.json["changed"]] == [None]
    assert "More." not in (root(served) / "Oven.md").read_text()
    for verdict in ("accept", "reject"):
        refused = await served.call_as("agent", "decide", id=change, verdict=verdict)
        assert refused.code == "forbidden"
    shown = (await served.call_as("agent", "show_change", change_id=change)).json
    assert (shown["state"], shown["client"], shown["expires"] is None) == ("proposed", "agent", False)
    assert [hunk["number"] for hunk in shown["hunks"]] == [1]
    await served.call("decide", id=change, verdict="reject")
    assert (await served.call_as("agent", "show_change", change_id=change)).json["state"] == "rejected"


async def test_a_shown_change_tells_which_of_its_parts_are_undone(served: Served) -> None:
    text = "One.\n\n\n\n\n\n\n\n\nTwo.\n"
    await served.call("create_note", path="Parts.md", text=text)
    edits = [{"op": "append", "text": "Below."}, {"op": "prepend", "text": "Above."}]
    change_id = (await served.call("edit_note", path="Parts.md", edits=edits)).json["change_id"]

    async def undone() -> list[bool]:
        return [hunk["undone"] for hunk in (await served.call("show_change", change_id=change_id)).json["hunks"]]

    told = [await undone()]
    for hunks in ({"hunks": [2]}, {}):
        assert (await served.call("undo_change", change_id=change_id, **hunks)).status == 200
        told.append(await undone())
    assert (await served.call("undo_change", change_id=change_id, redo=True)).status == 200
    assert [*told, await undone()] == [[False, False], [False, True], [True, True], [False, False]]


@pytest.mark.parametrize(("operation", "more"), [("move_note", {"to": "Two.md"}), ("delete_note", {})])
async def test_a_name_that_no_link_can_say_comes_back(served: Served, operation: str, more: dict[str, str]) -> None:
    path = "Songs [live] #2.md"
    (root(served) / path).write_text("Loud.\n")
    await served.call("wait_until_indexed", path=path)
    digest = (await served.call("read_note", path=path)).json["digest"]
    made = await served.result(operation, path=path, digest=digest, **more)
    assert not (root(served) / path).exists()
    await served.result("undo_change", change_id=made["change_id"])
    assert (root(served) / path).read_text() == "Loud.\n"


async def test_a_change_whose_parts_are_all_undone_is_undone_and_can_be_redone(served: Served) -> None:
    text = "One.\n\n\n\n\n\n\n\n\nTwo.\n"
    await served.call("create_note", path="Parts.md", text=text)
    edits = [{"op": "append", "text": "Below."}, {"op": "prepend", "text": "Above."}]
    change_id = (await served.call("edit_note", path="Parts.md", edits=edits)).json["change_id"]
    written = (root(served) / "Parts.md").read_text()
    states = []
    for hunk in (1, 2):
        assert (await served.call("undo_change", change_id=change_id, hunks=[hunk])).status == 200
        states.append((await served.call("show_change", change_id=change_id)).json["state"])
    assert states == ["applied", "undone"]
    assert (root(served) / "Parts.md").read_text() == text
    assert (await served.call("undo_change", change_id=change_id, redo=True)).status == 200
    assert (root(served) / "Parts.md").read_text() == written


async def test_changes_of_a_note_that_is_denied_since_are_not_told(served: Served) -> None:
    made = (await served.call("create_note", path="Rose.md", text="Thorns.")).json
    await served.bridge.use(save_settings(served.bridge.settings_path, {"deny": ["Rose.md"]}))
    assert (await served.call("list_changes")).json["changes"] == []
    assert (await served.call("show_change", change_id=made["change_id"])).code == "change_not_found"


@pytest.mark.parametrize(
    ("heading", "place", "followed", "operation", "arguments"),
    [
        ("Mit [[Ziel]] reden", "Mit Ziel reden", "Mit Neu reden", "move_note", {"path": "Ziel.md", "to": "Neu.md"}),
        ("与[[Ziel]]谈", "与 Ziel 谈", "与 Neu 谈", "move_note", {"path": "Ziel.md", "to": "Neu.md"}),
        (
            "Über [[Ziel|Ali]]\n---",
            "Über Ziel Ali",
            "Über Ziel Bo",
            "rename_alias",
            {"path": "Ziel.md", "alias": "Ali", "to": "Bo", "links": True},
        ),
    ],
)
async def test_a_link_to_a_heading_in_which_a_link_is_rewritten_follows(
    served: Served, heading: str, place: str, followed: str, operation: str, arguments: dict[str, Any]
) -> None:
    mark = "" if heading.endswith("---") else "## "
    await served.call("create_note", path="Ziel.md", text="---\naliases: [Ali]\n---\nZiel.\n")
    await served.call("create_note", path="T.md", text=f"{mark}{heading}\n\nText.\n")
    await served.call("create_note", path="L.md", text=f"[[T#{place}]]\n")
    root = served.bridge.find(None).root
    before = {path: path.read_bytes() for path in root.glob("*.md")}
    for dry_run in (True, False):
        made = (await served.call(operation, **arguments, dry_run=dry_run)).json
        assert (made["links_broken"], made["links_rewritten"]) == ([], 2), made
    assert (root / "L.md").read_text() == f"[[T#{followed}]]\n"
    await served.result("undo_change", change_id=made["change_id"])
    assert {path: path.read_bytes() for path in root.glob("*.md")} == before


async def test_a_link_to_a_heading_whose_tag_is_renamed_follows(served: Served) -> None:
    await served.call("create_note", path="T.md", text="## About #clay here\n\nText.\n")
    await served.call("create_note", path="L.md", text="[[T#About clay here]]\n")
    made = (await served.call("change_notes", rename_tags={"clay": "loam"})).json
    assert (made["links_broken"], made["links_rewritten"]) == ([], 1), made
    assert (served.bridge.find(None).root / "L.md").read_text() == "[[T#About loam here]]\n"
