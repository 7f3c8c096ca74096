"""Random changes of every kind through the operations, undone in random order."""

import hashlib
import json
import random
import shutil
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bridge.api.call import OWNER, Call
from bridge.engine.bridge import Bridge
from bridge.errors import BridgeError
from bridge.features import get_operation
from bridge.markdown.kinds import is_document
from bridge.markdown.note import Note
from bridge.markdown.parse import parse
from tests.engine.conftest import until

WORDS = ("rye", "Ноты", "麦", "a [[Rye]] loaf", "- one\n- two", "> quoted", "## Deeper", "100 % & more", "`code`", "é")
NAMES = ("Rye 2", "Ноты", "麦 flour", "A & B", "v1.2", "x(y)", "é", "Index 7", "Old name")
EDITS = (
    "append",
    "prepend",
    "insert_under",
    "replace_section",
    "replace_block",
    "replace_lines",
    "replace_text",
    "add_item",
)


class Rounds:
    """A vault that is changed at random and restored by undoing."""

    def __init__(self, call: Call, dice: random.Random) -> None:
        """Start without changes.

        Args:
            call: The context of all calls; the vault is the engine's.
            dice: The random generator.
        """
        self.done: Counter[str] = Counter()
        """Executed changes, by operation."""
        self.refused: Counter[str] = Counter()
        """Refused requests, by code."""
        self.ids: list[str] = []
        """The active changes, oldest first."""
        self.refusals: dict[str, str] = {}
        """Why a change was not undone at the last attempt."""
        self.call = call
        self._root = call.host.root
        self._dice = dice

    async def edit(self) -> bool:
        """Request one change; False if it was refused or changed nothing."""
        operation, arguments = self._dice.choice(KINDS)(self)
        try:
            answer = await get_operation(operation).run(self.call, arguments)
        except BridgeError as error:
            self.refused[f"{operation}: {error.code}"] += 1
            return False
        if answer.change_id is None:
            return False
        self.ids.append(answer.change_id)
        self.done[operation] += 1
        return True

    async def undo_all(self) -> tuple[int, int]:
        """Undo every change in random order; refused ones are retried after the others.

        Returns:
            How many were refused at first, and how many times in all.
        """
        refused = await self._undone(self.ids)
        first = times = len(refused)
        while refused and len(refused) < len(self.ids):
            self.ids, refused = refused, await self._undone(refused)
            times += len(refused)
        self.ids = refused
        return first, times

    async def _undone(self, waiting: list[str]) -> list[str]:
        """Undo changes in random order, and return those that were refused."""
        refused = []
        for id_ in self._dice.sample(waiting, len(waiting)):
            try:
                await get_operation("undo_change").run(self.call, {"change_id": id_})
            except BridgeError as error:
                self.refused[f"undo_change: {error.code}"] += 1
                self.refusals[id_] = error.message
                refused.append(id_)
        return refused

    # -- random requests ----------------------------------------------------------------------------------------------

    def create(self) -> tuple[str, Mapping[str, Any]]:
        """Create a note in some folder, new or not."""
        folder = self._dice.choice([*self._folders(), "New", "New/Deep"])
        path = f"{folder}/{self._dice.choice(NAMES)} {self._dice.randrange(1000)}.md".lstrip("/")
        properties = {"tags": ["new"], "rating": 3} if self._dice.random() < 0.5 else {}
        return "create_note", {"path": path, "text": self._text(), "properties": properties, "confirm": True}

    def change(self) -> tuple[str, Mapping[str, Any]]:
        """Change the text of a note."""
        path, digest, note = self._note()
        edit: dict[str, Any] = {"op": self._dice.choice(EDITS), "text": self._text()}
        heading = self._dice.choice(note.headings).text if note.headings else "None"
        lines = note.text.split("\n")
        at = self._dice.randrange(len(lines)) + 1
        match edit["op"]:
            case "insert_under" | "replace_section" | "add_item":
                edit["heading"] = heading
            case "replace_block":
                edit["block"] = self._dice.choice(note.blocks).id if note.blocks else "none"
            case "replace_lines":
                edit["lines"] = [at, min(at + self._dice.randrange(3), len(lines))]
            case "replace_text":
                old = self._dice.choice(lines[at - 1].split() or ["none"])
                edit = {"op": "replace_text", "old": old, "new": edit["text"], "all": self._dice.random() < 0.5}
        return "edit_note", {"path": path, "digest": digest, "edits": [edit]}

    def properties(self) -> tuple[str, Mapping[str, Any]]:
        """Set or remove properties."""
        path, digest, note = self._note()
        names = [*note.properties, "rating", "tags"]
        if self._dice.random() < 0.3:
            return "set_properties", {"path": path, "digest": digest, "remove": [self._dice.choice(names)]}
        value = self._dice.choice([1, "text: with colon", ["a", "b"], True, None, "2026-01-31"])
        return "set_properties", {"path": path, "digest": digest, "properties": {self._dice.choice(names): value}}

    def task(self) -> tuple[str, Mapping[str, Any]]:
        """Tick a task, or add one."""
        path, _, note = self._note(lambda found: bool(found.tasks))
        if not note.tasks or self._dice.random() < 0.3:
            return "add_task", {"path": path, "text": "Feed the starter", "due": "2026-01-31"}
        task = self._dice.choice(note.tasks)
        return "toggle_task", {"path": path, "line": task.line, "text": task.text}

    def day(self) -> tuple[str, Mapping[str, Any]]:
        """Add to the daily note of some day."""
        return "daily_note", {"date": f"2026-03-{self._dice.randrange(1, 29):02}", "append": self._text()}

    def move(self) -> tuple[str, Mapping[str, Any]]:
        """Move or rename a note or a folder."""
        folders = [folder for folder in self._folders() if folder]
        to = self._dice.choice([*folders, "", "Moved"])
        if folders and self._dice.random() < 0.15:
            path = self._dice.choice(folders)
            name = self._dice.choice([path.rpartition("/")[2], self._dice.choice(NAMES)])
            return "move_note", {"path": path, "to": f"{to}/{name}".lstrip("/"), "confirm": True}
        path, digest, _ = self._note()
        name = self._dice.choice([path.rpartition("/")[2], f"{self._dice.choice(NAMES)}.md"])
        return "move_note", {"path": path, "to": f"{to}/{name}".lstrip("/"), "digest": digest, "confirm": True}

    def heading(self) -> tuple[str, Mapping[str, Any]]:
        """Rename a heading."""
        path, digest, note = self._note(lambda found: bool(found.headings))
        heading = self._dice.choice(note.headings).text if note.headings else "None"
        to = f"{self._dice.choice(NAMES)} {self._dice.randrange(1000)}"
        return "rename_heading", {"path": path, "digest": digest, "heading": heading, "to": to, "confirm": True}

    def delete(self) -> tuple[str, Mapping[str, Any]]:
        """Delete a note."""
        path, digest, _ = self._note()
        return "delete_note", {"path": path, "digest": digest}

    def several(self) -> tuple[str, Mapping[str, Any]]:
        """Make several changes as one."""
        asked = [self._dice.choice((Rounds.create, Rounds.change, Rounds.properties))(self) for _ in range(3)]
        edits = [{"op": operation, **arguments} for operation, arguments in asked]
        for edit in edits:
            edit.pop("confirm", None)
        return "change_set", {"edits": edits, "confirm": True}

    def _text(self) -> str:
        return " ".join(self._dice.choices(WORDS[:4], k=4)) if self._dice.random() < 0.5 else self._dice.choice(WORDS)

    def _folders(self) -> list[str]:
        return sorted({"", *(path.rpartition("/")[0] for path in self.call.host.vault.names)})

    def _note(self, wanted: Callable[[Note], bool] = lambda _: True) -> tuple[str, str, Note]:
        """Choose a note, one with the wanted property if a few tries find any, and read it."""
        paths = sorted(path for path in self.call.host.vault.names if is_document(path) and path.endswith(".md"))
        for _ in range(20):
            path = self._dice.choice(paths)
            data = (self._root / path).read_bytes()
            note = parse(path, data)
            if wanted(note):
                break
        return path, hashlib.sha256(data).hexdigest(), note


