"""Measures what one change of a note costs its caller, and where the time goes."""

import asyncio
import random
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from dataclasses import replace
from functools import wraps
from typing import Any
from unittest.mock import patch

from bridge.changes.requests.edit_note import EditNote
from bridge.engine.bridge import Bridge
from bridge.engine.indexer import Indexer
from bridge.engine.link_graph import LinkResolver
from bridge.engine.transactions import Author
from bridge.index.index import Index
from bridge.markdown.edit.requests import Append
from bridge.state.journal import Journal
from bridge.types import VaultPath
from bridge.vault.write.writer import Writer
from scripts.lib.benchmarks.client import Client
from scripts.lib.benchmarks.measures import Place, start_sidecar
from scripts.lib.benchmarks.rows import Measurements, Row, latency_rows, percentile
from tests.engine.conftest import until

EDITS = 100
WARM = 20
"""Edits before those that are counted."""
ALONE = 60
"""Edits after each of which everything comes to rest."""

PARTS: dict[str, tuple[type[Any], str]] = {
    "the plan is checked": (Writer, "check"),
    "the vault and the journal are written": (Writer, "write"),
    "of that: contents and row are kept": (Journal, "prepare"),
    "of that: the row is settled": (Journal, "settle"),
    "the change is taken up": (Indexer, "show"),
    "of that: the index shows it": (Index, "show"),
    "of that: links are resolved": (LinkResolver, "resolve"),
}
"""The methods that are timed; the index is written after them, and a search waits for it."""


def measure_writes(place: Place, found: Measurements) -> None:
    """Measure successive edits over HTTP, without and with a model, and in this process by their parts."""
    plain = replace(place, models=place.data / "none")
    for name, where in (("keyword only", plain), ("with the model", place)):
        with start_sidecar(where) as (client, *_):
            rest = client.wait_keyword if where is plain else client.wait_all
            rest()
            seconds = [time_addition(client, path, text) for path, text in additions(place)]
            alone = []
            for path, text in additions(place)[:ALONE]:
                rest()
                alone.append(time_addition(client, path, f"{text} Alone."))
            searched = [time_search_after(client, path, f"{text} Once more.") for path, text in additions(place)]
        found.add(*latency_rows(f"edit_note, {name}", seconds[WARM:], (15, 50)))
        found.add(*latency_rows(f"edit_note when all has come to rest, {name}", alone, (15, 50)))
        found.add(*latency_rows(f"search keyword right after edit_note, {name}", searched[WARM:]))
    for name, spent in asyncio.run(time_parts(plain)).items():
        found.add(Row(f"edit_note, {name}, p50", 1000 * percentile(spent[WARM:], 0.5), "ms"))


def time_addition(client: Client, path: VaultPath, text: str) -> float:
    """Return the seconds that adding text to a note takes."""
    return client.timed("edit_note", path=path, edits=[{"op": "append", "text": text}])


def time_search_after(client: Client, path: VaultPath, text: str) -> float:
    """Return the seconds that a search takes for a change made just before."""
    time_addition(client, path, text)
    return client.timed("search", query=f'"{text}"', mode="keyword")


def additions(place: Place) -> list[tuple[VaultPath, str]]:
    """Return notes and the text to add to each."""
    chance = random.Random(17)
    notes = sorted(VaultPath(note.relative_to(place.vault).as_posix()) for note in place.vault.rglob("*.md"))
    return [(chance.choice(notes), f"Seen again, for the {number}th time.") for number in range(WARM + EDITS)]


async def time_parts(place: Place) -> dict[str, list[float]]:
    """Return the seconds of each part of each edit, in this process and so without HTTP."""
    spent: dict[str, list[float]] = defaultdict(list)
    bridge = Bridge(place.data, place.models or place.data, [place.vault])
    with ExitStack() as patches:
        await bridge.start()
        try:
            host = bridge.find(None)
            await until(lambda: host.progress().ready_keyword)
            for name, (owner, method) in PARTS.items():
                patches.enter_context(patch.object(owner, method, with_timer(getattr(owner, method), spent[name])))
            for path, text in additions(place):
                began = time.perf_counter()
                await host.vault.executor.execute([EditNote(path, (Append(text=text),))], Author("edit_note"))
                spent["all of it but HTTP"].append(time.perf_counter() - began)
        finally:
            await bridge.stop()
    return spent


def with_timer(method: Callable[..., Any], seconds: list[float]) -> Callable[..., Any]:
    """Return a method that records how long it takes."""
    if asyncio.iscoroutinefunction(method):

        @wraps(method)
        async def awaited(*given: Any, **named: Any) -> Any:
            began = time.perf_counter()
            answer: Awaitable[Any] = await method(*given, **named)
            seconds.append(time.perf_counter() - began)
            return answer

        return awaited

    @wraps(method)
    def called(*given: Any, **named: Any) -> Any:
        began = time.perf_counter()
        answer = method(*given, **named)
        seconds.append(time.perf_counter() - began)
        return answer

    return called
