"""Searching through the operation; how hits are ranked is tested with retrieval."""

from pathlib import Path

import pytest

from tests.features.served import Served, serving, write_vault
from tests.mcp.client import connected, text_of

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.usefixtures("restored")]


async def test_a_hit_has_what_the_contract_says(sample: Served) -> None:
    found = (await sample.call("search", query="sourdough starter", limit=3)).json
    assert set(found) == {"hits", "total", "mode_used", "took_ms", "freshness", "notices", "answerability"}
    assert found["mode_used"] == "hybrid"
    assert found["freshness"] == {"pending_keyword": 0, "pending_vectors": 0}
    assert len(found["hits"]) == 3
    first = found["hits"][0]
    assert set(first) == {
        "path",
        "title",
        "heading",
        "lines",
        "snippet",
        "score",
        "why",
        "tags",
        "modified",
        "digest",
        "passages",
        "created",
        "vault",
    }
    assert first["path"] == "Bread/Starters/Sourdough starter.md"
    assert "==" in first["snippet"]
    assert first["why"]
    assert all(0 <= hit["score"] <= 1 for hit in found["hits"])
    assert [hit["score"] for hit in found["hits"]] == sorted((hit["score"] for hit in found["hits"]), reverse=True)
    assert len({hit["path"] for hit in found["hits"]}) == 3


async def test_the_lines_of_a_hit_can_be_read(sample: Served) -> None:
    for hit in (await sample.call("search", query="rye", limit=10)).json["hits"]:
        page = await sample.call("read_note", path=hit["path"], lines=hit["lines"])
        assert page.status == 200, page.body


@pytest.mark.parametrize("mode", ["keyword", "semantic", "hybrid"])
async def test_the_mode_that_was_asked_for_is_used(sample: Served, mode: str) -> None:
    assert (await sample.call("search", query="why does bread go stale", mode=mode)).json["mode_used"] == mode


async def test_without_a_model_meaning_alone_is_refused_with_what_to_do(tmp_path: Path) -> None:
    vault = write_vault(tmp_path / "Notes", {"A.md": "alpha"})
    async with serving([vault], tmp_path / "data", tmp_path / "no models") as served:
        answer = await served.call("search", query="alpha", mode="semantic")
    # Which one would fit is known once the notes are read.
    assert (answer.status, answer.code) == (404, "model_missing"), answer.json
    assert answer.json["error"]["hint"].startswith("Run `vaultside models install")


async def test_filters_narrow(sample: Served) -> None:
    async def folders(**filters: object) -> set[str]:
        hits = (await sample.call("search", query="rye", limit=50, **filters)).json["hits"]
        return {hit["path"].partition("/")[0] for hit in hits}

    assert await folders(folder="Garden") <= {"Garden"}
    assert await folders(folder="Bread") == {"Bread"}
    assert await folders(types=["pdf"]) <= {"Attachments"}
    assert await folders(modified_before="1980-01-01") == set()
    assert await folders(properties={"alive": True}) <= {"Bread"}


async def test_the_numbers_are_told_when_asked_for(sample: Served) -> None:
    found = (await sample.call("search", query="rye", limit=2, explain=True)).json
    assert {hit["path"] for hit in found["hits"]} <= set(found["explain"]["lanes"])


@pytest.mark.parametrize("arguments", [{"query": ""}, {"query": " \n"}, {"query": "a", "modified_after": "soon"}])
async def test_what_cannot_be_searched_is_refused(sample: Served, arguments: dict[str, str]) -> None:
    answer = await sample.call("search", **arguments)
    assert (answer.status, answer.code) == (400, "invalid_arguments")


async def test_what_is_related_to_a_note_is_not_the_note(sample: Served) -> None:
    path = "Bread/Starters/Sourdough starter.md"
    hits = (await sample.call("related_notes", path=path, limit=5)).json["hits"]
    assert len(hits) == 5
    assert path not in {hit["path"] for hit in hits}


async def test_what_is_related_to_a_text_is_found(sample: Served) -> None:
    hits = (await sample.call("related_notes", text="keeping slugs away from young cabbages", limit=5)).json["hits"]
    assert "Garden/Slugs.md" in {hit["path"] for hit in hits}


@pytest.mark.parametrize(
    "arguments", [{}, {"text": " "}, {"path": "Welcome.md", "text": "a"}, {"text": "a", "line": 1}]
)
async def test_relatives_of_nothing_or_of_two_things_are_refused(sample: Served, arguments: dict[str, str]) -> None:
    answer = await sample.call("related_notes", **arguments)
    assert (answer.status, answer.code) == (400, "invalid_arguments")


async def test_a_question_that_no_note_answers_is_told(sample: Served) -> None:
    found = (await sample.call("search", query="torque of the zeppelin engine retarder")).json
    assert found["answerability"]["verdict"] == "not_in_vault"
    assert "zeppelin" in found["answerability"]["missing"]
    async with connected(sample) as client:
        text = text_of(await client.call_tool("search", {"query": "torque of the zeppelin engine retarder"}))
    assert "Not in the vault, as far as can be told: the best notes do not say" in text


async def test_a_question_that_a_note_answers_is_answered_without_a_remark(sample: Served) -> None:
    found = (await sample.call("search", query="feeding a sourdough starter")).json
    assert found["answerability"]["verdict"] == "answered"
    async with connected(sample) as client:
        assert "as far as can be told" not in text_of(
            await client.call_tool("search", {"query": "feeding a sourdough starter"})
        )


async def test_a_single_word_is_no_question_that_could_be_judged(sample: Served) -> None:
    found = (await sample.call("search", query="zeppelin")).json
    assert found["answerability"]["verdict"] == "unsure"
