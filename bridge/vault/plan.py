"""What a change does to the vault's files, step by step: what is planned, journalled, carried out and undone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from bridge.types import Digest, VaultPath

StepKind = Literal["put", "move", "remove", "make_folder", "remove_folder"]


@dataclass(frozen=True, slots=True)
class Step:
    """One thing done to one file or folder; a step says all that its opposite needs.

    - `put` makes a file of the bytes `after`, in place of those of `before` (None: there must be no file).
    - `move` gives a file of the bytes `before` (None: a folder with all that is in it) the path `to`.
    - `remove` takes a file of the bytes `before` away; `to` is where it went, when that can be said.
    - `make_folder` makes a folder that is not there; `remove_folder` takes an empty one away.
    """

    kind: StepKind
    path: VaultPath
    to: VaultPath | None = None
    before: Digest | None = None
    after: Digest | None = None
    inode: int | None = field(default=None, compare=False)
    """The number that the disk gives to a folder that is moved: its name may be another's before or after."""


Blobs = Mapping[Digest, bytes]
"""The bytes that steps speak of, by their SHA-256."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Steps that are one change, all or nothing, and the bytes they need: each `after` and each `before`."""

    steps: Sequence[Step] = ()
    blobs: Blobs = field(default_factory=dict)
    back: bool = False
    """Whether it turns changes back: what goes had come with them and needs no trash, and what comes had its name."""
