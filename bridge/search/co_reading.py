"""Co-reading: notes are close when programs recently read them together."""

import heapq
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby, permutations
from typing import Final

from msgspec import field

from bridge.records import Record
from bridge.state.call_log import DAY_S, NoteRead
from bridge.types import VaultPath

HALF_LIFE_S: Final = 7 * DAY_S

PAUSE_S: Final = 1_800.0
"""Seconds without reading that end a reading session."""

MAX_SESSION_NOTES: Final = 50
"""Notes in one session for which co-reading counts; more are a list being worked through."""

MAX_CO_READ_NOTES: Final = 20
"""Maximum number of co-read notes kept per note."""

MIN_CLOSENESS: Final = 0.02
"""Closeness that is dropped: two notes read together once, five half-lives ago."""

Pairs = Mapping[VaultPath, Mapping[VaultPath, float]]
"""By note: the notes that were read together with it, and their closeness (0-1)."""


class CoReading(Record):
    """The closeness of notes by co-reading, and its weight relative to semantic similarity."""

    weight: float = 0.0
    beside: Pairs = field(default_factory=dict)


NO_CO_READING: Final = CoReading()


def co_read_pairs(readings: Iterable[NoteRead], now: float) -> Pairs:
    """Return which notes were read together; more often, more recently and in smaller sessions counts as closer."""
    near: defaultdict[VaultPath, dict[VaultPath, float]] = defaultdict(dict)
    for ended, paths in reading_sessions(readings):
        if len(paths) > MAX_SESSION_NOTES:
            continue
        # As Adamic and Adar (2003) weigh what two have in common: the fewer share it, the more it says.
        weight = 0.5 ** (max(0.0, now - ended) / HALF_LIFE_S) / math.log2(1 + len(paths))
        for one, other in permutations(paths, 2):
            near[one][other] = near[one].get(other, 0.0) + weight
    return {path: kept for path, others in near.items() if (kept := nearest_notes(others))}


def reading_sessions(readings: Iterable[NoteRead]) -> Iterator[tuple[float, frozenset[VaultPath]]]:
    for _, own in groupby(sorted(readings, key=lambda one: (one.reader, one.time)), key=lambda one: one.reader):
        last, paths = -math.inf, set[VaultPath]()
        for reading in own:
            if paths and reading.time - last > PAUSE_S:
                yield last, frozenset(paths)
                paths.clear()
            last = reading.time
            paths.add(reading.path)
        yield last, frozenset(paths)


def nearest_notes(others: Mapping[VaultPath, float]) -> Mapping[VaultPath, float]:
    best = heapq.nlargest(MAX_CO_READ_NOTES, others.items(), key=lambda item: (item[1], item[0]))
    return {path: min(1.0, weight) for path, weight in best if weight >= MIN_CLOSENESS}
