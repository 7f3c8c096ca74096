"""Inserts blocks between the blocks of a note, with blank lines where Markdown needs them."""

import re
from collections.abc import Sequence
from typing import Final

from bridge.markdown.edit.draft import BLANK, Draft, EditedText, TextEdit, splice
from bridge.markdown.parse import parse_structure
from bridge.markdown.structure import Part
from bridge.records import Record

MARKER: Final = re.compile(
    r"(?P<sign>[-*+]|(?P<number>[0-9]{1,9})(?P<closing>[.)]))(?P<space>[ \t]+|(?=\r?$))", re.MULTILINE
)
BOX: Final = re.compile(r"\[[^\r\n]\](?:[ \t]+|(?=\r?$))", re.MULTILINE)


def items_of(draft: Draft, part: Part) -> list[Part]:
    return [
        item
        for item in draft.structure.parts
        if item.kind == "item" and item.depth == part.depth + 1 and part.start <= item.start < part.end
    ]


def is_loose(draft: Draft, part: Part) -> bool:
    """Return whether blank lines separate the last items of a list."""
    items = items_of(draft, part)
    if len(items) < 2:
        return False
    between = draft.text[items[-2].end : items[-1].start]
    return between.count("\n") > 1


class Margins(Record):
    """Whether to force a blank line above and below each text, even where none seems needed."""

    above: bool = False
    below: bool = False


def join_blocks(draft: Draft, places: Sequence[TextEdit], margins: Margins) -> EditedText:
    exact: list[TextEdit] = []
    for number, place in enumerate(places):
        last = exact[-1] if exact and exact[-1].end == place.start and exact[-1].text else None
        follows = number + 1 < len(places) and places[number + 1].start == place.end
        text = place.text and leading_breaks(draft, place, last, margins) + place.text + trailing_breaks(
            draft, place, margins, follows=follows
        )
        exact.append(TextEdit(place.start, place.end, text))
    return splice(draft.text, exact)


def leading_breaks(draft: Draft, place: TextEdit, last: TextEdit | None, margins: Margins) -> str:
    """Return the line breaks above a text; `last` is what another edit inserts directly above it."""
    above = last.text if last else draft.text[draft.body : place.start]
    ended = (above or draft.text[: place.start] or "\n").endswith(("\n", "\r"))
    apart = place.apart if place.apart is not None else not is_tight(draft, place, last)
    blank = (apart or margins.above) and not is_blank_line(last_line(above))
    return ("" if ended else "\n") + ("\n" if blank else "")


def trailing_breaks(draft: Draft, place: TextEdit, margins: Margins, *, follows: bool) -> str:
    """Return the line breaks below a text; `follows` is true when another edit inserts something directly below it."""
    below = draft.text[place.end :]
    if not below and not follows:
        # The file ending is kept; an empty file gets a complete line.
        return "\n" if draft.text[: place.end].endswith(("\n", "\r")) or not draft.text else ""
    if follows or is_blank_line(below.partition("\n")[0]):
        return "\n"
    # Lines without a blank line between them stay so, unless Markdown needs one.
    close = not is_blank_line(last_line(draft.text[draft.body : place.end])) or continues_list(draft, place)
    return "\n" if close and not margins.below else "\n\n"


def is_tight(draft: Draft, place: TextEdit, last: TextEdit | None) -> bool:
    """Return whether blocks go directly below what is above them, without a blank line."""
    opening = edge_kinds(place.text)[0]
    if last:
        kind, loose = edge_kinds(last.text)[1], False
    else:
        part = next((part for part in reversed(draft.tops) if part.start < place.start), None)
        if part is None or part.end < draft.body + len(draft.text[draft.body : place.start].rstrip(BLANK)):
            return False
        kind, loose = part.kind, part.kind == "list" and is_loose(draft, part)
    match kind, opening:
        case "heading", _:
            return True
        case "list", "list":
            return not loose
        case "table", "paragraph":
            return place.text.startswith("|")
        case _:
            return False


def continues_list(draft: Draft, place: TextEdit) -> bool:
    part = next((part for part in draft.tops if part.start >= place.end), None)
    return part is not None and part.kind == edge_kinds(place.text)[1] == "list" and not is_loose(draft, part)


def edge_kinds(text: str) -> tuple[str, str]:
    tops: list[Part] = [part for part in parse_structure(text, 0)[0].parts if part.depth == 0]
    return (tops[0].kind, tops[-1].kind) if tops else ("", "")


def last_line(text: str) -> str:
    end = len(text) - text.endswith("\n")
    return text[text.rfind("\n", 0, end) + 1 : end]


def is_blank_line(line: str) -> bool:
    return not line.strip(BLANK)
