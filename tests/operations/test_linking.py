"""Links that are missing, in a vault that changes while it is served."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.operations.served import Served, readable, serving, write_vault

NOTES = {
    "Old Rye Starter.md": "---\naliases: [Gertrude]\n---\nFed daily.\n",
    "Diary.md": "Today I fed the Old Rye Starter.\n\n`Old Rye Starter` [[Spelt]] and Spelt again.\n",
    "Spelt.md": "A grain. Gertrude likes it.\n",
    "a/Index.md": "One.\n",
    "b/Index.md": "Two.\n",
    "b/List.md": "- Index\n",
}


@pytest_asyncio.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    vault = write_vault(tmp_path / "Notes", NOTES)
    async with serving([vault], tmp_path / "data", tmp_path / "no models") as served:
        await readable(served)
        yield served


async def targets(served: Served, **arguments: Any) -> list[str]:
    answer = await served.call("suggest_links", strictness="aggressive", **arguments)
    return [found["target"] for found in answer.json["suggestions"]]


async def test_prose_that_names_a_note_is_suggested_with_its_place(served: Served) -> None:
    answer = (await served.call("suggest_links", path="Diary.md")).json
    (found,) = answer["suggestions"]
    assert (found["target"], found["text"], found["lines"]) == ("Old Rye Starter.md", "Old Rye Starter", [1, 1])
    start, end = found["span"]
    assert NOTES["Diary.md"][start:end] == "Old Rye Starter"
    assert "says “Old Rye Starter”" in found["why"]
    assert answer["digest"] == (await served.call("read_note", path="Diary.md")).json["digest"]


async def test_of_notes_of_one_name_the_nearest_is_suggested(served: Served) -> None:
    assert await targets(served, path="b/List.md") == ["b/Index.md"]


async def test_a_text_outside_the_vault_is_read_as_markdown(served: Served) -> None:
    assert await targets(served, text="see `Spelt` and Old Rye Starter") == ["Old Rye Starter.md"]


async def test_new_names_texts_and_links_count_at_once(served: Served) -> None:
    assert "Sea Salt.md" not in await targets(served, text="with Sea Salt")
    (engine,) = served.bridge.vaults.values()
    vault = engine.root
    (vault / "Sea Salt.md").write_text("Salt.\n")
    await served.call("wait_until_indexed", path="Sea Salt.md")
    assert await targets(served, text="with Sea Salt") == ["Sea Salt.md"]
    (vault / "Sea Salt.md").rename(vault / "Rock Salt.md")
    rename = {"kind": "rename", "from": "Sea Salt.md", "path": "Rock Salt.md"}
    await served.call("report_changes", changes=[rename])
    await served.call("wait_until_indexed", path="Rock Salt.md")
    assert await targets(served, text="with Sea Salt and Rock Salt") == ["Rock Salt.md"]
    (vault / "Diary.md").write_text("I fed the [[Old Rye Starter]].\n")
    await served.call("wait_until_indexed", path="Diary.md")
    assert await targets(served, path="Diary.md") == []


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({}, "invalid_arguments"),
        ({"path": "Spelt.md", "text": "x"}, "invalid_arguments"),
        ({"path": "Speld.md"}, "note_not_found"),
        ({"path": "Spelt.md", "strictness": "wild"}, "invalid_arguments"),
        ({"path": "../x.md"}, "outside_vault"),
    ],
)
async def test_what_cannot_be_asked_is_told(served: Served, arguments: dict[str, Any], code: str) -> None:
    assert (await served.call("suggest_links", **arguments)).code == code


async def test_an_empty_text_has_no_suggestions(served: Served) -> None:
    assert await targets(served, text="") == []


async def test_what_is_declined_is_suggested_there_no_more_until_revived(served: Served) -> None:
    said = {"path": "Diary.md", "target": "Old Rye Starter.md", "text": "Old Rye Starter"}
    answer = await served.call("judge_link", **said, verdict="decline")
    assert answer.json == {"accepted": 0, "declined": 1, "rate": 0.0}
    assert await targets(served, path="Diary.md") == []
    assert await targets(served, text="Old Rye Starter") == ["Old Rye Starter.md"]
    answer = await served.call("judge_link", **said, verdict="revive")
    assert answer.json == {"accepted": 0, "declined": 0, "rate": None}
    assert await targets(served, path="Diary.md") == ["Old Rye Starter.md"]


async def test_what_is_accepted_counts_for_other_notes(served: Served) -> None:
    before = (await served.call("suggest_links", text="Old Rye Starter")).json["suggestions"][0]
    said = {"path": "Diary.md", "target": "Old Rye Starter.md", "text": "Old Rye Starter"}
    await served.call("judge_link", **said, verdict="accept")
    after = (await served.call("suggest_links", text="Old Rye Starter")).json["suggestions"][0]
    assert after["score"] > before["score"]
    assert "accepted 1 of 1 times" in after["why"]
