"""What becomes of memories when their notes are moved, deleted or denied, and in a vault beside another."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from bridge.settings.file import save_settings
from tests.features.served import Served, serving, write_vault

FIRED = {"title": "Firing days", "text": "The oven is fired every second Saturday before sunrise."}
QUESTION = "when is the oven fired?"


@pytest_asyncio.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    vaults = [write_vault(tmp_path / name, {"Oven.md": "# Oven\n"}) for name in ("Home", "Work")]
    async with serving(vaults, tmp_path / "data", tmp_path / "models") as served:
        for name in ("Home", "Work"):
            await served.call("set_up_memory", vault=name, templates=False)
        yield served


def root(served: Served, vault: str = "Home") -> Path:
    return served.bridge.find(vault).root


async def remember(served: Served, vault: str = "Home", **arguments: Any) -> dict[str, Any]:
    made: dict[str, Any] = await served.result("remember", vault=vault, **arguments)
    return made


async def recall(served: Served, vault: str = "Home", query: str = QUESTION) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await served.result("recall", vault=vault, query=query))["memories"]
    return found


async def report(served: Served, path: str, **change: str) -> None:
    """Tell of a change as Obsidian's plugin does."""
    await served.result("report_changes", vault="Home", changes=[{"path": path, **change}])
    await served.call("wait_until_indexed", vault="Home", path=path)


@pytest.mark.parametrize("kinds", [("upsert", "delete"), ("delete", "upsert")])
async def test_the_halves_of_a_move_may_be_told_one_after_the_other(served: Served, kinds: tuple[str, str]) -> None:
    made = await remember(served, **FIRED)
    await recall(served)
    paths = {"upsert": "Agents/Kept/Saturdays.md", "delete": made["path"]}
    text = (root(served) / made["path"]).read_bytes()
    (root(served) / "Agents/Kept").mkdir()
    for kind in kinds:
        if kind == "upsert":
            (root(served) / paths[kind]).write_bytes(text)
        else:
            (root(served) / paths[kind]).unlink()
        await served.result("report_changes", vault="Home", changes=[{"path": paths[kind], "kind": kind}])
    [memory] = await recall(served)
    assert (memory["path"], memory["used"]["times"]) == (paths["upsert"], 1)


async def test_a_memory_that_is_renamed_in_obsidian_stays_the_same(served: Served) -> None:
    made = await remember(served, **FIRED)
    await recall(served)
    moved = "Agents/Kept/Saturdays.md"
    (root(served) / "Agents/Kept").mkdir()
    (root(served) / made["path"]).rename(root(served) / moved)
    await report(served, moved, kind="rename", **{"from": made["path"]})
    [memory] = await recall(served)
    assert (memory["path"], memory["used"]["times"]) == (moved, 1)
    again = await remember(served, **FIRED)
    assert (again["existing"], again["path"]) == (True, moved)


async def test_a_memory_that_is_deleted_in_obsidian_is_gone_and_may_be_remembered_again(served: Served) -> None:
    made = await remember(served, **FIRED)
    (root(served) / made["path"]).unlink()
    await report(served, made["path"], kind="delete")
    assert await recall(served) == []
    again = await remember(served, **FIRED)
    assert (again["existing"], again["path"]) == (False, made["path"])


async def test_a_denied_memory_is_in_no_answer_and_comes_back(served: Served) -> None:
    made = await remember(served, **FIRED)
    await served.bridge.use(save_settings(served.bridge.settings_path, {"deny": [made["path"]]}))
    answers = [
        await served.call("recall", vault="Home", query=QUESTION),
        await served.call("list_memories", vault="Home", archived=True),
        await served.call("brief", vault="Home", task=QUESTION),
        await served.call("remember", vault="Home", **FIRED | {"title": "Saturdays"}),
    ]
    assert [b"Firing days.md" in answer.body for answer in answers] == [False] * 4
    assert not answers[-1].json["existing"]
    assert (root(served) / made["path"]).exists()
    await served.bridge.use(save_settings(served.bridge.settings_path, {"deny": []}))
    await served.call("wait_until_indexed", vault="Home", path=made["path"])
    assert made["path"] in {one["path"] for one in await recall(served)}


async def test_a_conflict_follows_its_memories_when_they_are_renamed(served: Served) -> None:
    old = await remember(served, title="Oven heat", text="The oven is fired at 450 degrees.", kind="fact")
    new = await remember(served, title="oven_heat", text="The oven is fired at 420 degrees.", kind="fact")
    query = "at how many degrees is the oven fired?"
    for path, to, name in (
        (old["path"], "Agents/Kept/Heat of 2020.md", "Heat of 2020"),
        (new["path"], "Agents/Kept/Heat.md", "Heat of 2020"),
    ):
        assert (await served.call("move_note", vault="Home", path=path, to=to)).status == 200
        [memory] = await recall(served, query=query)
        assert memory["conflicts"] == [name]
    assert memory["path"] == "Agents/Kept/Heat.md"


async def test_two_vaults_have_memories_of_their_own(served: Served) -> None:
    at_home = await remember(served, **FIRED)
    assert await recall(served, "Work") == []
    at_work = await remember(served, "Work", **FIRED)
    assert not at_work["existing"]
    assert (await served.call("forget_memory", vault="Work", path=at_work["path"], reason="Test")).status == 200
    assert await recall(served, "Work") == []
    assert [one["path"] for one in await recall(served)] == [at_home["path"]]


async def test_titles_that_are_the_same_get_names_of_their_own(served: Served) -> None:
    made = [
        (await remember(served, title="砂糖", text=text))["path"]
        for text in ("Sugar is in the cellar.", "Bees like the garden behind the house.")
    ]
    assert made == ["Agents/Memory/砂糖.md", "Agents/Memory/砂糖 2.md"]
    assert {one["path"] for one in await recall(served, query="砂糖")} == set(made)


@pytest.mark.parametrize("name", ["title", "text"])
async def test_a_missing_field_is_named(served: Served, name: str) -> None:
    given = {key: value for key, value in FIRED.items() if key != name}
    refused = await served.call("remember", vault="Home", **given)
    assert refused.code == "invalid_arguments"
    assert f"`{name}`" in refused.json["error"]["message"]
