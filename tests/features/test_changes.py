"""What is told of changes is what the notes say, whoever turned which parts of them back."""

import hashlib
import json
import os
import shutil
import stat
from collections.abc import AsyncIterator, Collection, Mapping
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from bridge.api.call import OWNER, Call, Principal
from bridge.engine.bridge import Bridge
from bridge.errors import ChangeConflict, ChangeNotFound, InvalidArguments, ReadOnly
from bridge.features import get_operation
from bridge.types import Digest
from tests.engine.conftest import until

NAMES = ("a.md", "b.md", "c.md")
LINES = [f"line {number}\n" for number in range(1, 61)]
CHANGED = {5: "five\n", 20: "twenty\n", 35: "thirty-five\n"}
AGENT = Principal("agent", frozenset({"read", "write"}))


class Notes:
    """A vault, and those who change it."""

    def __init__(self, bridge: Bridge, root: Path) -> None:
        self.owner = Call(bridge, OWNER, client="owner")
        self.agent = Call(bridge, AGENT, client="agent")
        """Proposes what it changes."""
        self.root = root

    def texts(self) -> dict[str, str]:
        return {file.relative_to(self.root).as_posix(): file.read_text() for file in self.root.rglob("*.md")}

    def has(self, path: str) -> bool:
        return (self.root / path).exists()

    def digest(self, name: str) -> str:
        return hashlib.sha256((self.root / name).read_bytes()).hexdigest()

    async def edited(self, *, swapped: bool = False) -> str:
        """Change three lines, far apart, of each of the notes; return the change."""
        edits = []
        for name in reversed(NAMES) if swapped else NAMES:
            lines = [{"op": "replace_lines", "lines": [at, at], "text": text} for at, text in CHANGED.items()]
            edits.append({"op": "edit_note", "path": name, "digest": self.digest(name), "edits": lines})
        return str((await get_operation("change_set").run(self.owner, {"edits": edits})).change_id)

    async def write(self, name: str, text: str) -> None:
        """Save a note as another program does."""
        (self.root / name).write_text(text)
        await self.owner.vault.indexer.look_at([name])

    async def delete(self, name: str) -> None:
        """Delete a note as another program does."""
        (self.root / name).unlink()
        await self.owner.vault.indexer.look_at([name])

    async def asked(self, who: Call, operation: str, **arguments: Any) -> str:
        """Ask for what is a change itself, and return its id."""
        return str((await get_operation(operation).run(who, arguments)).change_id)

    async def shown(self, change: str) -> Any:
        return await get_operation("show_change").run(self.owner, {"change_id": change})

    async def undone(self, change: str) -> set[tuple[str, int]]:
        """Return the notes and lines of which a change is said to be turned back."""
        found = await self.shown(change)
        return {(hunk.path, line) for hunk in found.hunks for line in at(hunk) if hunk.undone}

    async def hunks(self, change: str, places: Collection[tuple[str, int]]) -> list[int]:
        """Return the numbers of a change's hunks by their notes and lines."""
        found = await self.shown(change)
        return [hunk.number for hunk in found.hunks if any((hunk.path, line) in places for line in at(hunk))]

    def restored(self) -> set[tuple[str, int]]:
        """Return the notes and lines that are as they were before."""
        texts = {name: text.splitlines(keepends=True) for name, text in self.texts().items()}
        return {(name, line) for name in NAMES for line in CHANGED if LINES[line - 1] in texts[name]}


def at(hunk: Any) -> list[int]:
    return [line for line in CHANGED if hunk.before[0] <= line <= hunk.before[1]]


@pytest_asyncio.fixture
async def notes(tmp_path: Path) -> AsyncIterator[Notes]:
    root = tmp_path / "Notes"
    (root / ".obsidian").mkdir(parents=True)
    (root / ".obsidian/app.json").write_text('{"trashOption": "local"}')
    for name in NAMES:
        (root / name).write_text("".join(LINES))
    bridge = Bridge(tmp_path / "data", tmp_path / "no models", [root])
    await bridge.start()
    try:
        await until(lambda: bridge.find(None).progress().ready_keyword)
        yield Notes(bridge, root)
    finally:
        await bridge.stop()


SOME = {("a.md", 5), ("c.md", 20), ("c.md", 35)}


