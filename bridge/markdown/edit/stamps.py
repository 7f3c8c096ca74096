"""Puts the time of day in front of new list items, in the form that a note has for it."""

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Final

from msgspec.structs import replace

from bridge.markdown.edit.requests import AddItem, Edit

_STAMPED: Final = re.compile(
    r"^[ \t>]*(?:[-*+]|\d+[.)])[ \t]+(?:\[.\][ \t]+)?"
    r"(?P<open>\*\*|__|\[|\(|`|)(?P<hour>\d{1,2}):\d{2}(?P<seconds>:\d{2})?(?P<half> ?[AaPp][Mm])?"
    r"(?P<close>\*\*|__|\]|\)|`|)(?P<after>[ \t]*[-–—:·|]?[ \t]+)",
    re.MULTILINE,
)
"""A list item that begins with a time."""


def stamp_items(edits: Iterable[Edit], data: bytes, now: datetime) -> tuple[Edit, ...]:
    """Return edits in which the text of each item that asks for it begins with the time."""
    return tuple(
        replace(edit, text=stamp_of(data, now) + edit.text.lstrip(), stamp=False)
        if isinstance(edit, AddItem) and edit.stamp
        else edit
        for edit in edits
    )


def stamp_of(data: bytes, now: datetime) -> str:
    found = None
    for found in _STAMPED.finditer(data.decode("utf-8", "replace")):  # noqa: B007 - the last one
        pass
    if found is None:
        return f"**{now:%H:%M}** "
    if found["half"]:
        half = f"{now:%p}" if found["half"].strip().isupper() else f"{now:%p}".lower()
        hour = f"{now.hour % 12 or 12}"
        time = (
            f"{hour}:{now:%M}{f':{now:%S}' if found['seconds'] else ''}{' ' if found['half'][0] == ' ' else ''}{half}"
        )
    else:
        hour = f"{now:%H}" if len(found["hour"]) == 2 else str(now.hour)
        time = f"{hour}:{now:%M}{f':{now:%S}' if found['seconds'] else ''}"
    return f"{found['open']}{time}{found['close']}{found['after']}"
