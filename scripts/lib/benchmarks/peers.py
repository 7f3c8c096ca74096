"""Measures the bridge beside other servers of notes over MCP stdio, by keyword, each on its own copy of the vault."""

import asyncio
import os
import random
import shutil
import statistics
import subprocess
import threading
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import psutil
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from scripts.lib.benchmarks.measures import Place
from scripts.lib.benchmarks.questions import questions
from scripts.lib.benchmarks.rows import Measurements, Row, percentile
from tests.system.sidecar import COMMAND

MARKS = 5
"""Notes with a word of their own, spread over the vault; when all are found, all notes are."""

ASKED = 120
EDITS = 5
PATIENCE_S = 600.0

IDLE, IDLE_S = 0.1, 3.0
"""Share of a processor below which a server is idle, and the seconds for which that is measured."""


@dataclass(frozen=True, slots=True)
class Peer:
    """A server and how it is used; `{vault}` and `{home}` stand for its folders."""

    name: str
    serve: tuple[str, ...]
    search: tuple[str, Mapping[str, Any], str]
    """The tool, its fixed arguments, and the argument of the query."""
    set_up: tuple[str, ...] = ()
    update: tuple[str, ...] = ()
    """A command that has it read changed notes, if it does not by itself."""
    end: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)

    def installed(self) -> bool:
        """Return whether its command is on the path."""
        return shutil.which(self.serve[0]) is not None


OURS = Peer(
    "vaultside",
    (str(COMMAND), "mcp", "{vault}", "--data-dir", "{home}/data", "--models-dir", "{home}/models"),
    ("search", {"limit": 10, "mode": "keyword"}, "query"),
    end=(str(COMMAND), "stop", "--data-dir", "{home}/data"),
)
PEERS = (
    Peer(
        "qmd",
        ("qmd", "mcp"),
        ("query", {"limit": 10, "rerank": False}, "searches"),
        ("qmd", "collection", "add", "{vault}", "--name", "vault"),
        ("qmd", "update"),
    ),
    Peer(
        "basic-memory",
        ("basic-memory", "mcp"),
        ("search_notes", {"project": "vault", "search_type": "text", "page_size": 10}, "query"),
        ("basic-memory", "project", "add", "vault", "{vault}", "--default"),
        env={"BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED": "false", "BASIC_MEMORY_AUTO_UPDATE": "false"},
    ),
)


@dataclass(frozen=True, slots=True)
class Figures:
    """What is measured of one server."""

    cold_s: float
    cold_processor_s: float
    warm_s: float
    p50_ms: float
    p95_ms: float
    edit_s: float
    peak_mb: float


SHOWN = {
    "cold_s": ("cold start to keyword answers over all notes", "s"),
    "cold_processor_s": ("processor time until then", "s"),
    "warm_s": ("warm start to the first answer", "s"),
    "p50_ms": ("keyword search, p50", "ms"),
    "p95_ms": ("keyword search, p95", "ms"),
    "edit_s": (f"saved edit → found, median of {EDITS}", "s"),
    "peak_mb": ("memory at the peak", "MB"),
}


def measure_peers(place: Place, found: Measurements) -> None:
    """Measure the bridge and every installed peer, and print how their figures compare."""
    installed = [peer for peer in PEERS if peer.installed()]
    asked = questions(place.vault, ASKED, seed=11)
    figures: dict[str, Figures] = {}
    for peer in (OURS, *installed):
        home = place.data.with_name(f"{peer.name}-home")
        shutil.copytree(place.vault, home / "vault", symlinks=True)
        figures[peer.name] = asyncio.run(Server(peer, home).measure(asked))
    for name, own in figures.items():
        for attribute, (what, unit) in SHOWN.items():
            value = getattr(own, attribute)
            ratio = getattr(figures[OURS.name], attribute) / value if value else 0.0
            note = "" if name == OURS.name else f"the bridge: {ratio:.2f} ×"
            found.add(Row(f"{name}: {what}", value, unit, note=note))


