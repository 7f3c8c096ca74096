"""The facts in a task's line besides its text, such as dates and priority, in the Tasks plugin's or Dataview's form."""

import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any, Final, Literal

from msgspec import Struct, field

from bridge.markdown.blocks import LONE_BLOCK_ID
from bridge.markdown.embedded_text import get_objects, get_text
from bridge.records import Record
from bridge.types import Span

Priority = Literal["highest", "high", "medium", "low", "lowest"]

PRIORITIES: Final[dict[Priority, str]] = {"highest": "🔺", "high": "⏫", "medium": "🔼", "low": "🔽", "lowest": "⏬"}
SIGNS: Final = {
    "due": "📅",
    "scheduled": "⏳",
    "start": "🛫",
    "created": "➕",
    "done": "✅",
    "cancelled": "❌",
    "recurrence": "🔁",
    "on_completion": "🏁",
    "id": "🆔",
    "depends_on": "⛔",
}
NAMES: Final = {
    "completion": "done",
    "repeat": "recurrence",
    "dependson": "depends_on",
    "oncompletion": "on_completion",
    **{name: name for name in ("due", "scheduled", "start", "created", "cancelled", "priority", "id")},
}
"""Dataview's field names for task facts, in lower case."""

DATES: Final = ("due", "scheduled", "start", "created", "done", "cancelled")

_DATE: Final = r"\d{4}-\d{2}-\d{2}"
_TAG: Final = re.compile(r"#[^#]+")
_FIRST_CHARACTERS: Final = "🔺⏫🔼🔽⏬📅📆🗓⏳⌛🛫➕✅❌🔁🏁🆔⛔"
_SIGN: Final = re.compile(
    rf"""(?:(?P<priority>[🔺⏫🔼🔽⏬])
    | (?P<due>[📅📆🗓])\ufe0f?\ *{_DATE} | (?P<scheduled>[⏳⌛])\ufe0f?\ *{_DATE} | (?P<start>🛫)\ufe0f?\ *{_DATE}
    | (?P<created>➕)\ufe0f?\ *{_DATE} | (?P<done>✅)\ufe0f?\ *{_DATE} | (?P<cancelled>❌)\ufe0f?\ *{_DATE}
    | (?P<recurrence>🔁)\ufe0f?\ *[A-Za-z0-9,\ !]+ | (?P<on_completion>🏁)\ufe0f?\ *[A-Za-z]+
    | (?P<id>🆔)\ufe0f?\ *[\w-]+ | (?P<depends_on>⛔)\ufe0f?\ *[\w-]+(?:\ *,\ *[\w-]+)*)\ufe0f?""",
    re.VERBOSE,
)
_PRIORITY_OF: Final = {sign: name for name, sign in PRIORITIES.items()}
_MAX_SIGNS: Final = 20
"""Signs and tags that the plugin reads from the end of a line; it stops at the first other word."""
_FIELD: Final = re.compile(
    rf"(?:(?<!\s)\s+)?(?:\[({'|'.join(NAMES)})::([^\[\]]*)\]|\(({'|'.join(NAMES)})::([^()]*)\)),?", re.IGNORECASE
)

_LINE: Final = re.compile(r"^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[[^\r\n]\][ \t].*$", re.MULTILINE)


class TaskFacts(Record):
    """A task's text and the facts in its line; dates are `YYYY-MM-DD`."""

    text: str
    """The text without the facts in the other fields; tags stay."""
    due: str | None = None
    scheduled: str | None = None
    start: str | None = None
    created: str | None = None
    done: str | None = None
    cancelled: str | None = None
    priority: Priority | None = None
    recurrence: str | None = None
    on_completion: str | None = None
    id: str | None = None
    depends_on: tuple[str, ...] = ()


class _TaskLine(Struct):
    """The facts found in a line so far."""

    text: str
    values: dict[str, str] = field(default_factory=dict)

    def take(self, name: str, value: str) -> bool:
        """Record a field's value the first time it occurs; a date must be valid."""
        if name in DATES and not is_date(value):
            return False
        if name == "priority" and value not in PRIORITIES:
            return False
        self.values.setdefault(name, value)
        return True


def parse_task(text: str) -> TaskFacts:
    found = _TaskLine(split_block_id(text)[0])
    if "::" in text:
        _take_fields(found)
    if not text.isascii():
        _take_signs(found)
    values = found.values
    return TaskFacts(
        text=found.text.strip(),
        **{name: values.get(name) for name in (*DATES, "recurrence", "on_completion", "id")},
        priority=next((name for name in PRIORITIES if name == values.get("priority")), None),
        depends_on=tuple(each.strip() for each in values.get("depends_on", "").split(",") if each.strip()),
    )


