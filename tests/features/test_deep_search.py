"""Searches that read the best notes closely, with a real reranker that looks for the word “dough”."""

import asyncio
import os
import signal
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any

import pytest

from bridge.models.install import use_file
from bridge.models.reranker import PassageScores
from bridge.settings.file import save_settings
from tests.features.served import PATIENCE_S, Served
from tests.holding import note_sent
from tests.models.ranking import ranking_gguf
from tests.models.small import bert_gguf

NOTES = {
    "Bread.md": "# Bread\n\nbread bread bread\n",
    "Oven.md": "bread in the oven, bread on the table, bread all day\n",
    "Rye.md": "rye bread\n",
    "Long.md": f"{'water and salt ' * 20}\n\nthen bread of dough dough dough\n",
    "Dough.md": "dough dough dough, and much later a word on bread\n",
    "Private/Dough.md": "bread is dough dough secretdough\n",
    "Other.md": "nothing of the kind\n",
}


async def use_reranker(served: Served, tmp_path: Path, **settings: Any) -> None:
    """Install a reranker, choose it, and give it time."""
    file = ranking_gguf(tmp_path / "ranking.gguf")
    await asyncio.to_thread(use_file, served.models, file, lambda _what, _done, _total: None)
    save_settings(served.bridge.settings_path, {"rerank_model": "ranking", **settings})
    served.bridge.rerankers.budget_s = 120
    await served.bridge.reload()


async def find(served: Served, mode: str = "deep", **more: Any) -> dict[str, Any]:
    found: dict[str, Any] = await served.result("search", query="bread", mode=mode, **more)
    return found


def pid_of(served: Served) -> int:
    """Return the process id of the reranker's worker; 0 without one."""
    reranker = served.bridge.rerankers.reranker
    return (reranker.pid or 0) if reranker is not None else 0


async def while_it_dies(served: Served, call: Coroutine[Any, Any, dict[str, Any]]) -> dict[str, Any]:
    """Return what a call answers whose reranker is killed while it reads."""
    pid = pid_of(served)
    os.kill(pid, signal.SIGSTOP)
    with pytest.MonkeyPatch.context() as patches:
        sent = note_sent(patches)
        answer = asyncio.ensure_future(call)
        async with asyncio.timeout(PATIENCE_S):
            await sent.wait()
    os.kill(pid, signal.SIGKILL)
    return await answer


def paths(found: dict[str, Any]) -> list[str]:
    return [hit["path"] for hit in found["hits"]]


async def test_the_best_notes_are_ordered_by_reading_them(served: Served, tmp_path: Path) -> None:
    await use_reranker(served, tmp_path, deny=["Private/**"])
    before, found = await find(served, "hybrid"), await find(served, explain=True)
    assert found["mode_used"] == "deep"
    assert set(paths(found)[:2]) == {"Dough.md", "Long.md"} != set(paths(before)[:2])
    # Those without the word have equal scores, and keep their order.
    equal = [path for path in paths(before) if path not in {"Dough.md", "Long.md"}]
    assert paths(found)[2:] == equal
    assert {hit["path"]: hit["score"] for hit in found["hits"]} == {hit["path"]: hit["score"] for hit in before["hits"]}
    assert all(hit["why"][-1] == "read closely" for hit in found["hits"])
    assert all(len(hit["why"]) > 1 for hit in found["hits"])
    assert found["explain"]["took_ms"]["reading"] > 0
    assert (found["total"], found["answerability"]) == (before["total"], before["answerability"])


async def test_a_limit_cuts_after_reading(served: Served, tmp_path: Path) -> None:
    await use_reranker(served, tmp_path, deny=["Private/**"])
    everything, one = await find(served), await find(served, limit=1)
    assert paths(one) == paths(everything)[:1] != paths(await find(served, "hybrid", limit=1))


async def test_other_modes_start_no_process(served: Served, tmp_path: Path) -> None:
    await use_reranker(served, tmp_path)
    for mode in ("hybrid", "keyword"):
        found = await find(served, mode)
        assert not any("read closely" in hit["why"] for hit in found["hits"])
    assert pid_of(served) == 0
    await find(served)
    assert pid_of(served) > 0


async def test_hidden_notes_are_not_read(served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    await use_reranker(served, tmp_path, deny=["Private/**"])
    assert (await served.call("set_up_memory")).status == 200
    await served.result("create_note", path="Agents/Dough.md", text="bread is dough dough agentdough\n")
    rerankers, sent = served.bridge.rerankers, list[str]()
    score = rerankers.score

    async def record(query: str, passages: Sequence[str]) -> PassageScores:
        sent.extend(passages)
        return await score(query, passages)

    monkeypatch.setattr(rerankers, "score", record)
    found = await find(served)
    assert found["mode_used"] == "deep"
    assert len(sent) == len(found["hits"]) > 3
    assert not [text for text in sent if "secretdough" in text or "agentdough" in text]
    assert paths(await find(served, among="agents"))[0] == "Agents/Dough.md"
    assert "agentdough" in sent[-1]


async def test_without_a_reranker_it_is_hybrid_search_with_a_way_to_get_one(served: Served) -> None:
    before, found = await find(served, "hybrid"), await find(served)
    assert (paths(found), found["mode_used"]) == (paths(before), before["mode_used"])
    assert found["notices"][0] == (
        "No reranker is chosen. `vaultside models install jina-reranker-v1-tiny-en` and"
        " `vaultside models use jina-reranker-v1-tiny-en` add one. The order is that of `hybrid`."
    )
    assert found["notices"][1:] == before["notices"]


@pytest.mark.parametrize(
    ("id_", "said"),
    [
        ("small", "small is an embedding model and cannot be the setting `rerank_model`."),
        ("gone", "The model gone is not installed. Run `vaultside models install gone`."),
    ],
)
async def test_a_model_that_cannot_rank_is_named(served: Served, tmp_path: Path, id_: str, said: str) -> None:
    await asyncio.to_thread(use_file, served.models, bert_gguf(tmp_path), lambda _what, _done, _total: None)
    save_settings(served.bridge.settings_path, {"rerank_model": id_})
    await served.bridge.reload()
    before, found = await find(served, "hybrid"), await find(served)
    assert (paths(found), found["mode_used"]) == (paths(before), before["mode_used"])
    assert found["notices"][0].startswith(said)
    looked = (await served.call("doctor")).json["findings"]
    reranker = next(one for one in looked if one["check"] == "reranker")
    assert reranker["verdict"] == "warn"
    assert said.startswith(reranker["message"])


async def test_a_worker_that_dies_in_mid_call_leaves_the_order_of_hybrid(served: Served, tmp_path: Path) -> None:
    await use_reranker(served, tmp_path)
    before = await find(served, "hybrid")
    assert (await find(served))["mode_used"] == "deep"
    found = await while_it_dies(served, find(served))
    assert (paths(found), found["mode_used"]) == (paths(before), before["mode_used"])
    assert found["notices"][0] == "The reranker died while it read the notes. The order is that of `hybrid`."
    assert (await find(served))["mode_used"] == "deep"


async def test_a_slow_worker_leaves_the_order_of_hybrid(served: Served, tmp_path: Path) -> None:
    await use_reranker(served, tmp_path)
    served.bridge.rerankers.budget_s = 0.0
    before, found = await find(served, "hybrid"), await find(served)
    assert (paths(found), found["mode_used"]) == (paths(before), before["mode_used"])
    assert found["notices"][0] == (
        f"The reranker read none of the {len(before['hits'])} notes within 0 s. The order is that of `hybrid`."
    )
