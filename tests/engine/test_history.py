"""What was changed goes with its vault, and what a crash broke off is whole when the vault opens."""

import time
from pathlib import Path

import pytest

from bridge.data_folder import add_to_vault_list
from bridge.state.change_records import Change
from bridge.state.store import Store
from bridge.types import VaultPath
from bridge.vault.plan import Plan
from bridge.vault.rules import Rules
from bridge.vault.vault import Vault
from bridge.vault.write.handle import DRAFT
from bridge.vault.write.writer import Writer
from tests.engine.conftest import NOTES, PATIENCE_S, Opened, settled, until
from tests.engine.test_host import only
from tests.vault.write.faults import Fault, FaultyDisk, FaultyEntry, Killed
from tests.vault.write.plans import digest, put, together, write_plan

NOTE = "Garden/Beans.md"
OLD = NOTES[NOTE].encode()
NEW = b"Sow in May.\n"


def plan() -> Plan:
    return together(put(NOTE, OLD, NEW), put("Garden/Peas.md", None, b"Sow early.\n"))


async def test_a_vault_that_was_moved_keeps_its_history(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        await settled(only(bridge))
        store, index = only(bridge).store, only(bridge).vault.index
        change = Change(store.journal.next_id(), time.time(), "edit_note")
        write_plan(Writer(Vault(vault, Rules())), plan(), store.journal.begin(change))
        add_to_vault_list(bridge.folders, {only(bridge).id: vault})
        await until(lambda: VaultPath("Garden/Peas.md") in index.notes)
        await until(lambda: index.notes[VaultPath(NOTE)].digest == digest(NEW))
    vault.rename(vault.with_name("Moved"))
    async with opened(vault.with_name("Moved")) as bridge:
        await settled(only(bridge))
        store = only(bridge).store
        found = store.journal.change(change.id)
        assert found is not None
        assert [step.path for step in found.steps] == [NOTE, "Garden/Peas.md"]
        assert store.snapshots.read(digest(OLD)) == OLD


async def test_a_change_that_a_crash_broke_off_is_turned_back_at_the_start(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        await settled(only(bridge))
        state = bridge.folders.state(only(bridge).id)
    store = Store.open(state)
    change = Change(store.journal.next_id(), time.time(), "change_set")
    at = 0
    while (vault / NOTE).read_bytes() == OLD:
        at += 1
        for draft in (vault / "Garden").glob(f"{DRAFT}*"):
            draft.unlink()
        disk = FaultyDisk(Fault("kill", at))
        try:
            write_plan(Writer(Vault(vault, Rules()), disk), plan(), FaultyEntry(store.journal.begin(change), disk))
        except Killed:
            continue
    store.close()
    assert not (vault / "Garden/Peas.md").exists()
    async with opened(vault) as bridge:
        host = only(bridge)
        await settled(host)
        assert (vault / NOTE).read_bytes() == OLD
        assert host.vault.index.notes[VaultPath(NOTE)].digest == digest(OLD)
        assert (host.store.journal.find_unsettled(), host.store.journal.change(change.id)) == ([], None)


async def test_the_history_of_a_note_goes_when_it_is_moved_to_where_it_is_denied(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        bridge.settings_path.write_text('deny = ["Private/**"]\n')
        host = only(bridge)
        await until(lambda: host.files.rules.deny == ("Private/**",))
        await settled(host)
        change = Change(host.store.journal.next_id(), time.time(), "edit_note")
        write_plan(Writer(host.files), put(NOTE, OLD, NEW), host.store.journal.begin(change))
        await until(lambda: host.vault.index.notes[VaultPath(NOTE)].digest == digest(NEW))
        (vault / "Private").mkdir()
        (vault / NOTE).rename(vault / "Private/Beans.md")
        await until(lambda: host.store.journal.change(change.id) is None)
        await until(lambda: host.store.snapshots.read(digest(NEW)) is None)


async def test_a_note_is_followed_into_a_renamed_folder_though_others_say_the_same(
    vault: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    # However late the other half of the move is told.
    monkeypatch.setattr("bridge.engine.moves.LATE_S", PATIENCE_S)
    for name in ("Alike.md", "Same.md"):
        vault.joinpath("Garden", name).write_bytes(NEW)
    async with opened(vault) as bridge:
        await settled(only(bridge))
        store, index = only(bridge).store, only(bridge).vault.index
        change = Change(store.journal.next_id(), time.time(), "edit_note")
        write_plan(Writer(Vault(vault, Rules())), together(put(NOTE, OLD, NEW)), store.journal.begin(change))
        await until(lambda: index.notes[VaultPath(NOTE)].digest == digest(NEW))
        (vault / "Garden").rename(vault / "Plot")
        await until(lambda: (found := store.journal.change(change.id)) is not None and found.now == ("Plot/Beans.md",))
