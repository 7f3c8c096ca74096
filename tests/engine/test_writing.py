"""Changes go through the journal to the disk, the index and whoever listens; and back."""

import asyncio
import hashlib
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace

from bridge.changes.requests.base import Request
from bridge.changes.requests.create_note import CreateNote
from bridge.changes.requests.edit_note import EditNote, SetProperties
from bridge.changes.requests.move_note import DeleteNote, MoveNote
from bridge.engine.bridge import Bridge
from bridge.engine.host import Host
from bridge.engine.transactions import Author, ChangeOutcome
from bridge.errors import (
    BridgeError,
    ChangeConflict,
    ConfirmationRequired,
    ExpectationFailed,
    NoteChanged,
    NoteExists,
    VaultUnreadable,
)
from bridge.events import ChangeRecorded, SentEvent
from bridge.markdown.edit.requests import Append, Edit, InsertUnder, ReplaceText
from bridge.search.model import SearchRequest
from bridge.search.pipeline import search
from bridge.state.change_records import ChangeFilter
from bridge.types import Digest, VaultPath
from tests.engine.conftest import Opened, until

BEANS, RYE, SOURDOUGH = VaultPath("Garden/Beans.md"), VaultPath("Bread/Rye.md"), VaultPath("Bread/Sourdough.md")

AGENT = Author("test", client="agent", session="s1")


async def ready(bridge: Bridge) -> Host:
    host = bridge.find(None)
    await until(lambda: host.progress().ready_keyword)
    return host


async def make(host: Host, *requests: Request, author: Author = AGENT, dry_run: bool = False) -> ChangeOutcome:
    return await host.vault.executor.execute(requests, author, dry_run=dry_run, expect=None)


def append(path: VaultPath, text: str) -> EditNote:
    return EditNote(path, (Append(text=text),))


def digest(file: Path) -> Digest:
    return Digest(hashlib.sha256(file.read_bytes()).hexdigest())


def bytes_of(vault: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(vault)): file.read_bytes()
        for file in sorted(vault.rglob("*"))
        if file.is_file() and ".obsidian" not in file.parts
    }


def folders_of(vault: Path) -> set[str]:
    return {str(folder.relative_to(vault)) for folder in vault.rglob("*") if folder.is_dir()}


async def found(host: Host, words: str) -> list[str]:
    answer = await search(host.vault.sources(), SearchRequest(query=words, mode="keyword"))
    return [hit.path for hit in answer.hits]


def recorded(told: asyncio.Queue[SentEvent]) -> Sequence[ChangeRecorded]:
    events = [told.get_nowait().event for _ in range(told.qsize())]
    return [event for event in events if isinstance(event, ChangeRecorded)]


def ids(host: Host) -> Sequence[str]:
    return [change.id for change in host.vault.review.changes(ChangeFilter(), 100, 0)]


