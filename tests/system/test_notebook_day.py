"""A day with the agents' notebook: two agents work one after the other, the bridge is killed, and all is undone."""

import asyncio
import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import Implementation

from tests.system.sidecar import COMMAND, CallFailed, Sidecar, outliving

SAMPLE = Path(__file__).parent.parent / "vaults" / "sample"
STARTER = "Bread/Starters/Sourdough starter.md"
OLD, NEW = "The oven starts at 240 degrees.", "The oven starts at 220 degrees."


@dataclass
class Agent:
    """A program that uses the tools through the entry that it starts, with the official client library."""

    session: ClientSession

    async def call(self, tool: str, **arguments: Any) -> str:
        """Call a tool, which must succeed, and return its text."""
        answer = await self.session.call_tool(tool, arguments)
        text = "\n".join(getattr(block, "text", "") for block in answer.content)
        assert not answer.is_error, text
        return text

    async def refused(self, tool: str, **arguments: Any) -> str:
        """Call a tool, which must be refused, and return its text."""
        answer = await self.session.call_tool(tool, arguments)
        assert answer.is_error
        return "\n".join(getattr(block, "text", "") for block in answer.content)


@dataclass
class Desk:
    """A vault with its bridge's data, and the user's own copy of both commands."""

    vault: Path
    data: Path
    bridges: list[Sidecar] = field(default_factory=list)
    """Those that the user started."""

    @asynccontextmanager
    async def agent(self, name: str) -> AsyncIterator[Agent]:
        """Run an agent for a block."""
        arguments = ["mcp", str(self.vault), *self.options, "--preset", "notebook"]
        server = StdioServerParameters(command=str(COMMAND), args=arguments, env={**os.environ})
        with self.data.with_suffix(".agents.log").open("a") as log:
            who = Implementation(name=name, version="1")
            async with stdio_client(server, errlog=log) as ways, ClientSession(*ways, client_info=who) as session:
                await session.initialize()
                yield Agent(session)

    @property
    def options(self) -> list[str]:
        """The options of every command."""
        return ["--data-dir", str(self.data), "--models-dir", str(self.data.with_name("no models"))]

    def serve(self) -> Sidecar:
        """Start the bridge, as the user does, and wait until it has read the vault."""
        bridge = Sidecar.start(self.vault, data_dir=self.data, models_dir=self.data.with_name("no models"))
        self.bridges.append(bridge)
        bridge.wait_ready().wait_indexed(vectors=False)
        return bridge

    def files(self) -> dict[str, bytes]:
        """Return the content of every file of the vault."""
        found = (path for path in self.vault.rglob("*") if path.is_file())
        return {path.relative_to(self.vault).as_posix(): path.read_bytes() for path in found}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(Path(shutil.copytree(SAMPLE, tmp_path / "Vault")), tmp_path / "data")
    yield desk
    for bridge in desk.bridges:
        bridge.close()


async def work_until_killed(desk: Desk, bridge: Sidecar) -> None:
    """Work as the first agent: remember, edit, hand over; then the bridge is killed, and the agent goes on."""
    async with desk.agent("quill") as quill:
        said = await quill.refused("remember", title="Oven temperature", text=OLD, kind="decision")
        assert "confirmation_required" in said
        assert not (desk.vault / "Agents").exists()
        bridge.call("set_up_memory")
        await quill.call("remember", title="Oven temperature", text=OLD, kind="decision", aliases=["baking heat"])
        await quill.call("remember", title="Short answers", text="Prefers short answers.", kind="preference")
        fed = [{"op": "append", "text": "Fed with rye on Monday."}]
        await quill.call("edit_note", path=STARTER, edits=fed, reason="Asked to note it")
        await quill.call("save_session", decisions=["Feed the starter with rye."])
        claims = [
            {"text": "The starter was fed with rye", "proof": {"path": STARTER, "quote": "Fed with rye on Monday."}},
            {"text": "Feeding is described", "proof": {"path": STARTER, "heading": "Feeding"}},
        ]
        false = {"text": "It was fed with spelt", "proof": {"path": STARTER, "quote": "Fed with spelt."}}
        work = {"goal": "Bake the rye loaf", "state": "The starter is fed.", "next_action": "Shape the dough"}
        assert "spelt" in await quill.refused("hand_over", **work, claims=[false])
        await quill.call("hand_over", **work, claims=claims)
        bridge.kill()
        # The entry starts another bridge, which knows the agent's session.
        assert OLD in await quill.call("recall", query="at what baking heat?")


