"""Kinds of edges, edges of chosen kinds as columns of numbers, and the pairs that they join."""

from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray

from bridge.markdown.links import can_name_note
from bridge.records import Record
from bridge.types import VaultPath

EdgeKind = Literal["wiki", "embed", "markdown", "property", "canvas", "arrow", "tag", "folder", "similar"]
"""`LinkKind`, plus an arrow of a canvas, a shared rare tag, a shared folder, and semantic similarity."""

KINDS: Final[tuple[EdgeKind, ...]] = get_args(EdgeKind)
CODES: Final[Mapping[EdgeKind, int]] = {kind: code for code, kind in enumerate(KINDS)}

LINKS: Final[tuple[EdgeKind, ...]] = ("wiki", "embed", "markdown", "property", "canvas")
"""Links written in a note; ranking uses only these."""

WRITTEN_KINDS: Final[tuple[EdgeKind, ...]] = (*LINKS, "arrow")
"""Edges that a user wrote or drew."""

SHARED_KINDS: Final[tuple[EdgeKind, ...]] = ("tag", "folder", "similar")
"""What two notes have in common; these edges have no direction."""

WEIGHTS: Final[Mapping[EdgeKind, float]] = {
    "wiki": 1.0,
    "embed": 1.0,
    "markdown": 1.0,
    "property": 1.0,
    "canvas": 0.5,
    "arrow": 1.0,
    "tag": 0.5,
    "folder": 0.1,
    "similar": 0.5,
}
"""Weight of one edge of a kind; the maximum for shared and similar ones."""


Numbers = NDArray[np.int32]
Weights = NDArray[np.float64]


class Edges(Record, eq=False):
    """Edges by row; several may join the same two nodes."""

    size: int
    """How many node numbers there are."""
    source: Numbers
    target: Numbers
    kind: Numbers
    weight: Weights
    owner: Numbers
    """The note whose text contains the edge."""

    @classmethod
    def from_pairs(cls, size: int, kind: EdgeKind, pairs: Sequence[tuple[int, int, float]]) -> Self:
        """Build edges of one kind from pairs of notes with something in common, with their weights."""
        # Not by numpy, which would block every other thread meanwhile: 70 ms for 200,000 pairs.
        first, second = array("i", (pair[0] for pair in pairs)), array("i", (pair[1] for pair in pairs))
        weight = array("d", (pair[2] * WEIGHTS[kind] for pair in pairs))
        source, target = np.array(first, np.int32), np.array(second, np.int32)
        return cls(
            size, source, target, np.full(len(pairs), CODES[kind], np.int32), np.array(weight, np.float64), source
        )

    def __len__(self) -> int:
        return len(self.source)

    def where(self, mask: NDArray[np.bool_]) -> "Edges":
        columns = (column[mask] for column in (self.source, self.target, self.kind, self.weight, self.owner))
        return Edges(self.size, *columns)  # type: ignore[arg-type]  # each column keeps its type

    def among(self, nodes: NDArray[np.bool_]) -> "Edges":
        return self.where(nodes[self.source] & nodes[self.target])

    def between(self, one: int, other: int) -> "Edges":
        """Return the edges that join two nodes, in either direction."""
        there = (self.source == one) & (self.target == other)
        return self.where(there | ((self.source == other) & (self.target == one)))

    def pairs(self) -> tuple[Numbers, Numbers, Weights]:
        """Return each pair of joined nodes once, the lower number first, with the total weight of its edges."""
        low, high = np.minimum(self.source, self.target), np.maximum(self.source, self.target)
        key = low.astype(np.int64) * self.size + high
        order = np.argsort(key, kind="stable")
        key = key[order]
        first = np.flatnonzero(np.diff(key, prepend=-1) != 0)
        weight = np.add.reduceat(self.weight[order], first) if len(first) else np.empty(0)
        return low[order][first], high[order][first], weight

    def degrees(self) -> NDArray[np.int64]:
        first, second, _ = self.pairs()
        return np.bincount(np.concatenate([first, second]), minlength=self.size)


