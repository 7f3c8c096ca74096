"""What agents ask for waits for the user, holds as answered, and is taken back; over HTTP, MCP and the command line."""

import json
from pathlib import Path
from typing import Any

import pytest

from bridge.settings.file import save_settings
from bridge.state.decisions import ID_DIGITS, MAX_OF_CLIENT, MAX_WAITING, WAIT_S, Decision
from bridge.state.store import Store
from bridge.types import Digest, VaultPath
from tests.external_tools.servers import SECRET, programs, write_servers
from tests.features.served import Served, readable, serving
from tests.features.workflows import CREATE, NOTES, PATH, Agent, agent_of, root, write_workflow
from tests.mcp.client import ERAS, Era, connected, text_of

__all__ = ["NOTES"]

SAY = {"server": "test", "tool": "say", "arguments": {"text": "Ulm"}}


async def listed(served: Served) -> Any:
    return await served.result("list_decisions")


async def decide(served: Served, id_: str, verdict: str) -> Any:
    return (await served.result("decide", id=id_, verdict=verdict))["decision"]


async def test_a_call_waits_passes_is_taken_back_and_all_of_it_is_kept(tmp_path: Path) -> None:
    vault, data = tmp_path / "Notes", tmp_path / "data"
    vault.mkdir()
    write_servers(data, more='confirm = "first"')
    folders = ([vault], data, tmp_path / "models")
    async with serving(*folders) as served:
        await readable(served)
        agent = await agent_of(served)
        for confirm in (False, True):
            refused = await agent.call("call_server", **SAY, confirm=confirm)
            assert (refused.code, "waits for the user" in refused.json["error"]["hint"]) == (
                "confirmation_required",
                True,
            )
        assert programs() == []
        (one,) = (await listed(served))["waiting"]
        assert (one["kind"], one["subject"], one["client"], one["answer"]) == ("server", "test", "scribe", None)
        assert 'call its tool `say` with {"text":"Ulm"}, and later calls' in one["would"]
        assert one["asked"] < one["expires"]
    async with serving(*folders) as served:
        await readable(served)
        assert [each["id"] for each in (await listed(served))["waiting"]] == [one["id"]]
        assert (await decide(served, one["id"], "accept"))["answer"] == "accept"
        answer = await agent_at(served, agent).call("call_server", **SAY)
        assert answer.json["text"].endswith("Ulm")
    async with serving(*folders) as served:
        await readable(served)
        agent = agent_at(served, agent)
        assert (await agent.call("call_server", **SAY)).status == 200
        (agreed,) = (await listed(served))["answers"]
        assert (agreed["id"], agreed["answer"], agreed["answered"] >= agreed["asked"]) == (one["id"], "accept", True)
        await decide(served, one["id"], "reject")
        for confirm in (False, True):
            assert (await agent.call("call_server", **SAY, confirm=confirm)).code == "declined"
        changes = await listed(served)
        assert (changes["waiting"], changes["answers"][0]["answer"]) == ([], "reject")


def agent_at(served: Served, agent: Agent) -> Agent:
    """Return the agent at a bridge that was started again."""
    return Agent(served, agent.token)


@pytest.mark.parametrize("era", ERAS)
async def test_an_agreement_to_one_call_holds_for_one_call(served: Served, data: Path, era: Era) -> None:
    write_servers(data)
    async with connected(served, era) as client:

        async def say(text: str) -> str:
            given = {**SAY, "arguments": {"text": text}, "confirm": True}
            return text_of(await client.call_tool("call_server", given))

        assert (await say("Ulm")).startswith("confirmation_required: ")
        assert (await say("Bonn")).startswith("confirmation_required: ")
        other, one = (await listed(served))["waiting"]
        assert ('"Ulm"' in one["would"], '"Bonn"' in other["would"]) == (True, True)
        await decide(served, one["id"], "accept")
        assert (await say("Bonn")).startswith("confirmation_required: ")
        assert (await say("Ulm")).endswith("Ulm")
        assert (await say("Ulm")).startswith("confirmation_required: ")
        await decide(served, other["id"], "reject")
        assert (await say("Bonn")).startswith("declined: ")
        assert {each["subject"] for each in (await listed(served))["waiting"]} == {"test"}
        assert SECRET not in json.dumps(await listed(served))
        # No agent answers, and none sees what others ask for.
        for name, given in (("decide", {"id": one["id"], "verdict": "accept"}), ("list_decisions", {})):
            assert text_of(await client.call_tool("run_tool", {"name": name, "arguments": given})).startswith(
                "no_such_operation: "
            )


