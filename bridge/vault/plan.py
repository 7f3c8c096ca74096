"""Describes a change of the vault's files as steps, which are planned, journalled, applied and undone."""

from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import field

from bridge.records import Record
from bridge.types import Digest, VaultPath

StepKind = Literal["put", "move", "remove", "make_folder", "remove_folder"]


class Step(Record):
    """One operation on one file or folder; it holds all that its inverse needs.

    - `put` writes a file with the bytes `after`, in place of those of `before` (None: there must be no file).
    - `move` gives a file with the bytes `before` (None: a folder and everything in it) the path `to`.
    - `remove` takes a file with the bytes `before` away; `to` is where it went, if known.
    - `make_folder` makes a missing folder; `remove_folder` removes an empty one.
    """

    kind: StepKind
    path: VaultPath
    to: VaultPath | None = None
    before: Digest | None = None
    after: Digest | None = None
    inode: int | None = None
    """The inode of a moved folder: its name may belong to another folder before or after."""
    spelling: str | None = None
    """The name of what goes, or came back, where the disk does not spell it as `path` or `to` does, but as in NFD."""
    mode: int | None = None
    """The permissions of a file that goes, or came back, where they are known."""

    @property
    def _identity(self) -> tuple[object, ...]:
        return self.kind, self.path, self.to, self.before, self.after

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Step) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)


Blobs = Mapping[Digest, bytes]
"""The bytes that steps refer to, by their SHA-256."""


class Plan(Record):
    """The steps of one change, all or nothing, and the bytes of each `after` and each `before`."""

    steps: Sequence[Step] = ()
    blobs: Blobs = field(default_factory=dict)
    back: bool = False
    """Whether the plan undoes changes: what it removes needs no trash, and the names it restores were valid before."""
