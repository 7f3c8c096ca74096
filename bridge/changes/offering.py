"""What a program is told that wants to change a note which changed since it read it."""

from dataclasses import dataclass
from typing import Final

from bridge.changes.diff import unified
from bridge.changes.plain import shown, text_of
from bridge.changes.reconcile import reconciled
from bridge.types import VaultPath

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
