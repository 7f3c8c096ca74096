"""Keeps the notes of one folder apart, so that they and all others are each searched as if there were no others."""

from collections.abc import Collection
from functools import cached_property

import numpy as np
from msgspec import field
from numpy.typing import NDArray

from bridge.index.catalogue import NoteState, NoteTable
from bridge.index.note import Notes
from bridge.records import Record
from bridge.types import Among, VaultPath


class HiddenRows(Record, eq=False):
    """Numbers of rows that a search ignores; one object for as long as they stay the same."""

    numbers: NDArray[np.int64]


class NoteSubset:
    """Some of the notes, and their rows, which are numbered when a search first asks for them."""

    def __init__(self, notes: Notes, catalogue: NoteTable) -> None:
        self.notes = notes
        self._catalogue = catalogue

    @cached_property
    def keys(self) -> HiddenRows:
        return HiddenRows(np.array(sorted(self._catalogue.keys_of(self.notes.keys())), np.int64))

    @cached_property
    def seqs(self) -> HiddenRows:
        return HiddenRows(np.array(sorted(self._catalogue.seqs_of(self.notes.keys())), np.int64))

    def replace(self, paths: Collection[VaultPath], new: Notes) -> "NoteSubset":
        """Return the notes with those at some paths replaced, or taken out; itself without paths."""
        if not paths:
            return self
        notes = dict(self.notes)
        for path in paths:
            notes.pop(path, None)
            if path in new:
                notes[path] = new[path]
        return NoteSubset(notes, self._catalogue)


class Side(Record, eq=False):
    """The notes that a question is about, and all others."""

    notes: Notes
    others: NoteSubset | None = None

    @property
    def hidden_keys(self) -> HiddenRows | None:
        return self.others.keys if self.others and self.others.notes else None

    @property
    def hidden_seqs(self) -> HiddenRows | None:
        return self.others.seqs if self.others and self.others.notes else None


class KeptFolder(Record):
    """The folder that is kept apart while it contains a certain note, so that a folder of the same name is not."""

    path: str = ""
    mark: VaultPath = field(default=VaultPath(""))

    def holds(self, path: VaultPath) -> bool:
        return bool(self.path) and path.startswith(f"{self.path}/")


class Split(Record, eq=False):
    """The notes of the folder that is kept apart and all others, in one state of the notes."""

    state: NoteState
    folder: KeptFolder
    inside: NoteSubset
    outside: NoteSubset


class Apart:
    """The two sides of a vault; detects changes of the index by itself."""

    def __init__(self, catalogue: NoteTable) -> None:
        self._catalogue = catalogue
        self._folders: tuple[KeptFolder, ...] = ()
        self._split: Split | None = None

    def use(self, *folders: KeptFolder) -> bool:
        """Keep the first of some folders apart that has its mark, and return whether they are others than before."""
        changed = folders != self._folders
        self._folders, self._split = folders, None
        return changed

    @property
    def folder(self) -> KeptFolder:
        """The folder that is kept apart now; one without a path if none is."""
        return next((one for one in self._folders if one.mark in self._catalogue.notes), KeptFolder())

    def side(self, among: Among) -> Side:
        state, split = self._catalogue.state, self._split
        if among == "all":
            return Side(state.notes)
        if split is None or split.state is not state:
            split = self._split = self._follow(split, state)
        own, others = (split.inside, split.outside) if among == "agents" else (split.outside, split.inside)
        return Side(own.notes, others)

    def _follow(self, split: Split | None, state: NoteState) -> Split:
        """Divide the notes; after a single write, only those that it concerned."""
        folder = self.folder
        if split is not None and split.folder == folder and split.state.writes == state.writes - 1:
            inside = [path for path in state.paths if folder.holds(path)]
            outside = [path for path in state.paths if not folder.holds(path)]
            new = state.notes
            return Split(state, folder, split.inside.replace(inside, new), split.outside.replace(outside, new))
        # As `holds` says, without a call for each note.
        below = f"{folder.path}/"
        own = {path: note for path, note in state.notes.items() if path.startswith(below)} if folder.path else {}
        rest = {path: note for path, note in state.notes.items() if path not in own} if own else state.notes
        return Split(state, folder, NoteSubset(own, self._catalogue), NoteSubset(rest, self._catalogue))
