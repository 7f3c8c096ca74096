"""Changes the box of a task, and formats new tasks; the rest of the line stays as it is."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from textwrap import dedent
from typing import Final

from bridge.errors import InvalidArguments, NoteChanged, TextNotFound
from bridge.markdown.edit.apply import BOX, MARKER
from bridge.markdown.edit.draft import read_draft
from bridge.markdown.note import Task
from bridge.markdown.parse import parse
from bridge.markdown.tags import is_tag
from bridge.markdown.tasks import (
    CLOSED_TYPES,
    PRIORITIES,
    Priority,
    TaskFacts,
    TaskSettings,
    format_field,
    format_sign,
    is_date,
    parse_task,
    split_block_id,
    strip_ids,
    task_signs,
)
from bridge.records import Record
from bridge.text.counts import count_of
from bridge.text.fold import normalize
from bridge.text.invisible import is_line, one_line
from bridge.types import VaultPath

_BOX: Final = re.compile(r"((?:[-*+]|[0-9]{1,9}[.)])[ \t]+\[)[^\r\n]\]")
_FIELD: Final = re.compile(r"[\[(][A-Za-z]+::[^\[\]()]*[\])]")
_MAX_SHOWN_TASKS: Final = 10
MIN_TAGGED_SHARE: Final = 0.8
"""Share of tasks that have a tag, from which on new ones get it."""


class ToggledTask(Record):
    """A note after a task's box was changed."""

    data: bytes
    before: Task
    after: Task
    warnings: tuple[str, ...] = ()


def toggle_task(
    path: VaultPath,
    data: bytes,
    line: int,
    *,
    today: date,
    text: str | None = None,
    status: str | None = None,
    settings: TaskSettings | None = None,
) -> ToggledTask:
    """Change the character in a task's box.

    The done or cancelled date is added if the vault's Tasks plugin adds it, and removed together with the status that
    it belongs to.
    """
    task_settings = settings or TaskSettings()
    task = _task_at(path, data, line, text)
    after = task_settings.next_status(task.status) if status is None else status
    if len(after) != 1 or not after.isprintable():
        raise InvalidArguments("`status` must be one character, the one in the box.")
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    written = _BOX.sub(lambda box: f"{box[1]}{after}]", lines[line - 1], count=1)
    lines[line - 1], warnings = _update_dates(written, task, after, today, task_settings)
    changed = "\n".join(lines).encode("utf-8", "surrogateescape")
    tasks = {each.line: each for each in parse(path, changed).tasks}
    if line not in tasks or tasks[line].status != after:
        raise InvalidArguments(f"A box with `{after}` does not make a task.", status=after)
    return ToggledTask(changed, task, tasks[line], warnings)


def task_text(
    text: str,
    *,
    due: str | None = None,
    priority: Priority | None = None,
    dataview: bool = False,
    settings: TaskSettings | None = None,
) -> str:
    words = text.strip()
    if not is_line(words):
        raise InvalidArguments("A task is one line of text.")
    if due is not None and not is_date(due):
        raise InvalidArguments(f'`due` must be a date such as 2026-01-31, not "{due[:40]}".')
    tag = settings.global_filter if settings else ""
    if tag and tag not in words:
        words = f"{tag} {words}"
    facts = TaskFacts("", due=due, priority=priority if priority in PRIORITIES else None)
    clean, block_id = split_block_id(words)
    return " ".join([clean, *task_signs(facts, dataview=dataview)]) + block_id


def uses_dataview_fields(tasks: Sequence[Task], settings: TaskSettings) -> bool:
    """Return whether new tasks of a note use Dataview's fields, as its other tasks do or as the plugin is set."""
    fields = sum(_FIELD.search(task.text) is not None for task in tasks)
    signs = sum(_has_signs(task.text) for task in tasks)
    return settings.dataview if fields == signs else fields > signs


def leading_tag(texts: Sequence[str]) -> str:
    """Return the tag with which nearly all of some tasks begin, as those that the plugin Tasks counts; else nothing."""
    words = Counter(text.split(maxsplit=1)[0] for text in texts if text.strip().startswith("#"))
    tag, count = max(words.items(), key=lambda one: one[1], default=("", 0))
    return tag if is_tag(tag[1:]) and count >= MIN_TAGGED_SHARE * len(texts) else ""


