"""A vault in which changes are made, proposed, accepted, undone and redone at random, completely and in part."""

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TypeVar

from bridge.changes.draft import Draft
from bridge.changes.hunks import differences
from bridge.errors import BridgeError
from bridge.state.change_records import Change
from bridge.state.journal import set_change_state
from bridge.types import VaultPath
from tests.changes.trial import Trial, files_after, gone, written

T = TypeVar("T")
Files = Mapping[VaultPath, bytes]

NAMES = ("a", "b", "c")
LINES = 40


class Story:
    """A random history of a vault; no line is written twice, so that the lines show which changes are active."""

    def __init__(self, dice: random.Random, *, has_trash: bool = False) -> None:
        """Create a vault of the notes in `NAMES`.

        Args:
            dice: The random generator.
            has_trash: Whether removed files go to a trash in the vault.
        """
        self.vault = Trial(**{name: "".join(f"{name} {line}\n" for line in range(LINES)) for name in NAMES})
        self.vault.has_trash = has_trash
        self.start = self.vault.state()
        self.told: Counter[str] = Counter()
        """What was done and what was refused, by kind."""
        self._dice = dice
        self._written = 0
        self._promised: dict[str, tuple[Files, Files]] = {}
        """The vault before each change, and its expected state after."""

    def go_on(self) -> None:
        """Do a random step; a refused one changes nothing, and a proposed one no file."""
        vault = self.vault
        kind = self._dice.choice(KINDS) if vault.files else self._dice.choice((Story.create, Story.undo))
        before, all_changes, refused = vault.state(), vault.changes, False
        vault.proposes = kind in PROPOSED and self._dice.random() < 0.3
        try:
            kind(self)
            self.told[kind.__name__] += 1
        except BridgeError as error:
            self.told[f"{kind.__name__}: {error.code}"] += 1
            refused = True
        assert vault.state() == before or not (refused or vault.proposes)
        assert vault.changes == all_changes or not refused
        vault.proposes = False
        self.check()

    def undo_all(self) -> None:
        """Undo the active changes, the newest first, since nothing depends on that; the vault is as at first."""
        for change in sorted(self.vault.changes, key=lambda one: one.made, reverse=True):
            if self.vault.today_of(change).state == "applied":
                self.vault.undo(change)
                self.check()
        assert self.vault.state() == self.start

    def check(self) -> None:
        """Check that the notes agree with the journal's account of the changes."""
        lines = {line for data in self.vault.files.values() for line in data.decode().splitlines()}
        for change, hunk, told in self._told():
            out = [(line in lines) == removed for line, removed in told]
            undone = hunk in self.vault.today_of(change).facts.undone
            assert all(out) == undone, (change.id, hunk, undone, told)

    def _told(self) -> Iterator[tuple[Change, int, Collection[tuple[str, bool]]]]:
        """Yield hunks of existing notes, each with the lines that only it has added or (True) removed."""
        found = defaultdict[str, list[tuple[Change, int, bool, bool]]](list)
        for change in self.vault.changes:
            if change.state in ("applied", "undone") and not change.facts.targets:
                for each, gone in zip(differences(change.steps, self.vault.snapshot), change.gone, strict=True):
                    for hunk in each.hunks:
                        for row in hunk.rows:
                            if row.kind != "same":
                                of = (change, hunk.number, row.kind == "removed", gone is None)
                                found[row.text.strip()].append(of)
        hunks: dict[tuple[str, int], tuple[Change, list[tuple[str, bool]]]] = {}
        for line, [(change, number, removed, is_there), *others] in found.items():
            if is_there and not others:
                hunks.setdefault((change.id, number), (change, []))[1].append((line, removed))
        return ((change, number, lines) for (_, number), (change, lines) in hunks.items())

    # -- steps of a story ---------------------------------------------------------------------------------------------

    def edit(self) -> None:
        """Change some lines of some notes."""
        chosen = self._some(sorted(self.vault.files))
        texts = {path: self._changed(self.vault.text(path)) for path in chosen}

        def draw(draft: Draft) -> None:
            for path, text in texts.items():
                written(draft, path, text)

        self._do(draw)

    def create(self) -> None:
        """Create a note, perhaps in a folder."""
        path = VaultPath(f"{self._dice.choice(['', 'F/', 'F/G/'])}{self._line()}.md")
        self._do(lambda draft: written(draft, path, f"{path} one\n{path} two\n"))

    def move(self) -> None:
        """Rename a note, possibly to the former name of another."""
        path = self._dice.choice(sorted(self.vault.files))
        to = VaultPath(self._dice.choice([f"F/{self._line()}.md", "a.md", "b.md"]))
        if to not in self.vault.files:
            self._do(lambda draft: gone(draft, path, to))

    def remove(self) -> None:
        """Remove a note."""
        path = self._dice.choice(sorted(self.vault.files))
        self._do(lambda draft: written(draft, path, None))

    def accept(self) -> None:
        """Accept a proposal, or some of its hunks."""
        change = self._change("proposed")
        if change is None:
            return
        hunks = self._hunks(change)
        before, promised = self._promised.get(change.id, ({}, {}))
        same = hunks is None and self.vault.files == before
        self.vault.accept(change, hunks)
        assert not same or self.vault.files == promised

    def reject(self) -> None:
        """Reject a proposal, or let it expire."""
        if (change := self._change("proposed")) is not None:
            set_change_state(self.vault.journal, change.id, self._dice.choice(["rejected", "expired"]))

    def undo(self) -> None:
        """Undo a change, or some of its hunks."""
        if (change := self._change("applied")) is not None:
            self.vault.undo(change, hunks=self._hunks(change))

    def undo_session(self) -> None:
        """Undo several changes as one."""
        active = [one for one in self.vault.changes if one.state == "applied"]
        plain = [one for one in active if not one.facts.targets]
        if plain:
            self.vault.undo(*sorted(self._some(plain), key=lambda one: one.made, reverse=True))

    def redo(self) -> None:
        """Redo a change."""
        if (change := self._change("undone")) is not None:
            self.vault.redo(change)

    def _do(self, draw: Callable[[Draft], None]) -> None:
        draft, files = self.vault.draft(), dict(self.vault.files)
        draw(draft)
        change = self.vault.do(draw)
        self._promised[change.id] = files, {path: draft.read(path) for path in files_after(draft, files)}

    def _change(self, state: str) -> Change | None:
        found = [change for change in self.vault.changes if change.state == state]
        return self._dice.choice(found) if found else None

    def _hunks(self, change: Change) -> list[int] | None:
        """Choose some hunks of a change, or None for all of it."""
        numbers = [hunk.number for each in differences(change.steps, self.vault.snapshot) for hunk in each.hunks]
        return self._some(numbers) if numbers and self._dice.random() < 0.5 else None

    def _some(self, of: list[T]) -> list[T]:
        return self._dice.sample(of, self._dice.randrange(1, min(3, len(of)) + 1))

    def _changed(self, text: str) -> str:
        lines = text.splitlines(keepends=True)
        for _ in range(self._dice.randrange(1, 4)):
            at = self._dice.randrange(len(lines) + 1)
            lines[at : at + self._dice.randrange(3)] = [f"{self._line()}\n" for _ in range(self._dice.randrange(3))]
        return "".join(lines) or f"{self._line()}\n"

    def _line(self) -> str:
        self._written += 1
        return f"new {self._written}"


KINDS = (
    *(Story.edit, Story.edit, Story.edit, Story.create, Story.move, Story.remove),
    *(Story.accept, Story.accept, Story.reject, Story.undo, Story.undo, Story.undo, Story.undo_session, Story.redo),
)
PROPOSED = {Story.edit, Story.create, Story.move, Story.remove, Story.undo, Story.undo_session, Story.redo}