KINDS: tuple[Callable[[Rounds], tuple[str, Mapping[str, Any]]], ...] = (
    *([Rounds.change] * 6),
    *([Rounds.properties, Rounds.task, Rounds.create, Rounds.move] * 2),
    *(Rounds.day, Rounds.heading, Rounds.delete, Rounds.several),
)


def copied(source: Path, root: Path) -> None:
    """Copy a vault that may be read-only, so that deleted files go to its own trash."""
    shutil.copytree(source, root, copy_function=shutil.copyfile)
    for folder in (root, *(path for path in root.rglob("*") if path.is_dir())):
        folder.chmod(0o755)
    settings = root / ".obsidian" / "app.json"
    settings.parent.mkdir(exist_ok=True)
    known = json.loads(settings.read_text(encoding="utf-8")) if settings.exists() else {}
    settings.write_text(json.dumps({**known, "trashOption": "local"}), encoding="utf-8")


def contents(root: Path) -> dict[str, bytes]:
    """Return every file's bytes, including those in the trash."""
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def folders(root: Path) -> set[str]:
    """Return every folder except the trash, which remains when it is empty."""
    return {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_dir()} - {".trash"}


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of changing a vault and undoing everything."""

    rounds: Rounds
    refused_first: int
    """Changes whose undo was refused at first."""
    refused: int
    """How often an undo was refused in all."""
    different: tuple[str, ...]
    """Files that differ from before."""
    folders_left: tuple[str, ...]
    """Folders that did not exist before."""


async def there_and_back(source: Path, place: Path, count: int, seed: int) -> Outcome:
    """Change a copy of a vault this many times, and undo everything, without a model.

    Args:
        source: The vault; it is not touched.
        place: An empty folder for the copy and its data.
        count: How many changes are made; refused requests do not count.
        seed: The random seed.
    """
    root = place / "vault"
    copied(source, root)
    before, known = contents(root), folders(root)
    bridge = Bridge(place / "data", place / "no models", [root])
    await bridge.start()
    try:
        rounds = Rounds(Call(bridge, OWNER, client="torture"), random.Random(seed))
        await until(lambda: rounds.call.host.progress().ready_keyword)
        while sum(rounds.done.values()) < count:
            await rounds.edit()
        first, refused = await rounds.undo_all()
    finally:
        await bridge.stop()
    after = contents(root)
    different = sorted(path for path in {*before, *after} if before.get(path) != after.get(path))
    return Outcome(rounds, first, refused, tuple(different), tuple(sorted(folders(root) - known)))
