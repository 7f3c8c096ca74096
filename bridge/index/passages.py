"""Reads passages from LanceDB, and keeps them in memory once the vault is searched."""

import asyncio
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any

from msgspec import Struct

from bridge.index.background import Searches, Tasks, trim_soon
from bridge.index.catalogue import NoteTable
from bridge.index.compact import Compaction
from bridge.index.hits import PassageHit
from bridge.index.open import OpenIndex, read_errors
from bridge.index.rows import (
    COLUMNS,
    PackedPassage,
    PackedPassages,
    StoredPassage,
    decode_passage,
    pack_passages,
)
from bridge.index.vectors import Vectors
from bridge.types import VaultPath

MAX_SINGLE_READS = 256
"""Notes that are read one by one when they are found; with more of them unread, all are."""

BATCH_PASSAGES = 512
"""Passages converted from LanceDB at a time."""

BATCH_NOTES = 512
"""Whole notes converted from LanceDB at a time, which blocks other threads for 4 ms."""


class PassageTexts(Struct, eq=False):
    """The passages' texts."""

    _opened: OpenIndex
    _vectors: Vectors
    _tasks: Tasks
    _searches: Searches
    _tidying: Compaction
    _packed: PackedPassages
    _filling: asyncio.Task[None] | None = None

    def forget(self) -> None:
        self._packed.keep(self._opened.catalogue.believes_key)

    async def of(self, hits: Sequence[PassageHit]) -> list[StoredPassage]:
        """Read the passages of hits, in order; changed ones are omitted."""
        catalogue = self._opened.catalogue
        wanted = [(entry.key, hit.ordinal) for hit in hits if (entry := catalogue.entry(hit.path)) is not None]
        await self._read({key for key, _ in wanted})
        ordinals: defaultdict[int, list[int]] = defaultdict(list)
        for key, ordinal in wanted:
            ordinals[key].append(ordinal)
        found = {key: self._packed.get(key, some) for key, some in ordinals.items()}
        return [
            self._decode(note.path, key, found[key][ordinal])
            for key, ordinal in wanted
            if ordinal in found[key] and (note := catalogue.at_key(key)) is not None
        ]

    async def all_of(self, path: VaultPath) -> tuple[StoredPassage, ...]:
        entry = self._opened.catalogue.entry(path)
        if entry is None:
            return ()
        rows = sorted((row for _, own in await self._fetch([entry.key]) for row in own), key=itemgetter(0))
        return tuple(self._decode(path, entry.key, row) for row in rows)

    def _decode(self, path: VaultPath, key: int, row: PackedPassage) -> StoredPassage:
        return decode_passage(path, row, embedded=self._vectors.embedded_at(key, row[0]))

    async def _read(self, keys: Collection[int]) -> None:
        if unread := [key for key in keys if key not in self._packed]:
            self._put(pack_passages(await self._fetch(unread)))
            missing = len(self._opened.catalogue.notes) - len(self._packed)
            many = missing > max(MAX_SINGLE_READS, len(self._packed)) and not self._tidying.is_put_off
            if many and (self._filling is None or self._filling.done()):
                self._filling = self._tasks.start(self._read_all())

    async def _fetch(self, keys: Collection[int]) -> Iterable[tuple[int, Sequence[PackedPassage]]]:
        with read_errors(self._opened):
            rows = await self._opened.passages.fetch(("key", *COLUMNS), f"key IN ({sql_numbers(keys)})")
        found: defaultdict[int, list[PackedPassage]] = defaultdict(list)
        for key, *row in zip(*(rows[name].to_pylist() for name in ("key", *COLUMNS)), strict=True):
            found[key].append(row)
        return found.items()

    async def _read_all(self) -> None:
        parts: defaultdict[int, list[PackedPassage]] = defaultdict(list)
        with read_errors(self._opened):
            async for batch in self._opened.passages.batches(("key", *COLUMNS), BATCH_PASSAGES):
                await self._searches.give_way(0.0)
                complete = self._gather(batch, parts)
                self._put(await asyncio.to_thread(pack_passages, complete))
        trim_soon()

    def _gather(
        self, batch: Any, parts: defaultdict[int, list[PackedPassage]]
    ) -> list[tuple[int, Sequence[PackedPassage]]]:
        complete: list[tuple[int, Sequence[PackedPassage]]] = []
        for key, *row in zip(*(batch[name].to_pylist() for name in ("key", *COLUMNS)), strict=True):
            note = self._opened.catalogue.at_key(key)
            if note is not None and key not in self._packed:
                parts[key].append(row)
                if len(parts[key]) == note.passages:
                    complete.append((key, parts.pop(key)))
        return complete

    def _put(self, packed: Mapping[int, tuple[tuple[int, bytes], ...]]) -> None:
        live = self._opened.catalogue.believes_key
        self._packed.put({key: blocks for key, blocks in packed.items() if live(key)})
        if len(self._packed) > len(self._opened.catalogue.notes) + MAX_SINGLE_READS:
            self.forget()

    async def wholes(self, paths: Collection[VaultPath] | None) -> dict[VaultPath, str]:
        """Read the text of notes, all of them without `paths`; the names in front are omitted."""
        catalogue = self._opened.catalogue
        seqs = catalogue.seqs_of(catalogue.notes if paths is None else paths)
        where = None if 2 * len(seqs) > len(catalogue.notes) else f"seq IN ({sql_numbers(seqs)})"
        found: dict[VaultPath, str] = {}
        with read_errors(self._opened):
            if seqs:
                async for batch in self._opened.notes.batches(["seq", "whole"], BATCH_NOTES, where):
                    found |= await asyncio.to_thread(decode_wholes, catalogue, batch, seqs)
        return found


def decode_wholes(catalogue: NoteTable, batch: Any, seqs: Collection[int]) -> dict[VaultPath, str]:
    rows = batch.to_pydict()
    notes = ((catalogue.at_seq(seq) if seq in seqs else None) for seq in rows["seq"])
    pairs = zip(notes, rows["whole"], strict=True)
    return {note.path: whole.partition("\n")[2] for note, whole in pairs if note is not None}


def sql_numbers(of: Collection[int]) -> str:
    return ", ".join(map(str, sorted(of)))
