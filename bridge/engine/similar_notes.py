"""Pairs of notes whose vectors are near."""

from bridge.engine.analytics import GraphSnapshot
from bridge.engine.open_vault import OpenVault
from bridge.graph.kinds import WEIGHTS, EdgeKind
from bridge.types import VaultPath

SIMILAR: tuple[EdgeKind, ...] = ("similar",)


async def similar_notes(vault: OpenVault, graph_snapshot: GraphSnapshot) -> list[tuple[VaultPath, VaultPath, float]]:
    """Return the pairs of notes whose vectors are near, with their cosine."""
    edges = await vault.analytics.edges(graph_snapshot, SIMILAR)
    paths = graph_snapshot.graph.paths
    return [
        (paths[one], paths[other], weight / WEIGHTS["similar"])
        for one, other, weight in zip(edges.source.tolist(), edges.target.tolist(), edges.weight.tolist(), strict=True)
    ]
