"""The agents' folder is created only when a person agrees, and opens nothing else to clients that propose."""

import asyncio
import hashlib
import os
import shutil
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson
import pytest
from mcp import types
from mcp.client import ClientRequestContext

from bridge.access.tokens import Tokens
from bridge.api.call import OWNER, Call
from bridge.api.registry import get_operation
from bridge.settings.file import save_settings
from bridge.state.change_records import Change, ChangeFacts
from bridge.state.store import Store
from bridge.types import VaultPath
from bridge.vault.plan import Plan, Step
from tests.features.served import Answer, Served, readable, serving, write_vault
from tests.mcp.client import ERAS, Era, connected, text_of

NOTES = {"Oven.md": "# Oven\n\nBuilt of clay. [[agent-orange]]\n", "Agents/Agent Orange.md": "A chapter on the war.\n"}

ABOUT = "Agents/About this folder.md"


def root(served: Served) -> Path:
    return served.bridge.find(None).root


def contents(served: Served) -> Mapping[str, bytes]:
    paths = (path for path in root(served).rglob("*") if path.is_file())
    return {path.relative_to(root(served)).as_posix(): path.read_bytes() for path in paths}


class Agent:
    """A client with its own token, whose changes are proposals."""

    def __init__(self, served: Served, name: str = "quill") -> None:
        self.token = Tokens(served.bridge.folders.tokens).create(name, ["read", "write"])[1]
        self._served = served

    async def call(self, operation: str, /, **arguments: Any) -> Answer:
        headers = {"Authorization": f"Bearer {self.token}"}
        return await self._served.request("POST", f"/api/{operation}", headers=headers, data=orjson.dumps(arguments))

    async def state(self, operation: str, /, **arguments: Any) -> str:
        """Make a change, and return its state."""
        answer = await self.call(operation, **arguments)
        assert answer.status == 200, answer.body
        state: str = answer.json["state"]
        return state


