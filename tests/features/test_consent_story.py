"""Whatever agents do and a person accepts, no right is gained, all of it can be undone, and what is denied is told."""

import contextlib
import os
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from bridge.api.call import OWNER
from bridge.errors import BridgeError
from tests.features.test_memory_story import BOB, World

STORIES = int(os.environ.get("VAULTSIDE_STORIES", "10")) // 2
STEPS = 20
SECRET = "qvxsecret"
FOLDERS = ("Agents", "Projects", "Robots", "Bots/Own")
AGREEING = ("save_session",)
MARKER = "About this folder.md"


@pytest.fixture
def world() -> Iterator[World]:
    world = World()
    yield world
    world.close()


class Story:
    """Random steps of a person and of an agent that may only propose."""

    def __init__(self, world: World, dice: random.Random) -> None:
        self.world, self.dice = world, dice
        self.root = world.folder / "Vault"
        self.place = "Agents"
        """The only folder in which the agent may write at once, if any."""
        self.act("create_note", path="Projects/Mine.md", text="---\nType: plan\n---\nMine. [[Oven]]\n")
        self.act("create_note", path="Oven.md", text="Clay oven.\n#Clay\n")
        self.before = self.contents()
        self.since = self.newest()
        for number in range(5):
            text = f"---\ntags: [{SECRET}]\n---\nSee [[{SECRET} note]], {number}.\n"
            self.act("create_note", path=f"Private/S{number}.md", text=text, confirm=True)
        self.act("set_up_memory", templates=False)

    def contents(self) -> Mapping[str, bytes]:
        files = (path for path in self.root.rglob("*") if path.is_file() and ".trash" not in path.parts)
        return {path.relative_to(self.root).as_posix(): path.read_bytes() for path in files}

    def act(self, operation: str, *, agent: bool = False, **arguments: Any) -> Mapping[str, Any]:
        """Call an operation; a refusal is an empty answer."""
        with contextlib.suppress(BridgeError):
            return self.world.call(operation, BOB if agent else OWNER, **arguments)
        return {}

    def newest(self) -> str:
        return max((one["id"] for one in self.act("list_changes", limit=1)["changes"]), default="")

    def marker(self) -> str:
        found = [*self.root.rglob(MARKER)]
        return found[0].read_text() if found else "---\ntype: agents-folder\nid: agents-0\n---\n"

    def step(self) -> None:
        here, there = self.place, self.dice.choice(FOLDERS)
        agent = self.dice.random() < 0.5
        proposals = self.proposals()
        opening = [one["id"] for one in proposals if "lets agents write" in (one["reason"] or "")]
        edit = [{"op": "append", "text": f"Line {self.dice.random()}"}]
        steps: list[tuple[str, dict[str, Any]]] = [
            ("create_note", {"agent": True, "path": f"{there}/{MARKER}", "text": self.marker(), "confirm": True}),
            ("move_note", {"agent": True, "path": here, "to": there, "confirm": True}),
            ("move_note", {"agent": True, "path": f"{here}/{MARKER}", "to": f"{there}/{MARKER}"}),
            ("set_properties", {"agent": True, "path": f"{here}/{MARKER}", "properties": {"id": "agents-1"}}),
            ("remember", {"agent": True, "title": edit[0]["text"], "text": "About clay.", "confirm": True}),
            ("edit_note", {"agent": True, "path": "Projects/Mine.md", "edits": edit}),
            ("edit_note", {"path": "Private/S1.md", "edits": edit}),
            ("save_session", {"goal": "Bake", "confirm": True}),
            ("plan_tidy", {"skip_checked": False, "agent": agent, "confirm": True}),
            ("change_notes", {"rename": {"type": "Type"}, "agent": agent, "confirm": True}),
            ("author_workflow", {"agent": True, "name": "Begin", "starter": "reading-note", "confirm": True}),
            ("run_workflow", {"agent": True, "path": f"{here}/Workflows/Begin.md", "variables": {}, "confirm": True}),
            *(("apply_plan", {"path": path, "agent": agent, "confirm": True}) for path in self.plans()),
            *(("decide", {"id": one["id"], "verdict": "accept"}) for one in proposals),
        ]
        if self.dice.random() < 0.1 and not (self.root / there).exists():
            if self.act("move_note", path=here, to=there, confirm=True):
                self.place = there
        else:
            operation, arguments = self.dice.choice(steps)
            agrees = operation in AGREEING and not arguments.get("agent")
            if self.act(operation, **arguments) and (agrees or arguments.get("change_id") in opening):
                # The person's own call sets the folder up where there is none, as does a proposal that says so.
                self.place = self.world.bridge.find(None).settings.agents_folder
        self.check()

    def plans(self) -> list[str]:
        return sorted(path.relative_to(self.root).as_posix() for path in self.root.rglob("Tidy/*.md"))

    def proposals(self) -> Sequence[Mapping[str, Any]]:
        found: Sequence[Mapping[str, Any]] = self.act("list_changes", state="proposed", limit=5)["changes"]
        return found

    def check(self) -> None:
        """Require that the agent may write nowhere but where the person agreed."""
        for folder in (*FOLDERS, "Private", "New"):
            state = self.act("create_note", agent=True, path=f"{folder}/Try.md", text="Try.", dry_run=True)["state"]
            assert state == "proposed" or folder == self.place, (folder, self.place)

    def undo_all(self) -> None:
        """Undo all that was done, as far as possible newest first, and require the first bytes."""
        while changes := [
            one
            for one in self.act("list_changes", state="applied", limit=200)["changes"]
            if one["id"] > self.since and not one["undoes"] and one["operation"] not in ("undo_change", "redo_change")
        ]:
            # What was proposed early may have been made late.
            assert any(self.act("undo_change", change_id=one["id"]) for one in changes)
        assert self.contents() == self.before

    def deny(self) -> None:
        """Deny what was private, and what is told of it, and require that no other answer says a word of it."""
        told = self.act("change_settings", changes={"deny": ["Private/**"]})["problems"]
        listed = [path for one in told for path in re.findall(r"`([^`]+\.md)`", one)]
        self.act("change_settings", changes={"deny": ["Private/**", *listed]})
        for operation, arguments in (
            ("list_tags", {"among": "all"}),
            ("list_changes", {"limit": 200}),
            ("find_notes", {"among": "all", "limit": 100}),
            ("search", {"query": "note", "among": "all"}),
        ):
            said = str(self.act(operation, agent=True, **arguments))
            assert SECRET not in said, (operation, said[max(0, said.find(SECRET) - 400) :][:600])


@pytest.mark.parametrize("seed", range(STORIES))
@pytest.mark.parametrize("end", ["undo", "deny"])
def test_no_right_is_gained_and_nothing_is_lost(world: World, seed: int, end: str) -> None:
    story = Story(world, random.Random(f"{seed} {end}"))
    for _ in range(STEPS):
        story.step()
    if end == "undo":
        story.undo_all()
    else:
        story.deny()
