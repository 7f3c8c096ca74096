"""A conflict is shown at the terminal: where it is, what is there, and what to do."""

from tests.features.served import Served


async def test_each_place_of_a_conflict_is_shown(served: Served) -> None:
    edits = [
        {"op": "edit_note", "path": path, "edits": [{"op": "append", "text": f"Mine in {path}."}]}
        for path in ("Bread/Rye.md", "Garden/Beans.md")
    ]
    change = (await served.call("change_set", edits=edits)).json["change_id"]
    for note in ("Bread/Rye.md", "Garden/Beans.md"):
        file = served.bridge.find(None).root / note
        file.write_text(file.read_text().replace("Mine", "Theirs"))
    ran = await served.command("undo-change", change)
    assert (ran.status, ran.out) == (1, "")
    lines = ran.err.splitlines()
    assert lines[0] == "vaultside: There are conflicts in `Garden/Beans.md` and 1 more."
    for note in ("Bread/Rye.md", "Garden/Beans.md"):
        at = next(number for number, line in enumerate(lines) if line.startswith(f"  {note}:"))
        assert f"    now: Theirs in {note}." in lines[at:]
    assert "vaultside list-changes" in lines[-1]


async def test_a_failed_expectation_names_what_was_typed(served: Served) -> None:
    edit = '{"op": "edit_note", "path": "Bread/Rye.md", "edits": [{"op": "append", "text": "x"}]}'
    ran = await served.command("change-set", "--edits", edit, "--expect", '{"files": 2}')
    assert (ran.status, ran.out) == (1, "")
    assert "files would be 1, not 2" in ran.err
    assert "--expect" in ran.err
    assert "effect" not in ran.err