async def test_a_no_is_final_whatever_agents_may_confirm(served: Served, data: Path) -> None:
    write_servers(data, more='confirm = "first"')
    agent = await agent_of(served)
    await agent.call("call_server", **SAY)
    (one,) = (await listed(served))["waiting"]
    await decide(served, one["id"], "reject")
    await served.bridge.use(save_settings(served.bridge.settings_path, {"agents_confirm": True}))
    assert (await agent.call("call_server", **SAY, confirm=True)).code == "declined"
    await agent.call("ask", question="Will it rain?", tools=["test__*"], agreed=True)
    await agent.call("list_servers", connect=True)
    assert programs() == []
    # The user's own call does not answer otherwise.
    assert (await served.call("call_server", **SAY, confirm=True)).status == 200
    assert (await agent.call("call_server", **SAY, confirm=True)).code == "declined"


async def test_a_workflow_that_nobody_asked_for_waits_until_it_is_answered(served: Served) -> None:
    digest = await write_workflow(served, CREATE)
    (one,) = (await listed(served))["waiting"]
    assert (one["id"], one["client"], one["expires"]) == (f"{PATH}@{digest[:ID_DIGITS]}", None, None)
    await decide(served, one["id"], "reject")
    assert (await listed(served))["waiting"] == []
    await write_workflow(served, CREATE.replace("Made/", "Other/"))
    (other,) = (await listed(served))["waiting"]
    await decide(served, other["id"], "accept")
    agent = await agent_of(served)
    assert (await agent.call("run_workflow", path=PATH, variables={"title": "X"})).status == 200
    assert (await listed(served))["waiting"] == []


async def test_a_workflow_waits_when_it_is_drafted_refused_or_changed(served: Served) -> None:
    agent = await agent_of(served)
    text = "{version: 1, steps: [{id: note, do: create_note, path: Reading/Salt.md}]}"
    assert (await served.call("set_up_memory")).status == 200
    drafted = (await agent.call("author_workflow", name="Salt", text=text)).json
    await served.call("wait_until_indexed", path=drafted["path"])
    (one,) = (await listed(served))["waiting"]
    assert (one["id"], one["client"]) == (f"{drafted['path']}@{drafted['workflow_digest'][:ID_DIGITS]}", "scribe")
    assert one["would"] == "run the workflow `Agents/Workflows/Salt.md`"
    await decide(served, one["id"], "accept")
    assert (await agent.call("run_workflow", path=drafted["path"])).status == 200
    file = root(served) / drafted["path"]
    file.write_text(file.read_text().replace("Reading/", "Other/"))
    (changed,) = (await listed(served))["waiting"]
    assert (changed["client"], "changed since you agreed" in changed["would"]) == (None, True)
    await decide(served, changed["id"], "reject")
    assert (await listed(served))["waiting"] == []
    assert [each["answer"] for each in (await listed(served))["answers"] if each["kind"] == "workflow"] == ["reject"]
    assert (await agent.call("run_workflow", path=drafted["path"])).code == "declined"
    file.write_text(file.read_text().replace("Other/", "Reading/"))
    assert (await agent.call("run_workflow", path=drafted["path"])).status in {200, 409}
    # It waits as it is, whoever asked for what it was.
    digest = await write_workflow(served, CREATE)
    assert (await agent.call("run_workflow", path=PATH, variables={"title": "X"})).code == "forbidden"
    assert [each["id"] for each in (await listed(served))["waiting"]] == [f"{PATH}@{digest[:ID_DIGITS]}"]
    file = root(served) / PATH
    file.write_text(file.read_text().replace("Of {{", "About {{"))
    (one,) = (await listed(served))["waiting"]
    assert (one["subject"], one["client"], digest[:ID_DIGITS] in one["id"]) == (PATH, None, False)
    file.write_text(file.read_text().replace("About {{", "Of {{"))
    assert [each["client"] for each in (await listed(served))["waiting"]] == ["scribe"]
    file.unlink()
    assert (await listed(served))["waiting"] == []


