"""Erases denied notes from the index: from memory at once, then from the disk to the last byte."""

import asyncio
import shutil
from collections.abc import Callable

from bridge.index.compact import Compaction
from bridge.index.folder import disk_errors
from bridge.index.open import OpenIndex
from bridge.index.passages import PassageTexts
from bridge.index.vectors import Vectors
from bridge.index.write import IndexWriter

Denies = Callable[[str], bool]
"""Returns whether the note at a path is denied."""


class Eraser:
    """Erases for good, unlike compaction, which may keep deleted rows and old versions for a while."""

    def __init__(
        self, opened: OpenIndex, vectors: Vectors, texts: PassageTexts, writing: IndexWriter, tidying: Compaction
    ) -> None:
        self._opened = opened
        self._vectors = vectors
        self._texts = texts
        self._writing = writing
        self._tidying = tidying

    def hide(self, denies: Denies) -> None:
        """Forget notes in memory, so that no search finds them from now on."""
        self._writing.forget([path for path in self._opened.catalogue.notes if denies(path)])
        self._texts.forget()

    async def erase(self, denies: Denies) -> None:
        """Rewrite every table without what no note needs, and remove all earlier versions.

        Rows that are only deleted stay in their files for days, as do the vectors of earlier wordings, which cannot be
        told from those of other notes.
        """
        async with self._tidying.lock, self._writing.lock, self._vectors.lock:
            # Again: a write under way may have restored some.
            self.hide(denies)
            with disk_errors(self._opened.folder.path):
                await self._tidying.sweep()
                for table in (self._opened.passages, self._opened.notes, *await self._vectors.narrowed()):
                    await table.renew()
                await self._opened.postings.merge(everything=True)
                await self._opened.postings.save()
                await self._opened.name_file.save(self._opened.known, self._opened.catalogue)
                await self._opened.word_file.remove()
                self._opened.catalogue_file.remove()
                self._opened.link_file.remove()
                await self._opened.summaries.remove()
                await asyncio.to_thread(shutil.rmtree, self._opened.folder.aside, ignore_errors=True)
