"""How far the bridge is, how fast it gets on, and what it takes."""

import asyncio
import os
import random
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bridge.settings.file import save_settings
from tests.features.served import PATIENCE_S, command, readable, serving, write_vault


async def test_what_the_bridge_takes_is_told_when_asked(tmp_path: Path) -> None:
    vault = write_vault(tmp_path / "Notes", {"A.md": "# A\n"})
    models = tmp_path / "models"
    models.mkdir()
    (models / "old.gguf").write_bytes(b"12345")
    async with serving([vault], tmp_path / "data", models) as served:
        plain = (await served.call("status")).json
        before = (await served.call("status", disk=True)).json
        assert (await served.call("create_note", path="B.md", text="Said.")).status == 200
        after = (await served.call("status", disk=True)).json
    assert ("disk" in plain, plain["vaults"][0]["disk"]) == (False, None)
    assert (before["disk"]["models"], before["disk"]["free"] > 0) == (5, True)
    (kept,) = [each["disk"] for each in before["vaults"]]
    assert (kept["index"] > 0, kept["state"] > 0, kept["history"]) == (True, True, 0)
    assert after["vaults"][0]["disk"]["history"] > 0


async def test_what_is_left_out_is_counted_for_each_reason_the_most_frequent_first(tmp_path: Path) -> None:
    notes = {f"{at}.old.md": "Old." for at in range(25)} | {"Rye.md": "Rye.", "Rye (conflicted copy).md": "Rye."}
    vault = write_vault(tmp_path / "Notes", notes)
    (tmp_path / "data").mkdir()
    save_settings(tmp_path / "data" / "settings.toml", {"exclude": ["*.old.md"]})
    async with serving([vault], tmp_path / "data", tmp_path / "no models") as served:
        (told,) = (await served.call("status")).json["vaults"]
    skipped = told["skipped"]
    assert [(each["count"], len(each["first"])) for each in skipped["reasons"]] == [(25, 10), (1, 1)]
    assert "`*.old.md`" in skipped["reasons"][0]["reason"]
    assert skipped["reasons"][1]["first"] == ["Rye (conflicted copy).md"]
    assert (skipped["count"], told["failed"]["reasons"]) == (26, [])


@pytest.mark.model
async def test_how_fast_embedding_gets_on_is_told_while_it_does(tmp_path: Path, models_dir: Path) -> None:
    words = ("stone", "river", "winter", "bread", "candle", "lantern", "orchard", "thread", "harbour", "copper")
    notes = {f"Note {at}.md": " ".join(random.Random(at).choices(words, k=80)) for at in range(200)}
    async with serving([write_vault(tmp_path / "Notes", notes)], tmp_path / "data", models_dir) as served:
        async with asyncio.timeout(PATIENCE_S):
            while (now := (await served.call("status")).json["vaults"][0])["embedding"] is None:
                await asyncio.sleep(0.01)
        await readable(served, meaning=True)
        async with asyncio.timeout(PATIENCE_S):
            while (await served.call("status")).json["vaults"][0]["embedding"] is not None:
                await asyncio.sleep(0.01)
    speed, left, vectors = now["embedding"]["per_second"], now["embedding"]["seconds_left"], now["pending"]["vectors"]
    assert speed > 0
    # The speed is rounded to a tenth, which is much of it on a busy machine; the seconds are rounded up.
    assert vectors / (speed + 0.05) - 1 <= left <= vectors / (speed - 0.05) + 1


async def test_status_says_which_bridge_answers_and_a_command_that_none_does(tmp_path: Path) -> None:
    vault = write_vault(tmp_path / "Notes", {"A.md": "# A\n"})
    async with serving([vault], tmp_path / "data", tmp_path / "no models") as served:
        bridge = (await served.call("status")).json["bridge"]
        shown = await served.command("status", cwd=vault)
    assert (bridge["url"], bridge["pid"]) == (served.runtime.url, os.getpid())
    assert datetime.fromisoformat(bridge["since"]) <= datetime.now(UTC)
    assert f"process {os.getpid()} at {served.runtime.url}, since " in shown.out
    alone = await command("status", data=tmp_path / "data", models=tmp_path / "no models", cwd=vault)
    assert "none runs; this command opened the vault by itself" in alone.out
    told = await command("status", "--json", data=tmp_path / "data", models=tmp_path / "no models", cwd=vault)
    assert told.json["bridge"] is None
