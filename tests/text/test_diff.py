"""A diff says exactly what differs, and each of its hunks can be taken alone."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bridge.text.diff import (
    CONTEXT_LINES,
    apply_hunks,
    decode_text,
    diff_hunks,
    diff_lines,
    display_text,
    encode_text,
    group_pieces,
    split_lines,
    unified_diff,
)
from tests.changes.texts import pairs

NOTE = "".join(f"line {number}\n" for number in range(1, 31))


@given(pairs())
def test_all_hunks_make_the_text_after_and_none_the_text_before(pair: tuple[str, str]) -> None:
    before, after = pair
    numbers = [hunk.number for hunk in diff_hunks(before, after)]
    assert apply_hunks(before, after, numbers) == after
    assert apply_hunks(before, after, ()) == before


@given(pairs(), st.data())
def test_what_some_hunks_leave_the_others_complete(pair: tuple[str, str], data: st.DataObject) -> None:
    before, after = pair
    found = diff_hunks(before, after)
    chosen = data.draw(st.sets(st.sampled_from([hunk.number for hunk in found]))) if found else set()
    part = apply_hunks(before, after, chosen)
    assert len(diff_hunks(before, part)) == len(chosen)
    assert apply_hunks(part, after, [hunk.number for hunk in diff_hunks(part, after)]) == after


@given(pairs())
def test_a_hunk_shows_the_lines_it_says(pair: tuple[str, str]) -> None:
    for hunk in diff_hunks(*pair):
        for kind, text, (first, last) in (("added", pair[0], hunk.before), ("removed", pair[1], hunk.after)):
            lines = re.findall(r"[^\n]*\n|[^\n]+", text)
            assert [row.text for row in hunk.rows if row.kind != kind] == lines[first - 1 : last]


@given(st.binary(max_size=200).filter(lambda data: b"\0" not in data))
def test_bytes_survive_whatever_they_are(data: bytes) -> None:
    text = decode_text(data)
    assert text is not None
    assert encode_text(text) == data
    display_text(text).encode()


def test_what_is_no_text_is_none() -> None:
    assert decode_text(b"\x89PNG\0\0") is None


@pytest.mark.process
@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pairs())
def test_git_makes_the_same_of_it(tmp_path: Path, pair: tuple[str, str]) -> None:
    before, after = pair
    note = tmp_path / "note.md"
    note.write_bytes(before.encode())
    diff = unified_diff(before, after, "note.md")
    if before and after and diff:
        command = ["git", "apply", "--whitespace=nowarn", "-"]
        subprocess.run(command, cwd=tmp_path, input=diff.encode(), check=True)
        assert note.read_bytes() == after.encode()


def test_changes_far_apart_are_hunks_of_their_own() -> None:
    after = NOTE.replace("line 5\n", "five\n").replace("line 12\n", "").replace("line 25\n", "line 25\nmore\n")
    assert [(hunk.number, hunk.before, hunk.after) for hunk in diff_hunks(NOTE, after, first=3)] == [
        (3, (2, 15), (2, 14)),
        (4, (23, 28), (22, 28)),
    ]
    assert apply_hunks(NOTE, after, [4], first=3) == NOTE.replace("line 25\n", "line 25\nmore\n")


@pytest.mark.parametrize(
    ("before", "after", "diff"),
    [
        ("a\n", "a\n", ""),
        ("a\n", "a", "@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n"),
        ("a\r\n", "a\n", "@@ -1 +1 @@\n-a\r\n+a\n"),
        ("\ufeffa\n", "a\n", "@@ -1 +1 @@\n-\ufeffa\n+a\n"),
        ("a\u2028b\n", "a\u2028c\n", "@@ -1 +1 @@\n-a\u2028b\n+a\u2028c\n"),
        ("", "a\n", "@@ -0,0 +1 @@\n+a\n"),
        ("a\nb\n", "", "@@ -1,2 +0,0 @@\n-a\n-b\n"),
        ("a\udcff\n", "b\n", "@@ -1 +1 @@\n-a\\xff\n+b\n"),
    ],
)
def test_every_byte_shows(before: str, after: str, diff: str) -> None:
    assert unified_diff(before, after, "x.md") == (f"--- a/x.md\n+++ b/x.md\n{diff}" if diff else "")


def test_a_file_that_is_made_or_removed_is_said_so() -> None:
    assert unified_diff(None, "a\n", "x.md").startswith("--- /dev/null\n+++ b/x.md\n")
    assert unified_diff("a\n", None, "x.md").startswith("--- a/x.md\n+++ /dev/null\n")


@pytest.mark.parametrize(
    ("before", "after", "added"),
    [
        ("# A\n\ntext\n\n# C\n", "# A\n\ntext\n\n# B\n\ntext\n\n# C\n", "# B\n\ntext\n\n"),
        ("# Log\nx\n# Log\ny\n", "# Log\nx\n# Log\nz\n# Log\ny\n", "# Log\nz\n"),
        ("one\n\ntwo\n\nthree\n", "one\n\nnew\n\ntwo\n\nthree\n", "new\n\n"),
        ("a\n\nx\ny\n\nx\nz\n", "a\n\nx\ny\n\nx\nw\n\nx\nz\n", "x\nw\n\n"),
        ("a\n\nx\ny\n", "a\n\nx\nw\nx\ny\n", "x\nw\n"),
    ],
)
def test_new_sections_and_paragraphs_show_as_wholes(before: str, after: str, added: str) -> None:
    (hunk,) = diff_hunks(before, after)
    assert "".join(row.text for row in hunk.rows if row.kind == "added") == added


@settings(max_examples=300)
@given(
    st.lists(st.sampled_from(["a", "b", "", "ab", "\r"]), max_size=9),
    st.integers(0, 8),
    st.sampled_from(["a", "c", "", "b\nc"]),
)
def test_a_text_that_differs_in_one_line_has_the_hunk_of_its_lines(lines: list[str], at: int, new: str) -> None:
    changed = [new if number == at else line for number, line in enumerate(lines)]
    for end in ("", "\n"):
        before, after = "\n".join(lines) + end, "\n".join(changed) + end
        old, now = split_lines(before), split_lines(after)
        groups = [*group_pieces(diff_lines(old, now))]
        found = diff_hunks(before, after)
        assert len(found) == len(groups)
        for hunk, group in zip(found, groups, strict=True):
            same = [row.text for row in hunk.rows if row.kind == "same"]
            first, last = hunk.before
            assert [row.text for row in hunk.rows if row.kind != "added"] == old[first - 1 : last]
            assert [row.text for row in hunk.rows if row.kind != "removed"] == now[hunk.after[0] - 1 : hunk.after[1]]
            assert first == max(0, group[0].before.start - CONTEXT_LINES) + 1
            assert last == min(len(old), group[-1].before.stop + CONTEXT_LINES)
            assert len(same) == last - first + 1 - sum(len(piece.before) for piece in group)