async def test_a_proposed_undo_of_which_a_part_is_accepted_turns_these_parts_back(notes: Notes) -> None:
    change = await notes.edited()
    proposed = await notes.asked(notes.agent, "undo_change", change_id=change)
    await notes.asked(notes.owner, "decide", id=proposed, verdict="accept", hunks=await notes.hunks(proposed, SOME))
    assert notes.restored() == SOME == await notes.undone(change)
    await notes.asked(notes.owner, "undo_change", change_id=change)
    assert notes.restored() == {(name, line) for name in NAMES for line in CHANGED} == await notes.undone(change)


async def test_a_proposed_undo_of_some_parts_is_not_one_of_all(notes: Notes) -> None:
    change = await notes.edited()
    hunks = await notes.hunks(change, SOME)
    proposed = await notes.asked(notes.agent, "undo_change", change_id=change, hunks=hunks)
    await notes.asked(notes.owner, "decide", id=proposed, verdict="accept")
    assert notes.restored() == SOME == await notes.undone(change)
    assert (await notes.shown(change)).state == "applied"


async def test_a_proposed_redo_of_which_a_part_is_accepted_makes_these_parts_again(notes: Notes) -> None:
    change = await notes.edited()
    before = notes.restored()
    await notes.asked(notes.owner, "undo_change", change_id=change)
    everything = notes.restored()
    proposed = await notes.asked(notes.agent, "undo_change", change_id=change, redo=True)
    await notes.asked(notes.owner, "decide", id=proposed, verdict="accept", hunks=await notes.hunks(proposed, SOME))
    assert notes.restored() == everything - SOME == await notes.undone(change)
    await notes.asked(notes.owner, "undo_change", change_id=proposed)
    assert notes.restored() == everything == await notes.undone(change)
    assert (before, (await notes.shown(change)).state) == (set(), "undone")


async def test_a_proposed_undo_of_a_session_is_accepted_in_parts(notes: Notes) -> None:
    start = notes.texts()
    one = await notes.edited()
    two = await notes.asked(
        notes.owner,
        "edit_note",
        path="b.md",
        edits=[{"op": "append", "text": "below"}, {"op": "prepend", "text": "on"}],
    )
    session = (await notes.shown(one)).session
    proposed = await notes.asked(notes.agent, "undo_change", change_id=session)
    found = await notes.shown(proposed)
    below = [hunk.number for hunk in found.hunks if any("below" in run.text for run in hunk.words)]
    hunks = await notes.hunks(proposed, {("a.md", 5), ("c.md", 35)})
    await notes.asked(notes.owner, "decide", id=proposed, verdict="accept", hunks=[*hunks, *below])
    assert notes.restored() == {("a.md", 5), ("c.md", 35)} == await notes.undone(one)
    assert [hunk.undone for hunk in (await notes.shown(two)).hunks] == [False, True]
    await notes.asked(notes.owner, "undo_change", change_id=session)
    assert notes.texts() == start


async def test_what_an_undo_had_turned_back_is_in_force_when_that_is_undone(notes: Notes) -> None:
    change = await notes.edited()
    undone = await notes.asked(notes.owner, "undo_change", change_id=change)
    everything = notes.restored()
    again = await notes.asked(notes.owner, "undo_change", change_id=undone)
    assert (notes.restored(), await notes.undone(change)) == (set(), set())
    states: Mapping[str, str] = {one: (await notes.shown(one)).state for one in (change, undone, again)}
    assert states == {change: "applied", undone: "undone", again: "applied"}
    await notes.asked(notes.owner, "undo_change", change_id=again)
    assert notes.restored() == everything == await notes.undone(change)
    assert (await notes.shown(undone)).state == "applied"


async def test_a_part_of_an_undo_is_undone(notes: Notes) -> None:
    change = await notes.edited()
    undone = await notes.asked(notes.owner, "undo_change", change_id=change)
    everything = notes.restored()
    some = await notes.hunks(undone, SOME)
    await notes.asked(notes.owner, "undo_change", change_id=undone, hunks=some)
    assert notes.restored() == everything - SOME == await notes.undone(change)
    assert await notes.undone(undone) == SOME
    await notes.asked(notes.owner, "undo_change", change_id=undone)
    assert (notes.restored(), await notes.undone(change)) == (set(), set())
    assert (await notes.shown(change)).state == "applied"


