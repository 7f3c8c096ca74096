"""Runs every scenario of MCP's official suite, in both eras of the protocol, and prints which passed."""

import argparse
import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from bridge.cli.serve import mount
from tests.conformance.served import Served, pack, served
from tests.npm import installed

HERE = Path(__file__).resolve().parents[2] / "tests" / "conformance"
REVISIONS = ("2025-11-25", "2026-07-28")
NODE = 22
"""The Node version that the suite needs."""

OWN_SCENARIOS = (
    "server-initialize",
    "server-session-lifecycle",
    "server-sse-multiple-streams",
    "ping",
    "tools-list",
    "prompts-list",
    "resources-list",
    "resources-subscribe",
    "sep-2164-resource-not-found",
    "caching",
    "http-header-validation",
    "dns-rebinding-protection",
)
"""Scenarios that any server can pass, whatever its tools."""

SKIPPED_SCENARIOS = {
    "tasks-": "an extension that the library does not have",
    "sep-2640-skills-": "an extension that is about packaged instructions, not about a vault",
}
"""Prefixes of scenarios that no revision requires, and why they are skipped."""

Results = Mapping[str, Counter[str]]
"""How many checks of each scenario ended in each status."""


def main() -> int:
    """Run the suite; the exit status says whether everything passed."""
    parser = argparse.ArgumentParser(prog="scripts/conformance", description="Run MCP's official conformance suite.")
    parser.add_argument("--scenario", help="run only this one and show what it says")
    given = parser.parse_args()
    suite = suite_command()
    if given.scenario:
        return asyncio.run(run_scenario(suite, given.scenario))
    found = asyncio.run(run_all(suite))
    left_out = list_scenarios(suite).difference(*found.values())
    print_table(found)
    for start, reason in SKIPPED_SCENARIOS.items():
        print(f"Not run: {sum(name.startswith(start) for name in left_out)} × {start}…: {reason}.")
    faults = [f"{name}: not run" for name in sorted(left_out) if not name.startswith(tuple(SKIPPED_SCENARIOS))]
    faults += [f"{name}: failed in {revision}" for revision in found for name in failed_scenarios(found[revision])]
    for fault in faults:
        print(f"{fault}; `scripts/conformance --scenario NAME` shows more.")
    return 1 if faults else 0


def suite_command() -> list[str]:
    """Install the suite, and Node if it is missing; return the suite's command."""
    node = shutil.which("node")
    asked = [node, "-p", "process.versions.node"] if node else []
    version = subprocess.run(asked, capture_output=True, text=True, check=True).stdout if asked else "0"
    fits = int(version.partition(".")[0]) >= NODE
    packages = installed(HERE, *(("--omit=optional",) if fits else ()))
    if not fits:
        node = next((str(path) for path in packages.glob("node-*/bin/node")), None)
    if node is None:
        sys.exit(f"Node {NODE} or newer is needed and comes along only on Linux: install it from nodejs.org.")
    suite = packages / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
    return [node, "--import", str(HERE / "token.mjs"), str(suite)]


async def run_all(suite: Sequence[str]) -> dict[str, Results]:
    """Run all scenarios of each revision on the suite's own tools, and on ours those that need none of them."""
    found = {}
    async with served(pack) as place:
        for revision in REVISIONS:
            found[revision] = await run_revision(suite, place, revision, ["--suite", "all"])
    async with served(mount) as place:
        for revision in REVISIONS:
            found[f"ours, {revision}"] = await run_revision(
                suite, place, revision, *(["--scenario", name] for name in OWN_SCENARIOS)
            )
    return found


async def run_revision(suite: Sequence[str], place: Served, revision: str, *choices: Sequence[str]) -> Results:
    """Run scenarios of a revision; those that do not belong to it leave no result."""
    with tempfile.TemporaryDirectory(prefix="vaultside-conformance-") as folder:
        for chosen in choices:
            words = (*chosen, "--spec-version", revision, "--output-dir", folder)
            await run_suite(suite, place, *words, quiet=True)
        return read_results(Path(folder))


def read_results(folder: Path) -> Results:
    """Read the suite's output: a folder for each scenario, named after it and the time."""
    found = {}
    for file in sorted(folder.glob("*/checks.json")):
        name = re.sub(r"^server-(.*?)-\d{4}-\d\d-\d\dT.*$", r"\1", file.parent.name)
        found[name] = Counter(check["status"] for check in json.loads(file.read_bytes()))
    return found


async def run_scenario(suite: Sequence[str], scenario: str) -> int:
    """Run a scenario for each revision it applies to, and show its output."""
    async with served(pack) as place:
        statuses = [
            await run_suite(suite, place, "--scenario", scenario, "--spec-version", revision, "--verbose", quiet=False)
            for revision in REVISIONS
        ]
    return max(statuses)


async def run_suite(suite: Sequence[str], place: Served, *words: str, quiet: bool) -> int:
    """Run the suite against the server."""
    process = await asyncio.create_subprocess_exec(
        *(*suite, "server", "--url", place.url, *words),
        env={**os.environ, "VAULTSIDE_RUNTIME": str(place.runtime)},
        stdout=asyncio.subprocess.DEVNULL if quiet else None,
    )
    return await process.wait()


def list_scenarios(suite: Sequence[str]) -> set[str]:
    """Return all scenarios for servers that the suite has."""
    *node, script = suite
    answer = subprocess.run([node[0], script, "list", "--server"], capture_output=True, text=True, check=True)
    return set(re.findall(r"^\s+- ([\w-]+)", answer.stdout, re.MULTILINE))


def failed_scenarios(done: Results) -> list[str]:
    """Return the scenarios with any result other than success and information."""
    return [name for name, ended in done.items() if not ended["SUCCESS"] or set(ended) - {"SUCCESS", "INFO"}]


def print_table(found: Mapping[str, Results]) -> None:
    """Print the results as a table."""
    print(f"{'scenario':46}" + "".join(f"{revision:>24}" for revision in found))
    for name in dict.fromkeys(name for done in found.values() for name in done):
        print(f"{name:46}" + "".join(f"{summarize_checks(done.get(name)):>24}" for done in found.values()))
    totals = (sum(done.values(), Counter[str]()) for done in found.values())
    print(f"{'checks':46}" + "".join(f"{summarize_checks(total):>24}" for total in totals))


def summarize_checks(ended: Counter[str] | None) -> str:
    """Summarize how the checks of a scenario ended."""
    if ended is None:
        return "–"
    others = [f"{count} {status.lower()}" for status, count in ended.items() if status not in {"SUCCESS", "INFO"}]
    return " + ".join([f"{ended['SUCCESS']} passed", *others])


if __name__ == "__main__":
    sys.exit(main())
