"""What a change makes wrong."""

import pytest

from bridge.markdown.edit.lint import new_faults
from bridge.types import VaultPath

NOTE = VaultPath("A.md")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("# A\n## B\nx\n## B\ny\n# B\n", ("Lines 2 and 4 hold the same heading, `B`.",)),
        ("# A\n\n## a ^x\n", ("Lines 1 and 3 hold the same heading, `a ^x`.",)),
        ("# A\n## N\n# B\n## N\n## M\n### N\n", ()),
        ("#\n#\n", ()),
        ("a\n```\nb\n", ("Line 2 opens a code block that nothing closes.",)),
        ("- a\n  ~~~~\n  b\n  ~~~\n", ("Line 2 opens a code block that nothing closes.",)),
        ("> ```\n> a\n> ````\n", ()),
        ("```", ("Line 1 opens a code block that nothing closes.",)),
        ("    indented\n", ()),
        ("a\n\n%%\nb\n", ("Line 3 opens a comment that nothing closes.",)),
        ("%%\nb\n%%\n`%%`\n", ()),
        ("<!--\nb\n", ("Line 1 opens an HTML comment that nothing closes.",)),
        ("$$\na\n\nb\n", ("Line 1 opens a formula that nothing closes.",)),
        ("$$\na\n\nb\n$$\n\n$$\nc\n$$\n", ()),
        ("a ^x\n\nb ^X\n\nc ^y\n", ("The blocks in lines 1 and 3 have the same id, `^X`.",)),
        ("- 10:00 10:00 rose\n", ("Line 1 says the time 10:00 twice.",)),
        ("- [ ] **2026-01-01 10:00** 2026-01-01 10:00: rose\n", ("Line 1 says the time 2026-01-01 10:00 twice.",)),
        ("2026-01-01 2026-01-02\n10:00 10:001\n\n    10:00 10:00\n", ()),
        ("10:00 to 10:00\nfrom 2026-01-01 2026-01-01\n", ()),
        (
            "---\na: [\n---\n",
            ("The properties cannot be read, line 3: did not find expected node content.",),
        ),
        ("---\na: b\n\ntext\n", ("Line 1 opens properties that nothing closes.",)),
        ("---\n\nNote: a rule above\n", ()),
        (
            "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n",
            (
                "Line 1 holds the marker of a conflict that nobody solved.",
                "Line 5 holds the marker of a conflict that nobody solved.",
            ),
        ),
        ("```\n<<<<<<< ours\n```\n", ()),
    ],
)
def test_a_new_note_s_faults_are_told(text: str, found: tuple[str, ...]) -> None:
    for written in (text, text.replace("\n", "\r\n")):
        assert new_faults(NOTE, None, written.encode()) == found


def test_only_what_the_change_made_wrong_is_told() -> None:
    before = b"# A\n# A\n10:00 10:00\n```\nx\n"
    assert new_faults(NOTE, before, before) == ()
    assert new_faults(NOTE, before, b"new\n\n" + before) == ()
    assert new_faults(NOTE, before, b"# A\n" + before) == ("Lines 2 and 3 hold the same heading, `A`.",)
    assert new_faults(NOTE, before, b"# A\n\nfine\n") == ()


def test_other_files_have_no_faults() -> None:
    assert new_faults(VaultPath("A.canvas"), None, b"```") == ()
    assert new_faults(NOTE, b"\xff", b"\xff```") == ()
    assert new_faults(NOTE, b"\xff```", b"```") == ("Line 1 opens a code block that nothing closes.",)


BODY = "# A\n# A\n10:00 10:00\n<<<<<<< ours\n```\nx\n"


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("---\na: 1\n---\n", "---\nb: 1\n---\n", ()),
        ("---\na: [\n---\n", "---\na: 1\n---\n", ()),
        ("---\na: [\n---\n", "---\nb: [\n---\n", ()),
        (
            "---\na: 1\n---\n",
            "---\na: [\n---\n",
            ("The properties cannot be read, line 3: did not find expected node content.",),
        ),
        (
            "---\na: 1\n---\n",
            "---\na: 1\n<<<<<<< b\n---\n",
            (
                "The properties cannot be read, line 3: could not find expected ':'.",
                "Line 3 holds the marker of a conflict that nobody solved.",
            ),
        ),
    ],
)
def test_of_a_change_of_properties_only_their_faults_are_new(before: str, after: str, found: tuple[str, ...]) -> None:
    for mark in ("", "\ufeff"):
        texts = [f"{mark}{properties}{BODY}" for properties in (before, after)]
        for old, new in (texts, [text.replace("\n", "\r\n") for text in texts]):
            assert new_faults(NOTE, old.encode(), new.encode()) == found


def test_properties_that_take_in_the_text_below_them_are_told_with_it() -> None:
    told = new_faults(NOTE, f"---\na: 1\n---\n{BODY}".encode(), f"---\na: 1\n{BODY}".encode())
    assert told[0] == "Line 1 opens properties that nothing closes."


def test_a_note_that_is_not_utf_8_has_no_new_faults() -> None:
    assert new_faults(NOTE, b"---\na: 1\n---\n\xff", b"---\na: [\n---\n\xff") == ()
