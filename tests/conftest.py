"""What tests of several packages share."""

import os
from pathlib import Path

import pytest

from bridge.data_folder import default_models_dir
from bridge.models.catalogue import DEFAULT_MODEL
from bridge.models.install import install

# What tests write is as private as on most machines: some have files made that the user's group may change.
os.umask(0o022)

PLUGIN = Path(__file__).with_name("plugin")


@pytest.fixture(scope="session")
def models_dir() -> Path:
    """A models folder with the default model, kept between runs; made by the first test that asks."""
    named = os.environ.get("VAULT_BRIDGE_TEST_MODELS")
    folder = Path(named) if named else default_models_dir()
    install(folder, DEFAULT_MODEL, lambda *_: None)
    return folder


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the plugin, whose browser takes longest; count as covered only what everyone can run."""
    items.sort(key=lambda item: PLUGIN not in item.path.parents)
    for item in items:
        if item.get_closest_marker("eval"):
            item.add_marker("no_cover")


@pytest.fixture(autouse=True)
def _not_into_your_trash(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what tests delete out of the trash of whoever runs them."""
    monkeypatch.setattr("bridge.vault.write.trash.has_trash", lambda _: False)