async def test_the_undo_of_a_redo_is_an_undo(notes: Notes) -> None:
    change = await notes.edited()
    await notes.asked(notes.owner, "undo_change", change_id=change, hunks=await notes.hunks(change, SOME))
    await notes.asked(notes.owner, "undo_change", change_id=change)
    everything = notes.restored()
    again = await notes.asked(notes.owner, "undo_change", change_id=change, redo=True)
    assert await notes.undone(change) == set()
    await notes.asked(notes.owner, "undo_change", change_id=again)
    assert notes.restored() == everything == await notes.undone(change)
    assert (await notes.shown(change)).state == "undone"
    await notes.asked(notes.owner, "undo_change", change_id=change, redo=True)
    assert (notes.restored(), (await notes.shown(change)).state) == (set(), "applied")


async def test_a_folder_that_begins_with_a_space_goes_with_the_note_that_it_was_made_for(notes: Notes) -> None:
    start = notes.texts()
    made = await notes.asked(notes.owner, "create_note", path=" a/d.md", text="D\n")
    assert notes.texts() == {**start, " a/d.md": "D\n"}
    await notes.asked(notes.owner, "undo_change", change_id=made)
    assert (notes.texts(), notes.has(" a")) == (start, False)


async def test_a_note_that_came_back_out_of_the_trash_goes_there_again(notes: Notes) -> None:
    start = notes.texts()
    removed = await notes.asked(notes.owner, "delete_note", path="a.md", digest=notes.digest("a.md"))
    without = notes.texts()
    back = await notes.asked(notes.owner, "undo_change", change_id=removed)
    assert ((await notes.shown(back)).paths, notes.texts()) == (("a.md",), start)
    await notes.asked(notes.owner, "undo_change", change_id=back)
    assert (notes.texts(), set(without)) == (without, {".trash/a.md", "b.md", "c.md"})
    await notes.asked(notes.owner, "undo_change", change_id=removed)
    assert notes.texts() == start


@pytest.mark.parametrize("why", ["changed", "read-only"])
async def test_a_note_that_keeps_others_from_being_undone_names_the_way_out(notes: Notes, why: str) -> None:
    change = await notes.edited()
    if why == "changed":
        await notes.write("b.md", notes.texts()["b.md"].replace("twenty", "mine"))
    else:
        (notes.root / "b.md").chmod(0o444)
    with pytest.raises((ChangeConflict, ReadOnly)) as refused:
        await notes.asked(notes.owner, "undo_change", change_id=change)
    assert "`hunks` of `show_change` undo what the change did to other notes." in (refused.value.hint or "")
    others = await notes.hunks(change, {(name, line) for name in ("a.md", "c.md") for line in CHANGED})
    await notes.asked(notes.owner, "undo_change", change_id=change, hunks=others)
    assert {name for name, _ in notes.restored()} == {"a.md", "c.md"}
    (notes.root / "b.md").chmod(0o644)


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
@pytest.mark.parametrize("trash", ["local", "none", "emptied"])
@pytest.mark.parametrize("operation", ["delete_note", "merge_notes", "change_set"])
async def test_a_removed_note_comes_back_as_private_as_it_was(notes: Notes, trash: str, operation: str) -> None:
    (notes.root / ".obsidian/app.json").write_text(json.dumps({"trashOption": "none" if trash == "none" else "local"}))
    place = notes.root / "a.md"
    for mode in (0o600, 0o660):
        place.chmod(mode)
        digest = notes.digest("a.md")
        removal = {"op": "delete_note", "path": "b/a.md", "digest": digest}
        given: dict[str, dict[str, Any]] = {
            "delete_note": {"path": "a.md", "digest": digest},
            "merge_notes": {"path": "a.md", "into": "b.md", "digest": digest},
            "change_set": {"edits": [{"op": "move_note", "path": "a.md", "to": "b/a.md"}, removal]},
        }
        removed = await notes.asked(notes.owner, operation, **given[operation], confirm=True)
        assert not place.exists()
        if trash == "emptied":
            shutil.rmtree(notes.root / ".trash")
        back = await notes.asked(notes.owner, "undo_change", change_id=removed)
        assert stat.S_IMODE(place.stat().st_mode) == mode
        await notes.asked(notes.owner, "undo_change", change_id=back)
        assert not place.exists()
        if trash == "emptied":
            shutil.rmtree(notes.root / ".trash", ignore_errors=True)
        await notes.asked(notes.owner, "undo_change", change_id=removed)
        assert stat.S_IMODE(place.stat().st_mode) == mode