async def test_what_was_written_is_found_when_the_writer_returns(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = await ready(bridge)
        made = await make(host, append(BEANS, "Quinoa likes it dry, says [[Rye]]."))
        assert (vault / BEANS).read_bytes().endswith(b"#garden/beans\n\nQuinoa likes it dry, says [[Rye]].\n")
        assert made.digest == digest(vault / BEANS) == host.vault.index.notes[BEANS].digest
        assert await found(host, "quinoa") == [BEANS]
        assert await host.vault.indexer.look_at([""]) == 0


async def test_a_change_can_be_turned_back_and_made_again(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = await ready(bridge)
        before = bytes_of(vault)
        made = await make(host, append(BEANS, "Quinoa."))
        after = bytes_of(vault)
        assert made.change is not None
        await host.vault.review.undo([made.change.id], AGENT)
        assert bytes_of(vault) == before
        assert host.vault.review.change(made.change.id).state == "undone"
        await host.vault.review.redo(made.change.id, AGENT)
        assert bytes_of(vault) == after
        assert host.vault.review.change(made.change.id).state == "applied"
        assert len(ids(host)) == 3


async def test_turning_back_keeps_what_was_written_since(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = await ready(bridge)
        made = await make(host, append(SOURDOUGH, "Quinoa."))
        await make(
            host, EditNote(SOURDOUGH, (ReplaceText(old="# Sourdough", new="# Levain"),), digest(vault / SOURDOUGH))
        )
        assert made.change is not None
        await host.vault.review.undo([made.change.id], AGENT)
        text = (vault / SOURDOUGH).read_text()
        assert "Levain" in text
        assert "Quinoa" not in text


async def test_turning_back_what_is_not_there_any_more_settles_it(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = await ready(bridge)
        before = bytes_of(vault)
        made = [await make(host, append(BEANS, text)) for text in ("Quinoa.", "Amaranth.")]
        (vault / BEANS).write_bytes(before[BEANS])
        for number, one in enumerate(made):
            assert one.change is not None
            proposed = await host.vault.review.undo([one.change.id], AGENT, dry_run=True)
            assert (proposed.change, host.vault.review.change(one.change.id).state) == (None, "applied")
            undone = await host.vault.review.undo([one.change.id], AGENT)
            assert (undone.change, undone.plan.steps) == (None, ()), number
            assert "Nothing was left to undo" in undone.warnings[0]
            assert host.vault.review.change(one.change.id).state == "undone"
        assert bytes_of(vault) == before


async def test_a_deleted_note_comes_back_though_its_copy_was_edited(vault: Path, opened: Opened) -> None:
    (vault / ".obsidian").mkdir(exist_ok=True)
    (vault / ".obsidian" / "app.json").write_text('{"trashOption": "local"}')
    async with opened(vault) as bridge:
        host = await ready(bridge)
        before = (vault / BEANS).read_bytes()
        made = await make(host, DeleteNote(BEANS, digest(vault / BEANS)))
        copy = vault / ".trash" / "Beans.md"
        copy.write_bytes(b"mine\n")
        assert made.change is not None
        undone = await host.vault.review.undo([made.change.id], AGENT)
        assert ((vault / BEANS).read_bytes(), copy.read_bytes()) == (before, b"mine\n")
        assert undone.warnings == (
            "`.trash/Beans.md` was changed since, and stays; `Garden/Beans.md` says what it said before.",
        )


async def test_turning_back_what_was_changed_again_is_refused_with_both_sides(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = await ready(bridge)
        made = await make(host, append(BEANS, "Quinoa."))
        (vault / BEANS).write_text((vault / BEANS).read_text().replace("Quinoa", "Amaranth"))
        before = bytes_of(vault)
        assert made.change is not None
        with pytest.raises(ChangeConflict) as refused:
            await host.vault.review.undo([made.change.id], AGENT)
        assert "Amaranth" in str(refused.value.facts["conflicts"])
        assert bytes_of(vault) == before
        assert host.vault.review.change(made.change.id).state == "applied"


async def test_a_refused_undo_names_the_later_changes(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = await ready(bridge)
        before = (vault / BEANS).read_bytes()
        first, other = await make(host, append(BEANS, "Quinoa.")), await make(host, CreateNote(VaultPath("New.md")))
        change = EditNote(BEANS, (ReplaceText(old="Quinoa", new="Amaranth"),), digest(vault / BEANS))
        second = await make(host, change)
        assert first.change is not None
        assert second.change is not None
        assert other.change is not None
        with pytest.raises(ChangeConflict, match=second.change.id) as refused:
            await host.vault.review.undo([first.change.id], AGENT)
        assert refused.value.facts["later"] == [second.change.id]
        for change_id in (second.change.id, first.change.id):
            await host.vault.review.undo([change_id], AGENT)
        assert (vault / BEANS).read_bytes() == before


async def test_an_accepted_proposal_that_is_done_already_is_over(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = await ready(bridge)
        made = await make(host, append(BEANS, "One."), author=Author("edit_note", proposes=True))
        assert made.change is not None
        await make(host, append(BEANS, "One."))
        before = bytes_of(vault)
        with bridge.events.subscribe() as told:
            accepted = await host.vault.review.accept(made.change.id, AGENT)
            assert [event.state for event in recorded(told)] == ["expired"]
        assert "the same change was made already, so this proposal is no longer needed" in accepted.warnings[-1]
        assert (host.vault.review.change(made.change.id).state, bytes_of(vault)) == ("expired", before)


async def test_a_new_note_takes_its_folders_away_again(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = await ready(bridge)
        before, folders = bytes_of(vault), folders_of(vault)
        made = await make(host, CreateNote(VaultPath("New/Deep/Note.md"), "Words.", {"tags": ["a"]}))
        assert (vault / "New/Deep/Note.md").read_text() == "---\ntags:\n  - a\n---\nWords.\n"
        assert made.change is not None
        await host.vault.review.undo([made.change.id], AGENT)
        assert (bytes_of(vault), folders_of(vault)) == (before, folders)


async def test_a_move_rewrites_links_and_comes_back(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = await ready(bridge)
        before, folders = bytes_of(vault), folders_of(vault)
        made = await make(host, MoveNote(RYE, VaultPath("Grain/Roggen.md"), digest(vault / RYE)))
        assert "See [[Roggen]] and [[Missing]]." in (vault / SOURDOUGH).read_text()
        assert made.counts == {"files": 2, "links_rewritten": 1, "links_broken": 0}
        assert host.vault.graph is not None
        assert VaultPath("Grain/Roggen.md") in host.vault.index.notes
        assert made.change is not None
        await host.vault.review.undo([made.change.id], AGENT)
        assert (bytes_of(vault), folders_of(vault)) == (before, folders)


async def test_a_picture_moves_without_having_been_read(vault: Path, opened: Opened) -> None:
    (vault / "crumb.png").write_bytes(b"\x89PNG")
    (vault / SOURDOUGH).write_text("![[crumb.png]]\n")
    async with opened(vault) as bridge:
        host = await ready(bridge)
        await make(host, MoveNote(VaultPath("crumb.png"), VaultPath("Pictures/loaf.png")))
        assert (vault / "Pictures/loaf.png").read_bytes() == b"\x89PNG"
        assert (vault / SOURDOUGH).read_text() == "![[loaf.png]]\n"


async def test_a_removed_note_comes_back(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = await ready(bridge)
        before = (vault / RYE).read_bytes()
        made = await make(host, DeleteNote(RYE, digest(vault / RYE)))
        assert not (vault / RYE).exists()
        assert made.counts["links_broken"] == 1
        assert RYE not in host.vault.index.notes
        assert made.change is not None
        await host.vault.review.undo([made.change.id], AGENT)
        assert (vault / RYE).read_bytes() == before
        assert RYE in host.vault.index.notes


async def test_a_stale_digest_is_refused(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = await ready(bridge)
        stale = digest(vault / RYE)
        (vault / RYE).write_text("Somebody was faster.\n")
        with pytest.raises(NoteChanged) as refused:
            await make(host, SetProperties(RYE, stale, {"a": 1}))
        assert refused.value.facts["found"] == digest(vault / RYE)
        assert (vault / RYE).read_text() == "Somebody was faster.\n"


async def test_who_is_late_is_told_what_differs_and_offered_a_merge(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = await ready(bridge)
        read = (vault / SOURDOUGH).read_bytes()
        stale = digest(vault / SOURDOUGH)
        host.vault.recent.keep(stale, read)
        (vault / SOURDOUGH).write_bytes(b"First.\n\n" + read)
        late = EditNote(SOURDOUGH, (ReplaceText(old="raises the loaf", new="lifts it"),), stale)
        with pytest.raises(NoteChanged) as refused:
            await make(host, late)
        facts = refused.value.facts
        assert "+First.\n" in str(facts["differs"])
        assert "First." in str(facts["merged_text"])
        assert "lifts it" in str(facts["merged_text"])
        assert (vault / SOURDOUGH).read_bytes() == b"First.\n\n" + read


async def test_several_requests_are_one_change_or_none(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = await ready(bridge)
        before = bytes_of(vault)
        new = VaultPath("Garden/Peas.md")
        with pytest.raises(NoteExists):
            await make(host, append(RYE, "One."), CreateNote(new, "Two."), CreateNote(BEANS, "Three."))
        assert bytes_of(vault) == before
        move = MoveNote(RYE, VaultPath("Rye bread.md"), digest(vault / RYE))
        made = await make(host, append(RYE, "One."), move, append(VaultPath("Rye bread.md"), "Two."))
        assert (vault / "Rye bread.md").read_text().endswith("One.\n\nTwo.\n")
        assert "[[Rye bread]]" in (vault / SOURDOUGH).read_text()
        assert made.change is not None
        await host.vault.review.undo([made.change.id], AGENT)
        assert bytes_of(vault) == before


async def test_an_expectation_that_fails_writes_nothing(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = await ready(bridge)
        before = bytes_of(vault)
        with pytest.raises(ExpectationFailed):
            await host.vault.executor.execute([append(BEANS, "One.")], AGENT, dry_run=False, expect={"files": 2})
        assert (bytes_of(vault), ids(host)) == (before, [])


async def test_a_dry_run_says_the_same_and_writes_nothing(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = await ready(bridge)
        before = bytes_of(vault)
        tried = await make(host, append(BEANS, "One."), dry_run=True)
        assert (bytes_of(vault), ids(host), tried.change) == (before, [], None)
        made = await make(host, append(BEANS, "One."))
        assert (tried.plan, tried.warnings, tried.would) == (made.plan, made.warnings, made.would)
        # The digest of what would be is refused by the call itself.
        assert tried.digest == hashlib.sha256(before[BEANS]).hexdigest() != made.digest


async def test_a_proposal_waits_until_it_is_accepted(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = await ready(bridge)
        before = bytes_of(vault)
        proposing = Author("edit_note", client="agent", proposes=True)
        made = await make(host, append(BEANS, "One."), author=proposing)
        assert made.change is not None
        assert (made.state, bytes_of(vault)) == ("proposed", before)
        await host.vault.review.accept(made.change.id, Author("accept_change"))
        assert (vault / BEANS).read_text().endswith("One.\n")
        accepted = host.vault.review.change(made.change.id)
        assert (accepted.state, accepted.client, accepted.operation) == ("applied", "agent", "edit_note")
        await host.vault.review.undo([made.change.id], AGENT)
        assert bytes_of(vault) == before


async def test_of_those_who_settle_a_change_at_once_one_does(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = await ready(bridge)
        before, review = bytes_of(vault), host.vault.review
        proposed = await make(host, append(BEANS, "Hoe."), author=replace(AGENT, proposes=True))
        assert proposed.change is not None
        id_ = proposed.change.id
        for several in (
            (review.accept(id_, AGENT), review.reject(id_), review.accept(id_, AGENT)),
            (review.undo([id_], AGENT), review.undo([id_], AGENT)),
            (review.redo(id_, AGENT), review.redo(id_, AGENT)),
            (review.undo([id_], AGENT), review.undo([id_], AGENT)),
        ):
            first, *others = await asyncio.gather(*several, return_exceptions=True)
            assert not isinstance(first, BaseException)
            assert [type(other) for other in others] == [ChangeConflict] * len(others)
        assert bytes_of(vault) == before


async def test_a_rejected_proposal_is_over(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = await ready(bridge)
        made = await make(host, append(BEANS, "One."), author=Author("edit_note", proposes=True))
        assert made.change is not None
        with bridge.events.subscribe() as told:
            assert (await host.vault.review.reject(made.change.id)).state == "rejected"
            assert [event.state for event in recorded(told)] == ["rejected"]
        with pytest.raises(ChangeConflict):
            await host.vault.review.accept(made.change.id, AGENT)


async def test_a_proposal_past_its_time_has_expired_whoever_asks(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = await ready(bridge)
        before = bytes_of(vault)
        made = await make(host, append(BEANS, "One."), author=Author("edit_note", proposes=True))
        assert made.change is not None
        late = replace(made.change, expires=time.time() - 1)
        for decide in (partial(host.vault.review.accept, author=AGENT), host.vault.review.reject):
            host.store.journal.propose(late, made.plan.blobs)
            with bridge.events.subscribe() as told:
                with pytest.raises(ChangeConflict, match="expired"):
                    await decide(late.id)
                assert [event.state for event in recorded(told)] == ["expired"]
        assert (host.vault.review.change(late.id).state, bytes_of(vault)) == ("expired", before)


async def test_what_expired_while_no_bridge_ran_is_ended_at_the_start(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = await ready(bridge)
        made = await make(host, append(BEANS, "One."), author=Author("edit_note", proposes=True))
        assert made.change is not None
        host.store.journal.propose(replace(made.change, expires=time.time() - 1), made.plan.blobs)
    async with opened(vault) as bridge:
        host = await ready(bridge)
        await until(lambda: host.vault.review.change(ids(host)[0]).state == "expired")


async def test_a_conflict_that_was_looked_at_is_over(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = await ready(bridge)
        made = await make(host, append(BEANS, "One."))
        assert made.change is not None
        host.store.journal.set_state(made.change.id, "conflict")
        assert (await host.vault.review.reject(made.change.id, by_user=True)).state == "rejected"


async def test_a_proposed_undo_is_settled_when_it_is_accepted(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = await ready(bridge)
        before = bytes_of(vault)
        made = await make(host, append(BEANS, "One."))
        assert made.change is not None
        proposed = await host.vault.review.undo([made.change.id], Author("undo_change", proposes=True))
        assert proposed.change is not None
        assert host.vault.review.change(made.change.id).state == "applied"
        await host.vault.review.accept(proposed.change.id, AGENT)
        assert (bytes_of(vault), host.vault.review.change(made.change.id).state) == (before, "undone")


async def test_a_session_is_turned_back_as_one(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = await ready(bridge)
        before = bytes_of(vault)
        other = Author("test", session="s2")
        await make(host, append(BEANS, "One."))
        await make(host, append(RYE, "Other."), author=other)
        await make(host, append(BEANS, "Two."))
        await make(host, MoveNote(BEANS, VaultPath("Garden/Broad beans.md"), digest(vault / BEANS)))
        made = host.vault.review.of_session("s1", "applied")
        await host.vault.review.undo([change.id for change in made], other)
        left = bytes_of(vault)
        assert left.pop(RYE) != before.pop(RYE)
        assert left == before
        assert host.vault.review.of_session("s1", "applied") == []


async def test_a_large_change_must_be_confirmed(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = await ready(bridge)
        large = CreateNote(VaultPath("Large.md"), "word " * 300_000)
        with pytest.raises(ConfirmationRequired):
            await make(host, large)
        assert not (vault / "Large.md").exists()
        await make(host, large, author=Author("test", confirmed=True))
        assert (vault / "Large.md").exists()


async def test_nothing_is_written_where_a_disk_is_not_mounted(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = await ready(bridge)
        mounted = vault.rename(vault.with_name("unmounted"))
        vault.mkdir()
        with pytest.raises(VaultUnreadable):
            await make(host, CreateNote(VaultPath("New.md"), "Beans."))
        assert list(vault.iterdir()) == []
        vault.rmdir()
        mounted.rename(vault)
        await make(host, CreateNote(VaultPath("New.md"), "Beans."))
        assert (vault / BEANS).exists()


async def test_many_writers_lose_nothing(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = await ready(bridge)

        async def write(number: int) -> None:
            await make(host, append([BEANS, RYE][number % 2], f"Line {number}."))

        await asyncio.gather(*map(write, range(24)))
        text = (vault / BEANS).read_text() + (vault / RYE).read_text()
        assert all(f"Line {number}.\n" in text for number in range(24))
        assert len(ids(host)) == 24


async def test_a_caller_that_goes_away_leaves_no_half_change(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = await ready(bridge)
        for turns in range(12):
            before = bytes_of(vault)
            task = asyncio.create_task(make(host, append(BEANS, f"Line {turns}.")))
            for _ in range(turns):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await host.vault.writing.close()
            assert not host.store.journal.find_unsettled()
            written = bytes_of(vault) != before
            assert written == (len(ids(host)) > 0 and f"Line {turns}.\n" in (vault / BEANS).read_text())


@pytest.mark.parametrize("edit", [InsertUnder(heading="Nowhere", text="x"), ReplaceText(old="nowhere", new="x")])
async def test_what_cannot_be_done_is_refused_and_leaves_no_trace(vault: Path, opened: Opened, edit: Edit) -> None:
    async with opened(vault) as bridge:
        host = await ready(bridge)
        before = bytes_of(vault)
        with pytest.raises(BridgeError):
            await make(host, EditNote(BEANS, (edit,), digest(vault / BEANS)))
        assert (bytes_of(vault), ids(host)) == (before, [])


async def test_a_folder_comes_back_over_empty_ones(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = await ready(bridge)
        before = bytes_of(vault)
        made = await make(host, MoveNote(VaultPath("Garden"), VaultPath("Plot")))
        (vault / "Garden" / "Old").mkdir(parents=True)
        assert made.change is not None
        await host.vault.review.undo([made.change.id], AGENT)
        assert bytes_of(vault) == before
        assert folders_of(vault) == {".obsidian", "Bread", "Garden"}
        made = await make(host, MoveNote(VaultPath("Garden"), VaultPath("Plot")))
        (vault / "Garden").mkdir()
        (vault / "Garden" / ".hidden").write_bytes(b"kept")
        before = bytes_of(vault)
        assert made.change is not None
        with pytest.raises(BridgeError):
            await host.vault.review.undo([made.change.id], AGENT)
        assert bytes_of(vault) == before
