"""An in-memory vault that changes exactly as requested and stores what the bridge would store."""

import random
import sqlite3
from collections.abc import Callable, Collection, Iterable
from functools import cache
from pathlib import Path

from msgspec.structs import replace

from bridge.changes.draft import Draft, follow_step
from bridge.changes.path_history import VaultState
from bridge.changes.undo import (
    Undone,
    apply_proposal,
    hunk_states_after_accept,
    hunk_states_after_redo,
    hunk_states_after_undo,
    redo,
    undo,
)
from bridge.errors import ChangeConflict, NoteNotFound
from bridge.markdown.decode import digest_of
from bridge.markdown.names import Names
from bridge.state import change_records
from bridge.state.change_records import Change, ChangeFacts, ChangeFilter, State, set_hunk_states
from bridge.state.database import Database, migrate
from bridge.state.file_history import FileHistory
from bridge.state.journal import JOURNAL, insert_change, settle_change
from bridge.types import Digest, VaultPath
from bridge.vault.plan import Plan, Step


def files_after(draft: Draft, before: Iterable[VaultPath]) -> list[VaultPath]:
    """Return the files that exist after the steps of a draft, given those before."""
    names = Names(before)
    for step in draft.steps:
        follow_step(names, step)
    return list(names)


class Trial:
    """Files and folders, and their changes."""

    def __init__(self, **files: str) -> None:
        self.files = {VaultPath(f"{name}.md"): text.encode() for name, text in files.items()}
        self.folders: set[VaultPath] = set()
        self.trash: dict[VaultPath, bytes] = {}
        self.has_trash = False
        self.proposes = False
        """Whether changes are only proposed."""
        self.kept: dict[Digest, bytes] = {}
        self.journal = sqlite3.connect(":memory:")
        _empty().backup(self.journal)
        self.history = FileHistory(Database(self.journal, Path(":memory:")))
        self.count = 0
        self.notes: tuple[str, ...] = ()

    def text(self, path: str) -> str:
        return self.files[VaultPath(path)].decode()

    def state(self) -> tuple[dict[VaultPath, bytes], set[VaultPath]]:
        return dict(self.files), set(self.folders)

    def snapshot(self, digest: Digest) -> bytes | None:
        return self.kept.get(digest)

    def inside(self, folder: VaultPath) -> Collection[VaultPath]:
        return [path for path in (*self.files, *self.folders, *self.trash) if path.rpartition("/")[0] == folder]

    def draft(self) -> Draft:
        def read(path: VaultPath) -> bytes:
            if path not in self.files:
                raise NoteNotFound(path)
            return self.files[path]

        return Draft(read, lambda path: path in self.files or path in self.folders)

    @property
    def today(self) -> VaultState:
        """The bridge's view of the vault."""

        def has(path: VaultPath, digest: Digest) -> bool:
            data = {**self.files, **self.trash}.get(path)
            return data is not None and digest_of(data) == digest

        return VaultState(
            self.inside,
            has,
            self.history.past,
            self.history.is_newest,
            self.history.folder_events,
            self.history.departures,
        )

    @property
    def changes(self) -> list[Change]:
        """Every change as the journal has it now, oldest first."""
        return change_records.find_changes(self.journal, ChangeFilter(), self.count, 0)[::-1]

    def do(
        self, draw: Callable[[Draft], None], facts: ChangeFacts | None = None, *, of: Change | None = None
    ) -> Change:
        """Make a change as the writer would, perhaps of a proposal, and store it as the store would."""
        draft = self.draft()
        draw(draft)
        plan = draft.plan
        if self.proposes:
            self.kept.update(plan.blobs)
            change = self._named(plan.steps, facts, "proposed")
            insert_change(self.journal, change, pending=False)
            return self.today_of(change)
        self.kept.update(plan.blobs)
        done = [step for planned in plan.steps for step in self._done(planned, trash=not plan.back and self.has_trash)]
        change = self._named(done, facts, "prepared")
        made = change.id
        if of is not None:
            change = replace(change, id=of.id, state=of.state)
        insert_change(self.journal, change, pending=True)
        settle_change(self.journal, change.id, made)
        return self.today_of(change)

    def today_of(self, change: Change) -> Change:
        """Return a change as the journal has it now."""
        found = change_records.find_change(self.journal, change.id)
        assert found is not None
        return found

    def _named(self, steps: Iterable[Step], facts: ChangeFacts | None, state: State) -> Change:
        self.count += 1
        name = f"{self.count - 1:04}"
        return Change(name, float(self.count), "test", steps=tuple(steps), facts=facts or ChangeFacts(), state=state)

    def put(self, path: str, text: str | None) -> Change:
        """Write, create or remove a note."""
        return self.do(lambda draft: written(draft, VaultPath(path), text))

    def move(self, path: str, to: str) -> Change:
        """Move a note or folder."""
        return self.do(lambda draft: gone(draft, VaultPath(path), VaultPath(to)))

    def undo(self, *undone: Change, hunks: Collection[int] | None = None) -> Change:
        """Undo changes."""
        today = [self.today_of(change) for change in undone]
        found = Undone((), {}, ())

        def draw(draft: Draft) -> None:
            nonlocal found
            draft.back = True
            found = undo(draft, today, self.snapshot, self.today, hunks)
            self.notes = found.notes

        draft = self.draft()
        draw(draft)
        switches = hunk_states_after_undo(found.changes, self.snapshot, self._find, self.today.past, found.hunks)
        if not draft.plan.steps and not self.proposes:
            # Nothing was left to do: the changes count as undone.
            set_hunk_states(self.journal, switches, None)
            return replace(self.today_of(undone[0]), steps=())
        return self.do(draw, ChangeFacts(undoes=tuple(change.id for change in found.changes), switches=switches))

    def undo_in_any_order(self, dice: random.Random) -> None:
        """Undo every change, in any order except after those that depend on it."""
        left = self.changes
        dice.shuffle(left)
        while left:
            for change in list(left):
                try:
                    self.undo(change)
                except ChangeConflict:
                    assert change is not max(left, key=lambda one: one.id), "nothing stands on the newest"
                else:
                    left.remove(change)

    def redo(self, change: Change) -> Change:
        """Redo a change."""
        change = self.today_of(change)
        switches = hunk_states_after_redo(change, self.snapshot, self._find)
        return self.do(
            lambda draft: redo(draft, change, self.snapshot, self.today),
            ChangeFacts(redoes=change.id, switches=switches),
        )

    def accept(self, change: Change, hunks: Collection[int] | None = None) -> Change:
        """Apply a proposed change, or some of its hunks."""
        change = self.today_of(change)
        switches = hunk_states_after_accept(change, self.snapshot, self._find, hunks)

        def draw(draft: Draft) -> None:
            draft.back = bool(change.facts.undoes)
            apply_proposal(draft, change, self.snapshot, self.today, hunks)

        return self.do(draw, replace(change.facts, switches=switches), of=change)

    def _find(self, change: str) -> Change | None:
        return change_records.find_change(self.journal, change)

    def _done(self, step: Step, *, trash: bool) -> list[Step]:
        """Execute a step; return it with the steps that had to come before it."""
        made = self._room(step.to or step.path if step.kind != "remove" else step.path)
        match step.kind:
            case "put":
                assert (digest_of(self.files[step.path]) if step.path in self.files else None) == step.before
                assert step.after is not None
                assert step.path not in self.folders
                self.files[step.path] = self.kept[step.after]
            case "remove":
                step = self._thrown_away(step, trash=trash)
            case "move" if step.path in self.trash:
                assert step.to is not None
                assert step.to not in self.files
                assert digest_of(self.trash[step.path]) == step.before
                self.files[step.to] = self.trash.pop(step.path)
            case "move":
                assert step.to is not None
                assert step.to not in self.files
                assert step.to not in self.folders
                head, length = f"{step.path}/", len(step.path)
                moving = [path for path in self.files if path == step.path or path.startswith(head)]
                assert moving or step.path in self.folders
                assert step.before is None or digest_of(self.files[step.path]) == step.before
                for path in moving:
                    self.files[VaultPath(step.to + path[length:])] = self.files.pop(path)
                for path in [path for path in self.folders if path == step.path or path.startswith(head)]:
                    self.folders.remove(path)
                    self.folders.add(VaultPath(step.to + path[length:]))
            case "make_folder" if step.path in self.folders:
                # As in the writer: a step without effect must not be undone.
                return made
            case "make_folder":
                self.folders.add(step.path)
            case "remove_folder":
                assert not self.inside(step.path)
                self.folders.remove(step.path)
        return [*made, step]

    def _thrown_away(self, step: Step, *, trash: bool) -> Step:
        data = self.files.pop(step.path)
        assert digest_of(data) == step.before
        if step.to is None and trash:
            name = f".trash/{step.path.rpartition('/')[2]}"
            step = replace(step, to=VaultPath(name if name not in self.trash else f"{name} {self.count}"))
        if step.to is not None:
            self.trash[step.to] = data
        return step

    def _room(self, path: VaultPath) -> list[Step]:
        parts = path.split("/")[:-1]
        folders = [VaultPath("/".join(parts[: depth + 1])) for depth in range(len(parts))]
        made = [folder for folder in folders if folder not in self.folders]
        self.folders.update(made)
        return [Step("make_folder", folder) for folder in made]


@cache
def _empty() -> sqlite3.Connection:
    """Return an empty journal; creating one takes longer than most operations on it."""
    journal = sqlite3.connect(":memory:")
    migrate(journal, (JOURNAL,))
    return journal


def written(draft: Draft, path: VaultPath, text: str | None) -> None:
    """Write, create or remove a note."""
    if text is None:
        data = draft.read(path)
        draft.take(Plan((Step("remove", path, before=digest_of(data)),), {digest_of(data): data}))
    elif draft.is_file(path):
        draft.replace(path, text.encode())
    else:
        draft.create(path, text.encode())


def gone(draft: Draft, path: VaultPath, to: VaultPath) -> None:
    """Move a note or folder."""
    data = draft.read(path) if draft.is_file(path) else None
    digest = None if data is None else digest_of(data)
    draft.take(
        Plan((Step("move", path, to=to, before=digest),), {} if digest is None or data is None else {digest: data})
    )