async def test_what_was_cut_off_is_left_out_of_the_undo_of_its_session_by_name(notes: Notes) -> None:
    cut_off, start = await notes.edited(), notes.texts()
    edits = [{"op": "append", "text": "below"}]
    made = await notes.asked(notes.owner, "edit_note", path="b.md", digest=notes.digest("b.md"), edits=edits)
    notes.owner.vault.store.journal.set_state(cut_off, "conflict")
    session = (await notes.shown(made)).session
    with pytest.raises(InvalidArguments, match="of one change"):
        await get_operation("undo_change").run(notes.owner, {"change_id": session, "redo": True})
    undone = await get_operation("undo_change").run(notes.owner, {"change_id": session})
    assert undone.warnings[0] == (
        f"`{cut_off}` (change_set of `a.md`) is left out: it was cut off, and its notes were changed since."
        f" `undo_change {cut_off}` undoes it; once its notes are right, `decide {cut_off} reject` closes it."
    )
    assert [one.id for one in undone.changes] == [made]
    assert notes.texts() == start
    with pytest.raises(ChangeNotFound) as refused:
        await get_operation("undo_change").run(notes.owner, {"change_id": session})
    assert refused.value.hint == undone.warnings[0]
    await notes.asked(notes.owner, "undo_change", change_id=cut_off)
    assert notes.restored() == {(name, line) for name in NAMES for line in CHANGED}


async def test_a_session_is_undone_though_its_user_deleted_a_note_of_it_and_changed_another(notes: Notes) -> None:
    start = notes.texts()
    junk = await notes.asked(notes.owner, "create_note", path="New/Junk.md", text="Junk.")
    more = {"edits": [{"op": "append", "text": "More."}]}
    made = [await notes.asked(notes.owner, "edit_note", path=name, **more) for name in ("a.md", "b.md")]
    await notes.asked(notes.owner, "move_note", path="c.md", to="New/c.md")
    await notes.delete("New/Junk.md")
    await notes.write("b.md", start["b.md"] + "Mine.\n")
    session = (await notes.shown(junk)).session
    tried = await get_operation("undo_change").run(notes.owner, {"change_id": session, "dry_run": True})
    undone = await get_operation("undo_change").run(notes.owner, {"change_id": session})
    assert tried.warnings[:2] == undone.warnings[:2]
    gone, left = undone.warnings[:2]
    assert gone == "`New/Junk.md` no longer exists, and stays so."
    assert left.startswith(f"`{made[1]}` (edit_note) is left, for `b.md`: These lines were changed since.")
    assert {change.id for change in undone.changes if change.state != "undone"} == {made[1]}
    assert notes.texts() == start | {"b.md": start["b.md"] + "Mine.\n"}
    assert not notes.has("New")
    with pytest.raises(ChangeConflict):
        await get_operation("undo_change").run(notes.owner, {"change_id": session})


@pytest.mark.parametrize(
    "arguments",
    [{"find": "line 5\n", "replace": "five\n"}, {"properties": {"status": "read"}}],
    ids=["text", "property"],
)
async def test_a_note_that_changed_since_is_left_out_of_a_proposal_of_many(
    notes: Notes, arguments: dict[str, Any]
) -> None:
    changed = (
        notes.texts()["a.md"].replace("line 5\n", "own\n").replace("line 1\n", "---\nstatus: new\n---\nline 1\n", 1)
    )
    proposed = await notes.asked(notes.agent, "change_notes", **arguments)
    await notes.write("a.md", changed)
    await notes.write("b.md", notes.texts()["b.md"].replace("line 50\n", "own\n"))
    accepted = await get_operation("decide").run(notes.owner, {"id": proposed, "verdict": "accept"})
    assert accepted.warnings == ("`a.md` is left out. These lines were changed since.",)
    made = "five\n" if "find" in arguments else "status: read\n"
    assert sorted(name for name, text in notes.texts().items() if made in text) == ["b.md", "c.md"]
    assert "own\n" in notes.texts()["b.md"]
    assert notes.texts()["a.md"] == changed
    await notes.asked(notes.owner, "undo_change", change_id=proposed)
    assert made not in "".join(notes.texts().values())


async def test_a_proposal_of_many_of_which_nothing_is_left_is_refused(notes: Notes) -> None:
    proposed = await notes.asked(notes.agent, "change_notes", find="line 5\n", replace="five\n")
    for name in NAMES:
        await notes.write(name, notes.texts()[name].replace("line 5\n", "own\n"))
    with pytest.raises(ChangeConflict):
        await get_operation("decide").run(notes.owner, {"id": proposed, "verdict": "accept"})
    assert (await notes.shown(proposed)).state == "proposed"


OTHER = Principal("other", frozenset({"read", "write"}))


