"""A change that a crash cut off is taken back out of what others wrote, moved and deleted before the next start."""

import contextlib
import json
import os
import random
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from bridge.engine.host import Host
from bridge.engine.review import TAKE_OUT
from bridge.engine.transactions import Author
from bridge.errors import BridgeError, ChangeConflict
from bridge.state.change_records import Change
from bridge.vault.paths import is_hidden
from bridge.vault.plan import Plan
from bridge.vault.rules import Rules
from bridge.vault.vault import Vault
from bridge.vault.write.handle import DRAFT
from bridge.vault.write.writer import Writer
from tests.engine.conftest import Opened, settled
from tests.vault.write.faults import Fault, FaultyDisk, FaultyEntry, Killed
from tests.vault.write.plans import folder, move, put, remove, together, write_plan

USER = Author("undo_change", confirmed=True)
STORIES = 40
MAX_CALLS = 240

Files = dict[str, bytes]


def note(name: str, link: str) -> bytes:
    """A note with one line that a change replaces, and others that it leaves alone."""
    lines = [f"# {name}", "", "Über 面包 रोटी", "", f"See [[{link}]].", "", f"The end of {name}", ""]
    return "\n".join(lines).encode()


def canvas(name: str, link: str) -> bytes:
    nodes = [{"id": f"{name}{at}", "text": text} for at, text in enumerate(("one", f"[[{link}]]", "three"))]
    return json.dumps({"nodes": nodes}, indent=1).encode()


TEXTS: dict[str, Callable[[str, str], bytes]] = {
    **dict.fromkeys(("a.md", "b.md", "In/c.md", "In/d.md"), note),
    "board.canvas": canvas,
    "list.base": lambda name, link: f"filters:\n  - {name}\n\n\nviews:\n  - {link}\n\n\nend: 1\n".encode(),
}
START: Files = {
    **{path: make(path, "Old") for path, make in TEXTS.items()},
    "Old.md": b"what it is\n",
    "old.png": b"\x89PNG\0\xff",
}


def replacements(names: dict[str, str]) -> list[Plan]:
    return [put(names.get(path, path), START[path], make(path, "New")) for path, make in TEXTS.items()]


def plans(draw: random.Random) -> Plan:
    """One of the changes that the bridge makes of many files."""
    moved = {path: path.replace("In/", "Out/") for path in TEXTS}
    parts = {
        "a tag": replacements({}),
        "a name": [move("Old.md", "New.md", START["Old.md"]), *replacements({})],
        "a file": [*replacements({}), move("old.png", "New/new.png", START["old.png"])],
        "a folder": [move("In", "Out"), *replacements(moved)],
        "a merge": [*replacements({}), remove("Old.md", START["Old.md"])],
        "a split": [folder("New"), put("New/part.md", None, note("part", "New")), *replacements({})],
    }
    return together(*parts[draw.choice(sorted(parts))])