async def accept(_: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
    assert "create the folder `Agents`" in params.message
    return types.ElicitResult(action="accept", content={"confirm": True})


async def decline(_: ClientRequestContext, __: types.ElicitRequestParams) -> types.ElicitResult:
    return types.ElicitResult(action="decline")


async def test_the_user_makes_the_folder_once(served: Served) -> None:
    made = (await served.call("set_up_memory")).json
    assert made["state"] == "applied"
    assert made["path"] == ABOUT
    assert (root(served) / "Agents/Templates/Decision.md").read_text().startswith("---\ntype: decision\n")
    (root(served) / "Agents/Templates/Bug.md").write_text("Mine.\n")
    again = (await served.call("set_up_memory")).json
    assert again["change_id"] is None
    assert (root(served) / "Agents/Templates/Bug.md").read_bytes() == b"Mine.\n"


async def test_making_it_is_undone(served: Served) -> None:
    before = contents(served)
    made = (await served.call("set_up_memory")).json
    assert contents(served) != before
    assert (await served.call("undo_change", change_id=made["change_id"])).status == 200
    assert contents(served) == before


async def test_the_terminal_makes_it(served: Served) -> None:
    ran = await served.command("set-up-memory", "--vault", "Notes", "--no-templates")
    assert ran.status == 0, ran.err
    assert (root(served) / ABOUT).exists()
    assert not (root(served) / "Agents/Templates").exists()


async def test_an_agent_makes_it_only_when_the_user_agrees(served: Served) -> None:
    tools = {"name": "set_up_memory", "arguments": {}}
    token = Agent(served).token
    async with connected(served) as client:
        assert text_of(await client.call_tool("run_tool", tools)).startswith("confirmation_required: Agents may keep")
    async with connected(served, elicitation_callback=decline) as client:
        assert text_of(await client.call_tool("run_tool", tools)).startswith("declined")
    assert not (root(served) / ABOUT).exists()
    async with connected(served, token=token, elicitation_callback=accept) as client:
        answer = await client.call_tool("run_tool", tools)
    assert not answer.is_error, text_of(answer)
    assert (root(served) / ABOUT).exists()


async def test_planning_and_drafting_give_no_right(served: Served) -> None:
    workflow = {"name": "Read", "starter": "reading-note"}
    for operation, arguments in (("plan_tidy", {}), ("author_workflow", workflow)):
        before = contents(served)
        tried = (await served.call(operation, **arguments, dry_run=True)).json
        assert (tried["state"], contents(served)) == ("applied", before)
        made = (await served.call(operation, **arguments)).json
        assert (root(served) / made["path"]).exists()
        assert "agents may" not in str(made)
    assert not (root(served) / ABOUT).exists()
    assert await Agent(served).state("create_note", path="Agents/Early.md", text="Too early.") == "proposed"
    found = (await served.call("find_notes")).json["notes"]
    assert "Agents/Tidy/Plan.md" not in [one["path"] for one in found], "a plan is none of the user's notes"
    assert "Agents/Agent Orange.md" in [one["path"] for one in found]


async def test_a_plan_of_a_client_waits_before_the_user_agreed(served: Served) -> None:
    assert await Agent(served).state("plan_tidy") == "proposed"
    assert not (root(served) / "Agents/Tidy").exists()


async def test_the_users_own_memory_sets_it_up_and_says_so(served: Served) -> None:
    says = f"Once this is done, agents may write notes in `Agents`. Delete `{ABOUT}` to end that."
    before = contents(served)
    ran = await served.command("remember", "Slips", "Slips are thin.", "--vault", "Notes", "--dry-run")
    assert says in ran.err
    assert contents(served) == before
    assert says in (await served.call("remember", title="Slips", text="Slips are thin.")).json["warnings"]
    assert (root(served) / ABOUT).exists()
    assert (await served.call("remember", title="Kilns", text="Kilns are hot.")).json["warnings"] == []


async def test_what_an_agent_confirms_itself_is_proposed(served: Served) -> None:
    agent = Agent(served)
    assert (await agent.call("set_up_memory")).code == "confirmation_required"
    assert await agent.state("set_up_memory", confirm=True) == "proposed"
    assert not (root(served) / ABOUT).exists()


async def test_only_the_owner_chooses_another_folder(served: Served) -> None:
    assert (await served.call("set_up_memory", folder="Bots")).code == "forbidden"
    made = await get_operation("set_up_memory").run(Call(served.bridge, OWNER), {"folder": "Bots"})
    assert made.path == "Bots/About this folder.md"
    assert (await served.call("set_up_memory")).json["change_id"] is None


async def test_a_client_changes_the_folder_at_once_and_nothing_else(served: Served) -> None:
    agent = Agent(served)
    assert await agent.state("create_note", path="Agents/Early.md", text="Too early.") == "proposed"
    await served.call("set_up_memory")
    assert await agent.state("create_note", path="Agents/Memory/Clay.md", text="Clay cracks.") == "applied"
    edit = {"op": "append", "text": "It is fired."}
    made = (await agent.call("edit_note", path="Agents/Memory/Clay.md", edits=[edit])).json
    assert made["state"] == "applied"
    assert await agent.state("undo_change", change_id=made["change_id"]) == "applied"
    assert await agent.state("create_note", path="Oven log.md", text="Hot.") == "proposed"
    assert await agent.state("move_note", path="Agents/Memory/Clay.md", to="Clay.md") == "proposed"
    assert await agent.state("move_note", path="Oven.md", to="Agents/Oven.md") == "proposed"
    assert await agent.state("move_note", path="Agents", to="Robots") == "proposed"
    both = [
        {"op": "create_note", "path": "Agents/Memory/A.md"},
        {"op": "edit_note", "path": "Oven.md", "edits": [edit]},
    ]
    assert await agent.state("change_set", edits=both) == "proposed"


async def test_a_symbolic_link_leads_out_of_the_folder(served: Served) -> None:
    await served.call("set_up_memory")
    (root(served) / "Agents/All").symlink_to(root(served))
    answer = await Agent(served).call("create_note", path="Agents/All/Log.md", text="Hot.")
    assert answer.status != 200 or answer.json["state"] == "proposed"
    assert not (root(served) / "Log.md").exists()


@pytest.mark.parametrize(
    ("setting", "value", "state"),
    [
        ("notebook_clients", [], "proposed"),
        ("notebook_clients", ["Quill"], "applied"),
        ("agents_folder", "B", "proposed"),
    ],
)
async def test_settings_say_who_and_where(served: Served, setting: str, value: Any, state: str) -> None:
    await served.call("set_up_memory")
    await served.bridge.use(save_settings(served.bridge.settings_path, {setting: value}))
    assert await Agent(served).state("create_note", path="Agents/Memory/Clay.md", text="Clay cracks.") == state


async def test_a_protected_folder_stays_as_it_is(served: Served) -> None:
    await served.call("set_up_memory")
    await served.bridge.use(save_settings(served.bridge.settings_path, {"readonly": ["Agents/**"]}))
    before = contents(served)
    answer = await Agent(served).call("create_note", path="Agents/Memory/Clay.md", text="Clay cracks.")
    assert answer.code == "protected_path"
    assert contents(served) == before


@pytest.mark.parametrize("era", ERAS)
async def test_a_no_to_the_folder_holds_for_every_tool(served: Served, era: Era) -> None:
    asked = []

    async def refuse(_: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
        asked.append(params.message)
        return types.ElicitResult(action="decline")

    before = contents(served)
    async with connected(served, era, preset="full", token=Agent(served).token, elicitation_callback=refuse) as client:
        for tool, arguments in (
            ("set_up_memory", {}),
            ("remember", {"title": "Oven", "text": "Built of clay."}),
            ("save_session", {"goal": "Bake", "confirm": True}),
            ("hand_over", {"goal": "Bake", "state": "Hot.", "next_action": "Knead."}),
            ("save_session", {"decisions": ["Knead first."], "confirm": True}),
            ("set_up_memory", {"templates": False, "confirm": True}),
        ):
            assert text_of(await client.call_tool(tool, arguments)).startswith("declined: ")
    assert len(asked) == 1
    assert contents(served) == before


async def found(served: Served, query: str) -> list[str]:
    return [hit["path"] for hit in (await served.call("search", query=query, mode="keyword")).json["hits"]]


async def remember(served: Served, text: str) -> Answer:
    answer = await served.call("remember", title=text.removesuffix("."), text=text)
    if answer.status == 200:
        await served.call("wait_until_indexed", path=answer.json["path"])
    return answer


async def rename(served: Served, old: str, new: str) -> None:
    """Rename a folder in another program, and tell of it as Obsidian's plugin does."""
    (root(served) / new).parent.mkdir(parents=True, exist_ok=True)
    moved = [path.relative_to(root(served) / old).as_posix() for path in (root(served) / old).rglob("*.md")]
    (root(served) / old).rename(root(served) / new)
    changes = [{"kind": "rename", "from": f"{old}/{path}", "path": f"{new}/{path}"} for path in moved]
    await served.result("report_changes", changes=changes)
    for path in moved:
        await served.call("wait_until_indexed", path=f"{new}/{path}")


async def test_the_folder_is_followed_when_it_is_renamed(served: Served) -> None:
    await served.call("set_up_memory")
    await remember(served, "The kiln is fired at noon.")
    assert await found(served, "kiln fired") == []
    await rename(served, "Agents", "Robots/Own")
    assert await found(served, "kiln fired") == []
    recalled = (await served.call("recall", query="when is the kiln fired?")).json
    assert [one["path"] for one in recalled["memories"]] == ["Robots/Own/Memory/The kiln is fired at noon.md"]
    made = (await remember(served, "Clay dries slowly in winter.")).json
    assert made["path"].startswith("Robots/Own/Memory/")
    agent = Agent(served)
    assert await agent.state("create_note", path="Robots/Own/Memory/Glaze.md", text="Glaze runs.") == "applied"
    assert await agent.state("create_note", path="Agents/Memory/Glaze.md", text="Glaze runs.") == "proposed"
    await rename(served, "Robots/Own", "Agents")
    assert (await remember(served, "Slips are thin.")).json["path"].startswith("Agents/Memory/")
    await rename(served, "Agents", "Robots/Own")
    assert (await remember(served, "Cones bend.")).json["path"].startswith("Robots/Own/Memory/")


async def test_the_folder_is_followed_when_it_was_renamed_while_nothing_ran(tmp_path: Path, models_dir: Path) -> None:
    vault = write_vault(tmp_path / "Notes", {"Oven.md": "# Oven\n\nBuilt of clay.\n"})
    for name in ("Agents", "Robots", "Robots"):
        async with serving([vault], tmp_path / "data", models_dir) as served:
            await readable(served)
            if name == "Agents":
                await served.call("set_up_memory")
                await remember(served, "The kiln is fired at noon.")
            assert await found(served, "kiln fired") == []
            made = (await remember(served, f"A {name} lesson about slips.")).json
            assert made["path"].startswith(f"{name}/Memory/")
        if name == "Agents":
            (vault / "Agents").rename(vault / "Robots")


async def agents_write_at_once(served: Served, folder: str = "Agents") -> bool:
    """Return whether changes of an agent in a folder are made at once."""
    name = os.urandom(4).hex()
    return await Agent(served, name).state("create_note", path=f"{folder}/{name}.md", text="Wet.") == "applied"


async def write_beside(served: Served, path: str, text: str) -> None:
    """Write a note as a sync program does."""
    place = root(served) / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)
    await served.call("report_changes", changes=[{"kind": "modify", "path": path}])
    await served.call("wait_until_indexed", path=path)


def marker(served: Served) -> str:
    return (root(served) / ABOUT).read_text()


async def test_a_note_that_only_looks_like_an_agreement_gives_no_right(served: Served) -> None:
    await write_beside(served, ABOUT, "---\ntype: agents-folder\nid: agents-0123\n---\nAgents may write here.\n")
    assert not await agents_write_at_once(served)
    assert (await served.call("recall", query="rain")).json["notices"]
    assert (await Agent(served).call("save_session", decisions=["Knead."])).code == "confirmation_required"
    assert (await served.call("set_up_memory", templates=False)).status == 200
    assert await agents_write_at_once(served)


async def test_the_agreement_of_another_device_counts_here_once_the_user_agrees(served: Served) -> None:
    await served.call("set_up_memory", templates=False)
    before = contents(served)
    served.bridge.find(None).folder_agreement._ids.clear()
    assert not await agents_write_at_once(served)
    asked = await Agent(served).call("set_up_memory", templates=False, confirm=True)
    assert asked.code == "confirmation_required", "there is nothing to write that could wait"
    assert not await agents_write_at_once(served)
    assert (await served.call("set_up_memory", templates=False)).status == 200
    assert contents(served) == before
    assert await agents_write_at_once(served)


async def test_what_would_take_notes_of_the_user_into_the_folder_says_so(served: Served) -> None:
    await served.call("set_up_memory", templates=False)
    agent = Agent(served)
    await agent.call("create_note", path="Agents/Log.md", text="A log. See [[Salaries]].\n")
    digests = {
        path: (await served.call("create_note", path=path, text=f"# {path}\n")).json["digest"]
        for path in ("Own/Salaries.md", "Own/Rent.md", "Own/Tax.md")
    }
    said = "into `Agents`, where agents change notes at once and which ordinary searches leave out."
    for operation, arguments in (
        ("move_note", {"path": "Own", "to": "Agents/Own"}),
        ("move_note", {"path": "Own/Rent.md", "to": "Agents/Rent.md"}),
        ("merge_notes", {"path": "Own/Rent.md", "into": "Agents/Log.md", "digest": digests["Own/Rent.md"]}),
    ):
        made = (await agent.call(operation, **arguments)).json
        assert made["state"] == "proposed"
        assert said in made["warnings"][0], operation
        assert said in (await served.call("show_change", change_id=made["change_id"])).json["reason"]
    # A link in the folder follows: nothing goes into it.
    for operation, arguments in (
        ("move_note", {"path": "Own/Salaries.md", "to": "Own/Wages.md"}),
        ("merge_notes", {"path": "Own/Salaries.md", "into": "Own/Tax.md", "digest": digests["Own/Salaries.md"]}),
    ):
        made = (await agent.call(operation, **arguments)).json
        assert made["state"] == "proposed"
        assert not any(said in one for one in made["warnings"]), operation


async def test_an_accepted_note_does_not_widen_the_folder_of_agents(served: Served) -> None:
    await served.call("set_up_memory", templates=False)
    agent, copy = Agent(served), "Projects/About this folder.md"
    made = (await agent.call("create_note", path=copy, text=marker(served))).json
    assert made["warnings"][0] == f"`{copy}` gives agents no right: only `set-up-memory` does."
    [shown] = (await served.call("list_changes", state="proposed")).json["changes"]
    assert shown["reason"].startswith(f"`{copy}` gives agents no right")
    assert (await served.call("decide", id=made["change_id"], verdict="accept")).status == 200
    digest = hashlib.sha256(marker(served).encode()).hexdigest()
    gone = (await agent.call("delete_note", path=ABOUT, digest=digest, confirm=True)).json
    assert gone["state"] == "proposed"
    assert gone["warnings"][0].startswith("Accepting this ends that agents write in `Agents` at once")
    assert await agents_write_at_once(served)
    assert (await served.call("decide", id=gone["change_id"], verdict="accept")).status == 200
    assert not await agents_write_at_once(served)
    assert not await agents_write_at_once(served, "Projects")
    text = (root(served) / copy).read_text()
    again = (await agent.call("create_note", path=ABOUT, text=text, confirm=True)).json
    assert again["state"] == "proposed"
    assert again["warnings"][0] == "Accepting this lets agents write in `Agents` at once from then on."


async def test_an_agent_neither_moves_narrows_nor_edits_the_agreement(served: Served) -> None:
    await served.call("set_up_memory", templates=False)
    agent = Agent(served)
    edit = {"op": "append", "text": "More."}
    assert await agent.state("edit_note", path=ABOUT, edits=[edit]) == "proposed"
    assert await agent.state("move_note", path=ABOUT, to="Agents/In/About this folder.md") == "proposed"
    assert await agent.state("create_note", path="Agents/In/About this folder.md", text=marker(served)) == "applied"
    await served.bridge.use(save_settings(served.bridge.settings_path, {"apply_clients": ["quill"]}))
    assert await agent.state("create_note", path="Oven log.md", text="Hot.") == "applied"
    assert await agent.state("set_properties", path=ABOUT, properties={"id": "mine"}) == "proposed"
    assert await agent.state("move_note", path="Agents", to="Robots") == "proposed"


@pytest.mark.parametrize("applies", [True, False])
@pytest.mark.parametrize(
    "way", ["folder", "change set", "undo of a deletion", "undo of a move", "redo", "former place", "link"]
)
async def test_an_agent_brings_an_ended_agreement_back_only_when_the_user_agrees(
    served: Served, way: str, *, applies: bool
) -> None:
    """One of a client that applies its changes, or of an agent without a name."""
    made = (await served.call("set_up_memory", templates=False)).json["change_id"]
    text, agent, folder = marker(served), Agent(served), "Agents"
    create = {"op": "create_note", "path": "Z/About this folder.md", "text": text}
    move = {"op": "move_note", "path": "Z", "to": "Agents"}
    if way == "former place":
        await rename(served, "Agents", "Robots")
        folder = "Robots"
    about = f"{folder}/About this folder.md"
    if way == "undo of a move":
        ended = await served.result("move_note", path=ABOUT, to="Old.md")
    elif way == "redo":
        ended = await served.result("undo_change", change_id=made)
    else:
        ended = await served.result("delete_note", path=about, digest=hashlib.sha256(text.encode()).hexdigest())
    undo = [("undo_change", {"change_id": ended["change_id"]})]
    ways: dict[str, list[tuple[str, dict[str, Any]]]] = {
        "folder": [("create_note", create), ("move_note", move)],
        "change set": [("change_set", {"edits": [create, move]})],
        "redo": [("undo_change", {"change_id": made, "redo": True})],
        "former place": [("create_note", create | {"path": about})],
        "link": [("create_note", create | {"path": "Link/About this folder.md"})],
    }
    if way == "link":
        (root(served) / "Link").symlink_to("Agents")
    elif way in ("folder", "change set"):
        await served.result("move_note", path="Agents/Agent Orange.md", to="Agent Orange.md")
        shutil.rmtree(root(served) / "Agents", ignore_errors=True)
    await served.bridge.use(save_settings(served.bridge.settings_path, {"apply_clients": ["quill"]}))
    assert not await agents_write_at_once(served, folder)
    token = agent.token if applies else None
    for name, arguments in ways.get(way, undo):
        given = {key: value for key, value in arguments.items() if key != "op"}
        async with connected(served, preset="full", token=token) as client:
            answer = await client.call_tool(name, given)
        assert not answer.is_error, text_of(answer)
    assert not await agents_write_at_once(served, folder)
    opens = f"Accepting this lets agents write in `{folder}` at once from then on."
    says = f"`{about}` gives agents no right: only `set-up-memory` does." if way == "former place" else opens
    listed = (await served.result("list_changes", state="proposed"))["changes"]
    (waits,) = [one for one in listed if (one["reason"] or "").startswith(says)]
    await served.result("decide", id=waits["id"], verdict="accept")
    await served.call("wait_until_indexed", path=about)
    assert await agents_write_at_once(served, folder) == (says == opens)


async def test_a_move_that_an_agent_proposed_ends_the_agreement(served: Served) -> None:
    await served.call("set_up_memory", templates=False)
    made = (await Agent(served).call("move_note", path="Agents", to="Robots")).json
    assert made["warnings"][0].startswith("Accepting this ends that agents write in `Agents` at once")
    assert (await served.call("decide", id=made["change_id"], verdict="accept")).status == 200
    assert (root(served) / "Robots/About this folder.md").exists()
    assert not await agents_write_at_once(served, "Robots")
    assert not await agents_write_at_once(served)


@pytest.mark.parametrize("is_settled", [True, False])
async def test_a_move_of_a_client_that_a_crash_kept_from_being_indexed_ends_the_agreement(
    tmp_path: Path, models_dir: Path, is_settled: bool
) -> None:
    vault = write_vault(tmp_path / "Notes", {"Oven.md": "# Oven\n\nBuilt of clay.\n"})
    async with serving([vault], tmp_path / "data", models_dir) as served:
        await readable(served)
        await served.call("set_up_memory", templates=False)
        await remember(served, "The kiln is fired at noon.")
        state = served.bridge.folders.state(served.bridge.find(None).id)
    plan = Plan([Step("move", VaultPath("Agents"), to=VaultPath("Robots"))])
    store = Store.open(state)
    change = Change(store.journal.next_id(), time.time(), "accept_change", "quill", facts=ChangeFacts(by_client=True))
    entry = store.journal.begin(change)
    entry.prepare(plan)
    (vault / "Agents").rename(vault / "Robots")
    if is_settled:
        entry.settle(True)
    store.close()
    async with serving([vault], tmp_path / "data", models_dir) as served:
        await readable(served)
        await served.call("wait_until_indexed", path="Robots/About this folder.md")
        assert not await agents_write_at_once(served, "Robots")
        assert not await agents_write_at_once(served)
        # A person sets it up again, and moves it.
        await rename(served, "Robots", "Agents")
        await served.call("set_up_memory", templates=False)
        await rename(served, "Agents", "Robots")
        assert await agents_write_at_once(served, "Robots")


@pytest.mark.parametrize("holds", ["Projects/Mine.md", "Agents/Memory/Kept.md"])
async def test_the_folder_is_followed_only_where_exactly_its_notes_are(served: Served, holds: str) -> None:
    await served.call("set_up_memory", templates=False)
    await write_beside(served, holds, "A note of its own.\n")
    (root(served) / "Projects").mkdir(exist_ok=True)
    (root(served) / ABOUT).rename(root(served) / "Projects/About this folder.md")
    change = {"kind": "rename", "from": ABOUT, "path": "Projects/About this folder.md"}
    await served.call("report_changes", changes=[change])
    await served.call("wait_until_indexed", path="Projects/About this folder.md")
    assert not await agents_write_at_once(served, "Projects")
    assert not await agents_write_at_once(served)


@pytest.mark.parametrize("is_known", [True, False])
async def test_a_folder_that_an_earlier_version_set_up_is_adopted_once(
    tmp_path: Path, models_dir: Path, is_known: bool
) -> None:
    vault, data = write_vault(tmp_path / "Notes", {"Oven.md": "# Oven\n"}), tmp_path / "data"
    about = vault / ABOUT
    for turn in range(3):
        if turn == 1:
            # As an earlier version left it: no id in the note, and none in the data folder.
            [kept] = data.glob("vaults/*/agents-folder.json")
            kept.unlink()
            if not is_known:
                about.parent.mkdir()
                about.write_text("---\ntype: agents-folder\n---\nMine.\n")
        async with serving([vault], data, models_dir) as served:
            await readable(served)
            if turn == 0 and is_known:
                # The index is to know the note.
                await write_beside(served, ABOUT, "---\ntype: agents-folder\n---\nMine.\n")
            if turn:
                assert await agents_write_at_once(served) is is_known
            if turn and is_known:
                async with asyncio.timeout(300):
                    while "id: agents-" not in about.read_text():
                        await asyncio.sleep(0.01)
                assert about.read_text().endswith("---\nMine.\n")
                assert await agents_write_at_once(served)
    if is_known:
        (vault / "Agents").rename(vault / "Robots")
        async with serving([vault], data, models_dir) as served:
            await readable(served)
            assert await agents_write_at_once(served, "Robots")


@pytest.mark.parametrize("by_client", [True, False])
async def test_a_copy_is_not_followed_however_a_person_moves_it(served: Served, *, by_client: bool) -> None:
    await served.call("set_up_memory", templates=False)
    copy = "Agents/In/About this folder.md"
    if by_client:
        assert await Agent(served).state("create_note", path=copy, text=marker(served)) == "applied"
        await served.call("wait_until_indexed", path=copy)
    else:
        await write_beside(served, copy, marker(served))
    await rename(served, "Agents/In", "Own")
    left = [path.relative_to(root(served)).as_posix() for path in (root(served) / "Agents").rglob("*.md")]
    shutil.rmtree(root(served) / "Agents")
    await served.call("report_changes", changes=[{"kind": "delete", "path": path} for path in left])
    await served.call("wait_until_indexed", path=ABOUT)
    assert not await agents_write_at_once(served, "Own")


async def test_an_older_copy_is_not_taken_for_the_folder(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.engine.folder_agreement._TOGETHER_S", 0.0)
    await served.call("set_up_memory")
    copy = (root(served) / ABOUT).read_text()
    assert (await served.call("create_note", path="Archive/About this folder.md", text=copy)).status == 200
    assert (await remember(served, "Slips are thin.")).json["path"].startswith("Agents/Memory/")
    (root(served) / ABOUT).unlink()
    await served.call("report_changes", changes=[{"kind": "delete", "path": ABOUT}])
    await served.call("wait_until_indexed", path=ABOUT)
    assert (await remember(served, "Kilns are hot.")).json["path"].startswith("Agents/Memory/")


async def test_a_copy_that_comes_back_later_is_not_taken_for_a_deleted_folder(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    await served.call("set_up_memory")
    copy = (root(served) / ABOUT).read_text()
    (root(served) / ABOUT).unlink()
    await served.call("report_changes", changes=[{"kind": "delete", "path": ABOUT}])
    await served.call("wait_until_indexed", path=ABOUT)
    monkeypatch.setattr("bridge.engine.folder_agreement._TOGETHER_S", 0.0)
    assert (await served.call("create_note", path="Backup/About this folder.md", text=copy)).status == 200
    assert (await remember(served, "Kilns are hot.")).json["path"].startswith("Agents/Memory/")
