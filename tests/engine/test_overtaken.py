"""A change is planned again when another program saves the note between the bridge's reading and its writing."""

from pathlib import Path

import pytest

from bridge.changes.effect import SkippedFile
from bridge.changes.requests.edit_note import EditNote
from bridge.changes.requests.many_notes import RenameTag
from bridge.engine.host import Host
from bridge.engine.transactions import Author
from bridge.errors import ExpectationFailed, NoteChanged
from bridge.markdown.edit.requests import Append
from bridge.types import Digest, VaultPath
from bridge.vault.write.syscalls import SystemCalls, exchange
from tests.engine.conftest import Opened, until
from tests.engine.test_writing import digest

NOTE, OAT = VaultPath("Bread/Rye.md"), VaultPath("Bread/Oat.md")
AGENT = Author("edit_note", client="agent")


def save_before_exchanges(monkeypatch: pytest.MonkeyPatch, place: Path, times: int) -> None:
    """Let a program save a note by a rename before each of the next exchanges of names."""
    saves = iter(range(times))

    def overtaken(one: str, other: str, *, folder: int | None = None) -> bool:
        if (number := next(saves, None)) is not None:
            place.with_name("saving").write_text(f"Saved {number}.\n")
            place.with_name("saving").replace(place)
        return exchange(one, other, folder=folder)

    monkeypatch.setattr(SystemCalls, "exchange", staticmethod(overtaken))


async def test_of_many_notes_those_that_a_program_keeps_saving_are_left_out_and_named(
    vault: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    (vault / NOTE).write_text("Rye. #grain\n")
    (vault / OAT).write_text("Oat. #grain #grain/white\n")
    rename = RenameTag(path=NOTE, tag="grain", to="cereal")
    async with opened(vault) as bridge:
        host = bridge.find(None)
        await until(lambda: host.progress().ready_keyword)
        save_before_exchanges(monkeypatch, vault / NOTE, 100)
        with pytest.raises(ExpectationFailed):
            await host.vault.executor.execute([rename], AGENT, expect={"files": 2})
        (vault / NOTE).write_text("Rye. #grain\n")
        await host.vault.indexer.look_at([NOTE])
        made = await host.vault.executor.execute([rename], AGENT)
        assert made.planned.effect.skipped == (
            SkippedFile(NOTE, "Another program saved it meanwhile. Repeat the change for it."),
        )
        assert (made.counts["files"], dict(made.planned.effect.occurrences)) == (1, {OAT: 2})
        assert (vault / OAT).read_text() == "Oat. #cereal #cereal/white\n"
        saved = (vault / NOTE).read_text()
        assert saved.startswith("Saved")
        (change,) = host.store.journal.changes()
        assert [step.path for step in change.steps] == [OAT]
        monkeypatch.undo()
        await host.vault.review.undo([change.id], AGENT)
        assert ((vault / OAT).read_text(), (vault / NOTE).read_text()) == ("Oat. #grain #grain/white\n", saved)


async def append(host: Host, read: Digest | None = None) -> None:
    request = EditNote(NOTE, (Append(text="The agent's."),), read)
    await host.vault.executor.execute([request], AGENT, dry_run=False, expect=None)


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
        assert host.store.journal.find_unsettled() == []
