"""Reads and prepares notes: a few in a thread, many in processes, so that the server stays responsive."""

import asyncio
import hashlib
import logging
import os
from collections import deque
from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from itertools import islice
from pathlib import Path

from bridge.errors import BridgeError, VaultUnreadable
from bridge.index.boilerplate import Boilerplate
from bridge.index.documents import FileWords, Vocabularies, index_file_words
from bridge.index.prepare import PreparedNote, add_segments, prepare
from bridge.index.segment import IndexSegment
from bridge.markdown.documents import read_document
from bridge.priority import lower_priority
from bridge.records import Record
from bridge.settings.schema import Settings
from bridge.types import VaultPath
from bridge.vault.obsidian_settings import read_obsidian_settings
from bridge.vault.rules import Rules
from bridge.vault.vault import Vault
from bridge.worker_pool import WorkerPool, is_stopping

LEARN_FROM = 1_500
"""Notes sampled: a line in 3 % of all notes is in some 45 of these, and the first answer waits for the sampling."""


class ReadOptions(Record):
    """How to read the files of one vault; picklable."""

    root: Path
    rules: Rules
    boilerplate: Boilerplate
    max_pdf_pages: int


class ReadFailure(Record):
    """A note that could not be read; `gone` when the file no longer exists."""

    path: VaultPath
    reason: str
    gone: bool


Outcome = PreparedNote | ReadFailure


@cache
def _own_vocabularies() -> Vocabularies:
    """Return those of a worker process, which reads one slice of notes after another."""
    return Vocabularies.empty()


def read_in_worker(reading: ReadOptions, paths: Sequence[VaultPath]) -> list[Outcome]:
    """Read notes in a process that does nothing else, and gives way to searches meanwhile."""
    lower_priority()
    return read_all(reading, paths, _own_vocabularies())


def index_words(root: Path, rules: Rules, paths: Sequence[tuple[int, VaultPath]]) -> list[IndexSegment]:
    """Index the words of numbered files in a worker process: the text of Markdown as it is, the name of any other."""
    vault = Vault(root, rules)
    texts = [(number, path, read_text(vault, path) or "") for number, path in paths if not is_stopping()]
    return index_file_words(texts, _own_vocabularies())


def read_text(vault: Vault, path: VaultPath) -> str | None:
    """Return the text of a Markdown file; None for another file, and for one that cannot be read."""
    try:
        return vault.read(path)[0].decode("utf-8", "replace") if path.endswith(".md") else None
    except BridgeError:
        return None


def read_all(
    reading: ReadOptions, paths: Sequence[VaultPath], vocabularies: Vocabularies | None = None
) -> list[Outcome]:
    """Read, parse and prepare notes, each on its own, so that a failure affects one note only; index their words."""
    vault = Vault(reading.root, reading.rules)
    outcomes = [read_one(reading, vault, path) for path in paths if not is_stopping()]
    prepared = [outcome for outcome in outcomes if isinstance(outcome, PreparedNote)]
    indexed = iter(add_segments(prepared, vocabularies or Vocabularies.empty()))
    return [next(indexed) if isinstance(outcome, PreparedNote) else outcome for outcome in outcomes]


def read_one(reading: ReadOptions, vault: Vault, path: VaultPath) -> Outcome:
    try:
        data, stat = vault.read(path)
    except VaultUnreadable:
        raise
    except BridgeError as error:
        return ReadFailure(path, error.message, gone=error.code == "note_not_found")
    note = read_document(path, data, max_pdf_pages=reading.max_pdf_pages)
    return prepare(note, stat, reading.boilerplate)


def learn_boilerplate(root: Path, rules: Rules, paths: Collection[VaultPath]) -> Boilerplate:
    folders = read_obsidian_settings(root).template_folders
    return Boilerplate.learn(sample_texts(Vault(root, rules), paths), template_folders=folders)


def sample_texts(vault: Vault, paths: Iterable[VaultPath]) -> Iterator[tuple[VaultPath, str]]:
    """Yield readable Markdown notes with their text: an even sample, the same each time."""
    sample = sorted(paths, key=lambda path: hashlib.blake2b(path.encode(), digest_size=8).digest())[:LEARN_FROM]
    for path in sample:
        if (text := read_text(vault, path)) is not None:
            yield path, text


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
