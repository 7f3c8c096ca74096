"""Templates are filled in, and never executed."""

from datetime import UTC, datetime

import pytest

from bridge.errors import InvalidArguments
from bridge.markdown.moment_format import fill_template

WHEN = datetime(2026, 1, 5, 14, 7, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("# {{title}}\n{{date}} {{time}}\n", "# A & B\n2026-01-05 14:07\n"),
        ("{{Title}} {{ DATE }} {{date : D}}", "A & B 2026-01-05 5"),
        ("{{date:dddd, MMMM Do YYYY}} {{time:h:mm a}}", "Monday, January 5th 2026 2:07 pm"),
        ("{{date:[Week] WW}} {{time:YYYY}}", "Week 02 2026"),
        ("{{date:}} {date} {{{title}}}", "2026-01-05 {date} {A & B}"),
        ("---\ndate: {{date}}\r\n---\r\n", "---\ndate: 2026-01-05\r\n---\r\n"),
    ],
)
def test_obsidians_own_fields_are_filled_in(text: str, written: str) -> None:
    done = fill_template(text, "A & B", WHEN)
    assert (done.text, done.warnings) == (written, ())


def test_the_vault_s_formats_count() -> None:
    assert fill_template("{{date}} {{time}}", "A", WHEN, date_format="D.M.", time_format="H[h]").text == "5.1. 14h"


def test_a_title_is_no_template() -> None:
    assert fill_template("{{title}}", r"{{date}} \1 <% x %>", WHEN) == fill_template(
        "{{title}}", r"{{date}} \1 <% x %>", WHEN
    )
    assert fill_template("{{title}}", r"{{date}} \1 <% x %>", WHEN).text == r"{{date}} \1 <% x %>"


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("<% tp.date.now() %>", "commands of Templater"),
        ("{{VALUE}} {{date+1d}} {{yesterday}}", "they stay: `{{VALUE}}`, `{{date+1d}}`, `{{yesterday}}`"),
    ],
)
def test_what_other_programs_would_fill_in_stays_and_is_told(text: str, warning: str) -> None:
    done = fill_template(text, "A", WHEN)
    assert done.text == text
    (told,) = done.warnings
    assert warning in told


def test_a_format_that_is_not_known_is_refused() -> None:
    with pytest.raises(InvalidArguments):
        fill_template("{{date:zz}}", "A", WHEN)
