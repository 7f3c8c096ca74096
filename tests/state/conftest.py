"""The tables of all features, as in the bridge, and a clock for the backups."""

import time
from types import SimpleNamespace

import pytest

import bridge.features  # noqa: F401 - with their tables, whichever tests run
from bridge.private_files import modified_at
from bridge.state import store

DAY_S = 86_400.0


@pytest.fixture(autouse=True)
def _noon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the test begin at noon, so that no day ends in it."""
    later = DAY_S / 2 - time.time() % DAY_S
    monkeypatch.setattr(store, "time", SimpleNamespace(time=lambda: time.time() + later, monotonic=time.monotonic))
    monkeypatch.setattr(store, "modified_at", lambda path: modified_at(path) + later)
