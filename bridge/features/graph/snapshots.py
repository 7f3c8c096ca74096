"""What the questions about the graph have in common."""

from collections.abc import Iterable, Mapping
from typing import Literal

from bridge.api.call import Call
from bridge.api.note_names import no_such_note
from bridge.engine.analytics import GraphSnapshot
from bridge.graph.columns import Edges
from bridge.graph.kinds import KINDS, WRITTEN, EdgeKind
from bridge.types import VaultPath

Kinds = tuple[EdgeKind, ...]

GraphMode = Literal["links", "ontology"]
"""What is walked along: edges of some kinds, or only those to topics."""

DEFAULT_KINDS: Kinds = WRITTEN
"""The kinds that are looked at unless others are asked for: what somebody wrote or drew."""


def require_number(call: Call, graph_snapshot: GraphSnapshot, path: VaultPath) -> int:
    number = graph_snapshot.graph.number(path)
    if number is None:
        raise no_such_note(call.vault, path)
    return number


def note_title(graph_snapshot: GraphSnapshot, path: VaultPath) -> str:
    return graph_snapshot.notes[path].title if path in graph_snapshot.notes else path


def kinds_between(edges: Edges, pairs: Iterable[tuple[int, int]]) -> Mapping[tuple[int, int], list[EdgeKind]]:
    import numpy as np

    wanted = {(min(pair), max(pair)): pair for pair in pairs}
    among = np.zeros(edges.size, np.bool_)
    among[[node for pair in wanted for node in pair]] = True
    found: dict[tuple[int, int], set[int]] = {pair: set() for pair in wanted.values()}
    inside = edges.among(among)
    columns = (inside.source.tolist(), inside.target.tolist(), inside.kind.tolist())
    for source, target, kind in zip(*columns, strict=True):
        pair = wanted.get((min(source, target), max(source, target)))
        if pair is not None:
            found[pair].add(kind)
    return {pair: [KINDS[kind] for kind in sorted(kinds)] for pair, kinds in found.items()}