def fact_spans(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield where the lines of tasks say something in signs and fields, wherever in the line."""
    if "::" not in text and (text.isascii() or not any(sign in text for sign in _FIRST_CHARACTERS)):
        return
    for line in _LINE.finditer(text, start, end):
        yield from (found.span() for pattern in (_FIELD, _SIGN) for found in pattern.finditer(text, *line.span()))


def split_block_id(text: str) -> tuple[str, str]:
    clean = text.rstrip()
    word = clean.rsplit(maxsplit=1)[-1:]
    if word and LONE_BLOCK_ID.fullmatch(word[0]):
        clean = clean.removesuffix(word[0]).rstrip()
    return clean, text[len(clean) :]


def strip_ids(text: str) -> str:
    """Return a line without what names its task and its block: a copy must not have the same."""
    clean, end = split_block_id(text)
    clean = clean if end.strip() else text
    if id_ := re.escape(parse_task(text).id or ""):
        forms = rf"🆔\ufe0f? *{id_}\ufe0f?(?![\w-])|\[id:: *{id_} *\]|\(id:: *{id_} *\)"
        clean = re.sub(f" *(?:{forms})", "", clean, flags=re.IGNORECASE)
    return clean


def is_date(text: str) -> bool:
    if not re.fullmatch(_DATE, text, re.ASCII):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _take_fields(found: _TaskLine) -> None:
    def kept(match: re.Match[str]) -> str:
        name, value = (match[1], match[2]) if match[1] else (match[3], match[4])
        return "" if found.take(NAMES[name.lower()], value.strip()) else match[0]

    found.text = _FIELD.sub(kept, found.text)


def _take_signs(found: _TaskLine) -> None:
    """Extract the plugin's signs from the end of a text; the tags between them stay."""
    tags: list[str] = []
    for _ in range(_MAX_SIGNS):
        found.text = found.text.rstrip()
        last = max((found.text.rfind(sign) for sign in _FIRST_CHARACTERS if sign in found.text), default=-1)
        word = found.text.rsplit(maxsplit=1)[-1:]
        if last >= 0 and (match := _SIGN.fullmatch(found.text, last)):
            name, sign = next((name, sign) for name, sign in match.groupdict().items() if sign)
            value = _PRIORITY_OF[sign] if name == "priority" else match[0].lstrip(sign).strip("\ufe0f ")
            if not found.take(name, value):
                break
            found.text = found.text[:last]
        elif word and _TAG.fullmatch(word[0]):
            tags += word
            found.text = found.text.removesuffix(word[0])
        else:
            break
    found.text = " ".join([found.text, *reversed(tags)])


def task_signs(facts: TaskFacts, *, dataview: bool = False) -> Iterator[str]:
    """Yield a task's facts in the order and form in which the Tasks plugin writes them."""
    fields = {
        "id": facts.id,
        "depends_on": ",".join(facts.depends_on) or None,
        "priority": facts.priority,
        "recurrence": facts.recurrence,
        "on_completion": facts.on_completion,
        **{name: getattr(facts, name) for name in ("created", "start", "scheduled", "due", "cancelled", "done")},
    }
    for name, value in fields.items():
        if value is None:
            continue
        yield format_field(name, value) if dataview else format_sign(name, value)


def format_sign(name: str, value: str) -> str:
    return (
        next((s for p, s in PRIORITIES.items() if p == value), "") if name == "priority" else f"{SIGNS[name]} {value}"
    )


def format_field(name: str, value: str) -> str:
    words = {"done": "completion", "recurrence": "repeat", "depends_on": "dependsOn", "on_completion": "onCompletion"}
    return f"[{words.get(name, name)}:: {value}]"


StatusType = Literal["todo", "in_progress", "done", "cancelled", "other"]
"""The meaning of the character in a task's box; `other` is a character of a theme or the user."""

_MEANINGS: Final[dict[str, StatusType]] = {" ": "todo", "/": "in_progress", "x": "done", "X": "done", "-": "cancelled"}
_TYPES: Final[dict[str, StatusType]] = {
    "TODO": "todo",
    "IN_PROGRESS": "in_progress",
    "DONE": "done",
    "CANCELLED": "cancelled",
}
CLOSED_TYPES: Final = frozenset[StatusType]({"done", "cancelled"})
FORWARD_SIGN: Final = ">"
"""The character of a task that stands in another note now, unless the user defined it as something else."""


class TaskStatus(Record):
    """The meaning of a box's character, and the character that a click sets next."""

    meaning: StatusType
    next: str


class TaskSettings(Record):
    """How the vault writes tasks; the defaults are those of a vault without the Tasks plugin."""

    dataview: bool = False
    """Whether new dates are written as `[due:: 2026-01-31]`."""
    global_filter: str = ""
    """The text that the plugin requires in a list item for it to be a task."""
    done_dates: bool = False
    """Whether a completed task gets a date."""
    cancelled_dates: bool = False
    statuses: Mapping[str, TaskStatus] = field(default_factory=dict)
    """The characters that the user defined."""

    def meaning(self, status: str) -> StatusType:
        own = self.statuses.get(status)
        return own.meaning if own else _MEANINGS.get(status, "other")

    def is_open(self, status: str) -> bool:
        """Return whether a box says that something is to be done here: `[>]` says that it is to be done elsewhere."""
        return self.meaning(status) not in CLOSED_TYPES and (status != FORWARD_SIGN or status in self.statuses)

    def next_status(self, status: str) -> str:
        own = self.statuses.get(status)
        if own and len(own.next) == 1:
            return own.next
        return " " if self.meaning(status) in CLOSED_TYPES else "x"


def read_task_settings(facts: Mapping[str, Any]) -> TaskSettings:
    if not facts:
        return TaskSettings()
    groups = facts.get("statusSettings")
    statuses = groups if isinstance(groups, Mapping) else {}
    return TaskSettings(
        dataview=facts.get("taskFormat") == "dataview",
        global_filter=get_text(facts, "globalFilter").strip(),
        done_dates=facts.get("setDoneDate", True) is True,
        cancelled_dates=facts.get("setCancelledDate", True) is True,
        statuses={
            symbol: TaskStatus(_TYPES.get(get_text(each, "type"), "other"), get_text(each, "nextStatusSymbol"))
            for name in ("coreStatuses", "customStatuses")
            for each in get_objects(statuses, name)
            if len(symbol := get_text(each, "symbol")) == 1
        },
    )
