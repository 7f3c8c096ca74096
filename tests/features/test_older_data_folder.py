"""A data folder of an older version keeps everything: vectors, history, proposals, tokens, memories, verdicts."""

import json
import shutil
import sqlite3
import tarfile
import time
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import orjson
import pytest
import pytest_asyncio

from bridge.data_folder import Folders, vault_id
from bridge.types import VaultId
from tests.features.older.make import ARCHIVE
from tests.features.served import Answer, Served, readable, serving

OLD_VAULT = VaultId("10bef30747df2bde")


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The vault and the data folder as they were left, at another place, as if they had been left a minute ago."""
    folder = tmp_path_factory.mktemp("then")
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(folder, filter="data")
    shift_times(Folders(folder / "data").state(OLD_VAULT))
    return folder


@pytest.fixture
def then(unpacked: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(unpacked, tmp_path / "then"))


@pytest.fixture
def answers(then: Path) -> dict[str, Any]:
    """What was answered by the version that made the folder."""
    found: dict[str, Any] = json.loads((then / "answers.json").read_text(encoding="utf-8"))
    return found


@pytest_asyncio.fixture
async def served(then: Path) -> AsyncIterator[Served]:
    async with serving([then / "Kitchen"], then / "data", then / "models") as served:
        await readable(served)
        yield served


def shift_times(state: Path) -> None:
    """Move all times forward, or what is kept for some weeks would be too old for a test of later years."""
    with closing(sqlite3.connect(state)) as connection, connection:
        (made,) = connection.execute("SELECT max(time) FROM call").fetchone()
        later = time.time() - made - 60
        for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            for _, column, type_, *_ in connection.execute(f"PRAGMA table_info({table})").fetchall():
                if type_ == "REAL":
                    connection.execute(
                        f"UPDATE {table} SET {column} = {column} + ? WHERE {column} > 1e9",
                        (later,),
                    )


def read_vectors(data: Path) -> dict[bytes, bytes]:
    """Return the bytes of each vector, by the digest of its text."""
    import lancedb

    (table,) = data.glob("vaults/*/index/vectors_*.lance")
    rows = lancedb.connect(table.parent).open_table(table.stem).to_arrow()
    numbers = rows["vector"].combine_chunks().flatten().to_numpy().reshape(len(rows), -1)
    return dict(zip(rows["digest"].to_pylist(), [vector.tobytes() for vector in numbers], strict=True))


async def ask_as(served: Served, token: str, operation: str, /, **arguments: Any) -> Answer:
    headers = {"Authorization": f"Bearer {token}"}
    return await served.request("POST", f"/api/{operation}", headers=headers, data=orjson.dumps(arguments))


def pick(rows: list[dict[str, Any]], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in rows]


async def test_nothing_is_embedded_again(then: Path, answers: dict[str, Any]) -> None:
    before = read_vectors(then / "data")
    async with serving([then / "Kitchen"], then / "data", then / "no models") as served:
        await readable(served)
        (vault,) = (await served.result("status"))["vaults"]
        assert vault["id"] == vault_id(then / "Kitchen") != OLD_VAULT
        # The note about the agents' folder is written anew at the start, and may be read a second time just now.
        assert vault["pending"]["vectors"] == 0
        assert vault["embedded_total"] == answers["status"]["embedded_total"]
        assert vault["passages"] == answers["status"]["passages"]
    assert read_vectors(then / "data") == before


@pytest.mark.model
async def test_searches_find_what_they_found(then: Path, answers: dict[str, Any], models_dir: Path) -> None:
    async with serving([then / "Kitchen"], then / "data", models_dir) as served:
        await readable(served, meaning=True)
        for asked, paths in answers["search"].items():
            mode, query = asked.split(": ")
            hits = (await served.result("search", query=query, mode=mode))["hits"]
            assert {hit["path"] for hit in hits} >= set(paths), asked
            assert [hit["path"] for hit in hits][:1] == paths[:1] or not paths, asked
        (vault,) = (await served.result("status"))["vaults"]
        assert vault["embedded_total"] == answers["status"]["embedded_total"]


async def test_the_doctor_finds_no_damage(served: Served) -> None:
    found = {one["check"]: one["verdict"] for one in (await served.result("doctor"))["findings"]}
    assert (found["index"], found["state"], found["tokens"]) == ("ok", "ok", "ok")


async def test_the_history_is_kept(served: Served, answers: dict[str, Any]) -> None:
    kept = ("id", "client", "session", "operation", "reason", "paths", "diff", "state")
    listed = (await served.result("list_changes", limit=200))["changes"]
    then = answers["list_changes"]["changes"]
    assert pick(listed, *kept)[-len(then) :] == pick(then, *kept)
    for name, shown in answers["shown"].items():
        now = await served.result("show_change", change_id=answers["changes"][name])
        assert [now[field] for field in (*kept, "now", "undoes")] == [
            shown[field] for field in (*kept, "now", "undoes")
        ]


async def test_changes_of_then_are_undone_and_made_again(served: Served, then: Path, answers: dict[str, Any]) -> None:
    ids, vault, notes = answers["changes"], then / "Kitchen", then / "notes"
    for name in ("deleted", "moved", "edited"):
        await served.result("undo_change", change_id=ids[name])
    for path in ("Compost heap.md", "Compost.md", "Water.md", "Home.md"):
        assert (vault / path).read_bytes() == (notes / path).read_bytes()
    await served.result("undo_change", change_id=ids["undone"], redo=True)
    assert "rating: 5" in (vault / "Bread.md").read_text(encoding="utf-8")
    await served.result("undo_change", change_id=ids["moved"], redo=True)
    assert (vault / "Garden/Compost.md").exists()


async def test_proposals_still_wait(served: Served, then: Path, answers: dict[str, Any]) -> None:
    ids = answers["changes"]
    waiting = (await served.result("list_changes", state="proposed"))["changes"]
    assert {one["id"] for one in waiting} == {ids["proposed"], ids["proposed move"]}
    await served.result("decide", id=ids["proposed"], verdict="accept", hunks=[2])
    text = (then / "Kitchen/Bread.md").read_text(encoding="utf-8")
    assert ("Sea salt will do." in text, "Sift it." in text) == (True, False)
    await served.result("decide", id=ids["proposed move"], verdict="accept")
    assert (then / "Kitchen/Garden/Boerenkool.md").exists()


async def test_tokens_and_settings_hold(served: Served, answers: dict[str, Any]) -> None:
    tokens = answers["tokens"]
    salt = [{"op": "append", "text": "Sea salt."}]
    states = {}
    for name in ("scribe", "helper"):
        answer = await ask_as(served, tokens[name], "edit_note", path="Water.md", edits=salt)
        states[name] = answer.json["state"]
    assert states == {"scribe": "applied", "helper": "proposed"}
    assert (await ask_as(served, tokens["gone"], "status")).status == 401
    found = await served.result("read_settings")
    values = {one["name"]: one["value"] for one in found["settings"]}
    assert (values["apply_clients"], values["brief.days"]) == (["scribe"], 10)
    assert ["search_deep" in str(one) for one in found["problems"]] == [True]
    servers = (await served.result("list_servers"))["servers"]
    assert pick(servers, "name", "program", "enabled", "confirm") == [("weather", "weather", False, "first")]


async def test_what_was_dismissed_stays_away(served: Served, answers: dict[str, Any]) -> None:
    async def orphans(token: str) -> set[str]:
        found = (await ask_as(served, token, "graph_insights", parts=["orphans"])).json["orphans"]["notes"]
        return {*found} & {"김치.md", "Квашеная капуста.md"}

    # What an agent dismissed is left out for agents only, by now.
    assert await orphans(answers["tokens"]["scribe"]) == set()
    assert await orphans(served.runtime.token) == {"Квашеная капуста.md"}
    names = (await served.result("find_prospects", limit=200))["prospects"]
    assert "Thursdays" not in {one["name"] for one in names}
    refused = await ask_as(served, answers["tokens"]["scribe"], "dismiss", kind="orphan", paths=["김치.md"], undo=True)
    assert refused.code == "declined"


async def test_feedback_still_counts(served: Served) -> None:
    found = await served.result("suggest_links", path="Garden calendar.md", strictness="aggressive")
    assert "Boerenkool.md" not in {one["target"] for one in found["suggestions"]}
    bread = {"path": "Miller Adams.md", "target": "Bread.md", "text": "Bread", "verdict": "accept"}
    assert (await served.result("judge_link", **bread))["accepted"] == 2
    assert (await served.result("give_feedback", tool="list_folders", helped=True))["judged"] == 2


async def test_memories_keep_their_uses_and_verdicts(served: Served, answers: dict[str, Any]) -> None:
    kept = ("path", "title", "kind", "text", "agent", "created", "pinned", "digest")
    listed = (await served.result("list_memories"))["memories"]
    then = answers["list_memories"]["memories"]
    assert sorted(pick(listed, *kept)) == sorted(pick(then, *kept))
    assert {one["path"]: one["used"]["times"] for one in listed} == {one["path"]: one["used"]["times"] for one in then}
    recalled = await served.result("recall", query="how hot is the oven")
    assert pick(recalled["memories"], "title") == [("The oven runs ten degrees hot",)]
    judged = [await served.result("judge_memory", path=one["path"], verdict="useful") for one in then]
    assert sorted(pick(judged, "useful", "wrong")) == [(1, 1), (2, 0)]


async def test_sessions_and_what_was_told_them_are_kept(served: Served, answers: dict[str, Any]) -> None:
    kept = ("id", "client", "goal", "where_left_off", "errors")
    listed = {one["id"]: one for one in (await served.result("list_sessions"))["sessions"]}
    for one in answers["list_sessions"]["sessions"]:
        now = listed[one["id"]]
        assert [now[name] for name in kept] == [one[name] for name in kept]
        assert now["calls"] >= one["calls"]
        # Proposals changed nothing, and an undo takes a change back.
        made = (await served.result("list_changes", session=one["id"], limit=100))["changes"]
        lasting = [change for change in made if change["state"] == "applied" and not change["undoes"]]
        applied = {path for change in lasting for path in change["paths"]}
        assert set(now["changed"]) >= applied & {*one["changed"]}
        assert now["note"] == one["note"] or one["note"] is None
    told = await served.result("list_injections")
    then = answers["list_injections"]
    assert pick(told["sessions"][0]["items"], "path", "tool", "times", "withheld") == pick(
        then["sessions"][0]["items"], "path", "tool", "times", "withheld"
    )
    used = {one["name"]: one["calls"] for one in (await served.result("usage"))["tools"]}
    assert all(used[one["name"]] >= one["calls"] for one in answers["usage"]["tools"])
    days = await served.result("graph_history")
    assert days["since"] == answers["graph_history"]["since"]


async def test_corrections_and_handoffs_are_told(served: Served, answers: dict[str, Any]) -> None:
    tasks = (await served.result("list_tasks", path="Agents/Corrections.md"))["tasks"]
    assert {one["state"] for one in answers["list_corrections"]["corrections"]} == {"open", "applied"}
    assert len(tasks) == 2
    again = await served.result(
        "record_correction", kind="wrong_link", text="Kale means another plant here", path="Garden calendar.md",
        target="Boerenkool.md", words="Kale",
    )  # fmt: skip
    assert again["change_id"] is None
    taken = (await ask_as(served, answers["tokens"]["helper"], "take_over")).json
    assert (taken["goal"], taken["agent"]) == ("Describe every starter", "scribe")
    assert pick(taken["claims"], "text", "verdict") == [("The crust has its paragraph", "still_true")]


async def test_approvals_and_judgements_are_kept(served: Served, answers: dict[str, Any]) -> None:
    workflows = (await served.result("list_workflows"))["workflows"]
    kept = ("path", "digest", "approved", "changed")
    assert pick(workflows, *kept) == pick(answers["list_policies"]["policies"], *kept)
    scribe = answers["tokens"]["scribe"]
    meeting = {"title": "Mill", "people": ["Miller Adams"]}
    ran = await ask_as(served, scribe, "run_workflow", path="Agents/Policies/Meeting.md", variables=meeting)
    assert ran.status == 200, ran.body
    assert (await ask_as(served, scribe, "run_workflow", path="Agents/Policies/Salt.md")).code == "forbidden"
    rules = (await served.result("tidy_rules"))["rules"]
    then = {one["check"]: one for one in answers["garden_rules"]["rules"]}
    for rule in rules:
        if before := then.get(rule["check"]):
            assert (rule["muted"], rule["rejected"]) == (before["muted"], before["rejected"])
    plan = await served.result("plan_tidy", skip_checked=False, dry_run=True)
    # In the first plan, the only finding that was rejected named this note.
    assert "Miller Adams.md" not in [path for one in plan["findings"] for path in one["notes"]]


async def test_a_plan_of_then_stays_and_asks_for_a_new_one(served: Served, then: Path, answers: dict[str, Any]) -> None:
    (plan,) = answers["shown"]["plan"]["paths"]
    before = (then / "Kitchen" / plan).read_bytes()
    answer = await served.call("apply_plan", path=plan)
    assert (answer.code, answer.json["error"]["hint"]) == ("invalid_arguments", "`plan_tidy` makes a new one.")
    assert (then / "Kitchen" / plan).read_bytes() == before
