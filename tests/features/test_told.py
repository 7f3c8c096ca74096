"""Messages say what is the matter and what to do, at the places where a first user was misled."""

import orjson
import pytest

from bridge.access.tokens import Tokens
from tests.features.served import Served

NOTES = {
    "Oven.md": "# Oven\n\n- [ ] Sweep the flue\n\nSee [[Rye]].\n",
    "Bread/Rye.md": "# Rye\n\nDense. See [[Oven]].\n",
    "Templates/Daily.md": "# Daily\n",
    "Daily log.md": "What happens daily.\n",
}


async def test_a_task_beyond_the_end_is_refused_with_the_number_of_lines(served: Served) -> None:
    answer = await served.call("toggle_task", path="Oven.md", line=999, text="Sweep")
    assert answer.json["error"]["message"] == "`Oven.md` has no line 999: it has 5 lines."
    moved = await served.call("toggle_task", path="Oven.md", line=999, text="Sweep the flue")
    assert "it is in line 3 now" in moved.json["error"]["message"]


@pytest.mark.parametrize("operation", ["find_notes", "list_changes", "list_tasks"])
@pytest.mark.parametrize("offset", [2**53, 2**63, 10**30])
async def test_a_number_that_is_too_large_is_named(served: Served, operation: str, offset: int) -> None:
    answer = await served.request("POST", f"/api/{operation}", data=f'{{"offset": {offset}}}'.encode())
    assert answer.code == "invalid_arguments"
    assert "`offset`" in answer.json["error"]["message"]
    assert "at most 9,007,199,254,740,991" in answer.json["error"]["message"]


async def test_a_read_only_note_whose_link_would_change_is_named_with_it(served: Served) -> None:
    file = served.bridge.find(None).root / "Oven.md"
    file.chmod(0o444)
    answer = await served.call("move_note", path="Bread/Rye.md", to="Bread/Spelt.md")
    file.chmod(0o644)
    assert answer.code == "read_only"
    said = "`Oven.md` is read-only, and its link `Rye` in line 5 would have to change."
    assert answer.json["error"]["message"] == said


async def test_a_note_that_was_moved_is_named_by_its_new_path(served: Served) -> None:
    await served.call("move_note", path="Bread/Rye.md", to="Bread/Spelt.md")
    await served.call("move_note", path="Bread", to="Loaves")
    for operation, more in (
        ("read_note", {}),
        ("note_links", {}),
        ("edit_note", {"edits": [{"op": "append", "text": "x"}]}),
    ):
        error = (await served.call(operation, path="Bread/Rye.md", **more)).json["error"]
        assert (error["message"], error["closest"]) == (
            "`Bread/Rye.md` was moved to `Loaves/Spelt.md`.",
            ["Loaves/Spelt.md"],
        )
    await served.call("move_note", path="Loaves", to="Bread")
    await served.call("move_note", path="Bread/Spelt.md", to="Bread/Rye.md")
    assert (await served.call("read_note", path="Bread/Rye.md")).status == 200
    assert (await served.call("read_note", path="Loaves/Spelt.md")).json["error"]["closest"] == ["Bread/Rye.md"]


async def test_a_tried_undo_and_an_accepted_move_say_what_they_do(served: Served) -> None:
    made = (await served.call("move_note", path="Bread/Rye.md", to="Bread/Spelt.md")).json["change_id"]
    tried = await served.command("undo-change", made, "--dry-run")
    assert "Dry run, nothing is written. The call would change" in tried.err
    assert "Bread/Spelt.md" in tried.err
    Tokens(served.bridge.folders.tokens).create("agent", ["read", "write"])
    headers = {"Authorization": f"Bearer {served.runtime.token}", "X-Vaultside-Client": "agent"}
    body = orjson.dumps({"path": "Daily log.md", "to": "Log.md"})
    proposed = (await served.request("POST", "/api/move_note", headers=headers, data=body)).json["change_id"]
    accepted = await served.command("decide", proposed, "accept")
    assert f"Done, as change {proposed}: move `Daily log.md` to `Log.md`" in accepted.err


async def test_empty_names_are_said_to_be_empty(served: Served) -> None:
    for filters, said in (({"tags": ["#"]}, "A tag without a name"), ({"properties": {" ": 1}}, "A property without")):
        (notice,) = (await served.call("find_notes", **filters)).json["notices"]
        assert notice.startswith(said)


async def test_a_template_is_picked_last(served: Served) -> None:
    root = served.bridge.find(None).root
    (root / ".obsidian/templates.json").write_text('{"folder": "Templates"}')
    picked = await served.call("pick_link", words="daily")
    assert [hit["path"] for hit in picked.json["hits"]] == ["Daily log.md", "Templates/Daily.md"]


async def test_doctor_tells_a_client_no_path_of_the_data_folder(served: Served) -> None:
    Tokens(served.bridge.folders.tokens).create("agent", ["read"])
    headers = {"Authorization": f"Bearer {served.runtime.token}", "X-Vaultside-Client": "agent"}
    answer = await served.request("POST", "/api/doctor", headers=headers, data=b"{}")
    assert {"runtime file", "data folder", "index"} <= {one["check"] for one in answer.json["findings"]}
    assert str(served.bridge.data_dir).encode() not in answer.body
    own = await served.call("doctor")
    assert str(served.bridge.folders.runtime(served.bridge.find(None).id)).encode() in own.body
    assert b"fragment" not in own.body