async def test_undoing_a_session_withdraws_what_it_proposed(notes: Notes) -> None:
    undo = get_operation("undo_change")
    edits: dict[str, Any] = {"edits": [{"op": "append", "text": "More.\n"}]}
    proposed = [await notes.asked(notes.agent, "edit_note", path=path, **edits) for path in ("a.md", "b.md")]
    other = Call(notes.agent.bridge, OTHER, client="other", session=notes.agent.session)
    kept = await notes.asked(other, "edit_note", path="c.md", **edits)
    tried = await undo.run(notes.agent, {"change_id": "session", "dry_run": True})
    assert (tried.would, tried.change_id) == ("withdraw 2 proposals", None)
    done = await undo.run(notes.agent, {"change_id": "session"})
    assert {change.id: change.state for change in done.changes} == dict.fromkeys(proposed, "rejected")
    assert (await notes.shown(kept)).state == "proposed"
    with pytest.raises(ChangeNotFound):
        await undo.run(notes.agent, {"change_id": "session"})


async def test_an_agent_withdraws_what_it_proposed_and_nothing_else(notes: Notes) -> None:
    before = notes.texts()
    edit: dict[str, Any] = {"path": "a.md", "edits": [{"op": "append", "text": "More.\n"}]}
    proposed = await notes.asked(notes.agent, "edit_note", **edit)
    undo, other = get_operation("undo_change"), Call(notes.agent.bridge, OTHER, client="agent")
    with pytest.raises(ChangeConflict, match="The change is proposed, not applied"):
        await undo.run(other, {"change_id": proposed})
    with pytest.raises(InvalidArguments, match="as a whole"):
        await undo.run(notes.agent, {"change_id": proposed, "hunks": [1]})
    tried = await undo.run(notes.agent, {"change_id": proposed, "dry_run": True})
    assert (tried.would, (await notes.shown(proposed)).state) == (f"withdraw the proposal `{proposed}`", "proposed")
    done = await undo.run(notes.agent, {"change_id": proposed})
    assert (done.change_id, [change.state for change in done.changes]) == (None, ["rejected"])
    assert notes.texts() == before
    with pytest.raises(ChangeConflict, match="The change is rejected"):
        await get_operation("decide").run(notes.owner, {"id": proposed, "verdict": "accept"})
    made = await notes.asked(notes.owner, "edit_note", **edit)
    assert (await undo.run(notes.agent, {"change_id": made})).state == "proposed"


@pytest.mark.parametrize("is_before", [True, False])
async def test_what_is_damaged_of_a_change_does_not_keep_the_rest_from_being_undone(
    notes: Notes, *, is_before: bool
) -> None:
    await notes.write("b.md", "Other.\n" + "".join(LINES))
    before = notes.digest("b.md")
    change = await notes.edited()
    damaged = before if is_before else notes.digest("b.md")
    if not is_before:
        await notes.write("b.md", notes.texts()["b.md"] + "More.\n")
    stays = notes.texts()["b.md"]
    notes.owner.host.store.snapshots.place(Digest(damaged)).write_bytes(b"damaged")
    made = await get_operation("undo_change").run(notes.owner, {"change_id": change})
    assert made.warnings == ("`b.md` stays as it is: Its earlier version is no longer stored, or is damaged.",)
    assert notes.texts() == {"a.md": "".join(LINES), "b.md": stays, "c.md": "".join(LINES)}
    assert await notes.undone(change) == {(name, line) for name in ("a.md", "c.md") for line in CHANGED}
    with pytest.raises(ChangeConflict, match="`b"):
        await get_operation("undo_change").run(notes.owner, {"change_id": change})


async def test_an_undo_in_many_notes_leaves_those_that_were_changed_there_since(notes: Notes) -> None:
    before = notes.texts()
    values = {"properties": {"done": True}}
    change = await notes.asked(notes.owner, "change_notes", **values)
    await notes.write("b.md", notes.texts()["b.md"].replace("done: true", "done: maybe"))
    stays = notes.texts()["b.md"]
    undo = get_operation("undo_change")
    made = await undo.run(notes.owner, {"change_id": change})
    assert [warning.split(":")[0] for warning in made.warnings] == ["`b.md` stays as it is"]
    assert notes.texts() == before | {"b.md": stays}
    with pytest.raises(ChangeConflict, match=r"`b\.md`"):
        await undo.run(notes.owner, {"change_id": change})
    await notes.write("b.md", stays.replace("done: maybe", "done: true"))
    await undo.run(notes.owner, {"change_id": change})
    assert notes.texts() == before
