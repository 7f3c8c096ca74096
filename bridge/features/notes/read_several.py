"""Reading several notes in one call."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Literal

from annotated_types import Interval, MaxLen, MinLen

from bridge.api.call import Call
from bridge.api.note_names import find_place
from bridge.api.note_text import count_lines, line_at, open_note, select_lines
from bridge.api.proposals import proposal_notices
from bridge.api.registry import operation
from bridge.engine.open_vault import OpenVault
from bridge.errors import BridgeError
from bridge.features.notes.read import ReadNote, outline_note, slice_note
from bridge.markdown.note import Note
from bridge.records import dataclass

View = Literal["whole", "head", "outline"]

HEAD_CHARS = 600
"""Characters of a note that are its head."""

MOST = 20
"""Notes of one call."""


@dataclass(frozen=True, slots=True)
class ReadPart:
    """One of the notes, or why it could not be read.

    Attributes:
        asked: The requested path.
        note: The note, or the requested part; null if unreadable.
        problem: Why it is unreadable.
    """

    asked: str
    note: ReadNote | None
    problem: str | None


@dataclass(frozen=True, slots=True)
class ReadNotes:
    """Several notes.

    Attributes:
        notes: In the requested order.
    """

    notes: tuple[ReadPart, ...]


WantedNote = tuple["Note", int, int]
"""A note and its lines that are asked for, first and last."""


@operation(
    example={
        "paths": ["Bread/Starters/Levain.md", "Bread/Starters/Sourdough starter.md#Feeding"],
        "max_chars": 2_000,
    },
    tasks=(
        "open many notes",
        "read many notes at once",
        "read several notes together",
        "get the contents of all these notes",
        "sections of several notes",
        "first lines and properties of several notes",
    ),
)
async def read_notes(
    call: Call,
    paths: Annotated[tuple[Annotated[str, MaxLen(5_000)], ...], MinLen(1), MaxLen(MOST)],
    view: View = "whole",
    section: str | None = None,
    max_chars: Annotated[int, Interval(ge=1, le=1_000_000)] = 24_000,
) -> ReadNotes:
    """Read up to 20 notes at once; one that cannot be read does not hold back the others.

    Args:
        paths: The notes; `path#A#B` or `path#A > B` reads only that section.
        view: `head` is the properties and first lines, `outline` the headings without text.
        section: Only this section of each note whose path names none.
        max_chars: Maximum characters in all; long notes are cut first, and `read_note` reads on with `next`.
    """
    return await asyncio.to_thread(read_all, call.vault, paths, view, section, max_chars)


def read_all(vault: OpenVault, paths: Sequence[str], view: View, section: str | None, max_chars: int) -> ReadNotes:
    """Read the notes, then share the characters among them."""
    found = [read_part(vault, path, view, section) for path in paths]
    sizes = [0 if isinstance(each, BridgeError) else size(each, view) for each in found]
    return ReadNotes(
        tuple(
            ReadPart(path, None, f"{each.code}: {each.message}")
            if isinstance(each, BridgeError)
            else ReadPart(path, with_notices(vault, cut_part(each, view, share)), None)
            for path, each, share in zip(paths, found, share_budget(sizes, max_chars), strict=True)
        )
    )


def cut_part(part: WantedNote, view: View, share: int) -> ReadNote:
    return outline_note(part[0]) if view == "outline" else slice_note(*part, 0, share)


def with_notices(vault: OpenVault, note: ReadNote) -> ReadNote:
    return replace(note, notices=proposal_notices(vault, [note.path]))


def read_part(vault: OpenVault, asked: str, view: View, section: str | None) -> WantedNote | BridgeError:
    try:
        path, place = find_place(vault.files, vault.names, asked)
        note = open_note(vault, path)
        heading = place if place is not None else section
        first, last = select_lines(note, heading, None)
    except BridgeError as error:
        return error
    first_line = line_at(note.text, note.body) if view == "head" and heading is None else first
    return note, min(first_line, count_lines(note.text)), last


def size(part: WantedNote, view: View) -> int:
    """Return how many characters of a note are asked for."""
    note, first, last = part
    whole = len(slice_note(note, first, last, 0, None).text)
    return 0 if view == "outline" else min(whole, HEAD_CHARS) if view == "head" else whole


def share_budget(sizes: Sequence[int], budget: int) -> list[int]:
    """Share characters: the shorter ones get all that they need, the longer ones as much as each other."""
    given = [0] * len(sizes)
    order = sorted(range(len(sizes)), key=lambda at: sizes[at])
    for left, at in zip(range(len(order), 0, -1), order, strict=True):
        given[at] = min(sizes[at], budget // left)
        budget -= given[at]
    return given
