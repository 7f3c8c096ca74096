"""A change is planned again when another program saves the note between the bridge's reading and its writing."""

from pathlib import Path

import pytest

from bridge.changes.requests.edit_note import EditNote
from bridge.engine.host import Host
from bridge.engine.transactions import Author
from bridge.errors import NoteChanged
from bridge.markdown.edit.requests import Append
from bridge.types import Digest, VaultPath
from bridge.vault.write.syscalls import Disk, exchange
from tests.engine.conftest import Opened, until
from tests.engine.test_writing import digest

NOTE = VaultPath("Bread/Rye.md")
AGENT = Author("edit_note", client="agent")


def save_before_exchanges(monkeypatch: pytest.MonkeyPatch, place: Path, times: int) -> None:
    """Let a program save a note by a rename before each of the next exchanges of names."""
    saves = iter(range(times))

    def overtaken(one: str, other: str, *, folder: int | None = None) -> bool:
        if (number := next(saves, None)) is not None:
            place.with_name("saving").write_text(f"Saved {number}.\n")
            place.with_name("saving").replace(place)
        return exchange(one, other, folder=folder)

    monkeypatch.setattr(Disk, "exchange", staticmethod(overtaken))


async def append(host: Host, read: Digest | None = None) -> None:
    request = EditNote(NOTE, (Append(text="The agent's."),), read)
    await host.vault.executor.carry([request], AGENT, dry_run=False, expect=None)


async def test_an_addition_goes_to_what_was_saved_in_between(
    vault: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(vault) as bridge:
        host = bridge.find(None)
        await until(lambda: host.progress().ready_keyword)
        save_before_exchanges(monkeypatch, vault / NOTE, 1)
        await append(host)
        assert (vault / NOTE).read_text() == "Saved 0.\n\nThe agent's.\n"
        (change,) = host.store.journal.changes()
        assert host.store.snapshots.read(Digest(str(change.steps[0].before))) == b"Saved 0.\n"


async def test_what_was_read_counts_and_a_program_without_rest_is_told(
    vault: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(vault) as bridge:
        host = bridge.find(None)
        await until(lambda: host.progress().ready_keyword)
        save_before_exchanges(monkeypatch, vault / NOTE, 1)
        with pytest.raises(NoteChanged):
            await append(host, digest(vault / NOTE))
        assert (vault / NOTE).read_text() == "Saved 0.\n"
        save_before_exchanges(monkeypatch, vault / NOTE, 100)
        with pytest.raises(NoteChanged):
            await append(host)
        assert (vault / NOTE).read_text().startswith("Saved")
        assert host.store.journal.changes() == []
        assert host.store.journal.unsettled() == []
