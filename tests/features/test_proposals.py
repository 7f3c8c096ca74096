"""Who reads or writes a note that a proposal waits for is told so."""

from collections.abc import Mapping
from typing import Any

import pytest

from bridge.settings.file import save_settings
from tests.features.served import Served

NOTES = {
    "Oven.md": "# Oven\n\nBuilt of clay. See [[Rye]].\n",
    "Bread/Rye.md": "# Rye\n\nDense.\n",
    "Bread/Spelt.md": "# Spelt\n\nLight.\n",
    "Apart.md": "Nothing waits for this.\n",
}


async def append(served: Served, client: str, path: str = "Oven.md") -> str:
    """Propose an edit, and return the proposal's id."""
    made = await served.call_as(client, "edit_note", path=path, edits=[{"op": "append", "text": client}])
    assert made.status == 200, made.body
    return str(made.json["change_id"])


async def notices(served: Served, path: str) -> list[str]:
    """Return what is told to the reader of a note."""
    found = (await served.call("read_note", path=path)).json["notices"]
    several = (await served.call("read_notes", paths=[path])).json["notes"][0]["note"]["notices"]
    assert found == several
    return [str(one) for one in found]


async def test_a_reader_and_a_writer_learn_of_a_proposal(served: Served) -> None:
    change = await append(served, "scribe")
    said = f"A proposal by scribe waits for `Oven.md` (edit_note {change}); `show_change {change}` shows it."
    assert await notices(served, "Oven.md") == [said]
    assert await notices(served, "Apart.md") == []
    other = await served.call_as("poet", "edit_note", path="Oven.md", edits=[{"op": "append", "text": "Verse."}])
    assert other.json["warnings"] == [said]
    written = await served.call("set_properties", path="Oven.md", properties={"built": 1})
    assert len(written.json["warnings"]) == 2
    assert said in written.json["warnings"]
    for one in (change, other.json["change_id"]):
        await served.call("decide", id=one, verdict="reject")
    assert await notices(served, "Oven.md") == []


async def test_a_command_says_it_beside_the_text(served: Served) -> None:
    change = await append(served, "scribe")
    ran = await served.command("read-note", "Oven.md")
    assert ran.out == NOTES["Oven.md"]
    assert f"`vaultside show-change {change}` shows it." in ran.err


async def test_a_note_that_another_proposal_creates_is_named_at_once(served: Served) -> None:
    first = (await served.call_as("scribe", "create_note", path="New/Plan.md", text="One.")).json
    again = (await served.call_as("poet", "create_note", path="New/Plan.md", text="Two.")).json
    assert (first["warnings"], len(again["warnings"])) == ([], 1)
    assert f"only one of the two can be accepted (create_note {first['change_id']})" in again["warnings"][0]
    missing = await served.call("read_note", path="New/Plan.md")
    assert missing.code == "note_not_found"
    assert first["change_id"] in missing.json["error"]["hint"]
    beside = (await served.call_as("poet", "create_note", path="New/Other.md", text="Three.")).json
    assert beside["warnings"] == [], "the folder that both would make is no matter"


async def test_a_note_whose_folder_would_move_has_a_notice(served: Served) -> None:
    moved = (await served.call_as("scribe", "move_note", path="Bread", to="Loaves")).json
    (said,) = await notices(served, "Bread/Spelt.md")
    assert said.startswith(f"A proposal by scribe waits for its folder (move_note {moved['change_id']})")


async def test_of_many_proposals_the_newest_are_named(served: Served) -> None:
    changes = [await append(served, f"client {number}") for number in range(5)]
    said = await notices(served, "Oven.md")
    assert all(change in line for change, line in zip(changes[:1:-1], said[:3], strict=True))
    assert said[3:] == ["2 more proposals wait: see `list_changes`."]


async def test_a_proposal_for_denied_notes_is_not_told(served: Served) -> None:
    edits = [
        {"op": "edit_note", "path": path, "edits": [{"op": "append", "text": "x"}]} for path in ("Oven.md", "Apart.md")
    ]
    assert (await served.call_as("scribe", "change_set", edits=edits)).json["state"] == "proposed"
    assert len(await notices(served, "Apart.md")) == 1
    await served.bridge.use(save_settings(served.bridge.settings_path, {"deny": ["Oven.md"]}))
    assert await notices(served, "Apart.md") == []


MORE = {"op": "append", "text": "More."}
TAKEN = {"op": "delete_note", "path": "Apart.md"}


def create(path: str) -> Mapping[str, str]:
    return {"op": "create_note", "path": path, "text": "One."}


def move(path: str, to: str) -> Mapping[str, str]:
    return {"op": "move_note", "path": path, "to": to}


