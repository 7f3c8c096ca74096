"""What a command loads that a running bridge answers: the operations and their libraries take a second to import."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.features.served import write_vault
from tests.system.sidecar import COMMAND, PATIENCE_S, serving
from tests.system.test_imports import HEAVY

PACKAGES = {f"bridge.{name}" for name in ("api", "changes", "engine", "features", "graph", "index", "search", "state")}
SLOW = {*HEAVY, *PACKAGES}
SLOW |= {"asyncio", "dataclasses", "http.client", "logging", "msgspec", "multiprocessing", "orjson", "rich"}
"""Packages of the bridge that commands do without, and libraries that take longer to load than a bridge to answer."""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The data folder of a running bridge."""
    folder = tmp_path_factory.mktemp("commands")
    vault = write_vault(folder / "Notes", {"Bread/Rye.md": "# Rye\n\nDense bread.\n", "Oats.md": "# Oats\n"})
    with serving(vault, data_dir=folder / "data", models_dir=folder / "no models") as bridge:
        bridge.wait_indexed(vectors=False)
        yield folder / "data"


@pytest.mark.parametrize(
    ("words", "printed"),
    [
        (["search", "bread"], "Bread/Rye.md"),
        (["search", "bread", "--json"], '"hits":['),
        (["read-note", "Oats.md"], "# Oats"),
        (["create-note", "New.md", "--text", "# New"], "New.md"),
        (["delete-note", "Oats.md", "--dry-run"], "Oats.md"),
        (["status"], "Notes"),
        (["list-folders"], "Bread"),
    ],
)
def test_a_command_that_a_bridge_answers_imports_no_operations(words: list[str], printed: str, data: Path) -> None:
    assert_light([*words, "--data-dir", str(data)], printed, data)


@pytest.mark.parametrize(
    ("line", "offered"), [("vaultside read-note --vault Notes Bread/", "Bread/Rye.md"), ("vaultside sea", "search")]
)
def test_completion_imports_no_operations(line: str, offered: str, data: Path) -> None:
    asked = {"_ARGCOMPLETE": "1", "_ARGCOMPLETE_STDOUT_FILENAME": str(data / "offered")}
    ran = run([], data, **asked, COMP_LINE=line, COMP_POINT=str(len(line)))
    assert offered in (data / "offered").read_text()
    assert loaded(ran) & SLOW == set()


@pytest.mark.parametrize("words", [["--help"], ["search", "--help"], ["--version"], ["completion", "bash"]])
def test_help_and_completion_import_no_operations(words: list[str], data: Path) -> None:
    assert_light(words, "vaultside", data)


def test_a_refusal_imports_no_operations(data: Path) -> None:
    ran = run(["read-note", "Ots.md", "--data-dir", str(data)], data)
    assert "the closest is `Oats.md`" in ran.stderr
    assert loaded(ran) & SLOW == set()


def assert_light(words: list[str], printed: str, data: Path) -> None:
    """Run a command, and require its output and that it loaded nothing slow."""
    ran = run(words, data)
    assert (ran.returncode, printed in ran.stdout) == (0, True), ran.stdout
    assert loaded(ran) & SLOW == set()


def run(words: list[str], data: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """Run a command beside the vault, with an account of its imports on standard error."""
    return subprocess.run(
        [sys.executable, "-X", "importtime", str(COMMAND), *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
        cwd=data.parent,
        env={"VAULTSIDE_DATA_DIR": str(data), "PATH": "", **env},
    )


def loaded(ran: subprocess.CompletedProcess[str]) -> set[str]:
    """Return the modules that a command imported, and the packages they are in."""
    names = [line.rpartition("|")[2].strip() for line in ran.stderr.splitlines() if line.startswith("import time:")]
    assert "bridge.cli.main" in names
    return {".".join(name.split(".")[:depth]) for name in names for depth in (1, 2, 3)}
