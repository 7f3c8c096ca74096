"""A search of every served vault."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from bridge.features.search import operations
from bridge.mcp.text import DATA_NOTICE
from tests.features.served import PATIENCE_S, Served, serving, write_vault
from tests.mcp.client import connected, text_of

HOME = {
    "Rye.md": "# Rye\nBread of rye flour and water. #bread\n",
    "Secret/Rye.md": "# Hidden rye\nThe klepthorn bread of rye.\n",
    "Oven.md": "# Oven\nIt is hot.\n",
}
WORK = {
    "Rye.md": "# Rye\nRye is a crop that the company sells as bread. #bread\n",
    "Plan.md": "# Plan\nBuild an oven.\n",
}
MAIN = {"Glaciers.md": "# Glaciers\nIce that flows, and carries rye bread to no one.\n"}

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def served(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    folder = tmp_path_factory.mktemp("everywhere")
    (folder / "data").mkdir()
    (folder / "data/settings.toml").write_text('deny = ["Secret/**"]\n')
    vaults = [write_vault(folder / name, notes) for name, notes in (("Home", HOME), ("Work", WORK), ("Main", MAIN))]
    async with serving(vaults, folder / "data", folder / "no models") as served:
        yield served


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for every vault, since others use the machine as well."""
    monkeypatch.setattr(operations, "DEADLINE_S", PATIENCE_S)


async def places(served: Served, **arguments: object) -> list[tuple[str, str]]:
    answer = await served.result("search", everywhere=True, vault="Home", **arguments)
    return [(hit["vault"], hit["path"]) for hit in answer["hits"]]


async def test_notes_of_every_vault_are_found_by_the_score_that_each_vault_gives(served: Served) -> None:
    found = (await served.call("search", everywhere=True, vault="Home", query="rye bread")).json
    assert {(hit["vault"], hit["path"]) for hit in found["hits"]} == {
        ("Home", "Rye.md"), ("Work", "Rye.md"), ("Main", "Glaciers.md"),
    }  # fmt: skip
    (notice,) = found["notices"]
    assert "no model ready" in notice
    assert (found["total"], found["mode_used"]) == (3, "keyword")
    scores = [hit["score"] for hit in found["hits"]]
    assert scores == sorted(scores, reverse=True)
    for hit in found["hits"]:
        (own,) = (await served.call("search", query="rye bread", vault=hit["vault"])).json["hits"]
        assert hit == own | {"vault": hit["vault"]}


async def test_a_denied_note_is_in_no_answer(served: Served) -> None:
    answer = await served.call("search", everywhere=True, vault="Home", query="klepthorn rye")
    assert ("Secret" in answer.body.decode(), "klepthorn" in answer.body.decode()) == (False, False)


async def test_filters_and_the_limit_hold_in_every_vault(served: Served) -> None:
    assert {vault for vault, _ in await places(served, query="rye bread", tags=["bread"])} == {"Home", "Work"}
    assert await places(served, query="rye bread", where='file.name == "Glaciers.md"') == [("Main", "Glaciers.md")]
    assert await places(served, query="rye bread", types=["canvas"]) == []
    assert len(await places(served, query="rye bread", limit=1)) == 1


async def test_what_cannot_be_searched_is_refused(served: Served) -> None:
    meant = await served.call("search", query="rye", mode="semantic", everywhere=True, vault="Work")
    assert meant.json == (await served.call("search", query="rye", mode="semantic", vault="Home")).json


async def test_a_vault_that_is_late_is_named_and_the_first_answer_is_waited_for(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(operations, "DEADLINE_S", 0.0)
    found = (await served.call("search", everywhere=True, vault="Home", query="rye bread")).json
    came = {hit["vault"] for hit in found["hits"]}
    assert came
    assert [notice for notice in found["notices"] if "in time" in notice] == [
        f"{name} did not answer in time; search it by itself." for name in ("Home", "Work", "Main") if name not in came
    ]


async def test_a_hit_counts_as_a_note_of_its_own_vault_only(served: Served) -> None:
    asked = {"query": "rye bread", "everywhere": True}
    await served.call("search", vault="Home", **asked)
    await served.call("run_tool", vault="Home", name="search", arguments=asked)
    records = await asyncio.to_thread(served.bridge.find("Home").store.calls.since, 0.0)
    assert [one.paths for one in records if one.tool == "search"][-2:] == [("Rye.md",), ("Rye.md",)]


async def test_an_agent_reads_which_vault_to_ask_for_a_note(served: Served) -> None:
    async with connected(served, preset="full") as client:
        text = text_of(await client.call_tool("search", {"query": "company", "everywhere": True, "vault": "Home"}))
    assert text.startswith(DATA_NOTICE)
    assert "1. Work · Rye.md:" in text


async def test_a_pipe_gets_a_record_a_line_with_its_vault(served: Served, tmp_path: Path) -> None:
    ran = await served.command("search", "glaciers", "--everywhere", "--vault", "Home", cwd=tmp_path)
    assert (ran.status, ran.out.split("\t")[:2]) == (0, ["Glaciers.md", "Main"]), ran.err
