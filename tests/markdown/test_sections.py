"""A note by its headings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.errors import AmbiguousHeading, HeadingNotFound
from bridge.markdown.edit.draft import read_draft
from bridge.markdown.note import Heading, Note
from bridge.markdown.parse import MAX_CHARACTERS, parse
from bridge.markdown.sections import Outline, find_section, section_spans
from bridge.types import VaultPath

TEXT = """intro

# Plan
first

## Notes
a

### C# & Rust: [[Why|why]]?
b

# Archive
c

## Notes
d

## A > B
e
# Skip

### Notes
"""


@pytest.fixture
def note() -> Note:
    return parse(VaultPath("A.md"), TEXT.encode())


@pytest.mark.parametrize(
    ("place", "path"),
    [
        ("intro", ""),
        ("# Plan", "Plan"),
        ("first", "Plan"),
        ("a\n\n###", "Plan > Notes"),
        ("b\n\n#", "Plan > Notes > C# & Rust: [[Why|why]]?"),
        ("d\n", "Archive > Notes"),
        ("e\n", "Archive > A > B"),
        ("### Notes\n", "Skip > Notes"),
    ],
)
def test_a_place_has_the_headings_above_it(note: Note, place: str, path: str) -> None:
    offset = TEXT.rindex(place)
    assert Outline(note).at(offset) == path


def test_offsets_outside_the_text_are_at_its_ends(note: Note) -> None:
    assert (Outline(note).at(-1), Outline(note).at(10_000)) == ("", "Skip > Notes")


@pytest.mark.parametrize(
    ("heading", "start", "end"),
    [
        ("Plan", "# Plan", "# Archive"),
        ("Plan > Notes", "## Notes\na", "# Archive"),
        ("Archive > Notes", "## Notes\nd", "## A > B"),
        ("archive > notes", "## Notes\nd", "## A > B"),
        (" ARCHIVE ", "# Archive", "# Skip"),
        ("A > B", "## A > B", "# Skip"),
        ("C# & Rust: [[Why|why]]?", "### C#", "# Archive"),
        ("C Rust Why why", "### C#", "# Archive"),
        ("### c# & rust [[why|why]]", "### C#", "# Archive"),
        ("Plan > C# & Rust: [[Why|why]]?", "### C#", "# Archive"),
        ("Skip > Notes", "### Notes", ""),
    ],
)
def test_a_section_runs_to_the_next_heading_of_its_level(note: Note, heading: str, start: str, end: str) -> None:
    first = TEXT.index(start)
    assert find_section(note, heading) == (first, TEXT.index(end, first + 1) if end else len(TEXT))


def test_a_heading_that_several_sections_have_is_ambiguous(note: Note) -> None:
    with pytest.raises(AmbiguousHeading) as raised:
        find_section(note, "Notes")
    assert raised.value.facts == {"headings": ["Plan > Notes", "Archive > Notes", "Skip > Notes"]}


def test_the_whole_path_decides_even_when_it_is_short() -> None:
    note = parse(VaultPath("A.md"), b"# Log\n## Log\n")
    assert find_section(note, "Log") == (0, 13)
    assert find_section(note, "Log > Log") == (6, 13)


def test_sections_of_one_path_are_told_apart_by_their_lines() -> None:
    note = parse(VaultPath("A.md"), b"# A\n## B\n# A\n## B\n")
    with pytest.raises(AmbiguousHeading) as raised:
        find_section(note, "A > B")
    names = ["A > B (line 2)", "A > B (line 4)"]
    assert raised.value.facts == {"headings": names}
    assert all(name in raised.value.message for name in names)
    assert [find_section(note, name) for name in names] == [(4, 9), (13, 18)]
    assert find_section(note, "b (line 4)") == (13, 18)
    for wrong in ("A > B (line 3)", "C (line 4)"):
        with pytest.raises(HeadingNotFound):
            find_section(note, wrong)


def test_a_heading_that_reads_like_a_line_is_found() -> None:
    note = parse(VaultPath("A.md"), b"# A (line 1)\n# A\n")
    assert find_section(note, "A (line 1)") == (0, 13)
    assert find_section(note, "A") == (13, 17)


def test_exact_letters_win_over_others() -> None:
    note = parse(VaultPath("A.md"), b"# log\n# Log\n# LOG!\n")
    assert [find_section(note, name) for name in ("log", "Log", "LOG!")] == [(0, 6), (6, 12), (12, 19)]
    with pytest.raises(AmbiguousHeading):
        find_section(note, "LOG")


@pytest.mark.parametrize("heading", ["Nope", "Archive > Plan", "Notes > Plan", "", "!", " > "])
def test_an_unknown_heading_names_those_there_are(note: Note, heading: str) -> None:
    with pytest.raises(HeadingNotFound) as raised:
        find_section(note, heading)
    assert raised.value.facts == {"headings": list(Outline(note).paths)}
    assert raised.value.message.endswith(
        "in A.md; its headings are `Plan`, `Plan > Notes`, `Plan > Notes > C# & Rust: [[Why|why]]?`, `Archive`, "
        "`Archive > Notes`, `Archive > A > B`, `Skip`, `Skip > Notes`."
    )


def test_a_message_names_the_likeliest_headings_and_counts_the_others() -> None:
    many = parse(VaultPath("A.md"), "".join(f"# Heading {at}\n" for at in range(20)).encode())
    with pytest.raises(HeadingNotFound, match=r"`Heading 0`, .*, `Heading 7` and 12 more\.$"):
        find_section(many, "missing")
    with pytest.raises(HeadingNotFound, match=r"its headings are `Heading 1`, .*`Heading 17` and 12 more\.$"):
        find_section(many, "heding 17")
    with pytest.raises(HeadingNotFound, match=r"; it has none\.$"):
        find_section(parse(VaultPath("A.md"), b"text"), "missing")
    with pytest.raises(HeadingNotFound) as raised:
        find_section(many, "x" * 100_000)
    assert len(raised.value.message) < 2000


@given(st.lists(st.integers(1, 6), max_size=12))
def test_a_section_ends_where_the_next_one_of_its_level_or_above_begins(levels: list[int]) -> None:
    headings = [Heading(str(at), level, at + 1, (10 * at, 10 * at + 5)) for at, level in enumerate(levels)]
    for at, (start, end) in enumerate(section_spans(headings, 999)):
        later = [heading.span[0] for heading in headings[at + 1 :] if heading.level <= levels[at]]
        assert (start, end) == (10 * at, later[0] if later else 999)


def test_a_heading_that_was_not_read_is_told_with_the_reason() -> None:
    text = f"# H\n{'x' * (MAX_CHARACTERS + 1)}\n## S\nz\n"
    said = "which is too long or has too many blocks to be read from line 2 on; its headings are `H`"
    with pytest.raises(HeadingNotFound, match=said):
        find_section(parse(VaultPath("Long.md"), text.encode()), "S")
    with pytest.raises(HeadingNotFound, match=said):
        read_draft(VaultPath("Long.md"), text).section("S")
    with pytest.raises(HeadingNotFound, match=r"in Short\.md; its"):
        find_section(parse(VaultPath("Short.md"), b"# H\n"), "S")
