"""Passages in memory, compressed: reading them from LanceDB takes longer than all the rest of a search."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import groupby
from typing import Any

import orjson

BLOCK = 16
"""Passages compressed together: more of them compress better, but all must be unpacked to read one."""

COLUMNS = ("ordinal", "first", "last", "start", "length", "words")

PackedPassage = Sequence[Any]
"""The values of these columns."""


class PackedPassages:
    """The passages of notes by the note's key. A key never gets other passages, so that nothing here becomes stale."""

    def __init__(self) -> None:
        self._blocks: dict[int, tuple[tuple[int, bytes], ...]] = {}

    def __contains__(self, key: int) -> bool:
        """Return whether the passages of a note are here."""
        return key in self._blocks

    def __len__(self) -> int:
        """Count the notes."""
        return len(self._blocks)

    def put(self, packed: Mapping[int, tuple[tuple[int, bytes], ...]]) -> None:
        """Add notes that `pack_passages` returned."""
        self._blocks.update(packed)

    def keep(self, live: Callable[[int], bool]) -> None:
        """Forget all notes but some."""
        self._blocks = {key: blocks for key, blocks in self._blocks.items() if live(key)}

    def get(self, key: int, ordinals: Iterable[int]) -> dict[int, PackedPassage]:
        blocks = self._blocks.get(key, ())
        found: dict[int, PackedPassage] = {}
        for at, wanted in groupby(sorted(ordinals), lambda ordinal: ordinal // BLOCK):
            if 0 <= at < len(blocks):
                passages = _decompress(*blocks[at])
                found.update(
                    (ordinal, orjson.loads(passages[place]))
                    for ordinal in wanted
                    if (place := ordinal % BLOCK) < len(passages)
                )
        return found


def pack_passages(passages: Iterable[tuple[int, Sequence[PackedPassage]]]) -> dict[int, tuple[tuple[int, bytes], ...]]:
    """Compress the passages of notes, each given by its key with all its passages in any order; for any thread."""
    packed = {}
    for key, rows in passages:
        ordered = sorted(rows, key=lambda row: row[0])
        lines = [*map(orjson.dumps, ordered)]
        texts = [b"\n".join(lines[start : start + BLOCK]) for start in range(0, len(lines), BLOCK)]
        packed[key] = tuple((len(text), _codec().compress(text, asbytes=True)) for text in texts)
    return packed


def unpack_passages(size: int, block: bytes) -> list[PackedPassage]:
    return [*map(orjson.loads, _decompress(size, block))]


def _decompress(size: int, block: bytes) -> list[bytes]:
    passages: list[bytes] = _codec().decompress(block, size, asbytes=True).split(b"\n")
    return passages


@cache
def _codec() -> Any:
    import pyarrow as pa

    return pa.Codec("lz4")
