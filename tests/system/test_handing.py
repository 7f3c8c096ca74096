"""The bridge is killed while Obsidian has a change: what became of it is told by the disk, which nobody writes."""

import http.client
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.system.sidecar import PATIENCE_S, CallFailed, Sidecar

NOTE = "Oven.md"
BEFORE = "# Oven\n"


@contextmanager
def offers(bridge: Sidecar) -> Iterator[Iterator[str]]:
    """Make the changes of a vault for a block; yields the id of each that is offered."""
    address = urlsplit(bridge.ready["url"])
    connection = http.client.HTTPConnection(address.hostname or "", address.port or 0, timeout=PATIENCE_S)
    with closing(connection):
        connection.request(
            "GET", "/api/events?applies=vault", headers={"Authorization": f"Bearer {bridge.ready['token']}"}
        )
        stream = connection.getresponse()
        assert stream.status == 200
        lines = iter(stream.readline, b"")
        yield (json.loads(next(lines)[len("data: ") :])["change"] for line in lines if line == b"event: apply_change\n")


def claimed(bridge: Sidecar, changes: Iterator[str], pool: ThreadPoolExecutor) -> dict[str, Any]:
    """Have a change made until one is claimed before it goes to the disk."""
    while True:
        pool.submit(append, bridge)
        with suppress(CallFailed):
            told: dict[str, Any] = bridge.call("claim_change", change_id=next(changes))
            return told


def append(bridge: Sidecar) -> None:
    """Change the note; the bridge may go meanwhile."""
    with suppress(CallFailed, OSError, http.client.HTTPException):
        bridge.call("edit_note", path=NOTE, edits=[{"op": "append", "text": "Warm."}])


def started(vault: Path) -> Sidecar:
    """Start a bridge and wait until it has read the vault."""
    beside = vault.parent
    bridge = Sidecar.start(vault, data_dir=beside / "data", models_dir=beside / "no models").wait_ready()
    bridge.wait_indexed(vectors=False)
    return bridge


@pytest.mark.parametrize("made", ["before", "after", "never"])
def test_a_bridge_that_was_killed_looks_at_the_disk(tmp_path: Path, made: str) -> None:
    vault = tmp_path / "vault"
    (vault / ".obsidian").mkdir(parents=True)
    (vault / NOTE).write_text(BEFORE)
    with ThreadPoolExecutor() as pool, closing(started(vault)) as bridge, offers(bridge) as changes:
        told = claimed(bridge, changes, pool)
        if made == "before":
            (vault / NOTE).write_text(told["text"])
        bridge.kill()
    text = (vault / NOTE).read_text()
    with closing(started(vault)) as bridge:
        assert (vault / NOTE).read_text() == text
        change = bridge.call("show_change", change_id=told["change_id"])
        assert (change["state"], change["by"]) == ("applied" if made == "before" else "conflict", "obsidian")
        if made == "after":
            (vault / NOTE).write_text(told["text"])
            said = bridge.call("acknowledge_change", change_id=told["change_id"], applied=True)
            assert said["state"] == "applied"
        assert bridge.stop() == 0
