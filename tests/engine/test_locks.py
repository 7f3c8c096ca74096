"""Changes of the same notes wait for each other; others do not."""

import asyncio
import random

import pytest

from bridge.engine import transactions
from bridge.engine.transactions import PathLocks
from bridge.types import VaultPath
from tests.engine.conftest import PATIENCE_S

A, B, C = VaultPath("a.md"), VaultPath("b.md"), VaultPath("c.md")
FOLDER, IN_FOLDER = VaultPath("Garden"), VaultPath("Garden/Beans.md")


async def test_who_holds_different_notes_does_not_wait() -> None:
    locks = PathLocks()
    async with locks.hold([A]), locks.hold([B, C]):
        pass


async def test_who_wants_a_held_note_waits_for_it() -> None:
    locks, order = PathLocks(), []

    async def second() -> None:
        async with locks.hold([B, A]):
            order.append("second")

    async with locks.hold([A]):
        task = asyncio.create_task(second())
        await asyncio.sleep(0)
        async with locks.hold([B]):
            order.append("first")
    await task
    assert order == ["first", "second"]


async def test_who_may_need_any_note_is_in_nobodys_way_until_it_claims_some() -> None:
    locks, order = PathLocks(), []

    async def later(path: VaultPath) -> None:
        async with locks.hold([path]):
            order.append(path)

    async with locks.hold(None, "move_note") as wide:
        locks.choose(wide)
        async with locks.hold([IN_FOLDER]):
            claiming = asyncio.create_task(locks.claim(wide, [FOLDER]))
            await asyncio.sleep(0)
            tasks = [asyncio.create_task(later(path)) for path in (IN_FOLDER, B)]
            await asyncio.sleep(0)
            assert order == [B]
            assert wide.passed == {IN_FOLDER, B}
            assert not claiming.done()
        await claiming
        assert order == [B]
    await asyncio.gather(*tasks)
    assert order == [B, IN_FOLDER]


async def test_of_those_who_may_need_any_note_there_is_one_at_a_time() -> None:
    locks = PathLocks()
    async with locks.hold(None):
        second = asyncio.create_task(held(locks, None))
        await asyncio.sleep(0)
        assert not second.done()
    await second


async def test_a_dry_run_waits_for_changes_and_nobody_for_it() -> None:
    locks = PathLocks()
    async with locks.hold(None) as wide:
        locks.choose(wide)
        async with locks.hold([A], dry_run=True), locks.hold([A]):
            waiting = [asyncio.create_task(held(locks, paths, dry_run=True)) for paths in ([A], None)]
            await asyncio.sleep(0)
            assert wide.passed == {A}
            assert not any(task.done() for task in waiting)
    await asyncio.gather(*waiting)
    async with locks.hold(None, dry_run=True), locks.hold([A], dry_run=True), locks.hold(None) as wide:
        locks.choose(wide)
        assert wide.passed == set()


async def test_who_waited_long_is_told_for_what(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transactions, "LONG_S", 0)
    locks = PathLocks()

    async def second() -> str:
        async with locks.hold([A, B]) as hold:
            return hold.waited

    async with locks.hold([A], "rename_tag"):
        task = asyncio.create_task(second())
        await asyncio.sleep(0)
    assert await task == "It waited 0 s for another change to end: `rename_tag`."


async def test_who_gives_up_waiting_is_in_nobodys_way() -> None:
    locks = PathLocks()
    async with locks.hold([A]):
        waiting = [asyncio.create_task(held(locks, None)), asyncio.create_task(held(locks, [A]))]
        await asyncio.sleep(0)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        async with locks.hold([B]):
            pass
    async with asyncio.timeout(PATIENCE_S), locks.hold(None) as wide:
        await locks.claim(wide, None)


async def held(locks: PathLocks, paths: list[VaultPath] | None, *, dry_run: bool = False) -> None:
    async with locks.hold(paths, dry_run=dry_run):
        pass


async def test_never_two_at_a_note_and_nobody_is_forgotten() -> None:
    locks, chance = PathLocks(), random.Random(7)
    inside: list[set[VaultPath]] = []
    done = 0

    async def work(paths: list[VaultPath] | None) -> None:
        nonlocal done
        async with locks.hold(paths) as hold:
            if paths is None:
                await locks.claim(hold, None)
            mine = {A, B, C} if paths is None else set(paths)
            assert all(mine.isdisjoint(other) for other in inside)
            inside.append(mine)
            for _ in range(chance.randrange(4)):
                await asyncio.sleep(0)
            inside.remove(mine)
            done += 1

    wishes = [chance.choice([None, [A], [B], [A, B], [B, C], [C, A]]) for _ in range(300)]
    async with asyncio.timeout(PATIENCE_S):
        await asyncio.gather(*(work(wish) for wish in wishes))
    assert done == len(wishes)