@dataclass
class Story:
    """A vault in which a change was cut off, and what others did to its files before the next start."""

    root: Path
    draw: random.Random
    saved: Files = field(default_factory=dict)
    """What others wrote, by the file that it was, as it would be without the change."""
    gone: set[str] = field(default_factory=set)
    """Files that others moved or deleted, and those in whose place they put another."""
    lines: list[bytes] = field(default_factory=list)
    """What others wrote, which must never be lost."""

    def cut(self, host: Host, plan: Plan) -> str:
        """Write a plan until the process dies; return the change's id."""
        journal, disk = host.store.journal, FaultyDisk(Fault("kill", self.draw.randrange(1, MAX_CALLS)))
        change = Change(journal.next_id(), time.time(), "move_note", steps=tuple(plan.steps))
        writer = Writer(Vault(self.root, Rules()), disk, many=self.draw.choice([2, 64]))
        with contextlib.suppress(Killed):
            write_plan(writer, plan, FaultyEntry(journal.begin(change), disk))
        return change.id

    def interfere(self) -> None:
        """Let an editor or a sync client do something to a file."""
        path = self.draw.choice(sorted(files(self.root)))
        place, mine = self.root / path, f"mine {len(self.lines)}".encode()
        was = was_called(path)
        if was in self.saved or was in self.gone:
            return
        data, before = place.read_bytes(), START.get(was, b"")
        match self.draw.randrange(7):
            case 0 | 1 if was in TEXTS and was != "board.canvas":
                # As an editor saves: over the file, or over its name.
                place.with_name("saving").write_bytes(data + mine)
                place.with_name("saving").replace(place)
                self.lines.append(mine)
                self.saved[was] = before + mine
            case 2 if was in TEXTS and was != "board.canvas":
                place.write_bytes(mine + b"\n" + data)
                self.lines.append(mine)
                self.saved[was] = mine + b"\n" + before
            case 3 if was in TEXTS:
                place.write_bytes(data.replace(b"Old", mine).replace(b"New", mine))
                self.lines.append(mine)
                self.gone.add(was)
            case 4:
                place.unlink()
                self.gone.add(was)
            case 5:
                place.rename(place.with_name(f"theirs {len(self.gone)} {place.name}"))
                self.gone.add(was)
            case 6 if was in START:
                place.write_bytes(before)
            case _:
                other = self.root / self.draw.choice(["New.md", "Old.md", "old.png", "a.md", "In/c.md", "Out/c.md"])
                if other.parent.is_dir() and not other.exists():
                    other.write_bytes(mine)
                    self.lines.append(mine)
                    made = other.relative_to(self.root).as_posix()
                    self.gone |= {made, was_called(made)}

    def recover_half(self, plan: Plan) -> None:
        """Let the next start be killed too, while it takes the change back."""
        disk = FaultyDisk(Fault("kill", self.draw.randrange(1, MAX_CALLS)))
        with contextlib.suppress(Killed, BridgeError):
            Writer(Vault(self.root, Rules()), disk).recover(plan, TAKE_OUT)

    def judge(self, change: Change | None) -> None:
        """Compare the files with what the journal says of the change."""
        now = files(self.root)
        assert not [*self.root.rglob(f"{DRAFT}*")], "a draft is left"
        for mine in self.lines:
            assert any(mine in data for data in now.values()), f"{mine!r} is lost"
        if change is not None and change.state == "applied":
            return
        named = {str(place) for step in change.steps for place in (step.path, step.to) if place} if change else set()
        folders = tuple(f"{place}/" for place in named)
        for path, data in START.items():
            wanted = self.saved.get(path, data)
            if path not in self.gone and path not in named and not path.startswith(folders):
                assert now.get(path) == wanted, path

    async def settle(self, host: Host, change: str) -> None:
        """Undo what is left of the change, if need be after the user has put the files back by hand."""
        refused: ChangeConflict | None = None
        for _ in range(len(START)):
            age(self.root)
            try:
                await host.vault.review.undo([change], USER)
                break
            except ChangeConflict as error:
                refused = error
            conflicts = refused.facts["conflicts"]
            assert isinstance(conflicts, list)
            assert "decide" in (refused.hint or "")
            for path in {one["path"] for one in conflicts}:
                self.put_back(path)
        assert host.vault.review.change(change).state == "undone"

    def put_back(self, path: str) -> None:
        """Put the old text back, or remove what took the place of a file that is to come back."""
        text = START.get(was_called(path)) if was_called(path) in TEXTS else None
        if text is not None:
            (self.root / path).write_bytes(text)
        elif path == "Out":
            shutil.rmtree(self.root / "In")
        else:
            (self.root / was_called(path)).unlink()


def was_called(path: str) -> str:
    """Return the name of a file before the change, given that after it."""
    return path.replace("Out/", "In/").replace("New.md", "Old.md").replace("New/new.png", "old.png")


def files(root: Path) -> Files:
    """The files of a vault, those in its trash included."""
    found = {file.relative_to(root).as_posix(): file.read_bytes() for file in root.rglob("*") if file.is_file()}
    return {path: data for path, data in found.items() if not is_hidden(path) or path.startswith(".trash/")}


def age(root: Path) -> None:
    """Make all files older, so that nobody waits for the end of a save."""
    for file in root.rglob("*"):
        if file.is_file():
            os.utime(file, (1, 1))


async def test_what_a_crash_cuts_off_is_taken_out_of_what_others_wrote_since(tmp_path: Path, opened: Opened) -> None:
    root = tmp_path / "Notes"
    root.mkdir()
    (root / "kept.md").write_bytes(b"so that the vault is not empty\n")
    became = set()
    async with opened(root) as bridge:
        host = bridge.find(None)
        await settled(host)
        for seed in range(STORIES):
            for top in ("In", "Out", "New", ".trash"):
                shutil.rmtree(root / top, ignore_errors=True)
            for file in root.iterdir():
                if file.is_file():
                    file.unlink()
            for path, data in {"kept.md": b"kept\n", **START}.items():
                (root / path).parent.mkdir(exist_ok=True)
                (root / path).write_bytes(data)
            story = Story(root, random.Random(seed))
            try:
                plan = plans(story.draw)
                change = story.cut(host, plan)
                if host.store.journal.find_unsettled():
                    for _ in range(story.draw.randrange(4)):
                        story.interfere()
                    story.recover_half(plan)
                    host.vault.review.recover()
                    assert host.store.journal.find_unsettled() == []
                made = host.store.journal.change(change)
                story.judge(made)
                if made is not None and made.state == "conflict":
                    await story.settle(host, change)
                    story.judge(None) if not story.gone else None
                became.add(None if made is None else made.state)
            except BaseException as error:
                error.add_note(f"story {seed}")
                raise
    assert became == {None, "applied", "conflict"}