def concat_edges(size: int, parts: Iterable[Edges]) -> Edges:
    every = [Edges.from_pairs(size, "wiki", ()), *parts]
    columns = ("source", "target", "kind", "weight", "owner")
    return Edges(size, *(np.concatenate([getattr(part, name) for part in every]) for name in columns))


def kind_codes(kinds: Collection[EdgeKind]) -> list[int]:
    return [CODES[kind] for kind in kinds]


class LinkColumns(Record, eq=False):
    """Links by row; several links of one kind from a note to a target are one row with a count."""

    owner: Numbers
    """The note whose text contains the link: the canvas of an arrow, otherwise the source."""
    source: Numbers
    target: Numbers
    kind: Numbers
    count: Numbers
    name: Numbers
    """The name that the link asks for."""

    @classmethod
    def of(cls, rows: Iterable[tuple[int, int, int, int, int, int]]) -> Self:
        flat = array("i")
        for row in rows:
            flat.extend(row)
        columns = np.frombuffer(flat, np.int32).reshape(-1, 6) if flat else np.empty((0, 6), np.int32)
        return cls(*(np.ascontiguousarray(column) for column in columns.T))

    def __len__(self) -> int:
        return len(self.owner)

    @property
    def columns(self) -> tuple[Numbers, ...]:
        return self.owner, self.source, self.target, self.kind, self.count, self.name

    def replace_rows(self, owners: Collection[int], coming: "LinkColumns") -> "LinkColumns":
        """Return a table without the rows of these notes, and with the given ones."""
        mask = ~np.isin(self.owner, np.fromiter(owners, np.int32, len(owners)))
        return LinkColumns(
            *(np.concatenate([mine[mask], new]) for mine, new in zip(self.columns, coming.columns, strict=True))
        )

    def asking_for(self, names: Collection[int]) -> list[int]:
        asking = np.isin(self.name, np.fromiter(names, np.int32, len(names)))
        return [int(owner) for owner in np.unique(self.owner[asking])]

    def leading_to(self, target: int) -> list[int]:
        leading = (self.target == target) & (self.owner != target) & (self.kind != CODES["arrow"])
        return [int(owner) for owner in np.unique(self.owner[leading])]


def concat_tables(tables: Iterable[LinkColumns]) -> LinkColumns:
    every = [LinkColumns.of(()), *tables]
    return LinkColumns(*(np.concatenate(columns) for columns in zip(*(table.columns for table in every), strict=True)))


NO_NOTE = "\0"
"""Starts the key of a name without a note, because no path contains this character."""


class Nodes:
    """Assigns a permanent number to each path and each name; only grows, so that all snapshots share it."""

    def __init__(self) -> None:
        self.labels: list[str] = []
        """By number: the path, or the name as first written."""
        self._numbers: dict[str, int] = {}

    @classmethod
    def from_keys(cls, keys: Iterable[str], labels: Iterable[str]) -> Self:
        """Return the paths and names with these keys and labels, in the order of their numbers."""
        nodes = cls()
        nodes.labels = [*labels]
        nodes._numbers = {key: number for number, key in enumerate(keys)}
        return nodes

    def keys(self) -> list[str]:
        return [*self._numbers]

    def __len__(self) -> int:
        return len(self.labels)

    def of(self, path: VaultPath) -> int:
        return self._number(path, path)

    def of_name(self, folded: str, written: str) -> int:
        return self._number(NO_NOTE + folded, NO_NOTE + written)

    def find(self, path: str) -> int | None:
        return self._numbers.get(path)

    def _number(self, key: str, label: str) -> int:
        number = self._numbers.get(key)
        if number is None:
            # The label first: a thread that sees the number can then read the label.
            self.labels.append(label)
            number = self._numbers[key] = len(self.labels) - 1
        return number


def is_unresolved_name(label: str) -> bool:
    """Return whether a label is a name without a note; a missing attachment is not one."""
    return label.startswith(NO_NOTE) and can_name_note(label)
