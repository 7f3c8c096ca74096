"""What the system tests need from the environment, and the sources of the program."""

import ast
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.system.sidecar import COMMAND

BRIDGE = Path(__file__).resolve().parents[2] / "bridge"


@pytest.fixture(scope="session", autouse=True)
def _command() -> None:
    if not COMMAND.exists():
        pytest.fail("vaultside is not installed in this environment; scripts/setup test does that")


@pytest.fixture(scope="module")
def trees() -> Mapping[Path, ast.Module]:
    """Every module of the program, parsed: not to be changed."""
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(BRIDGE.rglob("*.py"))}
