"""Lists notes by their links: orphans, dead ends, stubs, mutual links and gaps, and pairs with near vectors."""

from collections.abc import Collection, Sequence
from typing import Literal

import numpy as np

from bridge.engine.analytics import GraphSnapshot
from bridge.graph.columns import WRITTEN_KINDS
from bridge.graph.graph import Census
from bridge.records import Record
from bridge.state.graph_days import LinkCounts
from bridge.types import VaultPath

Lack = Literal["orphans", "dead_ends", "sources"]

MAX_BACKLINKS = 5
"""Linking notes that are listed for each stub."""


class NoteCount(Record):
    """The first of many notes.

    Attributes:
        total: Number of notes.
        notes: The first of them, most recently modified first.
    """

    total: int
    notes: tuple[VaultPath, ...]


class Stub(Record):
    """A name that notes link to and no note has.

    Attributes:
        name: The name as first written.
        wanted: Notes that link to it.
        notes: The first of them.
    """

    name: str
    wanted: int
    notes: tuple[VaultPath, ...]


class StrongPair(Record):
    """Two notes that link to each other.

    Attributes:
        source: The one with more links to the other.
        target: The other.
        links: Links between them.
    """

    source: VaultPath
    target: VaultPath
    links: int


class Gap(Record):
    """Two notes that are linked to together but not to each other.

    Attributes:
        source: One note.
        target: The other.
        together: Notes that link to both.
        score: Strength of evidence; sources with few links and rarely linked targets count more.
    """

    source: VaultPath
    target: VaultPath
    together: int
    score: float


def link_counts(found: Census) -> LinkCounts:
    return LinkCounts(found.notes, found.links, found.stubs)


def notes_without_links(graph_snapshot: GraphSnapshot, found: Census, part: Lack) -> list[VaultPath]:
    """Return the notes that lack links in one direction or both, those modified last first."""
    match part:
        case "orphans":
            marks = ~found.links_out & ~found.linked_to
        case "dead_ends":
            marks = ~found.links_out & found.linked_to
        case "sources":
            marks = found.links_out & ~found.linked_to
    graph, notes = graph_snapshot.graph, graph_snapshot.notes
    paths = [graph.paths[number] for number in np.flatnonzero(marks & graph.present).tolist()]
    return sorted(paths, key=lambda path: (-notes[path].mtime if path in notes else 0.0, path))


def stubs(
    graph_snapshot: GraphSnapshot, page: slice, templates: Collection[VaultPath] = ()
) -> tuple[tuple[Stub, ...], int]:
    """Return the stubs that notes other than templates link to, those with the most linking notes first."""
    edges = graph_snapshot.graph.edges_of(WRITTEN_KINDS, stubs=True)
    numbers = [number for number, path in graph_snapshot.graph.paths.items() if path in templates]
    wanting = edges.where(graph_snapshot.graph.stubs[edges.target] & ~np.isin(edges.source, numbers))
    pairs = np.unique(np.stack([wanting.target, wanting.source], axis=1), axis=0)
    found, first, wanted = np.unique(pairs[:, 0], return_index=True, return_counts=True)
    best = np.lexsort((found, -wanted))[page]
    paths = graph_snapshot.graph.paths
    names = tuple(
        Stub(
            graph_snapshot.graph.nodes.labels[int(found[at])].lstrip("\0"),
            int(wanted[at]),
            tuple(sorted(paths[int(one)] for one in pairs[first[at] : first[at] + min(wanted[at], MAX_BACKLINKS), 1])),
        )
        for at in best
    )
    return names, len(found)


def strong_pairs(graph_snapshot: GraphSnapshot, page: slice) -> tuple[tuple[StrongPair, ...], int]:
    """Return the pairs of notes that link to each other, those with the most links first."""
    edges = graph_snapshot.graph.edges_of(WRITTEN_KINDS)
    key = edges.source.astype(np.int64) * edges.size + edges.target
    pair, at = np.unique(key, return_inverse=True)
    count = np.bincount(at, edges.weight)
    one, other = pair // edges.size, pair % edges.size
    back = np.searchsorted(pair, other * edges.size + one)
    mutual = (one < other) & (pair[np.minimum(back, len(pair) - 1)] == other * edges.size + one)
    there = np.flatnonzero(mutual)
    both = count[there] + count[back[there]]
    paths = graph_snapshot.graph.paths
    found = []
    for index in np.lexsort((pair[there], -both))[page].tolist():
        ends = paths[int(one[there[index]])], paths[int(other[there[index]])]
        forward = count[there[index]] >= count[back[there[index]]]
        found.append(StrongPair(*(ends if forward else ends[::-1]), round(float(both[index]))))
    return tuple(found), len(there)


def gaps(graph_snapshot: GraphSnapshot, found: Sequence[tuple[int, int, int, float]]) -> tuple[Gap, ...]:
    paths = graph_snapshot.graph.paths
    return tuple(Gap(paths[one], paths[other], times, round(score, 3)) for one, other, times, score in found)
