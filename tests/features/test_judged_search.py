"""Deep search where a vault's own judged questions prove that it helps, with a real reranker that looks for “dough”."""

import asyncio
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from bridge.features.search.measurement import last_measurement
from bridge.models.install import use_file
from bridge.settings.file import save_settings
from tests.features.served import Served, readable
from tests.features.test_deep_search import use_reranker, while_it_dies
from tests.mcp.client import connected, text_of
from tests.models.ranking import ranking_gguf
from tests.models.small import bert_gguf
from tests.server.clients import bearer, call, made

BREADS = (
    "bagel", "baguette", "brioche", "chapati", "ciabatta", "crumpet", "damper", "focaccia", "injera", "lavash",
    "muffin", "naan", "pitta", "pretzel", "pumpernickel", "roti", "scone", "soda", "tortilla", "zwieback",
)  # fmt: skip
NOTES = {
    **{f"Said/{one}.md": f"{one} {one} {one}\n" for one in BREADS},
    **{f"Answers/About {n}.md": f"dough dough dough, later {one}\n" for n, one in enumerate(BREADS)},
    "Private/Secret loaf.md": "dough dough dough\n",
}
JUDGED = "Agents/Judged questions.md"


async def judge(served: Served, rows: Iterable[str]) -> None:
    """Write the note of judged questions."""
    file = served.bridge.find(None).root / JUDGED
    file.parent.mkdir(exist_ok=True)
    file.write_text("\n".join(["| question | notes |", "| --- | --- |", *rows, ""]), encoding="utf-8")
    await served.bridge.find(None).vault.indexer.look_at([""])


def good_rows(count: int = 20) -> list[str]:
    return [f"| {one} | [[About {n}]] |" for n, one in enumerate(BREADS[:count])]


async def measure(served: Served) -> dict[str, Any]:
    answer = await served.call("measure_deep_search")
    assert answer.status == 200, answer.body
    found: dict[str, Any] = answer.json
    return found


async def agent_search(served: Served, **more: Any) -> dict[str, Any]:
    async with connected(served, preset="full") as client:
        found: dict[str, Any] = (await client.call_tool("search", {"query": "bagel", **more})).structured_content
    return found


async def mode_of_agent(served: Served, **more: Any) -> str:
    """Return how a search of an agent was answered."""
    found = await agent_search(served, **more)
    mode: str = found["mode_used"]
    assert (found["hits"][0]["path"] == "Answers/About 0.md") == (mode == "deep")
    assert all(("read closely" in hit["why"]) == (mode == "deep") for hit in found["hits"])
    return mode


async def deep_search_finding(served: Served) -> tuple[str, str]:
    [finding] = [one for one in (await served.call("doctor")).json["findings"] if one["check"] == "deep search"]
    return finding["verdict"], finding["message"]


async def test_a_proved_gain_turns_it_on_for_agents_and_commands(served: Served, tmp_path: Path) -> None:
    await use_reranker(served, tmp_path, search_deep="judged")
    await judge(served, good_rows())
    assert await mode_of_agent(served) == "keyword"
    assert (await deep_search_finding(served))[0] == "warn"
    found = await measure(served)
    assert found == {
        "path": JUDGED, "questions": 20, "ndcg_hybrid": 0.6309, "ndcg_deep": 1.0, "gain": 0.3691, "better": 20,
        "worse": 0, "chance": 0.0001, "helps": True, "unreadable": [], "notices": [],
    }  # fmt: skip
    assert await mode_of_agent(served) == "deep"
    assert await mode_of_agent(served, mode="keyword") == "keyword"
    token = bearer(made(served, "Cursor", "read"))
    assert (await call(served, token, "search", query="bagel")).json["mode_used"] == "deep"
    ran = await served.command("search", "bagel", "--json")
    assert ran.json["mode_used"] == "deep"
    # An editor asks while letters are typed.
    assert (await served.call("search", query="bagel")).json["mode_used"] == "keyword"
    verdict, message = await deep_search_finding(served)
    assert (verdict, message.partition(":")[0]) == ("ok", "Searches of agents and the command line read closely")
    assert "20 questions" in message
    save_settings(served.bridge.settings_path, {"search_deep": "asked"})
    await served.bridge.reload()
    assert await mode_of_agent(served) == "keyword"
    assert (await measure(served))["notices"] == [
        "Searches of agents and the command line read closely once the setting `search_deep` is `judged`."
    ]


