"""Within lines, a reader sees which words changed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.text.diff import Run, diff_hunks, diff_runs, diff_words
from tests.changes.texts import pairs


def read(found: tuple[Run, ...]) -> str:
    marks = {"same": "{}", "removed": "[-{}-]", "added": "{{+{}+}}"}
    return "".join(marks[run.kind].format(run.text) for run in found)


def side(found: tuple[Run, ...], without: str) -> str:
    return "".join(run.text for run in found if run.kind != without)


@given(st.one_of(pairs(), st.tuples(st.text(), st.text())))
def test_both_texts_can_be_read_from_it(pair: tuple[str, str]) -> None:
    before, after = pair
    assert (side(diff_words(before, after), "added"), side(diff_words(before, after), "removed")) == pair
    for hunk in diff_hunks(before, after):
        found = diff_runs(hunk)
        assert side(found, "added") == "".join(row.text for row in hunk.rows if row.kind != "added")
        assert side(found, "removed") == "".join(row.text for row in hunk.rows if row.kind != "removed")


@pytest.mark.parametrize(
    ("before", "after", "seen"),
    [
        ("see [[Fox|a fox]] now", "see [[Wolf|a fox]] now", "see [-[[Fox|a fox]]-]{+[[Wolf|a fox]]+} now"),
        ("it #garden/bean here", "it #garden/pea here", "it [-#garden/bean-]{+#garden/pea+} here"),
        ("on 2024-01-02 we", "on 2024-01-03 we", "on [-2024-01-02-]{+2024-01-03+} we"),
        ("- [ ] call Ann", "- [x] call Ann", "- [-[ ]-]{+[x]+} call Ann"),
        ("| a | bb | c |", "| a | d e | c |", "| a | [-bb-]{+d e+} | c |"),
        ("tags: [a, b]", "tags: [a, b, c]", "tags: [a, b{+, c+}]"),
        ("我今天发酵面包", "我昨天发酵面包", "我[-今-]{+昨+}天发酵面包"),
        ("ที่นี่ดี", "ที่นั่นดี", "ที่[-นี่-]{+นั่น+}ดี"),
        ("हिन्दी भाषा है", "हिन्दी लिपि है", "हिन्दी [-भाषा-]{+लिपि+} है"),
        ("yes 👩‍👩‍👧", "yes 👩‍👩‍👦", "yes [-👩‍👩‍👧-]{+👩‍👩‍👦+}"),
        ("he went to the sea", "he came back from the sea", "he [-went to-]{+came back from+} the sea"),
        ("wholly other words", "nothing in common", "[-wholly other words-]{+nothing in common+}"),
        ("line\r\n", "line\n", "line[-\r\n-]{+\n+}"),
        ("", "new", "{+new+}"),
    ],
)
def test_what_changed_is_a_unit_that_one_reads(before: str, after: str, seen: str) -> None:
    assert read(diff_words(before, after)) == seen


def test_a_block_too_long_to_compare_is_shown_whole() -> None:
    before = "word " * 6_000
    assert read(diff_words(before, before + "more")) == f"[-{before}-]{{+{before}more+}}"


def test_a_hunk_is_read_as_a_whole() -> None:
    (hunk,) = diff_hunks("# A\nold text\n\ngone\n", "# A\nnew text\n\n")
    assert read(diff_runs(hunk)) == "# A\n[-old-]{+new+} text\n\n[-gone\n-]"
