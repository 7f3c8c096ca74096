"""A vault of few names that files and folders swap, in which changes are undone and redone."""

import random
import re
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import product

from bridge.changes.draft import Draft
from bridge.errors import ChangeConflict
from bridge.state.change_records import Change
from bridge.types import VaultPath
from tests.changes.trial import Trial, files_after, gone, written

FOLDERS = ("F", "G", "F/G", "G/F", "H")
NAMES = tuple(
    VaultPath("/".join(filter(None, each))) for each in product(("", "F", "G", "F/G", "G/F"), ("a.md", "b.md"))
)
LINKS = VaultPath("links.md")
"""A note with the path of each file, as links have it; it is never moved."""

State = tuple[Mapping[VaultPath, bytes], set[VaultPath]]


class NameStory:
    """A random history of a vault; the first line of each file identifies it."""

    def __init__(self, dice: random.Random, *, has_trash: bool = False, has_links: bool = False) -> None:
        """Create a vault of four files.

        Args:
            dice: The random generator.
            has_trash: Whether removed files go to a trash in the vault.
            has_links: Whether a note is rewritten with each move, as links are.
        """
        self.vault = vault = Trial()
        vault.has_trash = has_trash
        self.told: Counter[str] = Counter()
        """What was done and what was refused, by kind."""
        self._dice = dice
        self._written = 0
        self._states: dict[str, tuple[State, State]] = {}
        """The vault before and after each change."""
        self._lines: dict[str, list[tuple[str, str]]] = {}
        """The lines that each change added, with their files."""
        for path in dice.sample(NAMES, 4):
            vault.put(path, self._new())
        if has_links:
            vault.put(LINKS, "".join(f"{each}\n" for each in ("start", *sorted(vault.files))))
        vault.journal.executescript("DELETE FROM step; DELETE FROM change;")
        self.start = vault.state()

    def go_on(self) -> None:
        """Do a random step; the newest change can always be undone, and every refusal must be justified."""
        kind = self._dice.choice(KINDS)
        kind(self)
        self.told[kind.__name__] += 1
        self._check_lines()

    def undo_all(self) -> None:
        """Undo everything: in any order what nothing depends on, then the newest first; the vault is as at first."""
        while self._dice.random() < 0.7:
            left = [one for one in self.vault.changes if one.state == "applied" and not one.facts.targets]
            for change in self._dice.sample(left, len(left)):
                if self.vault.today_of(change).state == "applied":
                    self._undo(change)
        for change in sorted(self.vault.changes, key=lambda one: one.made, reverse=True):
            if self.vault.today_of(change).state == "applied":
                why = self._undo(change)
                assert not why, f"what nothing stands on is refused: {why}"
        assert self.vault.state() == self.start

    # -- steps of a story ---------------------------------------------------------------------------------------------

    def change(self) -> None:
        """Make a change, or several as one."""
        count = self._dice.choice((1, 1, 2, 3, 4))
        lines: list[tuple[str, str]] = []

        def draw(draft: Draft) -> None:
            for _ in range(count):
                self._dice.choice(DEEDS)(self, draft, lines)

        before = self.vault.state()
        draft = self.vault.draft()
        dice = self._dice.getstate()
        draw(draft)
        if not draft.plan.steps:
            return
        self._dice.setstate(dice)
        lines.clear()
        change = self.vault.do(draw)
        self._states[change.id] = before, self.vault.state()
        self._lines[change.id] = lines

    def undo_newest(self) -> None:
        """Undo the newest change, which is never refused."""
        newest = max(self.vault.changes, key=lambda one: one.made, default=None)
        # It is already undone if it and others cancelled each other out.
        if newest is not None and newest.state == "applied":
            self._undo(newest)

    def undo_any(self) -> None:
        """Undo some change."""
        if found := [one for one in self.vault.changes if one.state == "applied"]:
            self._undo(self._dice.choice(found))

    def undo_some(self) -> None:
        """Undo several changes as one."""
        found = [one for one in self.vault.changes if one.state == "applied" and not one.facts.targets]
        if found:
            self._undo(*self._dice.sample(found, self._dice.randrange(1, min(3, len(found)) + 1)))

    def undo_session(self) -> None:
        """Undo as one all changes since some moment."""
        if changes := self.vault.changes:
            since = self._dice.choice(changes).made
            found = [one for one in changes if one.made >= since and one.state == "applied" and not one.facts.targets]
            if found:
                self._undo(*found)

    def redo(self) -> None:
        """Redo a change."""
        found = [one for one in self.vault.changes if one.state == "undone"]
        if found:
            change, before = self._dice.choice(found), self.vault.state()
            try:
                done = self.vault.redo(change)
            except ChangeConflict as error:
                assert self.vault.state() == before
                self.told[f"redo: {_kind(error)}"] += 1
            else:
                self._states[done.id] = before, self.vault.state()

    def _undo(self, *changes: Change) -> str | None:
        """Undo changes as one; return the error, if any."""
        chosen = sorted(changes, key=lambda one: one.made, reverse=True)
        before, all_changes = self.vault.state(), self.vault.changes
        wanted = self._wanted(chosen)
        try:
            done = self.vault.undo(*chosen)
        except ChangeConflict as error:
            assert self.vault.state() == before
            assert wanted is None, f"the newest is refused: {error.message}"  # noqa: PT017
            self._check_reasons(error)
            self.told[f"undo: {_kind(error)}"] += 1
            return error.message
        now = self.vault.state()
        if done.id not in {one.id for one in all_changes}:
            self._states[done.id] = before, now
        assert all(self.vault.today_of(one).state == "undone" for one in chosen)
        if wanted is not None:
            assert now == wanted, f"{now} is not {wanted}"
        elif len(chosen) == 1:
            self._check_files(chosen[0], before, now, all_changes)
        return None

    def _wanted(self, chosen: list[Change]) -> State | None:
        """Return the expected vault after undoing changes, if no later change counts.

        A later change does not count if it was undone, or undid only later changes.
        """
        first = min(one.made for one in chosen)
        ids = {one.id for one in chosen}
        later = [one for one in self.vault.changes if one.made >= first]
        if len(chosen) == 1 and len(later) == 1:
            return self._states[chosen[0].id][0]
        inside = {one.id for one in later}
        for one in later:
            if one.facts.targets:
                if not inside.issuperset(one.facts.targets) or one.id in ids:
                    return None
            elif (one.state == "applied") != (one.id in ids):
                return None
        return self._states[min(later, key=lambda one: one.made).id][0]

    def _check_files(self, change: Change, before: State, now: State, all_changes: list[Change]) -> None:
        """Check that each file that a change moved is where it was before, and every other file where it is now."""
        was, became = (_places(files) for files, _ in self._states[change.id])
        here, there = _places(before[0]), _places(now[0])
        folders = any(step.kind == "move" and step.before is None for one in all_changes for step in one.steps)
        if folders:
            return
        for file in {*was, *became, *here, *there}:
            if was.get(file) != became.get(file) == here.get(file):
                assert there.get(file) == was.get(file), f"{file} is at {there.get(file)}, not {was.get(file)}"
            if was.get(file) == became.get(file):
                assert there.get(file) == here.get(file), f"{file} is at {there.get(file)}, not {here.get(file)}"

    def _check_reasons(self, error: ChangeConflict) -> None:
        """Check that what a refusal says is true."""
        files, folders = self.vault.state()
        found = error.facts["conflicts"]
        assert isinstance(found, list)
        assert error.message
        for path, why in ((one["path"], one["why"]) for one in found):
            place = re.search(r"place `(.*?)` is taken(?: by `(.*)`)?\\.", why) or re.search(r"`(.*)` would have", why)
            if place is not None:
                there = VaultPath(place[place.lastindex or 0])
                assert there in files or there in folders, f"{path}: {why}"
            if "Another file has this name now" in why:
                assert path in files or path in folders, f"{path}: {why}"
            if claim := re.search(r"the change `(.*)` comes first", why):
                assert self.vault.today_of(_by_id(self.vault, claim[1])).state == "applied"

    def _check_lines(self) -> None:
        """Check that each file has the lines of the active changes, and no others."""
        texts = {data.decode().split("\n", 1)[0]: data.decode().splitlines() for data in self.vault.files.values()}
        for change in self.vault.changes:
            for file, line in self._lines.get(change.id, ()):
                if file in texts:
                    assert (line in texts[file]) == (change.state == "applied"), f"{file}: {line}, {change.id}"

    # -- what a change consists of ------------------------------------------------------------------------------------

    def move(self, draft: Draft, _lines: list[tuple[str, str]]) -> None:
        """Rename a file."""
        files, _ = self._now(draft)
        free = [path for path in NAMES if not draft.has(path)]
        if files and free:
            self._count_moves(draft, {self._dice.choice(files): self._dice.choice(free)})

    def move_folder(self, draft: Draft, _lines: list[tuple[str, str]]) -> None:
        """Rename a folder."""
        _, folders = self._now(draft)
        free = [VaultPath(path) for path in FOLDERS if not draft.has(VaultPath(path))]
        pairs = [(path, to) for path in folders for to in free if not to.startswith(f"{path}/")]
        if pairs:
            path, to = self._dice.choice(pairs)
            self._count_moves(draft, {path: to})

    def swap(self, draft: Draft, _lines: list[tuple[str, str]]) -> None:
        """Swap the names of files in a circle."""
        files, _ = self._now(draft)
        if len(files) < 2 or draft.has(VaultPath("between.md")):
            return
        some = self._dice.sample(files, self._dice.randrange(2, min(4, len(files)) + 1))
        between = VaultPath("between.md")
        for path, to in zip((*some, between), (between, *some), strict=True):
            self._count_moves(draft, {path: to})

    def swap_folders(self, draft: Draft, _lines: list[tuple[str, str]]) -> None:
        """Swap the names of two folders."""
        _, folders = self._now(draft)
        pairs = [(one, two) for one in folders for two in folders if not f"{one}/".startswith(f"{two}/")]
        pairs = [(one, two) for one, two in pairs if not f"{two}/".startswith(f"{one}/")]
        if pairs and not draft.has(VaultPath("Between")):
            one, two = self._dice.choice(pairs)
            between = VaultPath("Between")
            for path, to in ((one, between), (two, one), (between, two)):
                self._count_moves(draft, {path: to})

    def there_and_back(self, draft: Draft, lines: list[tuple[str, str]]) -> None:
        """Rename a file or folder and back, perhaps with an edit between."""
        files, _ = self._now(draft)
        free = [path for path in NAMES if not draft.has(path)]
        if files and free:
            path, to = self._dice.choice(files), self._dice.choice(free)
            self._count_moves(draft, {path: to})
            if self._dice.random() < 0.5:
                self.edit(draft, lines)
            self._count_moves(draft, {to: path})

    def create(self, draft: Draft, _lines: list[tuple[str, str]]) -> None:
        """Create a file."""
        free = [path for path in NAMES if not draft.has(path)]
        if free:
            written(draft, self._dice.choice(free), self._new())

    def remove(self, draft: Draft, lines: list[tuple[str, str]]) -> None:
        """Remove a file."""
        files, _ = self._now(draft)
        if files:
            path = self._dice.choice(files)
            file = draft.read(path).decode().split("\n", 1)[0]
            lines[:] = [line for line in lines if line[0] != file]
            written(draft, path, None)

    def edit(self, draft: Draft, lines: list[tuple[str, str]]) -> None:
        """Add a line to a file, far from the others."""
        files, _ = self._now(draft)
        if files:
            path = self._dice.choice(files)
            text = draft.read(path).decode()
            self._written += 1
            line = f"new {self._written}"
            lines.append((text.split("\n", 1)[0], line))
            written(draft, path, f"{text}{line}\n")

    def _count_moves(self, draft: Draft, moves: Mapping[VaultPath, VaultPath]) -> None:
        for path, to in moves.items():
            gone(draft, path, to)
            if draft.is_file(LINKS):
                text = draft.read(LINKS).decode()
                lines = [
                    to + line[len(path) :] if line == path or line.startswith(f"{path}/") else line
                    for line in text.splitlines()
                ]
                if (now := "".join(f"{line}\n" for line in lines)) != text:
                    written(draft, LINKS, now)

    def _now(self, draft: Draft) -> tuple[list[VaultPath], list[VaultPath]]:
        """Return the files and folders of a draft."""
        files = sorted(path for path in files_after(draft, self.vault.files) if path != LINKS)
        folders = sorted({*self.vault.folders, *map(VaultPath, (*FOLDERS, "Between"))})
        folders = [path for path in folders if draft.has(path) and not draft.is_file(path)]
        return files, folders

    def _new(self) -> str:
        self._written += 1
        return f"file {self._written}\n"


KINDS: tuple[Callable[[NameStory], None], ...] = (
    *([NameStory.change] * 6),
    *([NameStory.undo_any, NameStory.undo_newest] * 2),
    *(NameStory.undo_some, NameStory.undo_session, NameStory.redo),
)
Deed = Callable[[NameStory, Draft, list[tuple[str, str]]], None]
DEEDS: tuple[Deed, ...] = (
    *([NameStory.move, NameStory.move_folder, NameStory.remove, NameStory.create, NameStory.edit] * 3),
    *(NameStory.swap, NameStory.swap_folders, NameStory.there_and_back),
)


def _places(files: Mapping[VaultPath, bytes]) -> dict[str, VaultPath]:
    return {data.decode().split("\n", 1)[0]: path for path, data in files.items()}


def _by_id(vault: Trial, id_: str) -> Change:
    return next(one for one in vault.changes if one.id == id_)


def _kind(error: ChangeConflict) -> str:
    found = error.facts["conflicts"]
    assert isinstance(found, list)
    return re.sub(r"`[^`]*`", "`…`", str(found[0]["why"]))
