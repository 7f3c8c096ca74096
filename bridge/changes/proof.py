"""Proves a plan before it is carried out: every link of a changed file is read again and must mean what it meant."""

from bridge.changes.shift import Shift
from bridge.errors import InvalidArguments
from bridge.types import VaultPath
from bridge.vault import Names, Resolved, Spot, Spots, read_spots


def prove(path: VaultPath, before: Spots, after: bytes, shift: Shift) -> None:
    """Let a changed file pass only when each of its links means what it meant.

    Args:
        path: The file, as it is called before the change.
        before: Its links before.
        after: Its bytes after.
        shift: How names change.

    Raises:
        InvalidArguments: A link does not.
    """
    now = shift.now(path)
    again = read_spots(now, after).links
    for old, new in zip(before.links, again, strict=False):
        was, means = _meaning(old, path, shift.before), _meaning(new, now, shift.after)
        if _form(old) != _form(new) or not _same(was, means, shift):
            raise _unlike(path, old)
    if len(again) != len(before.links):
        raise _unlike(path, (*again, *before.links)[min(len(again), len(before.links))])


def _meaning(spot: Spot, path: VaultPath, names: Names) -> Resolved:
    return names.resolve(spot.target, path, spot.kind)


def _form(spot: Spot) -> tuple[object, ...]:
    return spot.kind, spot.syntax, spot.counted, spot.shown is None


def _same(was: Resolved, means: Resolved, shift: Shift) -> bool:
    """Tell whether two meanings are one; a link that led nowhere may lead somewhere now."""
    same = (was.heading, was.block) == (means.heading, means.block)
    return same and (was.path is None or shift.now(was.path) == means.path)


def _unlike(path: VaultPath, spot: Spot) -> InvalidArguments:
    return InvalidArguments(
        f"The link to `{spot.target}` in line {spot.line} of `{path}` would lead elsewhere.",
        hint="Choose another path, or change that link first.",
        path=path,
        line=spot.line,
    )