async def go_on(desk: Desk) -> None:
    """Work as the second agent, after the user has made a claim of the handoff false."""
    async with desk.agent("pen") as pen:
        told = await pen.call("brief", task="bake the rye loaf")
        for part in ("NO LONGER TRUE: Feeding is described", "Next: Shape the dough", "by quill", OLD):
            assert part in told
        taken = await pen.call("take_over")
        assert "- proof still holds: The starter was fed with rye" in taken
        assert "- changed: Feeding is described" in taken
        await pen.call(
            "remember", title="Heat of the new stone", text=NEW, kind="decision", supersedes=["Oven temperature"]
        )
        recalled = await pen.call("recall", query="at what baking heat?")
        assert (OLD in recalled, NEW in recalled) == (False, True)
        told = await pen.call("brief", task="oven heat and temperature")
        assert (OLD in told, NEW in told) == (False, True)
        assert "Memory" not in await pen.call("search", query=OLD)
        await pen.call("save_session", goal="Bake the rye loaf", summary="Shaped and baked.", status="completed")


def undo_everything(bridge: Sidecar) -> None:
    """Undo what the sessions changed, then the journals, the newest first."""
    done = {"completed", "incomplete"}
    bridge.until(lambda: not open_sessions(bridge) - done, "every session of an agent has ended")
    for session in dict.fromkeys(change["session"] for change in applied(bridge) if change["session"]):
        bridge.call("undo_change", change_id=session)
    while changes := applied(bridge):
        # The journal of a session is completed a moment after its end.
        with suppress(CallFailed):
            bridge.call("undo_change", change_id=changes[0]["id"])


def open_sessions(bridge: Sidecar) -> set[str]:
    """Return the states of the agents' sessions."""
    sessions = [one for name in ("quill", "pen") for one in bridge.call("list_sessions", client=name)["sessions"]]
    return {session["status"] for session in sessions}


def applied(bridge: Sidecar) -> list[dict[str, Any]]:
    """Return the changes that are in force and undo no other, newest first."""
    changes = bridge.call("list_changes", state="applied", limit=200)["changes"]
    return [change for change in changes if not change["undoes"]]


async def test_a_day_with_two_agents_is_handed_over_and_undone_byte_by_byte(desk: Desk) -> None:
    before, mine = desk.files(), set(psutil.Process().children(recursive=True))
    bridge = await asyncio.to_thread(desk.serve)
    await work_until_killed(desk, bridge)
    bridge.close()
    stop = [str(COMMAND), "stop", *desk.options[:2]]
    assert (await asyncio.to_thread(subprocess.run, stop, capture_output=True, check=False)).returncode == 0
    note = desk.vault / STARTER
    # Read and written as bytes: line ends stay as they are.
    note.write_bytes(note.read_bytes().replace(b"## Feeding", b"## Nourishing"))
    bridge = await asyncio.to_thread(desk.serve)
    (journal,) = (desk.vault / "Agents" / "Sessions").rglob("*.md")
    assert "Feed the starter with rye." in journal.read_text(encoding="utf-8")
    listed = bridge.call("list_sessions", client="quill")["sessions"]
    assert [one["note"] for one in listed if one["note"]] == [journal.relative_to(desk.vault).as_posix()], listed
    await go_on(desk)
    await asyncio.to_thread(undo_everything, bridge)
    note.write_bytes(note.read_bytes().replace(b"## Nourishing", b"## Feeding"))
    assert desk.files() == before
    assert bridge.stop() == 0
    bridge.close()
    left = [one for one in psutil.Process().children(recursive=True) if one not in mine]
    assert outliving(left) == []
