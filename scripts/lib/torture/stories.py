"""Makes, proposes, accepts, undoes and redoes changes at random, and compares the journal with the notes."""

import random
from collections import Counter

from scripts.lib.torture.report import Report
from tests.changes.story import Story

LENGTH = 20
"""Steps of one story, after which everything is undone."""


def torture_stories(steps: int, seed: int) -> Report:
    """Run random stories.

    Args:
        steps: How many steps in all.
        seed: The seed of the first story; the others follow.
    """
    told: Counter[str] = Counter()
    faults = {"stories in which the notes say otherwise": 0}
    examples: list[str] = []
    for number in range(seed * steps, seed * steps + max(1, steps // LENGTH)):
        story = Story(random.Random(number), has_trash=number % 2 == 0)
        try:
            for _ in range(LENGTH):
                story.go_on()
            story.undo_all()
        except Exception as error:  # noqa: BLE001 - any exception is a finding
            faults["stories in which the notes say otherwise"] += 1
            examples.append(f"story {number}: {type(error).__name__}: {str(error)[:200]}")
        told.update(story.told)
    return Report(faults, dict(sorted(told.items())), tuple(examples))
