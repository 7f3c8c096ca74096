"""The time of day in front of new list items, in the form that a note has for it."""

from datetime import datetime

import pytest

from bridge.markdown.edit.apply import apply_edits, stamp_items
from bridge.markdown.edit.requests import AddItem, Append
from bridge.types import VaultPath

NOW = datetime(2026, 1, 2, 14, 3, 5)  # noqa: DTZ001 - local


@pytest.mark.parametrize(
    ("before", "line"),
    [
        ("", "- **14:03** New"),
        ("- no time\n", "- **14:03** New"),
        ("Text 9:15 in prose\n\n- one\n", "- **14:03** New"),
        ("- 09:15 Bread\n", "- 14:03 New"),
        ("- 9:15 - Bread\n", "- 14:03 - New"),
        ("* [09:15] Bread\n", "* [14:03] New"),
        ("- [ ] `09:15:30` Bread\n", "- `14:03:05` New"),
        ("- 9:15 AM Bread\n", "- 2:03 PM New"),
        ("- (9:15am) Bread\n", "- (2:03pm) New"),
        ("- **9:15** Bread\n- 9:16: Rye\n", "- 14:03: New"),
    ],
)
def test_a_stamp_has_the_form_of_the_last_one(before: str, line: str) -> None:
    data = before.encode()
    made = apply_edits(VaultPath("A.md"), data, stamp_items([AddItem(text="New", stamp=True)], data, NOW)).decode()
    assert made.splitlines()[-1] == line
    assert made.startswith(before)


def test_a_task_has_its_stamp_behind_the_box_and_other_edits_stay() -> None:
    edits = (AddItem(text="New", task=True, stamp=True), AddItem(text="Plain"), Append(text="End"))
    stamped = stamp_items(edits, b"", NOW)
    assert stamped[1:] == edits[1:]
    assert apply_edits(VaultPath("A.md"), b"", stamped[:1]) == b"- [ ] **14:03** New\n"
