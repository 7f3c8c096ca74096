"""What the system tests need from the environment."""

import pytest

from tests.system.sidecar import COMMAND


@pytest.fixture(scope="session", autouse=True)
def _command() -> None:
    if not COMMAND.exists():
        pytest.fail("vaultside is not installed in this environment; scripts/setup test does that")
