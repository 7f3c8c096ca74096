"""Looks up what the index holds of one note, or why it holds nothing."""

from typing import Literal

from bridge.engine.indexer import Indexer
from bridge.records import Record
from bridge.state.store import Store
from bridge.types import Digest, Lines, VaultPath, is_same_digest
from bridge.vault.paths import parents

IndexPart = Literal["keyword", "links", "vectors"]
"""A part of the index that a caller can wait for."""

NO_DOCUMENT = "Only notes, canvases, Excalidraw drawings and PDF files are searched."


class Passage(Record):
    """A passage of a note in the index.

    Attributes:
        heading: Its heading path.
        lines: First and last line.
        embedded: Whether semantic search finds it.
    """

    heading: str
    lines: Lines
    embedded: bool


class IndexStatus(Record):
    """A file in the index.

    Attributes:
        path: The file.
        state: `indexed`, `pending`, `skipped` or `failed`.
        reason: Why it is not indexed.
        digest: SHA-256 of the file as indexed.
        passages: Its passages.
        left_out: What was not embedded, such as lines repeated across many notes.
        problems: What could not be parsed.
    """

    path: VaultPath
    state: str
    reason: str | None
    digest: Digest | None
    passages: tuple[Passage, ...]
    left_out: tuple[str, ...]
    problems: tuple[str, ...]


def inspect_note(indexer: Indexer, store: Store, path: VaultPath) -> IndexStatus:
    note = indexer.index.notes.get(path)
    if note is not None:
        passages = tuple(Passage(p.heading, p.lines, p.embedded) for p in indexer.index.passages_of(path))
        state = "pending" if path in indexer.pending else "indexed"
        return IndexStatus(path, state, None, note.digest, passages, note.left_out, note.problems)
    failed = store.failures.all().get(path)
    if failed is not None:
        return IndexStatus(path, "failed", failed[1], None, (), (), ())
    if path in indexer.pending:
        return IndexStatus(path, "pending", "It waits to be read.", None, (), (), ())
    there = indexer.vault.look([path])
    if path in there.files:
        return IndexStatus(path, "pending", "It was not noticed yet; `reindex` reads it now.", None, (), (), ())
    if path in there.others or path in there.skipped:
        above = [path, *(f"{folder}/" for folder in parents(path))]
        skipped = next((indexer.skipped[place] for place in above if place in indexer.skipped), None)
        return IndexStatus(
            path, "skipped", skipped or indexer.vault.rules.reason(path) or NO_DOCUMENT, None, (), (), ()
        )
    return IndexStatus(path, "unknown", "There is no such file.", None, (), (), ())


def is_indexed(indexer: Indexer, path: VaultPath, digest: Digest | None, what: IndexPart) -> bool:
    note = indexer.index.notes.get(path)
    if note is None or path in indexer.pending:
        return False
    if digest is not None and not is_same_digest(note.digest, digest):
        return False
    stat = indexer.vault.stat(path)
    if digest is None and stat is not None and (note.mtime_ns, note.size) != (stat.mtime_ns, stat.size):
        return False
    match what:
        case "keyword":
            return indexer.complete
        case "links":
            return indexer.link_resolver.is_settled
        case "vectors":
            return indexer.index.is_embedded(path)