class Server:
    """One server on a vault of its own."""

    def __init__(self, peer: Peer, home: Path) -> None:
        self._peer = peer
        self._home = home
        self._vault = home / "vault"
        self._env = {**os.environ, **peer.env, "HOME": str(home)}

    async def measure(self, asked: list[str]) -> Figures:
        """Measure the first start, the second one, searches and edits."""
        chance = random.Random(19)
        marks = [self._write_mark(chance) for _ in range(MARKS)]
        with Usage(self._home) as usage:
            began = time.perf_counter()
            self._run(self._peer.set_up)
            async with self._session() as session:
                for mark in marks:
                    await self._wait_found(session, mark)
                cold, spent = time.perf_counter() - began, usage.processor_seconds()
                await wait_idle(usage)
            self._run(self._peer.end)
            began = time.perf_counter()
            async with self._session() as session:
                await self._wait_found(session, marks[0])
                warm = time.perf_counter() - began
                seconds = [await self._time_search(session, query) for query in asked]
                edits = [await self._time_edit(session, chance) for _ in range(EDITS)]
            self._run(self._peer.end)
        return Figures(
            cold,
            spent,
            warm,
            1000 * percentile(seconds, 0.5),
            1000 * percentile(seconds, 0.95),
            statistics.median(edits),
            usage.peak_mb,
        )

    def _write_mark(self, chance: random.Random) -> str:
        """Write a note with a word that no other has, and return the word."""
        mark = f"zqx{chance.randrange(10**9)}kw"
        folder = chance.choice([path for path in self._vault.rglob("*.md") if path.is_file()]).parent
        (folder / f"Mark {mark[3:6]}.md").write_text(f"# Mark\n\nThe word is {mark}.\n", encoding="utf-8")
        return mark

    def _run(self, command: tuple[str, ...]) -> None:
        if command:
            subprocess.run(self._fill(command), env=self._env, cwd=self._home, check=True, capture_output=True)

    def _fill(self, command: tuple[str, ...]) -> list[str]:
        return [word.format(vault=self._vault, home=self._home) for word in command]

    @asynccontextmanager
    async def _session(self) -> AsyncIterator[ClientSession]:
        entry, *arguments = self._fill(self._peer.serve)
        server = StdioServerParameters(command=entry, args=arguments, env=self._env, cwd=self._home)
        with (self._home / "errors.log").open("a") as errors:
            async with stdio_client(server, errlog=errors) as (read, write), ClientSession(read, write) as session:
                await session.initialize()
                yield session

    async def _search(self, session: ClientSession, query: str) -> str:
        tool, fixed, argument = self._peer.search
        value = [{"type": "lex", "query": query}] if argument == "searches" else query
        answer = await session.call_tool(tool, {**fixed, argument: value})
        return "\n".join(getattr(block, "text", "") for block in answer.content)

    async def _wait_found(self, session: ClientSession, mark: str, name: str = "") -> None:
        """Search until an answer names the note with a word."""
        deadline = time.perf_counter() + PATIENCE_S
        while time.perf_counter() < deadline:
            if (name or f"Mark {mark[3:6]}").casefold() in _plain(await self._search(session, mark)):
                return
            await asyncio.sleep(0.02)
        raise TimeoutError(f"{self._peer.name} did not find a note within {PATIENCE_S:.0f} s")

    async def _time_search(self, session: ClientSession, query: str) -> float:
        began = time.perf_counter()
        await self._search(session, query)
        return time.perf_counter() - began

    async def _time_edit(self, session: ClientSession, chance: random.Random) -> float:
        note = chance.choice(sorted(self._vault.rglob("Mark *.md")))
        mark = f"zqx{chance.randrange(10**9)}kw"
        with note.open("a", encoding="utf-8") as file:
            file.write(f"\nAnother word is {mark}.\n")
        began = time.perf_counter()
        self._run(self._peer.update)
        await self._wait_found(session, mark, note.stem)
        return time.perf_counter() - began


async def wait_idle(usage: "Usage") -> None:
    """Wait until the server has finished what it goes on with after its first answers."""
    before = -1.0
    while usage.processor_seconds() - before > IDLE * IDLE_S:
        before = usage.processor_seconds()
        await asyncio.sleep(IDLE_S)


def _plain(text: str) -> str:
    """Return an answer in lower case, with spaces where names in addresses have other signs."""
    return text.casefold().replace("-", " ").replace("_", " ")


class Usage:
    """Samples the processes that work in a home folder, also those that outlive their parents."""

    def __init__(self, home: Path) -> None:
        self._home = str(home)
        self._seconds: dict[int, float] = {}
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)
        self.peak_mb = 0.0

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()

    def processor_seconds(self) -> float:
        """Return the processor time of all of them so far."""
        return sum(self._seconds.values())

    def _sample(self) -> None:
        while not self._stopped.wait(0.1):
            memory = 0.0
            for process in psutil.process_iter():
                try:
                    if process.pid != os.getpid() and process.environ().get("HOME") == self._home:
                        self._seconds[process.pid] = sum(process.cpu_times()[:2])
                        memory += process.memory_info().rss / 1e6
                except psutil.Error:
                    continue
            self.peak_mb = max(self.peak_mb, memory)
