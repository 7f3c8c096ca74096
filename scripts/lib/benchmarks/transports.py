"""Measures the overhead of each transport, and what an agent pays in tokens."""

import asyncio
import json
import time
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any

import psutil

from scripts.lib.benchmarks.measures import Place, start_sidecar
from scripts.lib.benchmarks.questions import questions
from scripts.lib.benchmarks.rows import Measurements, Row, latency_rows
from tests.system.agents import ERAS, Caller, Era, agent, piped, plain
from tests.system.sidecar import COMMAND

CALLS = 500
WARM = 20
"""Calls before those that are counted."""

NOTHING: tuple[str, Mapping[str, Any]] = ("list_tags", {"prefix": "no tag begins like this"})
"""An operation that finds at once that there is no result."""

# Counted once with the tokenizer `o200k_base`: schemas are mostly common words, hits mostly paths and marks.
CHARACTERS_A_TOKEN = {"schemas": 4.2, "hits": 3.1}


def measure_transports(place: Place, found: Measurements) -> None:
    """Measure every transport, one call after the other, on an idle vault."""
    with start_sidecar(place) as (client, *_):
        client.wait_all()
        url, token = client.bridge.ready["url"], client.bridge.ready["token"]
        found.add(*asyncio.run(token_rows(url, token, questions(place.vault, 20, seed=9))))
        entry = [str(COMMAND), "mcp", str(place.vault), "--data-dir", str(place.data)]
        ways: dict[str, AbstractAsyncContextManager[Caller]] = {"HTTP": plain(url, token)}
        ways |= {f"MCP {era}": agent(url, token, era) for era in ERAS}
        ways |= {f"MCP {era} through stdio": piped(entry, era) for era in ERAS}
        process = psutil.Process(client.bridge.process.pid)
        for name, way in ways.items():
            before = sum(process.cpu_times()[:2])
            found.add(*latency_rows(f"no-op over {name}", asyncio.run(time_calls(way))))
            spent = 1000 * (sum(process.cpu_times()[:2]) - before) / (CALLS + WARM)
            found.add(Row(f"no-op over {name}, processor time of the bridge", spent, "ms"))
        starts = [asyncio.run(time_start(entry, era)) for era in ERAS * 5]
        found.add(Row("stdio entry: usable after, median of 10", sorted(starts)[len(starts) // 2], "s", 0.4))


async def time_calls(way: AbstractAsyncContextManager[Caller]) -> list[float]:
    """Return the seconds of each call; the first few are not counted."""
    seconds = []
    async with way as caller:
        for _ in range(CALLS + WARM):
            began = time.perf_counter()
            await caller.call(*NOTHING)
            seconds.append(time.perf_counter() - began)
    return seconds[WARM:]


async def time_start(entry: list[str], era: Era) -> float:
    """Return the seconds from the start of the entry to its first list of tools."""
    began = time.perf_counter()
    async with piped(entry, era) as caller:
        await caller.ask("tools/list", {})
        return time.perf_counter() - began


async def token_rows(url: str, token: str, asked: list[str]) -> list[Row]:
    """Estimate the tokens of the list of tools and of results with ten hits."""
    async with agent(url, token, "2026-07-28") as caller:
        tools = (await caller.ask("tools/list", {}))["tools"]
        answers = [await caller.call("search", {"query": query, "limit": 10}) for query in asked]
    schemas = json.dumps(tools, ensure_ascii=False, separators=(",", ":"))
    return [
        Row("tools offered by default", len(tools), ""),
        Row("tools/list, default preset", estimate_tokens("schemas", schemas), "tokens", 2500),
        Row(
            "ten hits, the longest of 20 answers",
            max(estimate_tokens("hits", answer) for answer in answers),
            "tokens",
            800,
        ),
    ]


def estimate_tokens(kind: str, text: str) -> float:
    """Estimate how many tokens a text costs its reader."""
    return len(text) / CHARACTERS_A_TOKEN[kind]
