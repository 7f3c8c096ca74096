"""Converts resolved links to those that are stored, numbered as if all of them had just been resolved."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from bridge.graph.columns import Nodes, Table
from bridge.index.link_file import StoredLinks
from bridge.types import VaultPath


def links_to_store(
    nodes: Nodes, names: Mapping[str, int], table: Table, order: Sequence[VaultPath], files: Iterable[VaultPath]
) -> StoredLinks:
    """Return links as they are stored, without what no link needs any more."""
    notes = np.array([nodes.of(path) for path in order], np.int32)
    rank = np.full(len(nodes), len(notes), np.int32)
    rank[notes] = np.arange(len(notes), dtype=np.int32)
    rows = np.argsort(rank[table.owner], kind="stable")
    owner, source, target, kind, count, name = (column[rows] for column in table.columns)
    old_nodes, nodes_at = number_anew(np.concatenate([notes, np.column_stack((source, target)).ravel()]), len(nodes))
    old_names, names_at = number_anew(name[name >= 0], len(names))
    keys, labels, asked = nodes.keys(), nodes.labels, [*names]
    # Arrows ask for no name, and their number stays as it is: it is negative, and so the last one here.
    columns = (nodes_at[owner], nodes_at[source], nodes_at[target], kind, count, np.append(names_at, -1)[name])
    return StoredLinks(
        nodes=[keys[number] for number in old_nodes.tolist()],
        labels=[labels[number] for number in old_nodes.tolist()],
        names=[asked[number] for number in old_names.tolist()],
        files=sorted(files),
        columns=[column.astype(np.int32, copy=False) for column in columns],
    )


def number_anew(used: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    each, first = np.unique(used, return_index=True)
    old = each[np.argsort(first)]
    new = np.full(size, -1, np.int32)
    new[old] = np.arange(len(old), dtype=np.int32)
    return old, new
