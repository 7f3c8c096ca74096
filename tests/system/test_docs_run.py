"""The commands of README.md and docs do what they say, on a copy of the sample vault that is being served."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.models.scripted import scripted_gguf
from tests.system.sidecar import PATIENCE_S, Sidecar
from tests.system.test_docs import BLOCK, PAGES, ROOT, typed_lines

SAMPLE = ROOT / "tests" / "vaults" / "sample"
NOT_RUN = {
    "scripts/": "other tests run the scripts",
    "uv tool ": "installs for the user",
    "cd obsidian-plugin": "the plugin's tests build it",
    "vaultside models install": "fetches the model from the network",
    "vaultside export-index": "needs a model",
    "vaultside import-index": "needs a model",
    "vaultside pair": "waits for a program that pairs",
    "vaultside serve": "serves until it is stopped",
    "vaultside install-plugin": "needs the built plugin, and asks",
    "vaultside service": "starts what the system keeps running",
    "vaultside mcp ~/Notes --install": "changes the settings of another program",
}
"""Beginnings of lines that are not run here, and why."""


def runnable_lines(page: Path) -> list[str]:
    """Return the lines of a page that can be run against a served vault."""
    lines = (line.replace(".venv/bin/vaultside", "vaultside") for line in typed_lines(page))
    return [line for line in lines if line.strip() and not line.startswith(tuple(NOT_RUN))]


def shown_outputs(page: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the commands of a page below which it shows what they print, and the parts of it between lines of `…`."""
    for block in BLOCK.finditer(page.read_text(encoding="utf-8")):
        for entry in re.split(r"^ *\$ ", block[3], flags=re.MULTILINE)[1:] if block[2] == "console" else ():
            line, _, output = entry.partition("\n")
            if output.strip() and not line.startswith(tuple(NOT_RUN)):
                parts = re.split(r"^ *…$", output, flags=re.MULTILINE)
                yield (
                    line.replace(".venv/bin/vaultside", "vaultside"),
                    [" ".join(part.split()) for part in parts if part.strip()],
                )


REFERENCE = ROOT / "docs" / "reference"
"""The commands of its pages are the operations' examples, which `tests/features/test_contract.py` runs."""
RUN = [page for page in PAGES if page.parent != REFERENCE and runnable_lines(page)]


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[dict[str, str]]:
    """Serve `~/Notes` with keyword search only, and yield the environment of a user's shell; `~` has a chat model."""
    home = tmp_path / "home"
    shutil.copytree(SAMPLE, home / "Notes")
    scripted_gguf(home / "some.gguf", {"<|answer|>": ["The notes say so [1]."]})
    data, models = tmp_path / "data", tmp_path / "no models"
    bridge = Sidecar.start(home / "Notes", data_dir=data, models_dir=models).wait_ready()
    try:
        bridge.wait_indexed(vectors=False)
        yield {
            **os.environ,
            "HOME": str(home),
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "VAULTSIDE_DATA_DIR": str(data),
            "VAULTSIDE_MODELS_DIR": str(models),
            "TOKEN": bridge.ready["token"],
            "URL": bridge.ready["url"],
        }
    finally:
        bridge.stop()


def run(line: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a line as bash does in the vault."""
    command = ["bash", "-o", "pipefail", "-c", line]
    notes = Path(env["HOME"]) / "Notes"
    return subprocess.run(command, cwd=notes, env=env, capture_output=True, text=True, check=False, timeout=PATIENCE_S)


@pytest.mark.parametrize("page", RUN, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_command_of_a_page_succeeds(page: Path, shell: dict[str, str]) -> None:
    run("vaultside tokens create NAME --scope read", shell)
    failed = {}
    for line in runnable_lines(page):
        typed = line
        if " ID" in line:
            newest = json.loads(run("vaultside list-changes --limit 1 --json", shell).stdout)["changes"][0]
            typed = line.replace(" ID", f" {newest['id']}")
        done = run(typed, shell)
        if done.returncode:
            failed[line] = done.stdout + done.stderr
    assert failed == {}


SHOWN = [(page, line, shown) for page in PAGES if page.parent != REFERENCE for line, shown in shown_outputs(page)]


def at_terminal(line: str, env: dict[str, str]) -> str:
    """Return what a line prints at a terminal, as words."""
    code = "import pty, sys; pty.spawn(['bash', '-c', sys.argv[1]])"
    wide = {**env, "COLUMNS": "1000", "NO_COLOR": "1", "TERM": "dumb"}
    notes = Path(env["HOME"]) / "Notes"
    done = subprocess.run(
        [sys.executable, "-c", code, line], cwd=notes, env=wide, capture_output=True, check=False, timeout=PATIENCE_S
    )
    return " ".join(done.stdout.decode().split())


@pytest.mark.skipif(os.name != "posix", reason="a pseudo-terminal is needed")
def test_what_pages_show_is_what_the_commands_print(shell: dict[str, str]) -> None:
    assert len(SHOWN) >= 4
    for page, line, shown in SHOWN:
        printed = at_terminal(line, shell)
        for part in shown:
            assert part in printed, page


def test_the_pages_with_commands_are_run() -> None:
    assert {"README.md", "docs/agents.md", "docs/SECURITY.md", "docs/programs.md"} <= {
        page.relative_to(ROOT).as_posix() for page in RUN
    }
