"""Agents change notes through the bridge while other processes save the same notes; nothing may be lost."""

import asyncio
import json
import random
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from bridge.changes.requests.base import Request
from bridge.changes.requests.edit_note import EditNote, SetProperties
from bridge.engine.bridge import Bridge
from bridge.engine.host import Host
from bridge.engine.transactions import Author
from bridge.errors import BridgeError
from bridge.markdown.edit.requests import Append
from bridge.state.change_records import ChangeFilter
from bridge.types import VaultPath
from bridge.vault.write.handle import DRAFT
from tests.vault.write.faults import Findings
from tests.vault.write.plans import digest
from tests.vault.write.savers import MANNERS

MAX_PAUSE_S = 0.5
"""The longest pause of a program between opening a note and having written it."""
PATIENCE_S = 300.0
"""Seconds to wait for a late save and the journal; long, since a busy machine may halt a process for a while."""
CLEAR = {"note_changed", "busy", "note_not_found"}
"""Codes that explain the situation to an agent; while a program moves a backup aside, no note has the name."""
AGENT = Author("edit_note", client="agent")

LOST = "saves lost"
BEGINNINGS = "initial texts lost"
LIES = "journal or answer lies"
UNCLEAR = "unclear refusals"


class Races:
    """A vault that a bridge follows, and programs that save its notes."""

    def __init__(self, host: Host, draw: random.Random) -> None:
        self.host = host
        self.draw = draw
        self.found = Findings(LOST, BEGINNINGS, LIES, UNCLEAR)

    async def race(self, saver: asyncio.subprocess.Process, note: str, number: int) -> None:
        """Let an agent change a note while a program saves it, and check the result."""
        draw, place, path = self.draw, self.host.root / note, VaultPath(note)
        manner, pause = draw.choice(MANNERS), draw.choice([0.0, 0.002, 0.01, 0.05, 0.2, draw.random() * MAX_PAUSE_S])
        text = f"# {note}\n\nWhat {note} said first.\n\nSave {number} of {note}.\n{'More. ' * draw.randrange(400)}\n"
        line = f"The agent's line {number}."
        place.write_text(f"# {note}\n\nWhat {note} said first.\n")
        asked = {"place": str(place), "manner": manner, "text": text, "pause": pause}

        async def saved() -> None:
            await asyncio.sleep(draw.random() * 0.02)
            assert saver.stdin is not None
            assert saver.stdout is not None
            saver.stdin.write(f"{json.dumps(asked)}\n".encode())
            assert await saver.stdout.readline() == b"saved\n"

        saving = asyncio.ensure_future(saved())
        await asyncio.sleep(draw.random() * (pause + 0.03))
        answer = await self.changed(path, line)
        await saving
        self.found.done[f"{manner}: {answer}"] += 1
        what = f"{manner}, {1000 * pause:.0f} ms, {note}, save {number}, {answer}"
        await self.judge(path, text, line, answer, what)

    async def changed(self, path: VaultPath, line: str) -> str:
        """Let the agent change a note, occasionally undo it, and return the result."""
        request: Request = EditNote(path, (Append(text=line),))
        if self.draw.random() < 0.2:
            request = SetProperties(path, digest(read(self.host.root / path).encode()), {"said": line})
        try:
            made = await self.host.vault.executor.execute([request], AGENT, dry_run=False, expect=None)
        except BridgeError as error:
            return error.code
        if made.change is None or self.draw.random() < 0.9:
            return "made"
        try:
            await self.host.vault.review.undo([made.change.id], AGENT)
        except BridgeError as error:
            return "made" if error.code in CLEAR else f"undo: {error.code}"
        return "undone"

    async def judge(self, path: VaultPath, text: str, line: str, answer: str, what: str) -> None:
        """Compare the note and the journal with the save and the result."""
        place = self.host.root / path
        await wait_until(lambda: text.strip() in read(place) or self.is_proposed(path, text))
        # A late save is in its place before the journal says that it is made.
        await wait_until(lambda: not self.is_open(path))
        now, found = read(place), self.found
        if text.strip() not in now and not self.is_proposed(path, text):
            found.by_kind[LOST].append(f"{what}: {now[:80]!r}")
        if f"What {path} said first." not in now:
            found.by_kind[BEGINNINGS].append(what)
        if answer not in {"made", "undone", "undo: change_conflict"} | CLEAR:
            found.by_kind[UNCLEAR].append(what)
        store = self.host.store
        kept = [
            change
            for change in store.journal.changes(ChangeFilter(path=path), limit=3)
            if change.operation == "edit_note"
            and any(line.encode() in (store.snapshots.read(step.after) or b"") for step in change.steps if step.after)
        ]
        if answer == "made" and not kept:
            found.by_kind[LIES].append(f"{what}: no change is kept")
        if answer in CLEAR and (kept or line in now):
            found.by_kind[LIES].append(f"{what}: it was refused, and is there")
        for change in kept:
            for step in change.steps:
                before = (store.snapshots.read(step.before) or b"").decode() if step.before else ""
                if f"What {path} said first." not in before and not self.was_late(path):
                    found.by_kind[LIES].append(f"{what}: it changed what was half saved")

    def is_open(self, path: VaultPath) -> bool:
        """Say whether a change of a note is still being written."""
        unsettled = self.host.store.journal.find_unsettled()
        return any(path in (step.path, step.to) for change, _ in unsettled for step in change.steps)

    def is_proposed(self, path: VaultPath, text: str) -> bool:
        """Say whether a save waits as a proposal: it came late, and the note was changed again meanwhile."""
        store = self.host.store
        proposed = store.journal.changes(ChangeFilter(path=path, operation="keep_save", state="proposed"), limit=10)
        afters = [step.after for change in proposed for step in change.steps if step.after]
        return any(text.strip().encode() in (store.snapshots.read(after) or b"") for after in afters)

    def was_late(self, path: VaultPath) -> bool:
        """Say whether a save was recently restored."""
        return bool(self.host.store.journal.changes(ChangeFilter(path=path, operation="keep_save"), limit=1))


