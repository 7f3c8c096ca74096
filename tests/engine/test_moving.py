"""Moves and renames on disk, through the host: links follow at once, and all comes back byte by byte."""

import asyncio
import itertools
import threading
from collections.abc import Collection, Iterable
from pathlib import Path
from unicodedata import normalize

import pytest

from bridge.changes.requests.edit_note import EditNote
from bridge.changes.requests.many_notes import RenameHeading
from bridge.changes.requests.move_note import DeleteNote, MoveNote
from bridge.engine.transactions import ChangeWriter
from bridge.markdown.edit.requests import Append
from bridge.types import VaultPath
from bridge.vault.plan import Step
from tests.engine.conftest import PATIENCE_S, Opened
from tests.engine.test_writing import AGENT, BEANS, RYE, SOURDOUGH, bytes_of, digest, folders_of, make, ready


async def test_what_moves_and_is_renamed_in_turn_comes_back_whole(vault: Path, opened: Opened) -> None:
    (vault / "Board.canvas").write_text('{"nodes":[{"type":"file","file":"Bread/Rye.md"}],"edges":[]}')
    (vault / "List.md").write_text("[[Rye#Dough]] [r](Bread/Rye.md#Dough) ![[Bread/Rye|200]]\n\n[x]: ./Bread/Rye.md\n")
    (vault / RYE).write_text("---\nup: '[[Sourdough]]'\n---\n# Dough\n[[#Dough]]\n")
    async with opened(vault) as bridge:
        host = await ready(bridge)
        before, folders = bytes_of(vault), folders_of(vault)
        loaf, cased, spelt = map(VaultPath, ("Grain/Loaves/Rye.md", "Grain/Loaves/RYE.md", "Spelt.md"))
        made = [
            await make(host, MoveNote(VaultPath("Bread"), VaultPath("Grain/Loaves"))),
            await make(host, RenameHeading(loaf, "Dough", "Paste", digest(vault / loaf))),
            await make(host, MoveNote(loaf, cased, digest(vault / loaf))),
            await make(host, MoveNote(cased, spelt, digest(vault / cased))),
        ]
        assert (vault / "Board.canvas").read_text() == '{"nodes":[{"type":"file","file":"Spelt.md"}],"edges":[]}'
        links = "[[Spelt#Paste]] [r](Spelt.md#Paste) ![[Spelt|200]]\n\n[x]: ./Spelt.md\n"
        assert (vault / "List.md").read_text() == links
        assert (vault / "Spelt.md").read_text() == "---\nup: '[[Sourdough]]'\n---\n# Paste\n[[#Paste]]\n"
        for one in reversed(made):
            assert one.change is not None
            await host.vault.review.undo([one.change.id], AGENT)
        assert (bytes_of(vault), folders_of(vault)) == (before, folders)


async def test_requests_of_one_change_see_what_earlier_ones_moved(vault: Path, opened: Opened) -> None:
    async with opened(vault) as bridge:
        host = await ready(bridge)
        before = bytes_of(vault)
        new, newer = VaultPath("Grain/Roggen.md"), VaultPath("Grain/Korn.md")
        said = digest(vault / RYE)
        made = await make(
            host,
            EditNote(BEANS, (Append(text="See [[Rye]]."),)),
            MoveNote(RYE, new, said),
            MoveNote(new, newer, said),
        )
        assert "See [[Korn]]." in (vault / BEANS).read_text()
        assert "See [[Korn]] and [[Missing]]." in (vault / SOURDOUGH).read_text()
        assert made.change is not None
        await host.vault.review.undo([made.change.id], AGENT)
        assert bytes_of(vault) == before


async def test_moves_that_wait_for_each_other_see_what_the_earlier_ones_rewrote(vault: Path, opened: Opened) -> None:
    (vault / "List.md").write_text("[[Bread/Rye]]\n")
    places = [*map(VaultPath, ("Bread", "Grain", "Flour", "Loaves"))]
    async with opened(vault) as bridge:
        host = await ready(bridge)
        moves = itertools.pairwise(places)
        await asyncio.gather(*(make(host, MoveNote(path, to)) for path, to in moves))
    assert (vault / "List.md").read_text() == "[[Loaves/Rye]]\n"


@pytest.mark.parametrize("name", ["Żółw", "が", "한글", "Phở bò", "ज़मीन"])
async def test_names_come_back_as_the_disk_had_them(vault: Path, opened: Opened, name: str) -> None:
    composed, spelled = normalize("NFC", name), normalize("NFD", name)
    path = VaultPath(f"{composed}/{composed}.md")
    (vault / spelled).mkdir()
    (vault / spelled / f"{spelled}.md").write_text("Text.\n")
    async with opened(vault) as bridge:
        host = await ready(bridge)
        before, folders = bytes_of(vault), folders_of(vault)
        assert f"{spelled}/{spelled}.md" in before
        for request in (
            MoveNote(path, VaultPath("Else/Turtle.md"), digest(vault / spelled / f"{spelled}.md")),
            MoveNote(VaultPath(composed), VaultPath("Turtles")),
            MoveNote(path, VaultPath(f"Else/{composed}.md"), digest(vault / spelled / f"{spelled}.md")),
            DeleteNote(path, digest(vault / spelled / f"{spelled}.md")),
        ):
            made = await make(host, request)
            assert made.change is not None
            assert bytes_of(vault) != before
            await host.vault.review.undo([made.change.id], AGENT)
            assert (bytes_of(vault), folders_of(vault)) == (before, folders)
            again = await host.vault.review.redo(made.change.id, AGENT)
            assert again.change is not None
            assert bytes_of(vault) != before
            await host.vault.review.undo([again.change.id], AGENT)
            assert (bytes_of(vault), folders_of(vault)) == (before, folders)


async def test_who_chose_notes_compares_them_with_what_others_lock_meanwhile(
    vault: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, free, compared = threading.Event(), threading.Event(), list[set[VaultPath]]()
    touches = ChangeWriter._touches_links

    def compare_slowly(writing: ChangeWriter, steps: Iterable[Step], passed: Collection[VaultPath]) -> bool:
        compared.append({*passed})
        begun.set()
        free.wait(PATIENCE_S)
        return touches(writing, steps, passed)

    async with opened(vault) as bridge:
        host = await ready(bridge)
        monkeypatch.setattr(ChangeWriter, "_touches_links", compare_slowly)
        locks = host.vault.writing._locks
        async with locks.hold([VaultPath("One.md")]):
            moving = asyncio.create_task(
                host.vault.executor.execute([MoveNote(RYE, VaultPath("Moved.md"), digest(vault / RYE))], AGENT)
            )
            await asyncio.to_thread(begun.wait, PATIENCE_S)
            async with locks.hold([VaultPath("Other.md")]):
                free.set()
                assert (await moving).state == "applied"
    assert compared == [{"One.md"}, {"Other.md"}]
