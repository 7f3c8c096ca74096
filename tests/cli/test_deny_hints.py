"""The owner of the setting `deny` learns at the terminal that it hides a note; a client does not."""

from collections.abc import AsyncIterator
from pathlib import Path

import orjson
import pytest
import pytest_asyncio

from tests.features.served import Served, command, readable, serving, write_vault

NOTES = {"Oven.md": "Clay.\n", "Private/Diary.md": "Secret words.\n"}
HIDDEN = "`Private/Diary.md` exists; the setting `deny` hides it from every client: `Private/**`."


@pytest_asyncio.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    vault = write_vault(tmp_path / "Notes", NOTES)
    data = tmp_path / "data"
    data.mkdir(0o700)
    (data / "settings.toml").write_text('deny = ["Private/**"]\n')
    async with serving([vault], data, tmp_path / "no models") as served:
        await readable(served)
        yield served


async def test_the_settings_are_shown_whole(served: Served) -> None:
    ran = await served.command("read-settings", "--json")
    assert {one["name"]: one["value"] for one in ran.json["settings"]}["deny"] == ["Private/**"]
    told = (await served.call("read_settings")).json
    assert {one["name"]: one["value"] for one in told["settings"]}["deny"] is None


@pytest.mark.parametrize("words", [["read-note", "Private/Diary.md"], ["note-links", "Private/Diary"]])
async def test_a_note_that_is_hidden_is_said_to_be(served: Served, words: list[str]) -> None:
    ran = await served.command(*words)
    assert (ran.status, ran.out) == (1, "")
    assert HIDDEN in ran.err
    answer = await served.call("read_note", path="Private/Diary.md")
    missing = await served.call("read_note", path="Private/Dairy.md")
    assert answer.json["error"]["hint"] == missing.json["error"]["hint"]
    assert b"deny" not in answer.body


async def test_a_note_that_is_missing_is_not_said_to_be_hidden(served: Served) -> None:
    assert "deny" not in (await served.command("read-note", "Private/Dairy.md")).err


async def test_nothing_found_may_be_hidden(served: Served, tmp_path: Path) -> None:
    hidden = "Notes that the setting `deny` hides are never found: `Private/**`."
    assert hidden in (await served.command("search", "secret")).err
    assert hidden not in (await served.command("search", "clay")).err
    folder = await served.command("find-notes", "--folder", "Private")
    assert "`Private` exists; the setting `deny` hides it" in folder.err
    nothing = write_vault(tmp_path / "Other", {"A.md": "a\n"})
    plain = await command("search", "secret", data=tmp_path / "other", models=tmp_path / "m", cwd=nothing)
    assert "deny" not in plain.err
    assert orjson.loads((await served.command("search", "secret", "--json")).out)["hits"] == []
