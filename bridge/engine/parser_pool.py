"""Reads and prepares notes: a few in a thread, many in processes, so that the server stays responsive."""

import asyncio
import logging
import os
from collections import deque
from collections.abc import AsyncGenerator, Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from pathlib import Path

from bridge.engine.parser import (
    Outcome,
    ReadFailure,
    ReadOptions,
    index_words,
    learn_boilerplate,
    read_all,
    read_in_worker,
)
from bridge.errors import BridgeError
from bridge.index.boilerplate import Boilerplate
from bridge.index.documents import FileWords
from bridge.settings.schema import Settings
from bridge.types import VaultPath
from bridge.vault.obsidian_settings import read_obsidian_settings
from bridge.vault.rules import Rules
from bridge.vault.vault import Vault
from bridge.worker_pool import WorkerPool

log = logging.getLogger(__name__)

MAX_NOTES_WITHOUT_POOL = 300
"""Up to this many notes, starting processes does not pay."""

SLICE_NOTES = 64
"""Notes sent to a process at a time."""

WORDS_SLICE = 256
"""Files whose words are indexed by a process at a time."""

SLICE_BYTES = 4_000_000
"""Size of their files, so that the results of long notes do not pile up."""

PROCESSES = min(os.cpu_count() or 1, 4)

SLICES_AHEAD = 2 * PROCESSES
"""Slices read before their turn; the results of all would be a second copy of the vault in memory."""


class ParserPool:
    """Reads the notes of one vault, one batch at a time; its processes end with each batch."""

    def __init__(self, on_words: Callable[[], None] = lambda: None) -> None:
        self._on_words = on_words
        self._pool: WorkerPool | None = None
        self._ahead: tuple[Vault, asyncio.Task[tuple[frozenset[VaultPath], Boilerplate] | None]] | None = None
        self._file_words: tuple[Vault, FileWords] | None = None

    def begin(self, vault: Vault, *, learn: bool) -> None:
        """Start to index the words of whole files ahead of the notes, unless that was begun; returns at once."""
        if self._ahead is None and self.file_words(vault) is None:
            self._ahead = vault, asyncio.create_task(self._read_ahead(vault, learn=learn), name="reading ahead")

    async def _read_ahead(self, vault: Vault, *, learn: bool) -> tuple[frozenset[VaultPath], Boilerplate] | None:
        """Return the files and their recurring lines; None if unwanted, for few notes, or if a process failed."""
        try:
            files = (await asyncio.to_thread(vault.scan)).files
            if len(files) <= MAX_NOTES_WITHOUT_POOL:
                return None
            self._file_words = vault, await self._index_words(vault, {path: files[path].size for path in files})
            self._on_words()
            if not learn:
                return None
            learning = self._ensure_pool().submit(learn_boilerplate, vault.root, vault.rules, tuple(files))
            return frozenset(files), await asyncio.wrap_future(learning)
        except (BridgeError, BrokenProcessPool):
            self._end()
            return None

    async def _index_words(self, vault: Vault, files: Mapping[VaultPath, int]) -> FileWords:
        found = FileWords([*files])
        numbers = {path: number for number, path in enumerate(files)}
        indexed = [
            self._ensure_pool().submit(index_words, vault.root, vault.rules, [(numbers[path], path) for path in part])
            for part in slice_files(files, WORDS_SLICE)
        ]
        for each in indexed:
            segments = await asyncio.wrap_future(each)
            found.add(segments)
        return found

    def file_words(self, vault: Vault) -> FileWords | None:
        """Return the words of all files under the vault's current rules, if they were indexed ahead of the notes."""
        return self._file_words[1] if self._file_words is not None and self._file_words[0] is vault else None

    def forget_file_words(self) -> None:
        """Forget the words of whole files, because all notes are indexed."""
        self._file_words = None

    async def learn(self, vault: Vault, paths: Collection[VaultPath]) -> Boilerplate:
        ahead, self._ahead = self._ahead, None
        if ahead is not None and ahead[0] is not vault:
            # The rules have changed since.
            ahead[1].cancel()
        elif ahead is not None and (learnt := await ahead[1]) is not None and learnt[0] == frozenset(paths):
            return learnt[1]
        return await asyncio.to_thread(learn_boilerplate, vault.root, vault.rules, paths)

    async def read(self, reading: ReadOptions, files: Mapping[VaultPath, int]) -> AsyncGenerator[list[Outcome], None]:
        slices = slice_files(files)
        try:
            if len(files) <= MAX_NOTES_WITHOUT_POOL:
                for part in slices:
                    yield await asyncio.to_thread(read_all, reading, part)
                return
            waiting: deque[tuple[list[VaultPath], asyncio.Future[list[Outcome]]]] = deque()
            while True:
                waiting.extend(
                    (part, self._submit(reading, part)) for part in islice(slices, SLICES_AHEAD - len(waiting))
                )
                if not waiting:
                    return
                part, future = waiting.popleft()
                try:
                    yield await future
                except BrokenProcessPool:
                    yield await read_isolated(reading, part)
        finally:
            self._end()

    def _submit(self, reading: ReadOptions, part: list[VaultPath]) -> asyncio.Future[list[Outcome]]:
        try:
            return asyncio.wrap_future(self._ensure_pool().submit(read_in_worker, reading, part))
        except BrokenProcessPool:
            self._end()
            return asyncio.wrap_future(self._ensure_pool().submit(read_in_worker, reading, part))

    def _ensure_pool(self) -> WorkerPool:
        if self._pool is None:
            self._pool = WorkerPool(PROCESSES)
        return self._pool

    def close(self) -> None:
        if self._ahead is not None:
            self._ahead[1].cancel()
            self._ahead = None
        self._file_words = None
        self._end()

    def _end(self) -> None:
        if self._pool is not None:
            self._pool.end()
            self._pool = None


def slice_files(files: Mapping[VaultPath, int], most: int = SLICE_NOTES) -> Iterator[list[VaultPath]]:
    """Divide files into slices, by number and size; a larger file is a slice of its own."""
    part: list[VaultPath] = []
    size = 0
    for path, length in files.items():
        if part and (len(part) == most or size + length > SLICE_BYTES):
            yield part
            part, size = [], 0
        part.append(path)
        size += length
    if part:
        yield part


async def read_isolated(reading: ReadOptions, paths: Sequence[VaultPath]) -> list[Outcome]:
    """Read notes in a new process after one died, in ever smaller parts, to find the note that ends it."""
    pool = WorkerPool(1)
    try:
        return await asyncio.wrap_future(pool.submit(read_in_worker, reading, paths))
    except BrokenProcessPool:
        if len(paths) == 1:
            log.warning("A note ends the process that reads it and is left out")
            return [ReadFailure(paths[0], "Reading this note ends the process that reads it.", gone=False)]
    finally:
        pool.end()
    half = len(paths) // 2
    return [*await read_isolated(reading, paths[:half]), *await read_isolated(reading, paths[half:])]


def rules_of(root: Path, settings: Settings) -> Rules:
    """Combine the user's settings with Obsidian's own."""
    return Rules(
        exclude=settings.exclude,
        max_file_bytes=settings.max_file_mb * 2**20,
        ignored=read_obsidian_settings(root).ignored,
        deny=settings.deny,
        readonly=settings.readonly,
    )
