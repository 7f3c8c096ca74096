"""Keeps the notes of one folder apart, so that they and all others are each searched as if there were no others."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bridge.index.catalogue import NoteTable
from bridge.index.note import Notes
from bridge.records import dataclass
from bridge.types import Among, VaultPath

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class HiddenRows:
    """Numbers of rows that a search ignores; one object for as long as they stay the same."""

    numbers: "NDArray[np.int64]"


class Side:
    """Some of the notes, and the rows of all others, which are numbered when a search first asks for them."""

    def __init__(self, notes: Notes, others: Notes | None = None, catalogue: NoteTable | None = None) -> None:
        self.notes = notes
        self._others = others
        self._catalogue = catalogue

    @cached_property
    def hidden_keys(self) -> HiddenRows | None:
        """The others' keys in the passages table; None if there are none."""
        return self._hidden(NoteTable.keys_of)

    @cached_property
    def hidden_seqs(self) -> HiddenRows | None:
        """The others' rows in the notes table; None if there are none."""
        return self._hidden(NoteTable.seqs_of)

    def _hidden(self, rows_of: Callable[[NoteTable, Collection[VaultPath]], set[int]]) -> HiddenRows | None:
        if self._others is None or self._catalogue is None:
            return None
        return HiddenRows(np.array(sorted(rows_of(self._catalogue, self._others.keys())), np.int64))


@dataclass(frozen=True, slots=True)
class KeptFolder:
    """The folder that is kept apart while it contains a certain note, so that a folder of the same name is not."""

    path: str = ""
    mark: VaultPath = field(default=VaultPath(""))

    def holds(self, path: VaultPath) -> bool:
        """Return whether a note is in the folder."""
        return bool(self.path) and path.startswith(f"{self.path}/")


class Apart:
    """The two sides of a vault; detects changes of the index by itself."""

    def __init__(self, catalogue: NoteTable) -> None:
        self._catalogue = catalogue
        self._folder = KeptFolder()
        self._every: Notes | None = None
        self._sides: Mapping[Among, Side] = {}

    def use(self, folder: KeptFolder) -> bool:
        """Keep a folder apart, and return whether it is another one than before."""
        changed = folder != self._folder
        self._folder, self._every = folder, None
        return changed

    @property
    def folder(self) -> KeptFolder:
        """The folder that is kept apart now; one without a path if none is."""
        return self._folder if self._folder.mark in self._catalogue.notes else KeptFolder()

    def side(self, among: Among) -> Side:
        """Return the notes that a question is about."""
        every = self._catalogue.notes
        if among == "all":
            return Side(every)
        if every is not self._every:
            self._every, self._sides = every, self._split(every)
        return self._sides[among]

    def _split(self, every: Notes) -> Mapping[Among, Side]:
        folder = self.folder
        # As `holds` says, without a call for each note: this follows every write.
        below = f"{folder.path}/"
        inside = {path: note for path, note in every.items() if path.startswith(below)} if folder.path else {}
        if not inside:
            return {"notes": Side(every), "agents": Side(inside, every, self._catalogue)}
        outside = {path: note for path, note in every.items() if path not in inside}
        return {
            "notes": Side(outside, inside, self._catalogue),
            "agents": Side(inside, outside, self._catalogue),
        }
