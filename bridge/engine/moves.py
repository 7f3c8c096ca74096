"""Tells which notes were moved, and of which a change replaced the properties only."""

import time
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Final

from bridge.errors import BridgeError
from bridge.index.index import Index
from bridge.index.note import IndexedNote
from bridge.index.write import CarriedNote, carry_over
from bridge.types import VaultPath
from bridge.vault.paths import at_or_below
from bridge.vault.plan import Blobs, Step
from bridge.vault.vault import Vault

LATE_S = 2.0
"""Seconds within which the two halves of a move are seen."""

MAX_LATE_NOTES = 300
"""Notes that are remembered for that, of each half."""

Seen = tuple[float, IndexedNote]
"""A note that went or came, and when."""


def trace_moves(steps: Iterable[Step], notes: Collection[VaultPath]) -> dict[VaultPath, VaultPath]:
    first: dict[VaultPath, VaultPath] = {}
    left: set[VaultPath] = set()
    for step in steps:
        if step.kind == "remove":
            left.add(first.pop(step.path, step.path))
        if step.kind != "move" or step.to is None:
            continue
        to, start = step.to, len(step.path)
        there = [step.path] if step.before is not None else at_or_below([step.path], {*notes} - left | first.keys())
        moved = {VaultPath(to + path[start:]): first.pop(path, path) for path in there}
        left.update(moved.values())
        first |= moved
    return {path: now for now, path in first.items() if path in notes and path != now}


class LateMoves:
    """Finds moves whose two halves are seen one after the other: a watcher may tell of a new folder first."""

    def __init__(self) -> None:
        self._gone: list[Seen] = []
        self._fresh: list[Seen] = []

    def detect(
        self, gone: Sequence[IndexedNote], fresh: Sequence[IndexedNote], notes: Collection[VaultPath]
    ) -> Mapping[VaultPath, VaultPath]:
        """Return where notes were moved, by their old path, among those that went and came now or a moment ago."""
        now = time.monotonic()
        # What came a moment ago may have been moved since by the bridge itself, which does not tell of it here.
        self._gone = [
            one for one in (*_recent(self._gone, now), *((now, note) for note in gone)) if one[1].path not in notes
        ]
        self._fresh = [
            one for one in (*_recent(self._fresh, now), *((now, note) for note in fresh)) if one[1].path in notes
        ]
        moved = detect_moves([note for _, note in self._gone], (note for _, note in self._fresh))
        self._gone = [one for one in self._gone if one[1].path not in moved][-MAX_LATE_NOTES:]
        self._fresh = [one for one in self._fresh if one[1].path not in moved.values()][-MAX_LATE_NOTES:]
        return moved


def _recent(seen: Iterable[Seen], now: float) -> Iterator[Seen]:
    return (one for one in seen if now - one[0] <= LATE_S)


def detect_moves(gone: Collection[IndexedNote], fresh: Iterable[IndexedNote]) -> Mapping[VaultPath, VaultPath]:
    """Return where missing notes were moved, by their old path.

    A note moved to the only new note with the same content. If several have it, such as notes made from one template,
    it moved to the only one that also has the same file name: their folder was renamed.
    """
    if not gone:
        return {}
    known, moved = list(fresh), dict[VaultPath, VaultPath]()
    for with_name in (False, True):
        old, new = (_unique_notes(notes, with_name=with_name) for notes in (gone, known))
        moved |= {path: new[each] for each, path in old.items() if each in new and path not in moved}
    return moved


def _unique_notes(notes: Iterable[IndexedNote], *, with_name: bool) -> Mapping[Hashable, VaultPath]:
    """Return the notes that alone have their content, or their content and file name."""
    marked = [((note.digest, with_name and note.path.rpartition("/")[2]), note.path) for note in notes]
    count = Counter(each for each, _ in marked)
    return {each: path for each, path in marked if count[each] == 1}


Replacement = tuple[bytes, bytes]
"""The bytes of a file before and after."""

NOTHING_REPLACED: Final[Mapping[VaultPath, Replacement]] = MappingProxyType({})


def replaced_bytes(steps: Iterable[Step], blobs: Blobs) -> Mapping[VaultPath, Replacement]:
    found: dict[VaultPath, Replacement] = {}
    for step in steps:
        before, after = (None if digest is None else blobs.get(digest) for digest in (step.before, step.after))
        if step.kind == "put" and before is not None and after is not None:
            found[step.path] = before, after
    return found


def carry_notes(
    vault: Vault,
    index: Index,
    recipe: str,
    paths: Collection[VaultPath],
    replaced: Mapping[VaultPath, Replacement],
) -> list[CarriedNote]:
    """Read the files again, and return those notes of which only the properties changed; call in a thread."""
    found: list[CarriedNote] = []
    notes, since = index.notes, time.perf_counter()
    for path in paths:
        known = notes.get(path)
        if known is None or known.recipe != recipe or path not in replaced:
            continue
        since = index.searches.give_way_in_thread(since)
        before, after = replaced[path]
        # One that cannot be read is dealt with where all are read.
        with suppress(BridgeError):
            data, stat = vault.read(path)
            if data == after and (carried := carry_over(known, before, after, stat)) is not None:
                found.append(carried)
    return found
