"""Fixtures shared by the tests of several packages."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

from bridge.data_folder import default_models_dir
from bridge.models.catalogue import DEFAULT_MODEL
from bridge.models.install import install

# Test files are as private as on most machines: some systems let the user's group change new files.
os.umask(0o022)

# No test fails for being slow on a busy machine.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

TESTS = Path(__file__).parent
PLUGIN = TESTS / "plugin"

COVERING = {TESTS / name for name in ("api", "features", "markdown", "vault")}
"""Folders of the tests by which coverage is measured; it nearly doubles the time of a test."""


@pytest.fixture(scope="session")
def models_dir() -> Path:
    """A models folder with the default model, kept between runs; created by the first test that needs it."""
    named = os.environ.get("VAULT_BRIDGE_TEST_MODELS")
    folder = Path(named) if named else default_models_dir()
    install(folder, DEFAULT_MODEL, lambda *_: None)
    return folder


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start with the plugin, whose browser tests take longest; only tests that everyone can run count as coverage."""
    items.sort(key=lambda item: PLUGIN not in item.path.parents)
    for item in items:
        if COVERING.isdisjoint(item.path.parents) or item.get_closest_marker("eval"):
            item.add_marker("no_cover")


@pytest.fixture(autouse=True)
def _not_into_your_trash(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep files that tests delete out of the user's trash."""
    monkeypatch.setattr("bridge.vault.write.trash.has_trash", lambda _: False)