@pytest.mark.parametrize(
    ("call", "again", "other"),
    [
        (
            ("create_note", {"path": "New.md", "text": "One.", "reason": "Needed"}),
            ("change_set", {"edits": [{"op": "create_note", "path": "New.md", "text": "\nOne.\n\n"}]}),
            ("create_note", {"path": "New.md", "text": "Two."}),
        ),
        (
            ("edit_note", {"path": "Oven.md", "edits": [MORE]}),
            (
                "change_set",
                {"edits": [{"op": "edit_note", "path": p, "edits": [MORE]} for p in ("Oven.md", "Apart.md")]},
            ),
            ("edit_note", {"path": "Apart.md", "edits": [MORE]}),
        ),
        (
            ("set_properties", {"path": "Oven.md", "properties": {"built": 1}}),
            ("change_notes", {"properties": {"built": 1}}),
            ("set_properties", {"path": "Oven.md", "properties": {"built": 2}}),
        ),
        (
            ("move_note", {"path": "Bread/Rye.md", "to": "Bread/Loaf.md"}),
            ("change_set", {"edits": [{"op": "move_note", "path": "Bread/Rye.md", "to": "Bread/Loaf.md"}]}),
            ("move_note", {"path": "Bread/Rye.md", "to": "Rye.md"}),
        ),
        (
            ("change_set", {"edits": [TAKEN]}),
            ("delete_note", {"path": "Apart.md"}),
            ("move_note", {"path": "Apart.md", "to": "Bread/Apart.md"}),
        ),
        (
            ("create_note", {"path": "New.md", "text": "One."}),
            ("change_set", {"edits": [create("Other.md"), move("Other.md", "New.md")]}),
            ("change_set", {"edits": [create("Other.md"), move("Other.md", "Third.md")]}),
        ),
        (
            ("create_note", {"path": "New.md", "text": "One."}),
            ("create_note", {"path": "New\u200b.md", "text": "One."}),
            ("create_note", {"path": "Newer.md", "text": "One."}),
        ),
        (
            ("move_note", {"path": "Bread/Rye.md", "to": "Loaf.md"}),
            ("change_set", {"edits": [move("Bread/Rye.md", "Apart 2.md"), move("Apart 2.md", "Loaf.md")]}),
            ("change_set", {"edits": [move("Bread/Rye.md", "Loaf.md"), move("Loaf.md", "Apart 2.md")]}),
        ),
        (
            ("create_note", {"path": "New/New.md", "text": "One."}),
            ("change_set", {"edits": [create("Other/New.md"), move("Other", "New")]}),
            ("change_set", {"edits": [create("Other/New.md"), move("Other", "Newer")]}),
        ),
    ],
    ids=["create", "edit", "property", "move", "delete", "create and move", "unseen sign", "move on", "move folder"],
)
async def test_what_was_rejected_is_declined_until_it_is_accepted(
    served: Served,
    call: tuple[str, Mapping[str, Any]],
    again: tuple[str, Mapping[str, Any]],
    other: tuple[str, Mapping[str, Any]],
) -> None:
    root = served.bridge.find(None).root

    async def ask(
        asked: tuple[str, Mapping[str, Any]], client: str = "agent", options: Mapping[str, bool] | None = None
    ) -> Any:
        operation, arguments = asked
        if operation == "delete_note" or TAKEN in arguments.get("edits", ()):
            digest = (await served.call("read_note", path="Apart.md")).json["digest"]
            edits = [one | {"digest": digest} for one in arguments.get("edits", ())]
            arguments = {**arguments, **({"edits": edits} if edits else {"digest": digest})}
        return await served.call_as(client, operation, **arguments, **(options or {}))

    proposed = await ask(call)
    assert proposed.json["state"] == "proposed", proposed.body
    change = proposed.json["change_id"]
    await served.call("decide", id=change, verdict="reject")
    # What was changed beside it makes it no other proposal.
    for path in ("Oven.md", "Apart.md"):
        (root / path).write_text(f"Mine.\n\n{(root / path).read_text()}")
        await served.call("wait_until_indexed", path=path, timeout=60)
    for asked, options in ((call, {}), (again, {}), (again, {"dry_run": True})):
        refused = await ask(asked, options=options)
        assert (refused.code, change in refused.json["error"]["message"]) == ("declined", True)
    assert (await ask(call, client="poet")).json["state"] == "proposed"
    assert (await ask(other)).json["state"] == "proposed"
    for path in ("Oven.md", "Apart.md"):
        (root / path).write_text((root / path).read_text().removeprefix("Mine.\n\n"))
        await served.call("wait_until_indexed", path=path, timeout=60)
    accepted = await served.call("decide", id=change, verdict="accept")
    assert accepted.status == 200, accepted.body
    assert (await served.call("undo_change", change_id=change)).status == 200
    assert (await ask(call)).json["state"] == "proposed"


async def test_what_an_agent_took_back_is_proposed_again(served: Served) -> None:
    change = await append(served, "scribe")
    await served.call_as("scribe", "undo_change", change_id=change)
    again = await append(served, "scribe")
    # The user takes it back.
    await served.call("undo_change", change_id=again)
    edits = [{"op": "append", "text": "scribe"}]
    assert (await served.call_as("scribe", "edit_note", path="Oven.md", edits=edits)).code == "declined"


async def test_a_rejected_undo_is_declined(served: Served) -> None:
    made = (await served.call("edit_note", path="Oven.md", edits=[MORE])).json["change_id"]
    proposed = (await served.call_as("scribe", "undo_change", change_id=made)).json["change_id"]
    await served.call("decide", id=proposed, verdict="reject")
    assert (await served.call_as("scribe", "undo_change", change_id=made)).code == "declined"
    assert (await served.call_as("scribe", "undo_change", change_id="session")).code == "change_not_found"
