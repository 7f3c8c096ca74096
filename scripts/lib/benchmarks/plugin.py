"""Measures what the plugin costs and how soon it shows typed text: its bundle in a browser against a real bridge."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from bridge.data_folder import default_models_dir
from scripts.lib.benchmarks.measures import Place
from scripts.lib.benchmarks.questions import questions
from scripts.lib.benchmarks.rows import Measurements, Row, latency_rows
from tests.npm import installed
from tests.plugin.browser import chromium
from tests.system.sidecar import COMMAND

PLUGIN = Path(__file__).resolve().parents[3] / "obsidian-plugin"
QUERIES = 65
"""Bursts of keys, of which the first few are not counted."""


def measure_plugin(place: Place, found: Measurements) -> None:
    """Type queries key by key, as people do, into the search pane of a window with a copy of the vault."""
    packages = installed(PLUGIN)
    measured = place.data.with_name("plugin.json")
    env = {
        "CHROMIUM": chromium(),
        "VAULTSIDE": str(COMMAND),
        "VAULTSIDE_MODELS": str(place.models or default_models_dir()),
        "VAULT": str(place.vault),
        "QUERIES": json.dumps(questions(place.vault, QUERIES, seed=9)),
        "MEASURED": str(measured),
    }
    for command in (["node", "esbuild.config.mjs"], [str(packages / ".bin" / "vitest"), "run", "--project", "measure"]):
        subprocess.run(command, cwd=PLUGIN, env={**os.environ, **env}, check=True, stdout=sys.stderr)
    said = json.loads(measured.read_text(encoding="utf-8"))

    def seconds(what: str) -> list[float]:
        return [value / 1000 for value in said[what]]

    note = f"{len(said['first'])} bursts, 60 to 180 ms from key to key"
    half, most = latency_rows("last key to its first hits on the screen", seconds("first"), note=note)
    found.add(
        replace(half, reach=120.0),
        most,
        *latency_rows("of that waiting for the answer before", seconds("waiting")),
        *latency_rows("of that asking and being answered", seconds("answering")),
        *latency_rows("of that drawing", seconds("drawing")),
        *latency_rows("last key to the hits by meaning", seconds("meaning")),
        Row("searches for each key", said["calls"], ""),
        Row("plugin: loading", said["load"], "ms", 50),
        Row("plugin: an event of the vault, the slowest", max(said["events"]), "ms", 5),
        Row("plugin: bundle", said["bundle"] / 1024, "KiB", 300),
    )
