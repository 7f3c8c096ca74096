"""Many clients at once, of every kind, while the vault is being indexed."""

import asyncio
from pathlib import Path

import pytest

from tests.system.crowd import crowd
from tests.system.sidecar import serving
from tests.system.vaults import WORDS, generate

CLIENTS = 8
CALLS = 30


@pytest.mark.model
def test_clients_read_undisturbed_while_the_index_is_made(tmp_path: Path, models_dir: Path) -> None:
    marks = generate(tmp_path / "vault", 60)
    with serving(tmp_path / "vault", data_dir=tmp_path / "data", models_dir=models_dir) as bridge:
        # Nothing is embedded before somebody asks, however long the test takes to.
        bridge.call("pause_indexing")
        bridge.wait_indexed(vectors=False)
        pending = bridge.vault()["pending"]["vectors"]
        bridge.call("resume_indexing")
        reading = crowd(
            bridge.ready["url"], bridge.ready["token"], CLIENTS, list(marks), WORDS, lambda made: made < CALLS
        )
        seconds, errors = asyncio.run(reading)
        failed = bridge.vault()["failed"]["count"]
    assert pending > 0, "the index was complete before anybody asked"
    assert (len(seconds), errors, failed) == (CLIENTS * CALLS, [], 0)
