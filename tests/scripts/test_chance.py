"""What failed is run once more, and only what passes then failed by chance."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.lib.chance import MAX_BY_CHANCE, read_failures

ROOT = Path(__file__).resolve().parents[2]
TESTS = """
import pathlib

def test_by_chance():
    seen = pathlib.Path(__file__).with_name("seen")
    first = not seen.exists()
    seen.touch()
    print("a word beside it")
    assert not first, "the first time"

def test_always():
    raise ValueError("again")

def test_never():
    pass
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Some tests, with this project's way to keep failures."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_some.py").write_text(TESTS)
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
    (tmp_path / "conftest.py").write_text("from tests_of_the_project import pytest_addoption, pytest_configure\n")
    (tmp_path / "tests_of_the_project.py").symlink_to(ROOT / "tests" / "conftest.py")
    return tmp_path


def run(project: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a Python module in the project."""
    own = {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
    env = {**os.environ, **own}
    return subprocess.run(
        [sys.executable, "-m", *command], cwd=project, env=env, capture_output=True, text=True, check=False
    )


def fail(project: Path, select: str) -> Path:
    """Run tests, and return the file of their failures."""
    failures = project / "failures"
    failures.touch()
    done = run(project, "pytest", "-p", "no:randomly", "--failures", str(failures), "-k", select)
    assert done.returncode in {0, 1}, done.stdout + done.stderr
    return failures


def test_what_passes_alone_failed_by_chance_and_is_told_with_its_output(project: Path) -> None:
    failures = fail(project, "chance or never")
    done = run(project, "scripts.lib.chance", str(failures))
    assert done.returncode == 0, done.stdout + done.stderr
    _, _, told = done.stdout.partition("Failed by chance, and passed alone: tests/test_some.py::test_by_chance")
    assert "the first time" in told
    assert "a word beside it" in told


def test_what_fails_again_is_red(project: Path) -> None:
    failures = fail(project, "chance or always")
    assert sorted(read_failures(failures)) == ["tests/test_some.py::test_always", "tests/test_some.py::test_by_chance"]
    done = run(project, "scripts.lib.chance", str(failures))
    assert done.returncode == 1
    assert "Failed by chance" not in done.stdout


def test_many_failures_are_no_chance(project: Path) -> None:
    failures = project / "failures"
    many = [
        json.dumps({"test": f"tests/test_some.py::test_{number}", "text": ""}) for number in range(MAX_BY_CHANCE + 1)
    ]
    failures.write_text("\n".join(many) + "\n")
    done = run(project, "scripts.lib.chance", str(failures))
    assert (done.returncode, "1 passed" in done.stdout) == (1, False)


def test_a_file_that_cannot_be_read_is_a_failure(project: Path) -> None:
    (project / "tests" / "test_other.py").write_text("import nothing_of_this_name\n")
    failures = project / "failures"
    run(project, "pytest", "--failures", str(failures))
    assert "tests/test_other.py" in read_failures(failures)
    assert run(project, "scripts.lib.chance", str(failures)).returncode == 1
