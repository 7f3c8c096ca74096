"""Runs the measurements one after the other on a copy of a vault."""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from scripts.lib.benchmarks import measures, vectors
from scripts.lib.benchmarks.chat import measure_chat
from scripts.lib.benchmarks.dense import measure_dense_vault
from scripts.lib.benchmarks.generate import generate_vault
from scripts.lib.benchmarks.graphs import measure_graphs
from scripts.lib.benchmarks.nearest import measure_nearest
from scripts.lib.benchmarks.peers import measure_peers
from scripts.lib.benchmarks.plugin import measure_plugin
from scripts.lib.benchmarks.profile import print_profiles
from scripts.lib.benchmarks.rows import Measurements, Row
from scripts.lib.benchmarks.soak import measure_soak
from scripts.lib.benchmarks.suggesting import measure_suggestions
from scripts.lib.benchmarks.transports import measure_transports
from scripts.lib.benchmarks.writes import measure_writes

SAMPLE = Path(__file__).resolve().parents[3] / "tests" / "vaults" / "sample"
PARTS = (
    "models",
    "vectors",
    "cold",
    "warm",
    "transports",
    "never-twice",
    "edits",
    "writes",
    "disk",
    "soak",
    "graph",
    "dense",
    "linking",
    "chat",
    "plugin",
    "peers",
)
ALONE = {"peers", "models", "vectors", "soak", "graph", "dense", "linking", "chat", "plugin"}
"""Parts that need no index built before them."""


def main() -> int:
    """Measure and report missed targets; the exit status only says whether everything could be measured."""
    options = parse_arguments()
    with tempfile.TemporaryDirectory(prefix="vaultside-bench-", dir=options.work) as folder:
        work = Path(folder)
        vault = work / "vault"
        if options.vault:
            shutil.copytree(options.vault, vault, symlinks=True)
        else:
            generate_vault(vault, options.generate, options.like)
        found = Measurements(str(options.vault.name if options.vault else f"generated, {options.generate} notes"))
        notes = [path.stat().st_size for path in vault.rglob("*.md")]
        found.add(Row("notes", len(notes), ""), Row("text", sum(notes) / 1e6, "MB"))
        place = measures.Place(vault, work / "data", options.models_dir, len(notes) >= measures.LARGE)
        if options.profile:
            place = replace(place, profile=work / "profiles")
        measure(place, found, options)
        if place.profile:
            print_profiles(place.profile)
    if options.json:
        options.json.write_text(json.dumps(found.json(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    missed = [row for row in found.rows if row.reached is False]
    print(f"{len(missed)} of {sum(row.reached is not None for row in found.rows)} figures were missed.")
    return 1 if found.failed else 0


def measure(place: measures.Place, found: Measurements, options: argparse.Namespace) -> None:
    """Run the chosen parts; most need the index that the first start builds."""

    def first_start() -> None:
        if options.random_vectors:
            measures.measure_keyword_only(place, found)
            vectors.invent_vectors(place.data, place.models)
        else:
            measures.measure_cold_start(place, found)

    parts: dict[str, Callable[[], None]] = {
        "models": lambda: vectors.measure_models(place.models, found),
        "vectors": lambda: measure_nearest(found, options.passages),
        "cold": first_start,
        "warm": lambda: measures.measure_warm_start(place, found),
        "transports": lambda: measure_transports(place, found),
        "never-twice": lambda: measures.measure_reuse(place, found),
        "edits": lambda: measures.measure_edits(place, found),
        "writes": lambda: measure_writes(place, found),
        "disk": lambda: measures.measure_disk(place, found, options.edits),
        "soak": lambda: measure_soak(place, found),
        "graph": lambda: measure_graphs(found),
        "dense": lambda: measure_dense_vault(place, found, options.like),
        "linking": lambda: measure_suggestions(found),
        "chat": lambda: measure_chat(found),
        "plugin": lambda: measure_plugin(place, found),
        "peers": lambda: measure_peers(place, found),
    }
    wanted = {*options.only, *(("cold",) if set(options.only) - ALONE else ())}
    for name, part in parts.items():
        if name in wanted:
            try:
                part()
            except (AssertionError, OSError, RuntimeError, subprocess.CalledProcessError) as error:
                # The other figures are still useful.
                found.failed.append(name)
                print(f"{name} could not be measured: {error}", file=sys.stderr)


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="scripts/bench", description="Measure the bridge on a copy of a vault.")
    parser.add_argument("vault", nargs="?", type=Path, help="the vault to copy; without one, notes are generated")
    parser.add_argument("--generate", type=int, default=1000, metavar="N", help="how many notes to generate (1000)")
    parser.add_argument("--like", type=Path, default=SAMPLE, help="the vault whose shape generated notes take")
    parser.add_argument("--edits", type=int, default=1000, metavar="N", help="edits before the disk is measured (1000)")
    parser.add_argument(
        "--passages", type=int, default=1_000_000, metavar="N", help="passages of the part `vectors` (1000000)"
    )
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, help="run only these parts")
    parser.add_argument("--profile", action="store_true", help="print which functions take the time; slower")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    parser.add_argument("--models-dir", type=Path, help="where the models are")
    parser.add_argument("--work", type=Path, help="where the copy and its index may lie for the time of the run")
    parser.add_argument(
        "--random-vectors",
        action="store_true",
        help="invent the vectors instead of computing them: speed at sizes whose embedding would take hours",
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
