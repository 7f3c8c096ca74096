"""Lists the tasks of a vault."""

import asyncio
from bisect import bisect_right
from collections.abc import Iterable
from datetime import datetime
from typing import Literal

from bridge.api.call import Call
from bridge.api.hints import Folder, Period
from bridge.api.markup import Column, Element, Table, notices
from bridge.api.note_names import no_such_note, snapshot, unknown_names
from bridge.api.page import ListPage, Page, PageArguments, page_notice
from bridge.api.registry import operation
from bridge.api.where import Where, choose_among, notes_where
from bridge.index.boilerplate import is_template
from bridge.index.note import IndexedNote, IndexedTask
from bridge.markdown.sections import heading_paths
from bridge.markdown.tasks import TaskSettings, parse_task
from bridge.records import Record
from bridge.search.filters import Sort, TaskFilter, filter_notes, filter_tasks, require_status, sort_tasks
from bridge.search.model import SearchRequest
from bridge.types import SHORT_DIGEST, Among, Day, DayOrPeriod, VaultPath
from bridge.vault.obsidian_settings import read_obsidian_settings


class ListedTask(Record):
    """A task in a list.

    Attributes:
        path: The note.
        line: Its line.
        text: The task, without dates and signs but with tags.
        status: The character in its box.
        meaning: Meaning of the character; `other` is a custom one.
        due: Due date.
        tags: Tags of its line, without `#`.
        heading: Its heading path, such as `A > B`.
        parent: Line of its parent task.
        scheduled: Scheduled date.
        start: Start date.
        done: Completion date.
        priority: Priority.
        recurrence: Recurrence, in words.
        digest: First 12 digits of the note's SHA-256 as indexed.
    """

    path: VaultPath
    line: int
    text: str
    status: str
    meaning: Literal["todo", "in_progress", "done", "cancelled", "other"]
    due: str | None
    tags: tuple[str, ...]
    heading: str | None = None
    parent: int | None = None
    scheduled: str | None = None
    start: str | None = None
    done: str | None = None
    priority: Literal["highest", "high", "medium", "low", "lowest"] | None = None
    recurrence: str | None = None
    digest: str = ""


class TaskList(ListPage):
    """A page of a list of tasks.

    Attributes:
        tasks: The tasks on this page.
        notices: Remarks, such as on a missing folder or tag.
    """

    tasks: tuple[ListedTask, ...]
    notices: tuple[str, ...] = ()


@operation(
    example={"folder": "Projects", "status": "open", "sort": "due", "limit": 5},
    tasks=(
        "open tasks",
        "show the open tasks of this week",
        "tasks due soon or overdue",
        "show my to-do list",
        "unfinished checkboxes in a folder",
        "what do I have to do",
        "my tasks for today",
    ),
)
async def list_tasks(
    call: Call,
    path: VaultPath | None = None,
    folder: Folder | None = None,
    status: str = "all",
    due_on: Period | None = None,
    due_after: DayOrPeriod | None = None,
    due_before: DayOrPeriod | None = None,
    overdue: bool = False,
    tags: tuple[str, ...] = (),
    text: str = "",
    sort: Sort = "path",
    page: PageArguments = Page(50),
    among: Among | None = None,
    where: Where = "",
) -> TaskList:
    """List tasks by status, day, tags and place; of templates if named.

    Args:
        path: Only tasks of this note.
        folder: Only tasks of notes under this folder.
        status: `all`, `open` (not done, cancelled or `[>]`), a `meaning` such as `done`, or box characters: `/!`.
        due_on: Only tasks due on this day or in this period.
        due_after: Only tasks due on this day or later; `next week` means its Monday.
        due_before: Only tasks due before this day; `next week` means its Monday.
        overdue: Only tasks due before today, and open unless `status` is given.
        tags: Only tasks with all these tags; `a` matches `a/b`.
        text: Only tasks whose line has this, ignoring case and accents.
        sort: `due` is earliest first, `-due` latest first, undated last.
        among: `notes` (the default) omits the agents' folder unless it is named; `agents` is only that folder.
        where: Only tasks of notes for which this expression of Obsidian's Bases is true, such as `status == "active"`.

    Raises:
        NoteNotFound: No such note `path`; the message names the closest.
        InvalidArguments: `status` or `where` cannot be read.
    """
    vault = call.vault
    vault.require_keyword()
    today = Day(datetime.now().astimezone().date().isoformat())
    if overdue and status == "all":
        status = "open"
    require_status(status)
    criteria = TaskFilter(
        status,
        tags,
        text,
        due_on,
        due_after,
        min(filter(None, (due_before, today if overdue else None)), default=None),
    )
    notes = snapshot(vault, choose_among(vault, among, (path, folder)))
    if path is not None and path not in notes:
        raise no_such_note(vault, path)
    only, unknown = await notes_where(vault, notes, where)
    request = SearchRequest(query="", folder=folder, only=only)

    def find() -> TaskList:
        passing = filter_notes(notes, request)
        paths = [path] if path is not None else notes
        obsidian = read_obsidian_settings(vault.root)
        settings, templates = obsidian.tasks, obsidian.template_folders
        listed = (
            notes[each]
            for each in paths
            if (passing is None or each in passing)
            # A template's tasks are nobody's yet, unless they are asked for.
            and (path is not None or folder is not None or not is_template(notes[each], templates))
        )
        found = sort_tasks(filter_tasks(listed, criteria, settings), sort)
        shown = tuple(summarize_task(*each, settings) for each in page.cut(found))
        # A task's tag is one of its note.
        return TaskList(shown, (*unknown_names(notes, folder, tags), *unknown), **page.place(len(found)))

    return await asyncio.to_thread(find)


def summarize_task(note: IndexedNote, task: IndexedTask, settings: TaskSettings) -> ListedTask:
    facts, at = parse_task(task.text), bisect_right([heading.line for heading in note.headings], task.line)
    return ListedTask(
        path=note.path,
        line=task.line,
        text=facts.text,
        status=task.status,
        meaning=settings.meaning(task.status),
        due=task.due,
        tags=task.tags,
        heading=heading_paths(note.headings)[at - 1] if at else None,
        parent=task.parent,
        scheduled=facts.scheduled,
        start=facts.start,
        done=facts.done,
        priority=facts.priority,
        recurrence=facts.recurrence,
        digest=note.digest[:SHORT_DIGEST],
    )


TASKS = (
    Column("path", role="path"),
    Column("line", ":{}"),
    Column("status", " {}", value=lambda task: f"[{task.status}]"),
    Column("text", " {}"),
    Column("due", " · due {}"),
    *(
        Column(name, f" · {name} {{}}", detail=True)
        for name in ("scheduled", "start", "done", "priority", "recurrence", "heading")
    ),
    Column("digest", " · digest {}", pipe=True, once=True),
)


def task_list_view(found: TaskList) -> Iterable[Element]:
    """Show a list of tasks, one per line, starting with what `toggle_task` needs."""
    yield page_notice(found.tasks, found, "task")
    yield from notices(found.notices)
    yield Table(TASKS, found.tasks)
