"""What holds a network together: nodes and edges without which it falls apart, and how much each holds."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import igraph


@dataclass(frozen=True, slots=True)
class Cuts:
    """Those that hold most come first; what is counted are the nodes that would lose touch with the larger rest."""

    nodes: tuple[tuple[int, int], ...]
    """Each articulation point and what it holds."""
    edges: tuple[tuple[int, int, int], ...]
    """The ends of each bridge and what it holds."""


def cuts_of(graph: "igraph.Graph") -> Cuts:
    """Find articulation points and bridges."""
    blocks, points = graph.biconnected_components(return_articulation_points=True)
    tree = _Tree([list(block) for block in blocks], points)
    nodes = [(point, tree.cut_off_by(point)) for point in points]
    edges = [(min(block), max(block), tree.beyond(n)) for n, block in enumerate(tree.blocks) if len(block) == 2]
    return Cuts(
        tuple(sorted(nodes, key=lambda cut: (-cut[1], cut[0]))),
        tuple(sorted(edges, key=lambda cut: (-cut[2], cut))),
    )


class _Tree:
    """The blocks of a graph and the points that join them, which make a forest."""

    def __init__(self, blocks: Sequence[Sequence[int]], points: Sequence[int]) -> None:
        self.blocks = blocks
        # A point stands after all blocks.
        self._place = dict(zip(points, count(len(blocks)), strict=False))
        joints = [[self._place[node] for node in block if node in self._place] for block in blocks]
        self._beside: list[list[int]] = [*joints, *([] for _ in points)]
        for number, inside in enumerate(joints):
            for place in inside:
                self._beside[place].append(number)
        own = [len(block) - len(inside) for block, inside in zip(blocks, joints, strict=True)]
        self._weight = own + [1] * len(points)
        self._parent = [-1] * len(self._beside)
        self._total = [0] * len(self._beside)
        for root in range(len(self._beside)):
            if not self._total[root]:
                self._weigh(root)

    def _weigh(self, root: int) -> None:
        """Sum up, from the leaves to the root, what hangs below each place."""
        order = [root]
        for place in order:
            below = [near for near in self._beside[place] if near != self._parent[place]]
            for near in below:
                self._parent[near] = place
            order += below
        for place in reversed(order):
            self._weight[place] += sum(
                self._weight[near] for near in self._beside[place] if self._parent[near] == place
            )
        for place in order:
            self._total[place] = self._weight[root]

    def cut_off_by(self, point: int) -> int:
        """Count the nodes that lose touch with the largest part when a point goes."""
        place = self._place[point]
        parts = [self._weight[near] for near in self._beside[place] if self._parent[near] == place]
        parts.append(self._total[place] - self._weight[place])
        return sum(parts) - max(parts)

    def beyond(self, number: int) -> int:
        """Count the nodes on the smaller side of a bridge, which is a block of two."""
        if self._parent[number] < 0:
            inside = [self._weight[near] for near in self._beside[number]]
            side = inside[0] if inside else 1
        else:
            side = self._weight[number]
        return min(side, self._total[number] - side)
