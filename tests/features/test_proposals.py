"""Who reads or writes a note that a proposal waits for is told so."""

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
