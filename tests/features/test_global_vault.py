"""Memories and notes of the global vault, in what a project's vault recalls and is briefed about."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import orjson
import pytest_asyncio

from bridge.access.tokens import Tokens
from bridge.data_folder import vault_id
from tests.features.served import Answer, Served, serving, write_vault
from tests.features.test_recall import note
from tests.mcp.client import connected, text_of

ABOUT = {"Agents/About this folder.md": "---\ntype: agents-folder\n---\n# About\n"}
SAID = "Retry a failed upload three times."


@pytest_asyncio.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    home, other = tmp_path / "Home", tmp_path / "Other"
    memory = "Agents/Memory/"
    write_vault(
        home,
        {
            **ABOUT,
            f"{memory}Attempts.md": note(SAID, kind="decision"),
            f"{memory}Short.md": note("Short answers.", kind="preference"),
            f"{memory}Promoted.md": note("Queues need a bound on their length.", kind="learning"),
        },
    )
    write_vault(
        tmp_path / "Main",
        {
            **ABOUT,
            f"{memory}Attempts.md": note(SAID, kind="decision"),
            f"{memory}Fewer.md": note("Retry an upload once, as it is no use if it failed.", confidence=0.8),
            f"{memory}Bound.md": note(
                "Queues need a bound on their length.",
                promoted_from=[f"{vault_id(other)}/Old.md", f"{vault_id(home)}/{memory}Promoted.md"],
            ),
            f"{memory}Private.md": note("The upload password is private.", private_to="quill"),
            f"{memory}Metric.md": note("Metric units.", kind="preference", scope=["user:universal"]),
            f"{memory}Other scope.md": note("Upload by courier.", scope=["project:post"]),
            "Patterns/Backoff.md": "---\ntype: pattern\n---\n# Back off\n\nWait before each retry of an upload.\n",
            "Secret/Upload.md": "---\ntype: pattern\n---\n# Upload klepthorn\n\nRetry the upload.\n",
        },
    )
    write_vault(other, {"A.md": "A"})
    (tmp_path / "data").mkdir()
    (tmp_path / "data/settings.toml").write_text('global_vault = "Main"\ndeny = ["Secret/**"]\n')
    vaults = [home, tmp_path / "Main", other]
    async with serving(vaults, tmp_path / "data", tmp_path / "no models") as served:
        yield served


async def recall(served: Served, **arguments: Any) -> dict[str, Any]:
    found: dict[str, Any] = await served.result("recall", **{"vault": "Home", **arguments})
    return found


def places(memories: list[dict[str, Any]]) -> list[tuple[str | None, str]]:
    return [(memory["vault"], memory["path"].rpartition("/")[2].removesuffix(".md")) for memory in memories]


async def test_memories_of_both_vaults_are_one_ranking_and_equal_ones_begin_with_the_own(served: Served) -> None:
    found = await recall(served, query="retry a failed upload")
    assert places(found["memories"]) == [("Home", "Attempts"), ("Main", "Attempts"), ("Main", "Fewer")]
    assert places(found["standing"]) == [("Home", "Short"), ("Main", "Metric")]
    assert places((await recall(served, query="retry a failed upload", limit=1))["memories"]) == [("Home", "Attempts")]
    alone = await recall(served, query="retry a failed upload", everywhere=False)
    assert places(alone["memories"]) == [(None, "Attempts")]
    assert places((await recall(served, query="retry a failed upload", vault="Main"))["memories"]) == [
        (None, "Attempts"), (None, "Fewer"),
    ]  # fmt: skip


async def test_a_copy_is_told_only_where_its_original_is_not(served: Served) -> None:
    assert places((await recall(served, query="bound on queues"))["memories"]) == [("Home", "Promoted")]
    assert (await served.call("forget_memory", vault="Home", path="Agents/Memory/Promoted.md")).status == 200
    assert places((await recall(served, query="bound on queues"))["memories"]) == [("Main", "Bound")]


async def test_scopes_and_private_memories_hold_in_both(served: Served) -> None:
    assert places((await recall(served, query="upload password"))["memories"]) == []
    found = await recall(served, query="upload courier", scope=["project:home"])
    assert ("Main", "Other scope") not in places(found["memories"])
    answer = await as_client(served, "quill", "recall", vault="Home", query="upload password")
    assert places(answer.json["memories"]) == [("Main", "Private")]


async def as_client(served: Served, name: str, operation: str, **arguments: Any) -> Answer:
    _, token = Tokens(served.bridge.folders.tokens).create(name, ["read", "write"])
    headers = {"Authorization": f"Bearer {token}"}
    return await served.request("POST", f"/api/{operation}", headers=headers, data=orjson.dumps(arguments))


async def test_what_was_told_is_counted_in_the_vault_that_holds_it(served: Served) -> None:
    await recall(served, query="retry a failed upload", limit=2)
    for vault, used in (("Home", {"Attempts": 1}), ("Main", {"Attempts": 1})):
        listed = (await served.call("list_memories", vault=vault)).json["memories"]
        counts = {one["path"].rpartition("/")[2].removesuffix(".md"): one["used"]["times"] for one in listed}
        assert {name: times for name, times in counts.items() if times} == used


async def test_a_briefing_tells_memories_and_patterns_of_the_global_vault(served: Served) -> None:
    answer = (await served.call("brief", vault="Home", task="retry a failed upload")).json
    items = {(item["vault"], item["path"]) for item in answer["items"]}
    assert {("Home", "Agents/Memory/Attempts.md"), ("Main", "Patterns/Backoff.md")} <= items
    assert "Patterns/Backoff.md (vault Main)\n" in answer["text"]
    assert "klepthorn" not in answer["text"].lower()
    assert answer["notices"] == []
    alone = (await served.call("brief", vault="Home", task="retry a failed upload", everywhere=False)).json
    assert {item["vault"] for item in alone["items"]} == {None}
    await as_client(served, "quill", "brief", vault="Home", task="retry a failed upload")
    given = (await served.call("list_injections", vault="Main")).json
    assert "Patterns/Backoff.md" in str(given)
    assert "Patterns/Backoff.md" not in str((await served.call("list_injections", vault="Home")).json)


async def test_a_global_vault_that_is_not_there_is_told_and_the_own_memories_remain(served: Served) -> None:
    assert (await served.call("set_up_memory", vault="Home", templates=False)).status == 200
    for setting, told in (("", "No global vault is set."), ("Gone", "`Gone`")):
        served.bridge.settings_path.write_text(f'global_vault = "{setting}"\n')
        await served.bridge.reload()
        found = await recall(served, query="retry a failed upload")
        assert places(found["memories"]) == [(None, "Attempts")]
        assert [told in notice for notice in found["notices"]] == [True] * bool(setting)
        brief = (await served.call("brief", vault="Home", task="retry")).json
        assert [told in notice for notice in brief["notices"]] == [True] * bool(setting)
        for operation in ("recall", "brief"):
            refused = await served.call(operation, vault="Home", everywhere=True)
            assert (refused.code, told in refused.json["error"]["message"]) == ("no_such_vault", True)


async def test_an_agent_reads_which_vault_a_memory_is_in(served: Served) -> None:
    async with connected(served, preset="notebook") as client:
        given = {"query": "retry a failed upload", "vault": "Home"}
        text = text_of(await client.call_tool("recall", given))
    assert "Agents/Memory/Fewer.md · raw · in Main" in text