def task_blocks(path: VaultPath, text: str) -> dict[int, str]:
    """Return each task of a note by its line: from its box on, with what is nested in it, without indentation.

    The ids of its tasks and blocks are left out: they stay where the task is.
    """
    draft = read_draft(path, text.removeprefix("\ufeff").replace("\r\n", "\n"))
    found: dict[int, str] = {}

    def lines(start: int, end: int) -> Iterator[str]:
        for line in draft.text[start:end].rstrip().split("\n"):
            kept = line if draft.structure.covers(start) else strip_ids(line)
            start += len(line) + 1
            # An id may stand alone below the text that it names.
            if kept.strip() or not line.strip():
                yield kept

    for part in draft.structure.parts:
        marker = MARKER.match(draft.text, part.start) if part.kind == "item" else None
        if marker is not None and BOX.match(draft.text, marker.end()):
            margin = draft.text[draft.text.rfind("\n", 0, part.start) + 1 : part.start]
            first, *rest = lines(marker.end(), part.end)
            inner = dedent("\n".join(line.removeprefix(margin) for line in rest))
            found[draft.lines.at(part.start)] = f"{first}\n{inner}" if rest else first
    return found


def lines_with_task(path: VaultPath, data: bytes, text: str) -> list[int]:
    return [task.line for task in parse(path, data).tasks if _has_text(task, text)]


def only_line_with_task(path: VaultPath, data: bytes, text: str) -> int:
    lines = lines_with_task(path, data, text)
    if not lines:
        raise TextNotFound(f"`{path}` has no task with this text.", hint="`list_tasks` lists its tasks.")
    if len(lines) > 1:
        named = ", ".join(map(str, lines))
        raise InvalidArguments(f"`{path}` has this task in the lines {named}.", hint="Give the `line` as well.")
    return lines[0]


def _task_at(path: VaultPath, data: bytes, line: int, text: str | None) -> Task:
    tasks = parse(path, data).tasks
    found = next((task for task in tasks if task.line == line), None)
    last = data.count(b"\n") + (not data.endswith(b"\n"))
    if line > last and not (text is not None and lines_with_task(path, data, text)):
        raise InvalidArguments(
            f"`{path}` has no line {line}: it has {count_of(last, 'line')}.",
            hint="`list_tasks` gives the line of each task.",
        )
    if text is not None and (found is None or not _has_text(found, text)):
        now = lines_with_task(path, data, text)
        where = f"it is in line {now[0]} now" if len(now) == 1 else "that line has other text"
        raise NoteChanged(f"Line {line} of `{path}` is not that task: {where}.", path=path, lines=now)
    if found is None:
        near = ", ".join(str(task.line) for task in tasks[:_MAX_SHOWN_TASKS])
        raise InvalidArguments(
            f"Line {line} of `{path}` is not a task; "
            + (f"its tasks are in lines {near}." if near else "it has none."),
            hint="`list_tasks` gives the line of each task.",
        )
    return found


def _has_text(task: Task, text: str) -> bool:
    known = {task.text, parse_task(task.text).text, f"- [{task.status}] {task.text}"}
    # `list_tasks` shows it without comments and invisible characters.
    return text.strip() in known or _normalise_line(text) in map(_normalise_line, known)


def _normalise_line(text: str) -> str:
    return normalize("NFC", one_line(text))


def _has_signs(text: str) -> bool:
    return not _FIELD.search(text) and parse_task(text) != TaskFacts(parse_task(text).text)


def _update_dates(
    line: str, task: Task, after: str, today: date, settings: TaskSettings
) -> tuple[str, tuple[str, ...]]:
    facts = parse_task(task.text)
    was, now = settings.meaning(task.status), settings.meaning(after)
    if was == now:
        return line, ()
    if facts.done and now != "done":
        line = _remove_date(line, "done", facts.done)
    if facts.cancelled and now != "cancelled":
        line = _remove_date(line, "cancelled", facts.cancelled)
    adds = {"done": settings.done_dates, "cancelled": settings.cancelled_dates}
    has_dates = adds.get(now, False) and settings.global_filter in task.text
    if now in CLOSED_TYPES and has_dates and not getattr(facts, now):
        fields = _FIELD.search(task.text) is not None or (settings.dataview and not _has_signs(task.text))
        written = (format_field if fields else format_sign)(now, today.isoformat())
        text, rest = split_block_id(line)
        line = f"{text} {written}{rest}"
    if now == "done" and facts.recurrence:
        return line, ("This task recurs; only Obsidian's Tasks plugin writes the next one.",)
    if now == "done" and facts.on_completion:
        return line, (f"Obsidian's Tasks plugin would `{facts.on_completion}` this task now; it stays.",)
    return line, ()


def _remove_date(line: str, name: str, day: str) -> str:
    sign, written = re.escape(format_sign(name, day)[0]), format_field(name, day)[1:].partition("::")[0]
    pattern = rf"[ \t]*(?:{sign}\ufe0f? *{day}\ufe0f?|[\[(]{written}::[ \t]*{day}[ \t]*[\])])"
    found = list(re.finditer(pattern, line, re.IGNORECASE))
    return line[: found[-1].start()] + line[found[-1].end() :] if found else line
