"""What the vault's Tasks plugin is told about tasks, and what a box means without it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from bridge.vault.json_file import listed, text_of

Meaning = Literal["todo", "in_progress", "done", "cancelled", "other"]
"""What the character in a task's box says; `other` is a mark of a theme's or the user's own."""

_MEANINGS: Final[dict[str, Meaning]] = {" ": "todo", "/": "in_progress", "x": "done", "X": "done", "-": "cancelled"}
_TYPES: Final[dict[str, Meaning]] = {
    "TODO": "todo",
    "IN_PROGRESS": "in_progress",
    "DONE": "done",
    "CANCELLED": "cancelled",
}
CLOSED: Final = frozenset[Meaning]({"done", "cancelled"})


@dataclass(frozen=True, slots=True)
class Status:
    """What a box's character means, and which one follows when it is clicked."""

    meaning: Meaning
    next: str


@dataclass(frozen=True, slots=True)
class TaskSettings:
    """How the vault's tasks are written; the defaults are those of a vault without the Tasks plugin."""

    dataview: bool = False
    """Whether new dates are written as `[due:: 2026-01-31]`."""
    global_filter: str = ""
    """What a list item must hold to be a task to the plugin."""
    done_dates: bool = False
    """Whether a task that is done is given the date."""
    cancelled_dates: bool = False
    statuses: Mapping[str, Status] = field(default_factory=dict)
    """The characters that the user gave a meaning."""

    def meaning(self, status: str) -> Meaning:
        """Say what a box's character means."""
        known = self.statuses.get(status)
        return known.meaning if known else _MEANINGS.get(status, "other")

    def following(self, status: str) -> str:
        """Return the character that comes when a box is clicked."""
        known = self.statuses.get(status)
        if known and len(known.next) == 1:
            return known.next
        return " " if self.meaning(status) in CLOSED else "x"


def task_settings(facts: Mapping[str, Any]) -> TaskSettings:
    """Read the Tasks plugin's own settings, whatever is in them.

    Args:
        facts: Its `data.json`; empty when there is none.
    """
    if not facts:
        return TaskSettings()
    groups = facts.get("statusSettings")
    statuses = groups if isinstance(groups, Mapping) else {}
    return TaskSettings(
        dataview=facts.get("taskFormat") == "dataview",
        global_filter=text_of(facts, "globalFilter").strip(),
        done_dates=facts.get("setDoneDate", True) is True,
        cancelled_dates=facts.get("setCancelledDate", True) is True,
        statuses={
            symbol: Status(_TYPES.get(text_of(each, "type"), "other"), text_of(each, "nextStatusSymbol"))
            for name in ("coreStatuses", "customStatuses")
            for each in listed(statuses, name)
            if len(symbol := text_of(each, "symbol")) == 1
        },
    )
