"""Killed at any point, the bridge goes on where it was: nothing lost, nothing embedded that was stored."""

import random
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.system.sidecar import Sidecar, outliving, serving
from tests.system.vaults import fingerprint, generate

NOTES = 120
KILLS = 20
IN_FLIGHT = 64
"""Passages that may be lost with a crash: what the workers hold at one time."""


@pytest.mark.model
def test_twenty_crashes_lose_nothing_and_embed_nothing_twice(tmp_path: Path, models_dir: Path) -> None:
    vault, data = tmp_path / "vault", tmp_path / "data"
    marks = generate(vault, NOTES)
    before = fingerprint(vault)
    chance = random.Random(20)
    seen = [crash(vault, data, models_dir, chance, MOMENTS[number % len(MOMENTS)]) for number in range(KILLS)]
    with serving(vault, data_dir=data, models_dir=models_dir) as bridge:
        first = bridge.until(lambda: opened(bridge), "the vault was read")
        status = bridge.wait_indexed()
        held = {note["path"] for note in bridge.call("find_notes", limit=500)["notes"]}
        found = {path: best(bridge, mark) for path, mark in marks.items()}
    totals = [last["embedded_total"] for last in seen if last]
    unfinished = [last for last in seen if last and last["pending"]["vectors"]]
    assert totals == sorted(totals)
    assert unfinished, "no crash fell into the indexing"
    assert (status["notes"], status["failed"]["count"], held) == (NOTES, 0, set(marks))
    assert found == {path: path for path in marks}
    # The last run embedded only what was missing when it began; a crash took at most what was in the works.
    assert status["embedded_total"] - first["embedded_total"] <= first["pending"]["vectors"]
    assert status["passages"] <= status["embedded_total"] <= status["passages"] + KILLS * IN_FLIGHT
    assert fingerprint(vault) == before


MOMENTS = ("starting", "reading", "embedding", "embedding")


def crash(vault: Path, data: Path, models_dir: Path, chance: random.Random, moment: str) -> dict[str, Any] | None:
    """Start, kill at some moment, and return the last status that was seen."""
    bridge = Sidecar.start(vault, data_dir=data, models_dir=models_dir)
    last = None
    try:
        if moment != "starting":
            bridge.wait_ready()
        if moment == "embedding":
            last = bridge.until(lambda: embedding(bridge), "the model is there")
        time.sleep(chance.uniform(0, 1))
        return last
    finally:
        workers = psutil.Process(bridge.process.pid).children(recursive=True)
        bridge.close()
        assert outliving(workers) == [], "workers outlive the bridge"


def embedding(bridge: Sidecar) -> dict[str, Any] | None:
    """Return the status once passages are being embedded, or all are."""
    status = opened(bridge)
    return status if status and status["ready"]["semantic"] else None


def best(bridge: Sidecar, words: str) -> str:
    """Return the first note that says these words."""
    hits = bridge.call("search", query=words, mode="keyword", limit=1)["hits"]
    return str(hits[0]["path"]) if hits else "none"


def opened(bridge: Sidecar) -> dict[str, Any] | None:
    """Return the status once the vault has been read."""
    status = bridge.vault()
    return status if status["ready"]["keyword"] and not status["pending"]["keyword"] else None


@pytest.mark.model
def test_a_killed_worker_is_replaced(tmp_path: Path, models_dir: Path) -> None:
    vault = tmp_path / "vault"
    generate(vault, 60, sections=1)
    with serving(vault, data_dir=tmp_path / "data", models_dir=models_dir) as bridge:
        bridge.until(lambda: bridge.vault()["embedded_total"], "something is embedded")
        for worker in psutil.Process(bridge.process.pid).children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                worker.kill()
        status = bridge.wait_indexed()
    assert (status["notes"], status["failed"]["count"]) == (60, 0)
