"""Recall while the embedding model dies: another worker takes over, and without one it answers by words and says so."""

import asyncio
import os
import shutil
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.features.served import PATIENCE_S, Served, readable, serving, write_vault
from tests.holding import note_sent

pytestmark = pytest.mark.model

FIRED = {"title": "Firing days", "text": "The oven is fired every second Saturday before sunrise."}


@pytest_asyncio.fixture
async def served(tmp_path: Path, models_dir: Path) -> AsyncIterator[Served]:
    vault, models = write_vault(tmp_path / "Notes", {"Oven.md": "# Oven\n"}), tmp_path / "models"
    shutil.copytree(models_dir, models)
    async with serving([vault], tmp_path / "data", models) as served:
        await served.call("set_up_memory", templates=False)
        assert (await served.call("remember", **FIRED)).status == 200
        await readable(served, meaning=True)
        yield served


async def recall(served: Served, query: str) -> dict[str, Any]:
    found: dict[str, Any] = await served.result("recall", query=query)
    assert [one["title"] for one in found["memories"]] == ["Firing days"]
    return found


async def workers(served: Served) -> tuple[int, ...]:
    vault = served.bridge.find(None).vault
    embedder = await vault.embedders.of(vault.index.answering_model or "")
    assert embedder is not None
    return embedder.pids


async def kill_during(served: Served, query: str) -> dict[str, Any]:
    """Ask, and kill the workers while they have the question."""
    pids = await workers(served)
    assert pids
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    with pytest.MonkeyPatch.context() as patches:
        sent = note_sent(patches)
        call = asyncio.create_task(recall(served, query))
        async with asyncio.timeout(PATIENCE_S):
            await sent.wait()
    assert not call.done()
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    return await call


async def test_what_has_no_vector_yet_is_told_where_nothing_fits(served: Served) -> None:
    await served.call("pause_indexing")
    await served.call("remember", title="Tea", text="The archivist prefers a green leaf to a bean.")
    found = (await served.call("recall", query="which drink does somebody like")).json
    assert (found["memories"], found["mode_used"]) == ([], "hybrid")
    assert found["notices"] == ["1 passage cannot be found by meaning yet."]


async def test_what_has_no_vector_yet_is_found_by_one_rare_word(served: Served) -> None:
    await served.call("pause_indexing")
    await served.call("remember", title="写日记", text="用户只在工作日写日记，周末不写。")
    await served.call("remember", title="Tea", text="The archivist prefers a green leaf to a bean.")
    for query, title in (("星期六要不要写日记", "写日记"), ("which archivist was here in spring", "Tea")):
        found = (await served.call("recall", query=query)).json["memories"]
        assert [one["title"] for one in found] == [title]


async def test_what_was_saved_just_now_is_found_by_meaning(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    # As if other notes waited first.
    monkeypatch.setattr("bridge.engine.backfill.QUIET_S", 3600)
    monkeypatch.setattr("bridge.engine.backfill.MAX_WAIT_S", 3600)
    await served.call("remember", title="Tea", text="The archivist prefers a green leaf to a bean.")
    found = (await served.call("recall", query="which drink does somebody like: tea or coffee")).json
    assert [one["title"] for one in found["memories"]] == ["Tea"]
    assert (await served.call("recall", query="who repairs the bicycle")).json["memories"] == []


async def test_another_worker_takes_over_when_one_dies(served: Served) -> None:
    assert (await recall(served, "when is the oven fired?"))["mode_used"] == "hybrid"
    found = await kill_during(served, "on which Saturday is the oven fired?")
    assert (found["mode_used"], found["notices"]) == ("hybrid", [])


async def test_without_another_worker_it_is_said_that_words_answered(served: Served) -> None:
    assert (await recall(served, "when is the oven fired?"))["mode_used"] == "hybrid"
    for file in served.models.glob("*.gguf"):
        file.unlink()
    for query in ("on which Saturday is the oven fired?", "is the oven fired before sunrise?"):
        found = await (kill_during(served, query) if await workers(served) else recall(served, query))
        assert found["mode_used"] == "keyword"
        assert found["notices"] == [
            "The model did not answer, so memories were found by their words only; `doctor` tells why."
        ]


async def test_a_question_in_other_words_finds_what_is_closest_in_meaning(served: Served) -> None:
    text = "The archivist prefers green tea to coffee in the afternoon."
    assert (await served.call("remember", title="Tea", text=text)).status == 200
    await readable(served, meaning=True)
    for query, titles in {
        "what does the archivist drink": ["Tea"],
        "which beverage do they like": ["Tea"],
        "how to configure nginx": [],
        "what is my blood type": [],
    }.items():
        found = (await served.call("recall", query=query)).json
        assert [one["title"] for one in found["memories"]] == titles, query


async def test_a_model_of_english_finds_nothing_alike_in_other_languages(served: Served) -> None:
    memories = {
        "Horno": "El horno de leña se enciende cada dos sábados antes del amanecer.",
        "Tomates": "Los tomates se riegan por la mañana porque a mediodía el sol es demasiado fuerte.",
    }
    for title, text in memories.items():
        assert (await served.call("remember", title=title, text=text)).status == 200
    await readable(served, meaning=True)
    for query, titles in {
        "¿Por qué regamos los tomates por la mañana?": ["Tomates"],
        "¿Dónde están los neumáticos de invierno?": [],
        "¿Quién ganó el partido del domingo?": [],
    }.items():
        found = (await served.call("recall", query=query)).json
        assert [one["title"] for one in found["memories"]] == titles, query