async def test_an_answer_about_a_workflow_is_listed_while_it_is_there(served: Served) -> None:
    agent = await agent_of(served)
    assert (await served.call("set_up_memory")).status == 200
    text = "{version: 1, steps: [{id: note, do: create_note, path: Reading/Salt.md}]}"
    drafted = (await agent.call("author_workflow", name="Salt", text=text)).json
    await served.call("wait_until_indexed", path=drafted["path"])
    (one,) = (await listed(served))["waiting"]

    async def answered() -> list[str]:
        return [each["id"] for each in (await listed(served))["answers"] if each["kind"] == "workflow"]

    await decide(served, one["id"], "accept")
    assert await answered() == [one["id"]]
    undone = (await served.call("undo_change", change_id=drafted["change_id"])).json["change_id"]
    assert await answered() == []
    assert (await served.call("undo_change", change_id=undone)).status == 200
    assert await answered() == [one["id"]]


async def test_the_agents_folder_is_taken_back(served: Served) -> None:
    agent = await agent_of(served, applies=False)
    own = {"path": "Agents/Own.md", "text": "Mine."}
    assert (await listed(served))["answers"] == []
    assert (await served.call("set_up_memory")).status == 200
    assert (await agent.call("create_note", **own)).json["state"] == "applied"
    (folder,) = (await listed(served))["answers"]
    assert (folder["kind"], folder["would"]) == ("folder", "write in the folder `Agents` at once")
    assert (await served.call("decide", id=folder["id"], verdict="accept")).code == "invalid_arguments"
    await decide(served, folder["id"], "reject")
    assert (await listed(served))["answers"] == []
    assert (await agent.call("create_note", path="Agents/Two.md", text="Mine.")).json["state"] == "proposed"
    # Nobody asks again, whatever agents may confirm, until the user sets it up.
    for confirms in (False, True):
        await served.bridge.use(save_settings(served.bridge.settings_path, {"agents_confirm": confirms}))
        for operation, arguments in (
            ("set_up_memory", {}),
            ("remember", {"title": "Clay", "text": "Clay cracks."}),
            ("save_session", {"goal": "Bake"}),
        ):
            assert (await agent.call(operation, **arguments, confirm=True)).code == "declined"
            async with connected(served, preset="full") as client:
                told = text_of(await client.call_tool(operation, {**arguments, "confirm": True}))
            assert told.startswith("declined: The user declined on "), told
    # Nor does the folder count where the user moves it.
    assert (await served.call("move_note", path="Agents", to="Robots")).status == 200
    assert (await agent.call("create_note", path="Robots/Two.md", text="Mine.")).json["state"] == "proposed"
    assert (await served.call("set_up_memory")).status == 200
    assert (await agent.call("create_note", path="Agents/Three.md", text="Mine.")).json["state"] == "applied"


async def test_agents_see_proposals_alone_and_answer_nothing(served: Served) -> None:
    agent = await agent_of(served, applies=False)
    await write_workflow(served, CREATE, "Secret/P.md")
    assert (await agent.call("run_workflow", path="Secret/P.md", variables={"title": "X"})).code == "forbidden"
    proposed = (await agent.call("create_note", path="New.md", text="New.")).json["change_id"]
    (one,) = (await listed(served))["waiting"]
    seen = (await agent.call("list_decisions")).json
    assert [each["id"] for each in seen["proposals"]] == [proposed]
    assert [seen["waiting"], seen["answers"], seen["rights"]] == [[], [], []]
    for id_ in (one["id"], proposed):
        assert (await agent.call("decide", id=id_, verdict="accept")).code == "forbidden"
    await decide(served, one["id"], "accept")
    await served.bridge.use(save_settings(served.bridge.settings_path, {"deny": ["Secret/**"]}))
    assert "Secret" not in json.dumps(await listed(served))
    assert "Secret" not in json.dumps((await agent.call("list_decisions")).json)


