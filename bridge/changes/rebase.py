"""Explains to a client how its change relates to a note that changed since it was read."""

import json
from collections.abc import Iterable
from typing import Final

from bridge.records import Record
from bridge.text.budget import shorten
from bridge.text.diff import MergeConflict, decode_text, display_text, encode_text, merge3, unified_diff
from bridge.types import Lines, VaultPath

_MAX_QUOTED_CHARS: Final = 2_000
"""Characters of each side that a conflict quotes."""


class FileConflict(Record):
    """A place where two changes conflict."""

    path: VaultPath
    why: str
    lines: Lines | None = None
    """The lines of the file as it is now; when there are none, the last is one less than the first."""
    base: str = ""
    """The text there before either change."""
    ours: str = ""
    """The text there now."""
    theirs: str = ""
    """The text that would be there."""


def merge_file(
    path: VaultPath, base: bytes, ours: bytes, theirs: bytes, *, touching: bool, alike: bool
) -> bytes | tuple[FileConflict, ...]:
    """Merge two changes of a file; `touching` and `alike` as for `merge3`."""
    texts = [decode_text(data) for data in (base, ours, theirs)]
    old, mine, other = texts
    if old is None or mine is None or other is None:
        return (FileConflict(path, "It was changed since, and is not text."),)
    merged = merge3(old, mine, other, touching=touching, alike=alike)
    if not isinstance(merged, str):
        return to_file_conflicts(path, merged)
    return encode_merged(path, mine, merged, other)


def to_file_conflicts(path: VaultPath, found: Iterable[MergeConflict]) -> tuple[FileConflict, ...]:
    return tuple(
        FileConflict(path, "These lines were changed since.", one.lines, *texts)
        for one in found
        for texts in [[display_text(shorten(text, _MAX_QUOTED_CHARS)) for text in (one.base, one.ours, one.theirs)]]
    )


def encode_merged(path: VaultPath, mine: str, merged: str, other: str = "{}") -> bytes | tuple[FileConflict, ...]:
    """Return merged text as bytes, or a conflict when a canvas would no longer be valid JSON."""
    if path.endswith(".canvas") and _is_json(mine) and _is_json(other) and not _is_json(merged):
        return (FileConflict(path, "It was changed since, and both changes together would spoil the canvas."),)
    return encode_text(merged)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


MAX_PART_CHARS: Final = 4_000
"""Characters of each part that are returned."""


class MergePreview(Record):
    """How a note differs now, and the requested change merged into it."""

    differs: str
    """What changed since the note was read, as a unified diff."""
    merged_diff: str | None
    """The requested change to the current note, as a unified diff; None when the two conflict."""
    merged_text: str | None
    """The note with both changes, unless it is long."""


def preview_merge(path: VaultPath, base: bytes, ours: bytes, theirs: bytes | None) -> MergePreview:
    """Compare what was read with the current note, and merge the requested change into it."""
    old, now = decode_text(base), decode_text(ours)
    if old is None or now is None:
        return MergePreview("", None, None)
    differs = _shorten_diff(unified_diff(old, now, path))
    merged = None if theirs is None else merge_file(path, base, ours, theirs, touching=False, alike=True)
    text = decode_text(merged) if isinstance(merged, bytes) else None
    if text is None:
        return MergePreview(differs, None, None)
    return MergePreview(
        differs,
        _shorten_diff(unified_diff(now, text, path)),
        display_text(text) if len(text) <= MAX_PART_CHARS else None,
    )


def _shorten_diff(diff: str) -> str:
    if len(diff) <= MAX_PART_CHARS:
        return diff
    end = diff.rfind("\n", 0, MAX_PART_CHARS) + 1
    return f"{diff[:end]}… {len(diff) - end:,} more characters\n"
