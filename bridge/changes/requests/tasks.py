"""Toggling and adding tasks."""

from collections.abc import Sequence

from msgspec import Meta
from msgspec.structs import replace

from bridge.changes.draft import Draft
from bridge.changes.effect import Effect
from bridge.changes.requests.base import ChangeKind, Request, RequestContext, read_unchanged, require_lines
from bridge.markdown.edit.apply import apply_edits
from bridge.markdown.edit.requests import AddItem
from bridge.markdown.edit.tasks import (
    leading_tag,
    lines_with_task,
    only_line_with_task,
    task_text,
    toggle_task,
    uses_dataview_fields,
)
from bridge.markdown.parse import parse
from bridge.markdown.sections import has_line_number
from bridge.markdown.tasks import Priority
from bridge.types import Day, Digest, VaultPath

MIN_NOTE_TASKS, MIN_VAULT_TASKS = 2, 10
"""Tasks of a note, else of the vault, that show how new ones begin."""


@ChangeKind(
    example={
        "path": "Projects/Cob oven/Build log.md",
        "text": "New wooden door, two layers, soaked before use",
        "line": 29,
    },
    tasks=(
        "mark a task as done",
        "check or uncheck a checkbox",
        "tick off a to-do",
        "complete or cancel a task",
        "change a task's status",
    ),
    bounds={"line": Meta(ge=1), "text": Meta(max_length=5_000), "status": Meta(max_length=4)},
)
class ToggleTask(Request, tag="toggle_task"):
    """Change the box of a task as a click in Obsidian does, or to any mark.

    Attributes:
        path: The note.
        text: Its text, from `list_tasks`.
        line: Its line, from `list_tasks`, where the note has several such tasks; refused if another is there now.
        status: The new character; by default, what a click sets.
        digest: Digest of the note, from `list_tasks`. Without it, an equal task that moved to the line is toggled.

    Raises:
        NoteNotFound: No such note; the message names the closest.
        TextNotFound: The note has no such task.
        NoteChanged: The line now holds another task, or the note does not match `digest` and tasks may have moved.
    """

    path: VaultPath
    text: str
    line: int | None = None
    status: str | None = None
    digest: Digest | None = None

    def plan(self, draft: Draft, context: RequestContext) -> Effect:
        data = draft.read(self.path)
        before = None if self.digest is None else context.read_before(self.digest)
        # Other edits since, such as toggling another task, do not matter if tasks of this text stand where they stood.
        if before is None or lines_with_task(self.path, before, self.text) != lines_with_task(
            self.path, data, self.text
        ):
            read_unchanged(self.path, self.digest, draft, context)
        done = toggle_task(
            self.path,
            data,
            self.line or only_line_with_task(self.path, data, self.text),
            today=context.now.date(),
            text=self.text,
            status=self.status,
            settings=context.obsidian().tasks,
        )
        draft.replace(self.path, done.data)
        return Effect(warnings=done.warnings)


@ChangeKind(
    example={"path": "Projects/Cob oven/Build log.md", "text": "Sweep the flue", "due": "2026-01-31"},
    tasks=(
        "remind me to call somebody on a day",
        "do not forget to do something",
        "add a task with a due date",
        "put something on a to-do list",
        "make a reminder",
        "remind me tomorrow",
        "new to-do in a note",
    ),
    destructive=False,
    bounds={"text": Meta(max_length=5_000), "heading": Meta(max_length=2_000), "due": Meta(max_length=40)},
)
class AddTask(Request, tag="add_task"):
    """Add a task to a note, written like its other tasks, or the vault's.

    Attributes:
        path: The note.
        text: What is to be done.
        heading: Heading above the list; by default, the note's last list.
        due: Due date.
        priority: Priority.
        create_heading: Add the heading if missing.

    Raises:
        NoteNotFound: No such note; the message names the closest.
        HeadingNotFound: No such heading; `headings` lists those that exist.
        AmbiguousHeading: Several sections match; `headings` lists them.
    """

    path: VaultPath
    text: str
    heading: str | None = None
    due: Day | None = None
    priority: Priority | None = None
    create_heading: bool = False

    def plan(self, draft: Draft, context: RequestContext) -> Effect:
        """Add the task in the draft, in the notation of the note's other tasks."""
        settings, data = context.obsidian().tasks, draft.read(self.path)
        if self.heading is not None and has_line_number(self.heading):
            require_lines(draft, self.path, data)
        others = parse(self.path, data).tasks
        fields = uses_dataview_fields(others, settings)
        if not settings.global_filter:
            settings = replace(settings, global_filter=self._find_tag([one.text for one in others], draft, context))
        text = task_text(self.text, due=self.due, priority=self.priority, dataview=fields, settings=settings)
        item = AddItem(heading=self.heading, text=text, task=True, create_heading=self.create_heading)
        draft.replace(self.path, apply_edits(self.path, data, [item]))
        return Effect()

    def _find_tag(self, others: Sequence[str], draft: Draft, context: RequestContext) -> str:
        if len(others) >= MIN_NOTE_TASKS:
            return leading_tag(others)
        every = [task.text for note in context.view(draft).notes.values() for task in note.tasks]
        return leading_tag(every) if len(every) >= MIN_VAULT_TASKS else ""
