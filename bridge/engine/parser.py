"""Reads notes in a worker process; loads no more of the engine than this."""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

from bridge.errors import BridgeError, VaultUnreadable
from bridge.index.boilerplate import Boilerplate
from bridge.index.documents import Vocabularies, index_file_words
from bridge.index.prepare import PreparedNote, add_segments, prepare
from bridge.index.segment import IndexSegment
from bridge.markdown.documents import read_document
from bridge.priority import lower_priority
from bridge.records import Record
from bridge.types import VaultPath
from bridge.vault.rules import Rules
from bridge.vault.vault import Vault
from bridge.worker_pool import is_stopping

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
    return Boilerplate.learn(sample_texts(Vault(root, rules), paths))


def sample_texts(vault: Vault, paths: Iterable[VaultPath]) -> Iterator[tuple[VaultPath, str]]:
    """Yield readable Markdown notes with their text: an even sample, the same each time."""
    sample = sorted(paths, key=lambda path: hashlib.blake2b(path.encode(), digest_size=8).digest())[:LEARN_FROM]
    for path in sample:
        if (text := read_text(vault, path)) is not None:
            yield path, text
