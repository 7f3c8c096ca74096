"""Every link of a vault as columns of numbers: what a change moves is replaced without touching the rest."""

from array import array
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from bridge.graph.kinds import CODES

Numbers = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Links by row; a note that links twice in one way has one row with a count of 2."""

    owner: Numbers
    """The note whose text says it: of an arrow the canvas, else the source."""
    source: Numbers
    target: Numbers
    kind: Numbers
    count: Numbers
    name: Numbers
    """The name that it asks for."""

    @classmethod
    def of(cls, rows: Iterable[tuple[int, int, int, int, int, int]]) -> Self:
        """Make a table of rows."""
        flat = array("i")
        for row in rows:
            flat.extend(row)
        columns = np.frombuffer(flat, np.int32).reshape(-1, 6) if flat else np.empty((0, 6), np.int32)
        return cls(*(np.ascontiguousarray(column) for column in columns.T))

    def __len__(self) -> int:
        """Count the rows."""
        return len(self.owner)

    @property
    def columns(self) -> tuple[Numbers, ...]:
        """The columns, in the order of a row."""
        return self.owner, self.source, self.target, self.kind, self.count, self.name

    def replaced(self, owners: Collection[int], coming: "Table") -> "Table":
        """Return a table without the rows of these notes, and with others."""
        kept = ~np.isin(self.owner, np.fromiter(owners, np.int32, len(owners)))
        return Table(
            *(np.concatenate([mine[kept], new]) for mine, new in zip(self.columns, coming.columns, strict=True))
        )

    def asking_for(self, names: Collection[int]) -> list[int]:
        """Return the notes with a link that asks for any of these names."""
        asking = np.isin(self.name, np.fromiter(names, np.int32, len(names)))
        return [int(owner) for owner in np.unique(self.owner[asking])]

    def leading_to(self, target: int) -> list[int]:
        """Return the other notes with a link to a file."""
        leading = (self.target == target) & (self.owner != target) & (self.kind != CODES["arrow"])
        return [int(owner) for owner in np.unique(self.owner[leading])]


def stacked(tables: Iterable[Table]) -> Table:
    """Put tables one below the other."""
    every = [Table.of(()), *tables]
    return Table(*(np.concatenate(columns) for columns in zip(*(table.columns for table in every), strict=True)))
