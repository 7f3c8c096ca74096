"""Takes forbidden notes out of the index: out of memory at once, off the disk to the last byte after."""

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
"""Says of a path whether its note is forbidden."""


class Eraser:
    """Forgets for good, unlike tidying, which may keep deleted rows and old versions for a while."""

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
        """Write every table anew without what no note needs, and forget all earlier versions.

        Rows that merely are deleted stay in their files, their words in the full text indexes, and the vectors of
        earlier wordings, which nobody can tell from those of other notes, for days.
        """
        async with self._tidying.turn, self._writing.turn, self._vectors.turn:
            # Again: a write that was under way may have brought some back.
            self.hide(denies)
            with disk_errors(self._opened.folder.path):
                await self._tidying.sweep()
                for table in (self._opened.passages, self._opened.notes, *await self._vectors.narrowed()):
                    await table.renew()
                await asyncio.to_thread(shutil.rmtree, self._opened.folder.aside, ignore_errors=True)
