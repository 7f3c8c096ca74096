"""Whatever is edited, all else stays."""

from typing import Literal
from unicodedata import normalize

from hypothesis import event, given, settings
from hypothesis import strategies as st

from bridge.errors import BridgeError, InvalidArguments
from bridge.markdown.edit.apply import apply_edits, find_text
from bridge.markdown.edit.headings import replace_heading
from bridge.markdown.edit.lint import new_faults
from bridge.markdown.edit.requests import Append, ReplaceLines
from bridge.markdown.parse import parse
from tests.markdown.edit.notes import NOTE, check, edits, files, texts

Form = Literal["NFC", "NFD", "NFKD"]


@given(files(), st.data())
@settings(max_examples=250, deadline=None)
def test_an_edit_changes_what_it_speaks_of_and_nothing_else(data: bytes, drawn: st.DataObject) -> None:
    edit = drawn.draw(edits(parse(NOTE, data)))
    try:
        after = apply_edits(NOTE, data, [edit])
    except BridgeError as error:
        event(f"{edit.op} refused: {error.code}")
        return
    event(edit.op)
    check(data, edit, after)
    new_faults(NOTE, data, after)


@given(files(), st.data())
@settings(max_examples=100, deadline=None)
def test_several_edits_are_all_done_or_refused(data: bytes, drawn: st.DataObject) -> None:
    several = drawn.draw(st.lists(edits(parse(NOTE, data)), min_size=2, max_size=4))
    try:
        after = apply_edits(NOTE, data, several)
    except BridgeError:
        return
    assert data.startswith(b"\xef\xbb\xbf") == after.startswith(b"\xef\xbb\xbf")
    assert after != data or all(apply_edits(NOTE, data, [edit]) == data for edit in several)


@given(files(), st.lists(st.tuples(st.integers(1, 30), st.integers(0, 2), texts), max_size=4))
@settings(max_examples=100, deadline=None)
def test_edits_at_once_are_like_edits_from_the_last_to_the_first(
    data: bytes, drawn: list[tuple[int, int, str]]
) -> None:
    several = [ReplaceLines(lines=(first, first + more), text=text) for first, more, text in drawn]
    try:
        after = apply_edits(NOTE, data, several)
    except InvalidArguments:
        return
    for edit in sorted(several, key=lambda edit: -edit.lines[0]):
        data = apply_edits(NOTE, data, [edit])
    assert after == data


@given(files(), texts, st.data())
@settings(max_examples=100, deadline=None)
def test_a_heading_s_rename_changes_one_heading(data: bytes, text: str, drawn: st.DataObject) -> None:
    note = parse(NOTE, data)
    heading = drawn.draw(st.sampled_from([*(one.text for one in note.headings), "A"]))
    try:
        after = parse(NOTE, replace_heading(NOTE, data, heading, text))
    except BridgeError:
        return
    pairs = zip(note.headings, after.headings, strict=True)
    assert sum(one.text != other.text for one, other in pairs) <= 1
    assert [one.level for one in note.headings] == [one.level for one in after.headings]
    assert (len(note.tasks), len(note.blocks)) <= (len(after.tasks), len(after.blocks))


@given(st.binary(max_size=100), texts)
@settings(max_examples=100, deadline=None)
def test_any_bytes_are_edited_or_refused(data: bytes, text: str) -> None:
    try:
        assert apply_edits(NOTE, data, []) == data
        after = apply_edits(NOTE, data, [Append(text=text)])
    except InvalidArguments:
        return
    assert after.startswith(data)


LETTERS = ["\n", *"aéệñŁßİ가방", *("ẹ́", "i̇", "שׁ", "كَّ", "كٌ", "பொ", "கோ", "খো", "ਖ਼", "ไก่", "කෝ")]


@given(*[st.lists(st.sampled_from(LETTERS)).map("".join)] * 3, *[st.sampled_from(("NFC", "NFD", "NFKD"))] * 2)
@settings(max_examples=300, deadline=None)
def test_a_text_is_found_in_either_form(before: str, text: str, after: str, written: Form, asked: Form) -> None:
    text = text or "a"
    whole = f"{before}|{normalize(written, text)}|\n{after}".replace("\n", "\r\n")
    own, needle = (normalize(form, f"|{text}|") for form in (written, asked))
    start = len(before.replace("\n", "\r\n"))
    expected = (start, start + len(own.replace("\n", "\r\n")))
    if normalize("NFC", own) == normalize("NFC", needle):
        assert expected in find_text(whole, needle, once=True)
    for first, end in find_text(whole, text):
        assert normalize("NFC", whole[first:end].replace("\r\n", "\n")) == normalize("NFC", text)
