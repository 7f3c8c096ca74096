"""Many clients that read a vault simultaneously, each in its own way."""

import asyncio
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

from tests.system.agents import ERAS, Caller, agent, plain

Call = tuple[str, Mapping[str, Any]]


def reads(paths: Sequence[str], queries: Sequence[str], chance: random.Random) -> Iterator[Call]:
    """Yield an endless sequence of an agent's calls."""
    while True:
        path, query = chance.choice(paths), chance.choice(queries)
        yield chance.choice(
            (
                ("search", {"query": query}),
                ("search", {"query": query, "mode": "keyword", "limit": 5}),
                ("read_note", {"path": path, "max_chars": 2000}),
                ("note_links", {"path": path}),
                ("related_notes", {"path": path, "limit": 5}),
                ("find_notes", {"folder": path.rpartition("/")[0], "limit": 20}),
                ("list_tags", {}),
            )
        )


def ways(url: str, token: str, clients: int) -> list[AbstractAsyncContextManager[Caller]]:
    """Return this many clients: a third over HTTP, a third over MCP in each era."""
    kinds: list[Callable[[], AbstractAsyncContextManager[Caller]]] = [
        lambda: plain(url, token),
        *(lambda era=era: agent(url, token, era) for era in ERAS),
    ]
    return [kinds[number % len(kinds)]() for number in range(clients)]


async def ask(
    way: AbstractAsyncContextManager[Caller], calls: Iterator[Call], more: Callable[[int], bool]
) -> list[tuple[float, str | None]]:
    """Make calls one after the other while `more` allows; return the seconds and the error of each call."""
    done: list[tuple[float, str | None]] = []
    async with way as caller:
        while more(len(done)):
            operation, arguments = next(calls)
            began, error = time.perf_counter(), None
            try:
                await caller.call(operation, arguments)
            except Exception as failed:  # noqa: BLE001  # every error is counted here
                error = f"{type(failed).__name__}: {failed}"
            done.append((time.perf_counter() - began, error))
    return done


async def crowd(
    url: str, token: str, clients: int, paths: Sequence[str], queries: Sequence[str], more: Callable[[int], bool]
) -> tuple[list[float], list[str]]:
    """Let many clients read simultaneously.

    Args:
        url: The address of the bridge.
        token: Its token.
        clients: How many.
        paths: The notes they read.
        queries: What they search for.
        more: Says whether a client that has made so many calls makes another.

    Returns:
        The seconds of each call, and the errors.
    """
    asking = (
        ask(way, reads(paths, queries, random.Random(number)), more)
        for number, way in enumerate(ways(url, token, clients))
    )
    done = [call for client in await asyncio.gather(*asking) for call in client]
    return [seconds for seconds, _ in done], [error for _, error in done if error is not None]
