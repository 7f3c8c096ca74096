"""Vectors are filled in behind what is written, not beside it."""

from pathlib import Path

import pytest

from bridge.edits import Append
from bridge.engine import Author
from bridge.requests import EditNote
from bridge.types import VaultPath
from tests.engine.conftest import Opened, settled

BEANS = VaultPath("Garden/Beans.md")


@pytest.mark.model
async def test_what_is_changed_again_and_again_is_embedded_when_that_ends(
    vault: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(vault) as bridge:
        engine = bridge.find(None)
        await settled(engine)
        before = engine.store.counted("embedded")
        monkeypatch.setattr("bridge.engine.filling.QUIET_S", 3600)
        monkeypatch.setattr("bridge.engine.filling.LONGEST_S", 3600)
        for turn in range(5):
            await engine.carrying.carry([EditNote(BEANS, (Append(text=f"Day {turn}."),))], Author("test"))
        assert engine.progress().pending_vectors == 1
        monkeypatch.setattr("bridge.engine.filling.QUIET_S", 0)
        engine.parts.filling.wake()
        await settled(engine)
        assert engine.store.counted("embedded") == before + 1
