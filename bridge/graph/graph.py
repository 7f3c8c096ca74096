"""An immutable snapshot of who links to whom."""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from bridge.types import VaultPath

if TYPE_CHECKING:
    import igraph

WALK_ON = 0.5
"""Share of a note's weight that walks on to its neighbours; the rest stays."""

MOST_NODES = 2_000
"""Notes one walk may touch, so that a hub does not make it slow."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A link between two notes; several links between the same two weigh more."""

    source: VaultPath
    target: VaultPath
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Near:
    """A note near the seeds: its share of the walk, and the seed most of it came from."""

    path: VaultPath
    score: float
    via: VaultPath


class Graph:
    """Notes and links; replaced, never changed."""

    def __init__(self, graph: "igraph.Graph", paths: tuple[VaultPath, ...]) -> None:
        self._graph = graph
        self._paths = paths
        self._number = {path: number for number, path in enumerate(paths)}

    @classmethod
    def build(cls, notes: Iterable[VaultPath], edges: Iterable[Edge]) -> Self:
        """Build the snapshot; edges to or from unknown notes and to oneself are left out."""
        import igraph

        paths = tuple(notes)
        number = {path: index for index, path in enumerate(paths)}
        weights: dict[tuple[int, int], float] = {}
        for edge in edges:
            source, target = number.get(edge.source), number.get(edge.target)
            if source is not None and target is not None and source != target:
                weights[source, target] = weights.get((source, target), 0.0) + edge.weight
        graph = igraph.Graph(n=len(paths), edges=list(weights), directed=True)
        graph.es["weight"] = list(weights.values())
        return cls(graph, paths)

    def __len__(self) -> int:
        """Count the notes."""
        return len(self._paths)

    @property
    def edges(self) -> int:
        """Count the pairs of notes of which one links to the other."""
        return int(self._graph.ecount())

    def linked_from(self, path: VaultPath) -> frozenset[VaultPath]:
        """Return the notes that link to this one."""
        return self._around(path, "in")

    def links_to(self, path: VaultPath) -> frozenset[VaultPath]:
        """Return the notes that this one links to."""
        return self._around(path, "out")

    def neighbours(self, path: VaultPath) -> frozenset[VaultPath]:
        """Return the notes that link to this one or that it links to."""
        return self._around(path, "all")

    def nearness(self, seeds: Mapping[VaultPath, float], limit: int) -> list[Near]:
        """Rank notes by personalised PageRank from the seeds, nearest first.

        The local push of Andersen, Chung and Lang (2006) touches only the neighbourhood of the seeds.

        Args:
            seeds: Notes to start from and their weights; unknown notes are ignored.
            limit: Most notes to return; seeds are among them.
        """
        known = {self._number[path]: weight for path, weight in seeds.items() if path in self._number and weight > 0}
        total = sum(known.values())
        rank: dict[int, float] = {}
        origin: dict[int, tuple[float, int]] = {}
        for seed, weight in known.items():
            for node, share in self._pushed(seed, weight / total).items():
                rank[node] = rank.get(node, 0.0) + share
                if node != seed and share > origin.get(node, (0.0, seed))[0]:
                    origin[node] = (share, seed)
        best = sorted(rank.items(), key=lambda item: (-item[1], self._paths[item[0]]))[:limit]
        return [Near(self._paths[n], score, self._paths[origin.get(n, (0.0, n))[1]]) for n, score in best]

    def _pushed(self, seed: int, weight: float) -> dict[int, float]:
        """Spread `weight` from one note over its surroundings."""
        rank: dict[int, float] = {}
        residue = {seed: weight}
        queue = deque([seed])
        while queue and len(rank) < MOST_NODES:
            node = queue.popleft()
            mass = residue.pop(node, 0.0)
            rank[node] = rank.get(node, 0.0) + (1 - WALK_ON) * mass
            around = self._graph.neighbors(node, mode="all")
            if not around:
                continue
            share = WALK_ON * mass / len(around)
            if share < weight * 1e-4:
                continue
            for other in around:
                if other not in residue:
                    queue.append(other)
                residue[other] = residue.get(other, 0.0) + share
        return rank

    def _around(self, path: VaultPath, mode: str) -> frozenset[VaultPath]:
        """Return the adjacent notes in one direction or both."""
        number = self._number.get(path)
        if number is None:
            return frozenset()
        return frozenset(self._paths[n] for n in self._graph.neighbors(number, mode=mode))
