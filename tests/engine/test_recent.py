"""What was read lately is known; what was not read for long is not."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from bridge.engine.read_cache import LARGE_FILE_BYTES, MAX_BYTES, MAX_FILE_BYTES, LongNoteCache, ReadCache
from bridge.markdown.documents import read_document
from bridge.markdown.note import Note
from bridge.types import Digest, VaultPath


def test_what_was_read_last_is_held_and_the_rest_goes() -> None:
    recent, size = ReadCache(), 1_000_000
    for number in range(MAX_BYTES // size + 5):
        recent.keep(Digest(str(number)), b"x" * size)
        recent.keep(Digest("0"), b"x" * size)
    assert recent.get(Digest("0")) == b"x" * size
    assert recent.get(Digest("1")) is None
    assert recent.get(Digest(str(MAX_BYTES // size + 4))) is not None


def test_a_huge_file_pushes_nothing_out() -> None:
    recent = ReadCache()
    recent.keep(Digest("a"), b"small")
    recent.keep(Digest("b"), b"x" * (MAX_FILE_BYTES + 1))
    assert (recent.get(Digest("a")), recent.get(Digest("b"))) == (b"small", None)


def test_a_long_note_is_parsed_again_only_when_it_or_a_limit_changed() -> None:
    notes, path = LongNoteCache(), VaultPath("Long.md")
    text = b"# A\n" + b"word " * LARGE_FILE_BYTES
    first = notes.read(path, text, max_pdf_pages=1)
    assert notes.read(path, bytes(bytearray(text)), max_pdf_pages=1) is first
    changed = notes.read(path, text + b"\n\n# B\n", max_pdf_pages=1)
    assert [heading.text for heading in changed.headings] == ["A", "B"]
    assert notes.read(path, text, max_pdf_pages=1) == first
    assert notes.read(VaultPath("Other.md"), text, max_pdf_pages=1).title == "Other"


def test_a_long_note_that_is_not_used_is_dropped() -> None:
    notes, path, text = LongNoteCache(), VaultPath("Long.md"), b"word " * LARGE_FILE_BYTES
    first = notes.read(path, text, max_pdf_pages=1)
    notes.clear()
    assert notes.read(path, text, max_pdf_pages=1) is not first


def test_a_very_long_note_that_several_read_at_once_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []

    def count(path: VaultPath, data: bytes, **limits: Any) -> Note:
        parsed.append(path)
        return read_document(path, data, **limits)

    monkeypatch.setattr("bridge.engine.read_cache.read_document", count)
    notes, text = LongNoteCache(), b"word " * MAX_FILE_BYTES

    def read_in_turn() -> Note:
        with notes.turn(len(text)):
            return notes.read(VaultPath("Long.md"), text, max_pdf_pages=1)

    with ThreadPoolExecutor(8) as threads:
        read = [threads.submit(read_in_turn) for _ in range(8)]
    assert parsed == ["Long.md"]
    assert len({id(each.result()) for each in read}) == 1
    notes.clear()
