"""Two changes of one file brought together, or what stands against it."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from bridge.changes.merge import Contradiction, merge
from bridge.changes.plain import bytes_of, shown, text_of
from bridge.types import Lines, VaultPath

_QUOTED: Final = 2_000
"""Characters of each side that a conflict quotes."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """A place where two changes cannot both stand."""

    path: VaultPath
    why: str
    lines: Lines | None = None
    """The lines of the file as it is now; when there are none, the last is one less than the first."""
    base: str = ""
    """What stood there, before either changed it."""
    ours: str = ""
    """What stands there now."""
    theirs: str = ""
    """What would stand there."""


def reconciled(
    path: VaultPath, base: bytes, ours: bytes, theirs: bytes, *, touching: bool, alike: bool
) -> bytes | tuple[Conflict, ...]:
    """Bring two changes of a file together; `touching` and `alike` as for `merge`."""
    texts = [text_of(data) for data in (base, ours, theirs)]
    old, mine, other = texts
    if old is None or mine is None or other is None:
        return (Conflict(path, "It was changed since, and is no text."),)
    merged = merge(old, mine, other, touching=touching, alike=alike)
    if not isinstance(merged, str):
        return told(path, merged)
    return whole(path, mine, merged, other)


def told(path: VaultPath, found: Iterable[Contradiction]) -> tuple[Conflict, ...]:
    """Return contradictions as conflicts of a file."""
    return tuple(
        Conflict(path, "These lines were changed since.", one.lines, *map(_quoted, (one.base, one.ours, one.theirs)))
        for one in found
    )


def whole(path: VaultPath, mine: str, merged: str, other: str = "{}") -> bytes | tuple[Conflict, ...]:
    """Return what two texts became together, unless it is no file of its kind any more."""
    if path.endswith(".canvas") and _is_json(mine) and _is_json(other) and not _is_json(merged):
        return (Conflict(path, "It was changed since, and both changes together would spoil the canvas."),)
    return bytes_of(merged)


def _quoted(text: str) -> str:
    return shown(text if len(text) <= _QUOTED else f"{text[:_QUOTED]}…")


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
