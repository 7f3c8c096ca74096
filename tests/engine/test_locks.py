"""Changes of the same notes wait for each other; others do not."""

import asyncio
import random

from bridge.engine.path_locks import PathLocks
from bridge.types import VaultPath
from tests.engine.conftest import PATIENCE_S

A, B, C = VaultPath("a.md"), VaultPath("b.md"), VaultPath("c.md")


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


async def test_who_wants_everything_goes_before_those_who_come_later() -> None:
    locks, order = PathLocks(), []

    async def alone() -> None:
        async with locks.hold(None):
            order.append("alone")

    async def later() -> None:
        async with locks.hold([B]):
            order.append("later")

    async with locks.hold([A]):
        tasks = [asyncio.create_task(alone())]
        await asyncio.sleep(0)
        tasks.append(asyncio.create_task(later()))
        await asyncio.sleep(0)
        assert order == []
    await asyncio.gather(*tasks)
    assert order == ["alone", "later"]


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
    async with asyncio.timeout(PATIENCE_S), locks.hold(None):
        pass


async def held(locks: PathLocks, paths: list[VaultPath] | None) -> None:
    async with locks.hold(paths):
        pass


async def test_never_two_at_a_note_and_nobody_is_forgotten() -> None:
    locks, chance = PathLocks(), random.Random(7)
    inside: list[set[VaultPath]] = []
    done = 0

    async def work(paths: list[VaultPath] | None) -> None:
        nonlocal done
        async with locks.hold(paths):
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