async def test_other_models_have_to_be_measured_again(served: Served, tmp_path: Path) -> None:
    await use_reranker(served, tmp_path, search_deep="judged")
    await judge(served, good_rows())
    await measure(served)
    assert await mode_of_agent(served) == "deep"
    other = ranking_gguf(tmp_path / "other.gguf", ("dough", "rye"))
    embedder = bert_gguf(tmp_path)
    for file in (other, embedder):
        await asyncio.to_thread(use_file, served.models, file, lambda _what, _done, _total: None)
    for chosen, said in (("other", "was not measured with the models"), ("", "No reranker is chosen")):
        save_settings(served.bridge.settings_path, {"rerank_model": chosen})
        await served.bridge.reload()
        assert await mode_of_agent(served) == "keyword"
        verdict, message = await deep_search_finding(served)
        assert (verdict, said in message) == ("warn", True)
    save_settings(served.bridge.settings_path, {"rerank_model": "ranking"})
    await served.bridge.reload()
    assert await mode_of_agent(served) == "deep"
    save_settings(served.bridge.settings_path, {"model": "small"})
    await served.bridge.reload()
    await readable(served, meaning=True)
    assert await mode_of_agent(served) == "hybrid"
    assert (await deep_search_finding(served))[0] == "warn"
    # Its vectors are random, so that nearly every note is found, and all answers are read alike.
    assert (await measure(served))["questions"] == 20
    assert (await deep_search_finding(served))[0] == "ok"


async def test_what_does_not_help_turns_it_off(served: Served, tmp_path: Path) -> None:
    await use_reranker(served, tmp_path, search_deep="judged")
    await judge(served, good_rows())
    assert (await measure(served))["helps"]
    await judge(served, [f"| {one} | [[{one}]] |" for one in BREADS])
    found = await measure(served)
    assert (found["ndcg_hybrid"], found["worse"], found["helps"], found["chance"]) == (1.0, 20, False, 1.0)
    assert await mode_of_agent(served) == "keyword"
    verdict, message = await deep_search_finding(served)
    assert (verdict, "it is not proved to help" in message) == ("ok", True)
    await judge(served, good_rows(19))
    found = await measure(served)
    assert (found["better"], found["helps"]) == (19, False)
    assert found["notices"] == ["19 questions cannot prove anything: write at least 20."]


async def test_a_measurement_takes_longer_than_a_search_may(served: Served, tmp_path: Path) -> None:
    await use_reranker(served, tmp_path, search_deep="judged")
    served.bridge.rerankers.budget_s = 0.0
    await judge(served, good_rows())
    found = await measure(served)
    assert (found["ndcg_deep"], found["helps"]) == (1.0, True)
    assert found["notices"][0].endswith(
        "A search stops reading after 0 s, and so has this order only for its first notes."
    )
    found = await agent_search(served)
    assert (found["mode_used"], found["notices"][0][:22]) == ("keyword", "The reranker read none")


async def test_lines_that_are_no_question_are_told_and_denied_notes_are_unknown(served: Served, tmp_path: Path) -> None:
    await use_reranker(served, tmp_path, deny=["Private/**"])
    await judge(
        served,
        [
            "| bagel | [[About 0]] > [[Secret loaf]] |",
            "| naan | [[Private/Secret loaf]] |",
            "| roti | [[Nowhere]] |",
            "| pitta | About 12 |",
            "| lavash | [[About 9]] |",
        ],
    )
    answer = await served.call("measure_deep_search")
    assert b"Secret" not in answer.body
    found = answer.json
    assert (found["questions"], found["ndcg_deep"], found["unreadable"]) == (2, 1.0, [4, 5, 6])
    assert found["notices"][1:] == [
        "Line 3: search finds only 1 of its notes.",
        "Line 4 is left out: search finds none of its notes.",
        "Line 5 is left out: search finds none of its notes.",
        "Line 6 is left out: it links no note; in a table, a bar in a link is written `\\|`.",
    ]


async def test_without_questions_it_tells_how_they_are_written(served: Served, tmp_path: Path) -> None:
    found = await measure(served)
    assert (found["path"], found["questions"], found["helps"]) == (JUDGED, 0, False)
    [notice] = found["notices"]
    assert notice == (
        f"There is no judged question: write a table into `{JUDGED}`, whose lines are"
        " `| question | notes that answer it |`, `| --- | --- |` and one for each question, such as"
        " `| When are beans sown? | [[Beans]] > [[Calendar]], [[Frost]] |`. Notes after a `>` are worth half as much as"
        " those before it."
    )
    async with connected(served) as client:
        text = text_of(await client.call_tool("find_tool", {"name": "measure_deep_search", "arguments": {}}))
    assert "[[Beans]]" in text
    await use_reranker(served, tmp_path, deny=["Agents/**"])
    await judge(served, good_rows())
    assert (await served.call("measure_deep_search")).code == "note_not_found"


async def test_without_a_reranker_nothing_is_measured(served: Served) -> None:
    await judge(served, good_rows())
    found = await measure(served)
    [notice] = found["notices"]
    assert found["questions"] == 0
    assert notice.startswith("No reranker is chosen. `vault-bridge models install jina-reranker-v1-tiny-en` and")


@pytest.mark.skipif(os.name != "posix", reason="stops a process by a signal")
async def test_a_reranker_that_dies_leaves_the_last_measurement(served: Served, tmp_path: Path) -> None:
    await use_reranker(served, tmp_path, search_deep="judged")
    await judge(served, good_rows())
    await measure(served)
    database = served.bridge.find(None).store.database
    before = last_measurement(database)
    await served.call("search", query="bagel", mode="deep")
    found = await while_it_dies(served, measure(served))
    assert found["notices"] == ["Nothing was measured: The reranker died while it read the notes."]
    assert before is not None
    assert last_measurement(database) == before
