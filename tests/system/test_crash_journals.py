"""Killed while agents work, the bridge has kept what they handed over, and every journal is whole."""

import asyncio
import os
import random
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from bridge.markdown.parse import parse
from bridge.types import VaultPath
from tests.system.agents import agent, piped
from tests.system.entry import words
from tests.system.sidecar import PATIENCE_S, Sidecar, outliving, serving
from tests.system.vaults import everything

NOTES = tuple(f"Folder/Note {number}.md" for number in range(6))
ROUNDS, SEED = int(os.environ.get("KILLS", "3")), int(os.environ.get("SEED", "7"))


@dataclass(slots=True)
class Worker:
    """An agent that works until the bridge is gone, and what it was told."""

    number: int
    noted: list[str] = field(default_factory=list)
    calls: int = 0
    """How many were answered."""

    async def work(self, ready: dict[str, Any], chance: random.Random) -> None:
        with suppress(Exception):
            async with agent(ready["url"], ready["token"], "2025-11-25") as caller:
                for step in range(10_000):
                    text = f"fact {ready['pid']} {self.number} {step}."
                    path = chance.choice(NOTES)
                    match chance.randrange(4):
                        case 0:
                            await caller.call("save_session", {"outcomes": [text]})
                            self.noted.append(text)
                        case 1:
                            edit = {"op": "append", "text": text}
                            await caller.call("edit_note", {"path": path, "edits": [edit], "reason": "Test"})
                        case 2:
                            await caller.call("save_session", {"goal": f"Goal {step}", "problems": [text]})
                            self.noted.append(text)
                        case _:
                            await caller.call("read_note", {"path": path})
                    self.calls += 1


async def crash(bridge: Sidecar, data: Path, chance: random.Random) -> tuple[list[Worker], int]:
    """Let two agents work and kill the bridge meanwhile; return them, and how many of their calls it must have kept."""
    began = time.time()
    workers = [Worker(number) for number in range(2)]
    tasks = [asyncio.create_task(worker.work(bridge.ready, chance)) for worker in workers]
    wanted, more = chance.randrange(1, 30), chance.randrange(10)

    async def answered(enough: int) -> int:
        while (calls := sum(worker.calls for worker in workers)) < enough and not all(task.done() for task in tasks):
            await asyncio.sleep(0.01)
        return calls

    kept = await answered(wanted)
    # Calls are gathered for a moment before they are written; nobody has to ask for it.
    async with asyncio.timeout(PATIENCE_S):
        while await asyncio.to_thread(logged, data, began) < kept:
            await asyncio.sleep(0.01)
    await answered(kept + more)
    bridge.kill()
    await asyncio.gather(*tasks)
    return workers, kept


def logged(data: Path, began: float) -> int:
    """Count the calls on the disk since a moment; in a copy, since the bridge lets nobody else in.

    It may be fewer than there are, while they are being written.
    """
    (state,) = data.glob("vaults/*/state.sqlite")
    with tempfile.TemporaryDirectory() as folder, suppress(FileNotFoundError, sqlite3.DatabaseError):
        for file in (state, state.with_name(f"{state.name}-wal")):
            if file.exists():
                shutil.copy(file, folder)
        with closing(sqlite3.connect(Path(folder, state.name))) as connection:
            return int(connection.execute("SELECT count(*) FROM call WHERE time >= ?", (began,)).fetchone()[0])
    return 0


def sessions(bridge: Sidecar) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = bridge.call("list_sessions", client="agents", limit=500)["sessions"]
    return found


def test_a_kill_leaves_whole_journals_with_all_that_was_acknowledged(tmp_path: Path) -> None:
    vault, data, chance = tmp_path / "vault", tmp_path / "data", random.Random(SEED)
    (data / "settings.toml").parent.mkdir(parents=True)
    (data / "settings.toml").write_text("[sessions]\njournal_after_s = 0\n")
    for name in NOTES:
        (vault / name).parent.mkdir(parents=True, exist_ok=True)
        (vault / name).write_text("# Start\n")
    workers: list[Worker] = []
    kept = 0
    for number in range(ROUNDS):
        bridge = Sidecar.start(vault, data_dir=data, models_dir=tmp_path / "none")
        try:
            bridge.wait_ready().wait_indexed(vectors=False)
            if number == 0:
                bridge.call("set_up_memory", templates=False)
            gone, answered = asyncio.run(crash(bridge, data, chance))
            workers += gone
            kept += answered
        finally:
            bridge.close()
    with serving(vault, data_dir=data, models_dir=tmp_path / "none") as bridge:
        bridge.wait_indexed(vectors=False)
        found = sessions(bridge)
        assert {one["status"] for one in found} <= {"incomplete"}
        assert sum(one["calls"] for one in found) >= kept
        bridge.until(lambda: all(journal["status"] == "incomplete" for journal in journals(vault)), "all are complete")
        bridge.until(lambda: names(vault) <= {one["note"] for one in sessions(bridge)}, "every journal is known")
        assert "Traceback" not in bridge.errors()
    # A journal may also be called by what was achieved.
    items = [line for path in files(vault) for line in path.read_text().splitlines() if line.startswith("- ")]
    noted = [fact for worker in workers for fact in worker.noted]
    assert [fact for fact in noted if sum(fact in item for item in items) != 1] == []
    assert noted
    assert [path.name for path in everything(vault) if path.suffix not in {".md", ""}] == []


def files(vault: Path) -> list[Path]:
    """Return the journals, without the drafts of one that is being written."""
    return sorted((vault / "Agents/Sessions").glob("*.md"))


def names(vault: Path) -> set[str]:
    return {path.relative_to(vault).as_posix() for path in files(vault)}


def journals(vault: Path) -> Iterator[dict[str, Any]]:
    """Yield the properties of each journal, all of which must be readable."""
    for path in files(vault):
        note = parse(VaultPath(path.name), path.read_bytes())
        assert note.problems == ()
        assert note.properties["type"] == "journal"
        assert "\n# " in note.text
        yield dict(note.properties)


ENTRIES, KILLED = int(os.environ.get("ENTRIES", "6")), int(os.environ.get("KILLED", "2"))


async def test_entries_that_end_or_are_killed_leave_one_bridge(tmp_path: Path) -> None:
    vault, data = tmp_path / "vault", tmp_path / "data"
    (vault / "Folder").mkdir(parents=True)
    for name in NOTES:
        (vault / name).write_text("# Start\n")
    with serving(vault, data_dir=data, models_dir=tmp_path / "no models") as bridge:
        bridge.wait_indexed(vectors=False)
        bridge.call("set_up_memory", templates=False)
        before = {process.pid for process in psutil.Process(bridge.ready["pid"]).children(recursive=True)}
        own, entries = psutil.Process(), set[psutil.Process]()
        for number in range(ENTRIES):
            here = set(own.children())
            with suppress(Exception):
                async with piped(words(vault, data), "2025-11-25") as caller:
                    await caller.call("save_session", {"outcomes": [f"Fact {number}"]})
                    started = set(own.children()) - here
                    entries |= started
                    if number < KILLED:
                        for entry in started:
                            entry.kill()
        assert len(entries) == ENTRIES
        assert outliving([*entries]) == []
        assert {process.pid for process in psutil.Process(bridge.ready["pid"]).children(recursive=True)} <= before

        def completed() -> bool:
            return [one["status"] for one in sessions(bridge)].count("completed") >= ENTRIES - KILLED

        bridge.until(completed, "all sessions that ended are over")
        assert len(sessions(bridge)) == ENTRIES
        assert len(files(vault)) == ENTRIES