async def test_what_is_allowed_by_settings_is_said(served: Served, data: Path) -> None:
    write_servers(data, more='confirm = "never"')
    await agent_of(served)
    await served.bridge.use(save_settings(served.bridge.settings_path, {"agents_confirm": True}))
    assert (await listed(served))["rights"] == [
        "`scribe` changes notes at once (`apply_clients`).",
        "Agents confirm what you would be asked for themselves (`agents_confirm`).",
        "Agents call the server `test` (`confirm` in `servers.toml`).",
    ]


async def test_the_command_line_lists_and_answers(served: Served, data: Path) -> None:
    write_servers(data, more='confirm = "first"')
    agent = await agent_of(served)
    await agent.call("call_server", **SAY)
    shown = await served.command("list-decisions")
    (one,) = (await listed(served))["waiting"]
    assert f"{one['id']} · waits · asked by scribe" in shown.out
    answered = await served.command("decide", one["id"], "accept")
    assert (answered.status, "accepted" in answered.out) == (0, True)
    assert (await agent.call("call_server", **SAY)).status == 200
    unknown = await served.command("decide", "nobody@0123456789ab", "accept")
    assert (unknown.status != 0, "Nobody asked for `nobody`" in unknown.err) == (True, True)


async def test_an_id_that_two_have_is_not_answered(served: Served) -> None:
    decisions = served.bridge.find(None).store.decisions
    for end in ("1", "2"):
        decisions.ask(Decision("server", name="test", digest=Digest("a" * 40 + end), would="say"), "scribe")
    assert (await served.call("decide", id="test@" + "a" * 32, verdict="accept")).code == "invalid_arguments"
    assert (await decide(served, "test@" + "a" * 40 + "1", "accept"))["answer"] == "accept"
    assert [one.digest[-1] for one in decisions.all() if not one.answer] == ["2"]


def test_what_names_no_note_is_not_forgotten_with_denied_notes(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "state.sqlite")
    for decision in (Decision("server", name="test"), Decision("workflow", VaultPath("P.md"))):
        store.decisions.answer(decision, "reject", None)
    store.forget(lambda _: True)
    assert [one.kind for one in store.decisions.all()] == ["server"]
    store.close()


def test_nobody_floods_the_list(tmp_path: Path) -> None:
    clock = [1_000_000.0]
    store = Store.open(tmp_path / "state.sqlite", now=lambda: clock[0])
    decisions = store.decisions

    def call(number: int, name: str = "test") -> Decision:
        return Decision("server", name=name, digest=Digest(str(number)), would="say", lasts=False)

    decisions.answer(Decision("workflow", VaultPath("P.md"), digest=Digest("1")), "accept", None)
    for number in range(2 * MAX_OF_CLIENT):
        clock[0] += 1
        decisions.ask(call(number), "one")
    waiting = [one for one in decisions.all() if not one.answer]
    assert [one.digest for one in waiting] == [str(n) for n in reversed(range(MAX_OF_CLIENT, 2 * MAX_OF_CLIENT))]
    clock[0] += 1
    decisions.ask(call(MAX_OF_CLIENT), "other")
    waiting = [one for one in decisions.all() if not one.answer]
    assert (len(waiting), waiting[0].client, waiting[0].asked) == (MAX_OF_CLIENT, "other", clock[0])
    for number in range(2 * MAX_WAITING):
        decisions.ask(call(number, "many"), f"client {number}")
    assert len(decisions.all()) == MAX_WAITING + 1
    clock[0] += WAIT_S
    assert [one.kind for one in decisions.all()] == ["workflow"]
    store.close()
