"""Reads passages, and caches recent ones."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bridge.index.catalogue import NoteTable
from bridge.index.hits import PassageHit
from bridge.index.open import OpenIndex, read_errors
from bridge.index.rows import PASSAGE_COLUMNS, StoredPassage, decode_passage
from bridge.index.vectors import Vectors
from bridge.types import VaultPath

KEPT = 4_096
"""Passages cached after reading: the next letter typed finds most of them again."""

WHOLES = 512
"""Whole notes converted from LanceDB at a time, which blocks other threads for 4 ms."""


class PassageTexts:
    """The passages' texts."""

    def __init__(self, opened: OpenIndex, vectors: Vectors) -> None:
        self._opened = opened
        self._vectors = vectors
        self._cache: dict[tuple[int, int], StoredPassage] = {}

    def forget(self) -> None:
        """Clear the cache."""
        self._cache.clear()

    async def of(self, hits: Sequence[PassageHit]) -> list[StoredPassage]:
        """Read the passages of hits, in order; changed ones are omitted."""
        catalogue = self._opened.catalogue
        wanted = [(entry.key, hit.ordinal) for hit in hits if (entry := catalogue.entry(hit.path)) is not None]
        unread = {each for each in wanted if each not in self._cache}
        if unread:
            keys, ordinals = ({each[part] for each in unread} for part in (0, 1))
            where = f"key IN ({sql_numbers(keys)}) AND ordinal IN ({sql_numbers(ordinals)})"
            self._cache |= {(key, passage.ordinal): passage for key, passage in await self._read(where, unread)}
        found = [known for each in wanted if (known := self._again(each)) is not None]
        for _ in range(len(self._cache) - KEPT):
            del self._cache[next(iter(self._cache))]
        return found

    def _again(self, which: tuple[int, int]) -> StoredPassage | None:
        """Return a cached passage, with the current path of its note."""
        passage = self._cache.pop(which, None)
        note = self._opened.catalogue.at_key(which[0])
        if passage is None or note is None:
            return None
        self._cache[which] = passage
        return replace(passage, path=note.path, embedded=self._vectors.embedded_at(*which))

    async def all_of(self, path: VaultPath) -> tuple[StoredPassage, ...]:
        """Read all passages of a note, in order."""
        entry = self._opened.catalogue.entry(path)
        if entry is None:
            return ()
        read = await self._read(f"key = {entry.key}")
        return tuple(sorted((passage for _, passage in read), key=lambda passage: passage.ordinal))

    async def wholes(self, paths: Collection[VaultPath] | None) -> dict[VaultPath, str]:
        """Read the text of notes, all of them without `paths`; the names in front are omitted."""
        catalogue = self._opened.catalogue
        found: dict[VaultPath, str] = {}
        with read_errors(self._opened):
            if paths is None:
                async for batch in self._opened.notes.batches(["seq", "whole"], WHOLES):
                    found |= live_texts(catalogue, batch.to_pydict())
            elif seqs := catalogue.seqs_of(paths):
                rows = await self._opened.notes.fetch(["seq", "whole"], f"seq IN ({sql_numbers(seqs)})")
                found = live_texts(catalogue, rows.to_pydict())
        return found

    async def _read(
        self, where: str, only: Collection[tuple[int, int]] | None = None
    ) -> list[tuple[int, StoredPassage]]:
        """Read the passages that pass a filter, or only those of some keys and ordinals, with their keys."""
        with read_errors(self._opened):
            found = await self._opened.passages.fetch(PASSAGE_COLUMNS, where)
        if only is not None:
            # The filter lets every ordinal of every key through.
            which = zip(found["key"].to_pylist(), found["ordinal"].to_pylist(), strict=True)
            found = found.take(np.flatnonzero([each in only for each in which]))
        return [
            (key, decode_passage(note.path, row, embedded=self._vectors.embedded_at(key, row["ordinal"])))
            for row in found.to_pylist()
            if (note := self._opened.catalogue.at_key(key := row["key"])) is not None
        ]


def live_texts(catalogue: NoteTable, rows: Mapping[str, Any]) -> dict[VaultPath, str]:
    """Select the texts of live notes from rows of their table."""
    pairs = zip(rows["seq"], rows["whole"], strict=True)
    return {note.path: whole.partition("\n")[2] for seq, whole in pairs if (note := catalogue.at_seq(seq)) is not None}


def sql_numbers(of: Collection[int]) -> str:
    """Format integers for a filter."""
    return ", ".join(map(str, sorted(of)))
