"""The text of one note as it is on disk now, by section and by line."""

import asyncio
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from operator import attrgetter

from msgspec.structs import replace

from bridge.api.note_names import no_such_note
from bridge.engine.host import Host
from bridge.engine.open_vault import OpenVault
from bridge.errors import BridgeError, InvalidArguments, NoteNotFound
from bridge.index.background import trim_soon
from bridge.markdown.kinds import is_document, kind_of
from bridge.markdown.note import Note
from bridge.markdown.sections import find_section
from bridge.search.excerpts import Excerpts, cut_excerpts
from bridge.search.model import SearchHit, SearchRequest, Sources
from bridge.search.pack import cut_long_notes
from bridge.types import Lines, Span, VaultPath

BLOCK_CHARS = 2**16
"""Characters in which line breaks are counted at once."""

LARGE_FILE_BYTES = 2**20
"""File size in bytes above which freed memory is returned to the system at once."""


def read_text(vault: OpenVault, path: VaultPath) -> str:
    """Return a note's text; empty if there is no such note. Blocks."""
    try:
        return vault.files.read(path)[0].decode("utf-8", "replace")
    except NoteNotFound:
        return ""


def open_note(vault: OpenVault, path: VaultPath) -> Note:
    if not is_document(path):
        raise (
            no_such_note(vault, path)
            if path not in vault.names
            else NoteNotFound(
                f"`{path}` has no readable text.",
                hint="`note_links` lists the notes that use it.",
                path=path,
            )
        )
    try:
        return _parse_file(vault, path)
    except NoteNotFound:
        raise no_such_note(vault, path) from None


def open_content(vault: OpenVault, path: VaultPath, *, whole: bool = False) -> Note:
    """Read and parse a note, with spaces in place of boilerplate, but whole lists of which it is less than half."""
    note = open_note(vault, path)
    text = note.text[: note.body] + vault.index.boilerplate.blank(note.text[note.body :], whole=whole)
    parts, at = list[str](), 0
    for kind, found in groupby(note.pieces, key=attrgetter("kind")):
        items = [*found] if kind == "list_item" else []
        blank = [one.span for one in items if text[slice(*one.span)].isspace()]
        for start, end in blank if 2 * len(blank) < len(items) else ():
            parts += text[at:start], note.text[max(at, start) : end]
            at = max(at, end)
    return replace(note, text="".join([*parts, text[at:]]))


def open_note_early(host: Host, path: VaultPath) -> Note:
    """Read and parse a note, of a vault that may not be open yet."""
    try:
        vault = host.vault
    except BridgeError as closed:
        with suppress(NoteNotFound):
            if is_document(path):
                return _parse_file(host, path)
        raise closed from None
    return open_note(vault, path)


def _parse_file(vault: OpenVault | Host, path: VaultPath) -> Note:
    with vault.files.open(path) as file, vault.long_notes.turn(os.fstat(file).st_size):
        data, _ = vault.files.read_open(path, file)
        note = vault.long_notes.read(path, data, max_pdf_pages=vault.settings.max_pdf_pages)
    vault.recent.keep(note.digest, data)
    if len(data) > LARGE_FILE_BYTES:
        trim_soon()
    return note


def select_lines(note: Note, section: str | None, lines: Lines | None) -> Lines:
    total = count_lines(note.text)
    if section is not None:
        start, end = find_section(note, section)
        return line_at(note.text, start), line_at(note.text, max(start, end - 1))
    if lines is None:
        return 1, total
    first, last = lines
    if not 1 <= first <= last:
        raise InvalidArguments(f"`lines` must be a first and a last line, from 1 on, not {first} to {last}.")
    if first > total:
        raise InvalidArguments(f"`lines` begins at {first}, but `{note.path}` has {total} lines.", total_lines=total)
    return first, min(last, total)


def count_lines(text: str) -> int:
    """Count lines split at LF; an empty file has one."""
    return max(1, text.count("\n") + (not text.endswith("\n")))


def line_at(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def line_start(text: str, offset: int) -> int:
    return text.rfind("\n", 0, offset) + 1


def span_of(text: str, first: int, last: int) -> Span:
    """Return the span of a range of lines, including line ends."""
    start = skip_lines(text, 0, first - 1)
    return start, skip_lines(text, start, last - first + 1)


def skip_lines(text: str, at: int, count: int) -> int:
    while (after := at + BLOCK_CHARS) < len(text) and (passed := text.count("\n", at, after)) < count:
        at, count = after, count - passed
    for _ in range(count):
        found = text.find("\n", at)
        if found < 0:
            return len(text)
        at = found + 1
    return at


def open_hits(vault: OpenVault, hits: Iterable[SearchHit]) -> dict[VaultPath, Note]:
    """Read the notes of hits; one that is gone, and other files such as PDFs, are left out. Blocks."""
    found = {}
    for hit in hits:
        if kind_of(hit.path) == "note":
            with suppress(NoteNotFound):
                found[hit.path] = open_content(vault, hit.path, whole=True)
    return found


async def cut_found(
    sources: Sources, request: SearchRequest, hits: Sequence[SearchHit], notes: Mapping[VaultPath, Note]
) -> list[Excerpts]:
    """Cut hits into excerpts, and long notes to the blocks that match."""
    return await cut_long_notes(sources, request, await asyncio.to_thread(cut_hits, hits, notes, request.query), notes)


def cut_hits(hits: Sequence[SearchHit], notes: Mapping[VaultPath, Note], query: str) -> list[Excerpts]:
    found = []
    for hit in hits:
        passages = sorted(hit.passages, key=lambda one: one.lines != hit.lines)
        if kind_of(hit.path) != "note":
            found.append(Excerpts(hit.path, hit.score, passages=tuple(passages)))
        elif (note := notes.get(hit.path)) is not None:
            found.append(cut_excerpts(note, hit.score, passages, query))
    return found
