"""Filters and sorts tasks by what their lines say."""

import functools
from collections.abc import Iterable, Iterator
from typing import Literal

from bridge.errors import InvalidArguments
from bridge.index.note import IndexedNote, IndexedTask
from bridge.markdown.tasks import TaskSettings
from bridge.records import Record
from bridge.text.fold import fold_case

Sort = Literal["path", "due", "-due"]

WORDS = ("all", "open", "todo", "in_progress", "done", "cancelled", "other")
"""Statuses that `status` takes besides characters."""

MAX_BOX_CHARS = 2
"""Letters taken as characters of boxes, such as `xX`; a longer word must be one of `WORDS`."""


class TaskFilter(Record):
    """Which tasks to list; days are `YYYY-MM-DD`, a period is `first/last`."""

    status: str
    tags: tuple[str, ...]
    text: str
    on: str | None
    after: str | None
    before: str | None

    @property
    def has_dates(self) -> bool:
        return any((self.on, self.after, self.before))


FoundTask = tuple[IndexedNote, IndexedTask]


def require_status(status: str) -> None:
    if not status or (status not in WORDS and status.isalpha() and len(status) > MAX_BOX_CHARS):
        raise InvalidArguments(f"`status` must be one of {', '.join(WORDS)}, or the characters of a checkbox.")


def filter_tasks(notes: Iterable[IndexedNote], criteria: TaskFilter, settings: TaskSettings) -> Iterator[FoundTask]:
    fits = functools.cache(lambda status: has_status(status, criteria.status, settings))
    for note in notes:
        for task in note.tasks if note.packed_tasks else ():
            if (
                fits(task.status)
                and is_due(task.due, criteria)
                and has_tags(task, criteria.tags)
                and (not criteria.text or criteria.text in fold_case(task.text))
            ):
                yield note, task


def has_status(status: str, condition: str, settings: TaskSettings) -> bool:
    match condition:
        case "all":
            return True
        case "open":
            return settings.is_open(status)
        case _ if condition in WORDS:
            return settings.meaning(status) == condition
        case _:
            return status in condition


def has_tags(task: IndexedTask, tags: tuple[str, ...]) -> bool:
    own_tags = [fold_case(tag) for tag in task.tags]
    return all(any(tag == each or tag.startswith(f"{each}/") for tag in own_tags) for each in tags)


def is_due(due: str | None, criteria: TaskFilter) -> bool:
    if not criteria.has_dates:
        return True
    first, _, last = (criteria.on or "").partition("/")
    return (
        due is not None
        and (not first or first <= due <= last)
        and (criteria.after is None or due >= criteria.after)
        and (criteria.before is None or due < criteria.before)
    )


def sort_tasks(found: Iterable[FoundTask], sort: Sort) -> list[FoundTask]:
    """Sort tasks; those due on the same day by path and line."""
    folded = functools.cache(str.casefold)
    tasks = sorted(found, key=lambda each: (folded(each[0].path), each[0].path, each[1].line))
    if sort == "path":
        return tasks
    dated = sorted((each for each in tasks if each[1].due), key=lambda each: each[1].due or "", reverse=sort == "-due")
    return dated + [each for each in tasks if not each[1].due]
