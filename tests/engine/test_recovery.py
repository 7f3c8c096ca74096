"""While an interrupted change is undone or completed, the vault says so, and not that it is read for the first time."""

import threading
import time
from pathlib import Path

import pytest

from bridge.changes.draft import plan_replacements
from bridge.engine.review import ChangeReview
from bridge.errors import NotReady
from bridge.state.change_records import Change
from bridge.types import VaultPath
from tests.engine.conftest import NOTES, Opened, until

BEANS = VaultPath("Garden/Beans.md")


async def test_a_vault_says_that_an_interrupted_change_comes_first(
    tmp_path: Path, vault: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = NOTES[BEANS].encode()
    plan = plan_replacements({BEANS: (before, b"Another text.\n")})
    async with opened(vault, models=tmp_path / "none") as bridge:
        host = bridge.find(None)
        await until(lambda: host.progress().ready_keyword)
        assert host.progress().trouble is None
        id_ = host.store.journal.next_id()
        host.store.journal.begin(Change(id_, time.time(), "edit_note", steps=tuple(plan.steps))).prepare(plan)
    (vault / BEANS).write_bytes(b"Another text.\n")
    free, recover = threading.Event(), ChangeReview.recover

    def held_up(review: ChangeReview) -> None:
        free.wait()
        recover(review)

    monkeypatch.setattr(ChangeReview, "recover", held_up)
    async with opened(vault, models=tmp_path / "none") as bridge:
        host = bridge.find(None)
        try:
            await until(lambda: "interrupted" in (host.progress().trouble or ""))
            assert host.progress().notes == len(NOTES)
            with pytest.raises(NotReady, match="interrupted"):
                host.vault.require_keyword()
        finally:
            free.set()
        await until(lambda: host.progress().ready_keyword)
        assert host.progress().trouble is None
        assert host.store.journal.find_unsettled() == []
