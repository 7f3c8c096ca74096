"""Whatever becomes of changes, what is told of them is what the notes say, and all of it can be undone."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.changes.story import Story


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 1 << 32), st.integers(1, 15), st.booleans())
def test_what_is_told_of_changes_is_what_the_notes_say(seed: int, count: int, has_trash: bool) -> None:
    story = Story(random.Random(seed), has_trash=has_trash)
    for _ in range(count):
        story.go_on()
    story.undo_all()
