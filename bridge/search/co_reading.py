"""Notes that drift nearer to each other because programs read them together lately."""

import heapq
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby, permutations
from typing import Final

from bridge.state.call_log import DAY_S, NoteRead
from bridge.types import VaultPath

HALF_LIFE_S: Final = 7 * DAY_S

PAUSE_S: Final = 1_800.0
"""Seconds without reading after which a program reads for another reason."""

MOST_READ: Final = 50
"""Notes read in one go of which two may have to do with each other; more are a list that was worked off."""

KEPT: Final = 20
"""Notes that one is near to at most."""

FAINT: Final = 0.02
"""What is forgotten: two notes that were read once, five half-lives ago."""

Pairs = Mapping[VaultPath, Mapping[VaultPath, float]]
"""By note: the notes that were read together with it, and how near that makes them (0-1)."""


@dataclass(frozen=True, slots=True)
class CoReading:
    """How near notes have drifted, and what that counts where closeness in meaning counts 1."""

    weight: float = 0.0
    beside: Pairs = field(default_factory=dict)


NO_CO_READING: Final = CoReading()


def co_read_pairs(readings: Iterable[NoteRead], now: float) -> Pairs:
    """Return which notes were read together, the more often, lately and exclusively the nearer.

    Args:
        readings: Who read which note when.
        now: The time, in seconds since 1970.
    """
    near: defaultdict[VaultPath, dict[VaultPath, float]] = defaultdict(dict)
    for ended, paths in reading_sessions(readings):
        if len(paths) > MOST_READ:
            continue
        # As Adamic and Adar (2003) weigh what two have in common: the fewer share it, the more it says.
        weight = 0.5 ** (max(0.0, now - ended) / HALF_LIFE_S) / math.log2(1 + len(paths))
        for one, other in permutations(paths, 2):
            near[one][other] = near[one].get(other, 0.0) + weight
    return {path: kept for path, others in near.items() if (kept := nearest_notes(others))}


def reading_sessions(readings: Iterable[NoteRead]) -> Iterator[tuple[float, frozenset[VaultPath]]]:
    """Yield what each program read without a long pause, and when it read last."""
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
    """Return the nearest of some notes; nearer than near does not count."""
    best = heapq.nlargest(KEPT, others.items(), key=lambda item: (item[1], item[0]))
    return {path: min(1.0, weight) for path, weight in best if weight >= FAINT}