async def wait_until(found: Callable[[], bool]) -> None:
    """Wait until a condition holds, or for so long that it never will."""
    end = asyncio.get_running_loop().time() + PATIENCE_S
    while not found() and asyncio.get_running_loop().time() < end:
        await asyncio.sleep(0.05)


def read(place: Path) -> str:
    """Read a note; a program may be renaming it."""
    try:
        return place.read_text()
    except FileNotFoundError:
        return ""


@asynccontextmanager
async def program() -> AsyncIterator[asyncio.subprocess.Process]:
    """Start a program that saves notes."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.vault.write.savers", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    try:
        yield process
    finally:
        process.kill()
        await process.wait()


async def run_races(place: Path, races: int, seed: int, *, at_once: int = 8) -> Findings:
    """Run races of several notes simultaneously.

    Args:
        place: An empty folder.
        races: How many.
        seed: The random seed.
        at_once: How many notes are raced for at a time, each by a program of its own.
    """
    root = place / "vault"
    root.mkdir()
    (root / "Index.md").write_text("# Index\n")
    bridge = Bridge(place / "data", place / "models", [root])
    await bridge.start()
    try:
        host = bridge.find(None)
        while not host.progress().ready_keyword:
            await asyncio.sleep(0.02)
        torture, numbers = Races(host, random.Random(seed)), iter(range(races))

        async def several(which: int) -> None:
            async with program() as saver:
                for number in numbers:
                    await torture.race(saver, f"Note {which}-{number % 5}.md", number)

        await asyncio.gather(*(several(which) for which in range(at_once)))
        await wait_until(lambda: not host.store.journal.find_unsettled())
        torture.found.by_kind[LIES] += [f"{change.id} is open" for change, _ in host.store.journal.find_unsettled()]
        left: list[Any] = [file.name for file in root.rglob(f"{DRAFT}*")]
        torture.found.by_kind[LIES] += [f"{name} is left" for name in left]
        return torture.found
    finally:
        await bridge.stop()
