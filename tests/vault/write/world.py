"""A vault with its journal, on which plans are executed while faults occur; counts what must never happen."""

import random
import shutil
from pathlib import Path

from bridge.errors import BridgeError
from bridge.state.change_records import Change
from bridge.state.store import Store
from bridge.types import Digest
from bridge.vault.plan import Plan
from bridge.vault.rules import Rules
from bridge.vault.vault import Vault
from bridge.vault.write.writer import Writer
from tests.vault.write.drawn import NAMES, Tree, after, drawn_plan, is_note
from tests.vault.write.faults import CODES, Fault, FaultyDisk, FaultyEntry, Findings, Killed
from tests.vault.write.plans import digest, tree, write_plan

MAX_CALLS = 60
"""Calls of a change among which the failing one is chosen; the longest changes have some more."""
FULL_TRASH = 20
"""Files after which the user empties the trash."""
OUTSIDE: Tree = {"mine.md": b"not of the vault"}

LOST = "bytes lost"
MIXTURES = "mixtures"
DISAGREEMENTS = "journal disagreements"
LEFTOVERS = "leftovers, or touched outside the vault"


class World:
    """A vault, its journal, and a user who also edits the vault."""

    def __init__(self, place: Path, draw: random.Random) -> None:
        self.root, self.data, self.outside = place / "vault", place / "data", place / "outside"
        for made in (self.root / ".trash", self.root / ".obsidian", self.data, self.outside):
            made.mkdir(parents=True)
        (self.outside / "mine.md").write_bytes(b"not of the vault")
        (self.root / "out").symlink_to(self.outside)
        self.draw = draw
        self.figures = Findings(LOST, MIXTURES, DISAGREEMENTS, LEFTOVERS)
        self.contents: dict[Digest, bytes] = {}
        self.saved: tuple[str, bytes, bytes | None] | None = None
        """The save by another program during a change: its path, its bytes, and the bytes it replaced."""
        self.store = Store.open(self.data / "state.sqlite")
        for name in NAMES[:6]:
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_bytes(self.text())

    def step(self) -> None:
        """Do one random step."""
        match self.draw.randrange(12):
            case 0:
                self.edit()
            case 1:
                self.wish()
            case 2:
                self.restart()
            case _:
                self.write(self.plan(), self.fault())

    def close(self) -> None:
        """Close the store."""
        self.store.close()

    # -- random steps -------------------------------------------------------------------------------------------------

    def edit(self) -> None:
        """Let the user save or delete a note between two changes, and occasionally empty the trash."""
        path = self.root / self.draw.choice(NAMES)
        if path.is_file() and self.draw.random() < 0.3:
            path.unlink()
        elif path.parent.is_dir() and not path.is_dir():
            path.write_bytes(self.text())
        if len(thrown := [*(self.root / ".trash").iterdir()]) > FULL_TRASH:
            for file in thrown:
                file.unlink()
        self.figures.done["edits of the user"] += 1

    def wish(self) -> None:
        """Let the user choose another trash setting."""
        (self.root / ".obsidian/app.json").write_text(f'{{"trashOption": "{self.draw.choice(["local", "none"])}"}}')

    def restart(self) -> None:
        """Simulate a kill of the process, as the journal sees it, and restart it."""
        left = self.data / "left"
        left.mkdir(exist_ok=True)
        files = [file for file in (self.data / "state.sqlite", self.data / "state.sqlite-wal") if file.exists()]
        for file in files:
            shutil.copy(file, left / file.name)
        # Closing writes into the files; what a killed process leaves is put back.
        self.store.close()
        for file in files:
            shutil.copy(left / file.name, file)
        self.store = Store.open(self.data / "state.sqlite")
        self.figures.done["restarts"] += 1

    def write(self, plan: Plan, fault: Fault) -> str:
        """Execute a plan with a fault, check the result, and return the outcome."""
        before = tree(self.root)
        disk = FaultyDisk(fault)
        change = Change(self.store.journal.next_id(), 0.0, "edit_note", steps=tuple(plan.steps))
        entry = self.store.journal.begin(change)
        outcome = "before"
        try:
            write_plan(Writer(Vault(self.root, Rules()), disk, many=2), plan, FaultyEntry(entry, disk))
            outcome = "after"
        except Killed:
            self.restart()
            outcome = "after" if self.store.journal.change(change.id) else "before"
        except BridgeError:
            pass
        # A save that waited for the writer's lease may not be done yet.
        disk.wait()
        if self.store.journal.find_unsettled():
            if plan.steps and self.draw.random() < 0.2:
                self.save(self.draw.choice(plan.steps).path)
            outcome = self.recover()
        self.figures.done[f"{fault.kind}: {outcome}"] += 1
        self.judge(before, entry.change, outcome)
        self.saved = None
        return outcome

    def recover(self) -> str:
        """Recover an interrupted change, which may be interrupted too, and return the outcome."""
        while True:
            ((change, entry),) = self.store.journal.find_unsettled()
            needed = {d for step in change.steps for d in (step.before, step.after) if d is not None}
            kept = {d: data for d in needed if (data := self.store.snapshots.read(d)) is not None}
            disk = FaultyDisk(Fault(self.draw.choice(["none", "kill"]), self.draw.randrange(1, MAX_CALLS)))
            try:
                became = Writer(Vault(self.root, Rules()), disk).recover(Plan(change.steps, kept))
                if became == "conflict":
                    self.store.journal.set_state(change.id, "conflict")
                else:
                    FaultyEntry(entry, disk).settle(became == "after")
            except Killed:
                self.restart()
                self.figures.done["killed while recovering"] += 1
                if not self.store.journal.find_unsettled():
                    return "after" if self.store.journal.change(change.id) else "before"
            else:
                return became

    def save(self, path: str) -> None:
        """Let another program save a file during a change, as programs do: in place, or by a rename."""
        place = self.root / path
        if self.saved or place.is_dir() or not place.parent.is_dir():
            return
        self.saved = (path, self.text(), place.read_bytes() if place.exists() else None)
        if self.draw.random() < 0.5:
            place.write_bytes(self.saved[1])
        else:
            place.with_name(".saving").write_bytes(self.saved[1])
            place.with_name(".saving").replace(place)

    # -- checks -------------------------------------------------------------------------------------------------------

    def judge(self, before: Tree, change: Change, outcome: str) -> None:
        """Compare the disk with the expected content, and the journal with the disk."""
        now, figures = tree(self.root), self.figures
        expected = after(before, change.steps, self.contents) if outcome == "after" else before
        path, theirs, over = self.saved or ("", None, None)
        for place in sorted(now.keys() | expected.keys()):
            held = now.get(place, "nothing")
            mine = place == path or (theirs is not None and held in {None, "nothing", theirs}) or outcome == "conflict"
            if held != expected.get(place, "nothing") and not mine:
                figures.by_kind[MIXTURES].append(f"{outcome}: {place}")
            if isinstance(held, bytes) and is_note(place) and digest(held) not in self.contents:
                figures.by_kind[MIXTURES].append(f"{place} is neither old nor new")
        there = {*now.values()}
        if theirs is not None and theirs not in there:
            figures.by_kind[LOST].append(f"what was saved meanwhile ({outcome})")
        for place, data in before.items():
            if (
                data is not None
                and data not in there
                and data != over
                and self.store.snapshots.read(digest(data)) != data
            ):
                figures.by_kind[LOST].append(place)
        figures.by_kind[LEFTOVERS] += [place for place in now if "vaultside" in place]
        figures.by_kind[LEFTOVERS] += [] if tree(self.outside) == OUTSIDE else ["outside the vault"]
        self.judge_journal(change, outcome)

    def judge_journal(self, change: Change, outcome: str) -> None:
        """Compare the journal with the outcome of a change."""
        row = self.store.journal.change(change.id)
        wanted = {"after": "applied", "before": None, "conflict": "conflict"}[outcome]
        if (
            (row.state if row else None) != wanted
            or self.store.journal.find_unsettled()
            or (row and row.steps != change.steps)
        ):
            self.figures.by_kind[DISAGREEMENTS].append(f"{outcome}: {row}")
        for step in row.steps if row else ():
            for content in (step.before, step.after) if step.kind == "put" else ():
                if content is not None and self.store.snapshots.read(content) != self.contents[content]:
                    self.figures.by_kind[LOST].append(f"what {step.path} said")

    # -- random values ------------------------------------------------------------------------------------------------

    def text(self) -> bytes:
        """Return bytes that no file has had."""
        data = f"{len(self.contents)} ".encode() * self.draw.choice([1, 50, 5_000])
        self.contents[digest(data)] = data
        return data

    def plan(self) -> Plan:
        """Generate a random plan."""
        return drawn_plan(self.draw, tree(self.root), self.text)

    def fault(self) -> Fault:
        """Generate a random fault, or none."""
        at = self.draw.randrange(1, MAX_CALLS)
        match self.draw.randrange(10):
            case 0 | 1:
                return Fault()
            case 2 | 3 | 4:
                return Fault("kill", at)
            case 5:
                return Fault("torn", at)
            case 6 | 7:
                return Fault("once", at, self.draw.choice(CODES))
            case 8:
                return Fault("on", at)
            case _:
                return Fault("save", at, save=lambda: self.save(self.draw.choice(NAMES)))
