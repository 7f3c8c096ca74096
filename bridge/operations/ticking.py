"""Changing and adding tasks."""

from typing import Annotated

from annotated_types import Interval, MaxLen

from bridge.operations.call import Call
from bridge.operations.registry import operation
from bridge.operations.writing import Reason
from bridge.operations.written import Written, carried_out
from bridge.requests import AddTask, Priority, ToggleTask
from bridge.types import Day, VaultPath

TaskText = Annotated[str, MaxLen(5_000)]


@operation(
    example={
        "path": "Projects/Cob oven/Build log.md",
        "line": 29,
        "text": "New wooden door, two layers, soaked before use",
        "dry_run": True,
    },
    reads=False,
    scope="write",
    destructive=True,
    tasks=(
        "mark a task as done",
        "check or uncheck a checkbox",
        "tick off a to-do",
        "complete or cancel a task",
        "change a task's status",
    ),
)
async def toggle_task(
    call: Call,
    path: VaultPath,
    line: Annotated[int, Interval(ge=1)],
    text: TaskText,
    status: Annotated[str, MaxLen(4)] | None = None,
    dry_run: bool = False,
    reason: Reason | None = None,
    confirm: bool = False,
) -> Written:
    """Change the box of a task, as a click on it in Obsidian does, or to any mark.

    Args:
        path: The note.
        line: The task's line, as `list_tasks` told it.
        text: The task as `list_tasks` told it; refused when another stands in the line now.
        status: The character for the box; without, a click's.
        dry_run: Only tell what would happen.
        reason: Why, for the user.
        confirm: Make it although it is large.

    Raises:
        NoteNotFound: There is no such note; the message names the closest ones.
        NoteChanged: Another task stands there now.
        ConfirmationRequired: The change is large.
    """
    asked = ToggleTask(path, line, text, status)
    return await carried_out(call, [asked], dry_run=dry_run, reason=reason, confirm=confirm)


@operation(
    example={"path": "Projects/Cob oven/Build log.md", "text": "Sweep the flue", "due": "2026-01-31", "dry_run": True},
    reads=False,
    scope="write",
    tasks=(
        "remind me of something on a day",
        "do not forget to do something",
        "add a task with a due date",
        "put something on a to-do list",
        "make a reminder",
        "new to-do in a note",
    ),
)
async def add_task(
    call: Call,
    path: VaultPath,
    text: TaskText,
    heading: Annotated[str, MaxLen(2_000)] | None = None,
    due: Annotated[Day, MaxLen(40)] | None = None,
    priority: Priority | None = None,
    create_heading: bool = False,
    dry_run: bool = False,
    reason: Reason | None = None,
    confirm: bool = False,
) -> Written:
    """Add a task to a note, its dates written as the note's other tasks write them.

    Args:
        path: The note.
        text: What is to be done.
        heading: The heading above the list; without, the note's last list.
        due: The day it is due.
        priority: How urgent it is.
        create_heading: Add the heading if the note lacks it.
        dry_run: Only tell what would happen.
        reason: Why, for the user.
        confirm: Make it although it is large.

    Raises:
        NoteNotFound: There is no such note; the message names the closest ones.
        HeadingNotFound: The note has no such heading; `headings` lists those it has.
        AmbiguousHeading: The heading names two sections; `headings` lists the candidates.
        ConfirmationRequired: The change is large.
    """
    asked = AddTask(path, text, heading, due, priority, create_heading)
    return await carried_out(call, [asked], dry_run=dry_run, reason=reason, confirm=confirm)
