"""Swaps the names of files and folders at random while changes are undone and redone, and counts faults."""

import random
from collections import Counter

from bridge.errors import ChangeConflict
from scripts.lib.torture.report import Report
from tests.changes.name_story import NameStory

MAX_STEPS = 5
"""Steps of a story, after which everything is undone."""
REFUSED = "refused"


def torture_names(steps: int, seed: int) -> Report:
    """Run random stories.

    Args:
        steps: How many stories.
        seed: The seed of the first story; the others follow.
    """
    told: Counter[str] = Counter()
    faults = {
        "stories in which a name or a byte is wrong": 0,
        "changes that cannot be undone though nobody else wrote": 0,
    }
    wrong, stuck = faults
    examples: list[str] = []
    for number in range(seed * steps, (seed + 1) * steps):
        story = NameStory(random.Random(number), has_trash=number % 2 == 0, has_links=number % 3 == 0)
        try:
            for _ in range(1 + number % MAX_STEPS):
                story.go_on()
            story.undo_all()
        except Exception as error:  # noqa: BLE001 - any exception is a finding
            is_refusal = isinstance(error, ChangeConflict) or REFUSED in str(error)
            faults[stuck if is_refusal else wrong] += 1
            examples.append(f"story {number}: {type(error).__name__}: {str(error)[:200]}")
        told.update(story.told)
    return Report(faults, dict(sorted(told.items())), tuple(examples))
