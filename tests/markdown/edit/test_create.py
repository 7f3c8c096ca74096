"""The bytes of a new note."""

import pytest

from bridge.errors import InvalidArguments, InvalidProperties
from bridge.markdown.edit.properties import build_note
from bridge.markdown.parse import parse
from bridge.types import VaultPath

NOTE = VaultPath("A.md")


def test_a_note_is_its_text_with_a_line_break_at_the_end() -> None:
    assert build_note(NOTE, "") == b""
    assert build_note(NOTE, "a\r\nb\rc") == b"a\nb\nc\n"
    assert build_note(NOTE, "\ufeffa\n") == b"a\n"


def test_properties_go_above_the_text_and_win_over_those_in_it() -> None:
    data = build_note(NOTE, "---\na: 1\nb: 2 # two\n---\ntext", {"a": 3, "tags": ["x", "y"]})
    note = parse(NOTE, data)
    assert dict(note.properties) == {"a": 3, "b": 2, "tags": ["x", "y"]}
    assert b"b: 2 # two\n" in data
    assert note.text[note.body :] == "text\n"


def test_what_no_note_can_hold_is_refused() -> None:
    with pytest.raises(InvalidArguments):
        build_note(VaultPath("A.canvas"), "a")
    with pytest.raises(InvalidArguments):
        build_note(NOTE, "\udc80")
    with pytest.raises(InvalidProperties):
        build_note(NOTE, "---\na: [\n---\n", {"b": 1})
