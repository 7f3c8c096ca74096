"""Measures fifty simultaneous clients while the vault is being indexed."""

import asyncio
import shutil
import time
from collections.abc import Callable
from dataclasses import replace

from scripts.lib.benchmarks.measures import Place, start_sidecar
from scripts.lib.benchmarks.questions import questions
from scripts.lib.benchmarks.rows import Measurements, Row, latency_rows
from tests.system.crowd import crowd

CLIENTS = 50
SECONDS = 60.0


def measure_soak(place: Place, found: Measurements) -> None:
    """Let fifty clients read for a minute, each as fast as it gets results, while a new index is built."""
    fresh = replace(place, data=place.data.with_name("soak"))
    notes = sorted(path.relative_to(place.vault).as_posix() for path in place.vault.rglob("*.md"))
    with start_sidecar(fresh) as (client, *_):
        client.wait_keyword()
        reading = crowd(
            client.bridge.ready["url"],
            client.bridge.ready["token"],
            CLIENTS,
            notes,
            questions(place.vault, 500, seed=7),
            until_deadline(SECONDS),
        )
        seconds, errors = asyncio.run(reading)
        still = client.vault()["pending"]["vectors"]
    shutil.rmtree(fresh.data)
    note = "" if still else "the index was complete before the end"
    what = f"{CLIENTS} clients for {SECONDS:.0f} s while a full index runs"
    found.add(
        Row(f"{what}: calls a second", len(seconds) / SECONDS, "1/s", note=note),
        *latency_rows(what, seconds, note=note),
        Row(f"{what}: errors", len(errors), "", 0, note="; ".join(sorted(set(errors))[:3])),
    )


def until_deadline(seconds: float) -> Callable[[int], bool]:
    """Return a condition that lets every client call again until this much time has passed."""
    end = time.perf_counter() + seconds
    return lambda _: time.perf_counter() < end
