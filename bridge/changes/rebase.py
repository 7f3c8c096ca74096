"""What a program is told that wants to change a note which changed since it read it."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from bridge.text.diff import bytes_of, shown, text_of, unified
from bridge.text.merge import Contradiction, merge
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


LONGEST: Final = 4_000
"""Characters of each part that are told."""


@dataclass(frozen=True, slots=True)
class Offer:
    """What differs now, and what would become of the wanted change."""

    differs: str
    """What changed since the note was read, as a unified diff."""
    merged_diff: str | None
    """What the wanted change would be on the note as it is, as a unified diff; None when the two contradict."""
    merged_text: str | None
    """The note with both, unless it is long."""


def offer(path: VaultPath, base: bytes, ours: bytes, theirs: bytes | None) -> Offer:
    """Compare what was read with what is there, and bring the wanted change together with it.

    Args:
        path: The note.
        base: What was read.
        ours: What is there.
        theirs: What the change would have made of what was read; None when it is not known.
    """
    old, now = text_of(base), text_of(ours)
    if old is None or now is None:
        return Offer("", None, None)
    differs = _cut(unified(old, now, path))
    merged = None if theirs is None else reconciled(path, base, ours, theirs, touching=False, alike=True)
    text = text_of(merged) if isinstance(merged, bytes) else None
    if text is None:
        return Offer(differs, None, None)
    return Offer(differs, _cut(unified(now, text, path)), shown(text) if len(text) <= LONGEST else None)


def _cut(diff: str) -> str:
    """Shorten a diff at the end of a line."""
    if len(diff) <= LONGEST:
        return diff
    end = diff.rfind("\n", 0, LONGEST) + 1
    return f"{diff[:end]}… {len(diff) - end:,} more characters\n"
