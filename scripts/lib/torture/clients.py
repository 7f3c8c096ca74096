"""Many clients change the same notes over HTTP at once: nothing acknowledged is lost, every refusal is explained."""

import asyncio
import random
import re
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import aiohttp

from scripts.lib.torture.report import Report
from tests.system.sidecar import Sidecar

CLIENTS = 8
NOTES = 20
REFUSALS = {"note_changed", "text_not_found", "change_conflict", "change_not_found"}
"""The errors that may occur here."""

MARK = re.compile(rb"mark-\d+-\d+")


class Clients:
    """The results that clients got, against which the notes are checked afterwards."""

    def __init__(self, url: str, token: str, seed: int) -> None:
        self.answers: Counter[str] = Counter()
        """Counts by operation, with the code if it was refused."""
        self.unexplained: list[str] = []
        self.kept: dict[str, str] = {}
        """The note of each mark whose writing was acknowledged and not undone."""
        self.seconds: list[float] = []
        self._url = url
        self._headers = {"Authorization": f"Bearer {token}"}
        self._seed = seed

    async def run(self, steps: int) -> None:
        """Run all clients."""
        async with aiohttp.ClientSession(headers=self._headers) as session, asyncio.TaskGroup() as group:
            for number in range(CLIENTS):
                group.create_task(self._work(session, number, steps // CLIENTS))

    async def _work(self, session: aiohttp.ClientSession, number: int, steps: int) -> None:
        dice = random.Random(self._seed * 1_000 + number)
        mine: list[tuple[str, str]] = []
        for step in range(steps):
            path, mark = f"Note {dice.randrange(NOTES)}.md", f"mark-{number}-{step}"
            kind = dice.choice(("append", "append", "under", "replace", "property", "undo"))
            if kind == "undo" and mine:
                change, undone = mine.pop(dice.randrange(len(mine)))
                if await self._ask(session, "undo_change", change_id=change):
                    self.kept.pop(undone)
                continue
            digest = None
            if kind in ("replace", "property"):
                digest = (await self._ask(session, "read_note", path=path) or {}).get("digest")
            match kind:
                case "replace":
                    # It changes only its own line, so that no other mark is removed.
                    edits = [{"op": "replace_text", "old": f"Line of {number}.", "new": f"Line of {number}. {mark}"}]
                    done = await self._ask(session, "edit_note", path=path, digest=digest, edits=edits)
                case "property":
                    done = await self._ask(session, "set_properties", path=path, digest=digest, properties={mark: step})
                case "under":
                    edits = [{"op": "insert_under", "heading": "Under", "text": mark}]
                    done = await self._ask(session, "edit_note", path=path, edits=edits)
                case _:
                    done = await self._ask(session, "edit_note", path=path, edits=[{"op": "append", "text": mark}])
            if done:
                self.kept[mark] = path
                mine.append((done["change_id"], mark))

    async def _ask(self, session: aiohttp.ClientSession, operation: str, **arguments: Any) -> dict[str, Any] | None:
        """Call an operation; None if it was refused."""
        began = time.perf_counter()
        async with session.post(f"{self._url}/api/{operation}", json=arguments) as response:
            answer: dict[str, Any] = await response.json()
        if response.status == 200:
            self.seconds.append(time.perf_counter() - began)
            self.answers[operation] += 1
            return answer
        error = answer.get("error", {})
        self.answers[f"{operation}: {error.get('code')}"] += 1
        if response.status >= 500 or error.get("code") not in REFUSALS or not error.get("message"):
            self.unexplained.append(f"{operation}: {response.status} {error}")
        return None


def torture_clients(steps: int, seed: int) -> Report:
    """Let clients change the same notes, and verify that every acknowledged change is there.

    Args:
        steps: How many changes they attempt in all.
        seed: The random seed.
    """
    with tempfile.TemporaryDirectory(prefix="torture-") as folder:
        vault = Path(folder) / "vault"
        vault.mkdir()
        lines = "\n".join(f"Line of {number}." for number in range(CLIENTS))
        for number in range(NOTES):
            (vault / f"Note {number}.md").write_text(f"# Note\n\n{lines}\n\n## Under\n\nText.\n\n## End\n", "utf-8")
        bridge = Sidecar.start(vault, data_dir=Path(folder) / "data", models_dir=Path(folder) / "no models")
        began = time.perf_counter()
        try:
            bridge.wait_ready()
            bridge.wait_indexed(vectors=False)
            clients = Clients(bridge.ready["url"], bridge.ready["token"], seed)
            asyncio.run(clients.run(steps))
            spent = time.perf_counter() - began
            bridge.stop(60)
        finally:
            bridge.close()
        there = {
            (mark.decode(), file.name): 1 for file in vault.glob("*.md") for mark in MARK.findall(file.read_bytes())
        }
    lost = sorted(f"{mark} in {path}" for mark, path in clients.kept.items() if (mark, path) not in there)
    extra = sorted(f"{mark} in {path}" for mark, path in there if clients.kept.get(mark) != path)
    seconds = sorted(clients.seconds)
    return Report(
        {
            "acknowledged updates lost": len(lost),
            "refused or undone updates that are there": len(extra),
            "refusals without a reason": len(clients.unexplained),
        },
        {
            "clients": CLIENTS,
            "notes": NOTES,
            "seconds": round(spent),
            **{f"  {name}": count for name, count in sorted(clients.answers.items())},
            "milliseconds a call, median": round(1000 * seconds[len(seconds) // 2]),
            "milliseconds a call, the worst": round(1000 * seconds[-1]),
        },
        (*lost, *extra, *clients.unexplained),
    )
