"""Where to draw the nodes of a network, so that the picture of yesterday can still be recognised."""

import numpy as np
from numpy.typing import NDArray

from bridge.graph.measure import SEED, opened
from bridge.graph.network import Network

Places = NDArray[np.float64]

STEPS = 100
STEPS_OF_MANY = 50
MANY = 5_000
"""Nodes from which on fewer steps must do: each takes some 20 ms."""

STEPS_AGAIN = 20
"""Steps when most nodes have a place already."""

CALM = 0.01
"""How far, as a share of the picture, a node that has its place moves in a step at most."""


def laid_out(network: Network, before: Places) -> Places:
    """Place the nodes by the forces of Fruchterman and Reingold on a grid; about a second for 10,000 nodes.

    Args:
        network: What is drawn.
        before: By node where it was drawn last, not-a-number for new ones.
    """
    count = len(network)
    known = ~np.isnan(before[:, 0])
    if count < 2:
        return np.where(known[:, None], before, 0.0)
    start = _placed(network, before, known)
    again = known.sum() * 2 > count
    layout = opened(network).layout_fruchterman_reingold(
        niter=STEPS_AGAIN if again else STEPS if count < MANY else STEPS_OF_MANY,
        seed=start.tolist(),
        start_temp=float(np.ptp(start, axis=0).max()) * (CALM if again else 0.5),
        grid="grid",
    )
    places: Places = np.array(layout.coords, np.float64)
    return (_turned(places, before, known) if known.any() else places).round(3)


def _turned(places: Places, before: Places, known: NDArray[np.bool_]) -> Places:
    """Turn, mirror and move a picture, which igraph puts upright, so that what was drawn before lies where it was."""
    here, there = places[known].mean(axis=0), before[known].mean(axis=0)
    one, _, other = np.linalg.svd((places[known] - here).T @ (before[known] - there))
    turned: Places = (places - here) @ (one @ other) + there
    return turned


def _placed(network: Network, before: Places, known: NDArray[np.bool_]) -> Places:
    """Give every node a place to start from: a new one begins amid its neighbours that have one."""
    count = len(network)
    lots = np.random.default_rng(SEED).uniform(-1, 1, (count, 2))
    extent = float(np.sqrt(count))
    if not known.any():
        return lots * extent
    begin = np.concatenate([network.first, network.second])
    end = np.concatenate([network.second, network.first])
    seen = known[end]
    near = np.bincount(begin[seen], minlength=count)
    sums = np.stack([np.bincount(begin[seen], before[end[seen], axis], count) for axis in (0, 1)], axis=1)
    middle = np.nanmean(before, axis=0)
    amid = np.where(near[:, None] > 0, sums / np.maximum(near, 1)[:, None], middle + lots * extent)
    return np.where(known[:, None], before, amid + lots)
