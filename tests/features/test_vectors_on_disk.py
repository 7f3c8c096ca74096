"""A vault with more vectors than the setting allows: told, checked, and right for edits and denied notes."""

import asyncio
from pathlib import Path

import numpy as np

from bridge.index.index import Index
from bridge.index.matrix import Floats
from tests.features.served import PATIENCE_S, Served, readable, serving, write_vault
from tests.index.made import sentence

DIMENSIONS = 4_096
NOTES = {f"{number}.md": f"{sentence(number, 12)}\n" for number in range(200)}


def made(text: str) -> Floats:
    """Return a vector for a text, the same one each time; texts that share words are near each other."""
    words = [np.random.default_rng([*word.encode()]).standard_normal(DIMENSIONS, np.float32) for word in text.split()]
    total = np.sum(words, axis=0)
    unit: Floats = (total / np.linalg.norm(total)).astype(np.float32)
    return unit


async def embed(index: Index) -> None:
    index.use_model("made-000000000000", DIMENSIONS)
    while batch := await index.find_missing_vectors(64):
        await index.add_vectors([each.digest for each in batch], np.stack([made(each.text) for each in batch]))


async def built(served: Served) -> None:
    (host,) = served.bridge.vaults.values()
    async with asyncio.timeout(PATIENCE_S):
        while not (await served.call("status")).json["vaults"][0]["vectors_on_disk"]:
            await host.vault.index.nearest(made("words"), 5)
            await asyncio.sleep(0.05)


async def near_seven(served: Served) -> set[str]:
    (host,) = served.bridge.vaults.values()
    assert host.vault.index.vectors.is_indexed
    return {hit.path for hit in await host.vault.index.view("notes").nearest(made(sentence(7, 12)), 5)}


async def test_it_is_told_checked_and_follows_edits_and_denied_notes(tmp_path: Path) -> None:
    vault, data = write_vault(tmp_path / "Notes", NOTES), tmp_path / "data"
    data.mkdir(mode=0o700)
    (data / "settings.toml").write_text("memory_mb = 1\n")
    async with serving([vault], data, tmp_path / "models") as served:
        (host,) = served.bridge.vaults.values()
        assert not (await served.call("status")).json["vaults"][0]["vectors_on_disk"]
        await embed(host.vault.index)
        await built(served)
        assert "exceed `memory_mb`" in (await served.command("status")).out
        checks = [each for each in (await served.call("doctor")).json["findings"] if each["check"] == "index"]
        assert ["100.0%" in each["message"] for each in checks] == [False, True]
        (vault / "3.md").write_text(sentence(7, 12))
        (vault / "4.md").unlink()
        changes = [{"kind": "upsert", "path": "3.md"}, {"kind": "delete", "path": "4.md"}]
        await served.call("report_changes", changes=changes)
        await readable(served)
        await embed(host.vault.index)
        assert "3.md" in await near_seven(served)
        assert "4.md" not in host.vault.index.notes
        served.bridge.settings_path.write_text('memory_mb = 1\ndeny = ["3.md"]\n')
        await served.bridge.reload()
        assert "3.md" not in {hit.path for hit in await host.vault.index.nearest(made(sentence(7, 12)), 5)}
        await built(served)
        assert {"3.md", "4.md"} & await near_seven(served) == set()
        assert "100.0%" in (await served.call("doctor")).body.decode()
