"""Adds an item to a list."""

from typing import Final

from bridge.errors import HeadingNotFound
from bridge.markdown.edit.blank_lines import is_blank_line
from bridge.markdown.edit.draft import Draft, append_offset, editable_end, line_end
from bridge.markdown.edit.lists import BOX, MARKER, is_loose, items_of
from bridge.markdown.edit.places import TextEdit, trim_blank_lines
from bridge.markdown.edit.requests import AddItem
from bridge.markdown.edit.sections import plan_new_section
from bridge.markdown.structure import Part

_MOST: Final = 999_999_999
"""The highest list number in Markdown."""


def plan_add_item(draft: Draft, edit: AddItem) -> TextEdit:
    """Add an item at the end of the last list, or start a list where there is none."""
    start, end = draft.body, editable_end(draft)
    if edit.heading is not None:
        try:
            at, _ = draft.section(edit.heading)
        except HeadingNotFound as error:
            return plan_new_section(draft, edit.heading, format_item(edit, "", "- "), error, create=edit.create_heading)
        start = line_end(draft.text, draft.headings[at].span[1])
        end = draft.headings[at + 1].span[0] if at + 1 < len(draft.headings) else max(start, end)
    lists = [part for part in draft.tops if part.kind == "list"]
    here = [part for part in lists if start <= part.start < end]
    if not here:
        sign = next_marker(draft, lists[-1])[1][0] if lists else "-"
        where = append_offset(draft.text, start, end)
        return TextEdit(where, where, format_item(edit, "", f"{sign if sign in '-*+' else '-'} "))
    item = items_of(draft, here[-1])[-1]
    where = line_end(draft.text, item.end - 1)
    margin, marker = next_marker(draft, here[-1])
    return TextEdit(where, where, format_item(edit, margin, marker), apart=is_loose(draft, here[-1]))


def next_marker(draft: Draft, part: Part) -> tuple[str, str]:
    items = items_of(draft, part)
    last = MARKER.match(draft.text, items[-1].start)
    line = draft.text.rfind("\n", 0, items[-1].start) + 1
    margin = draft.text[line : items[-1].start]
    if last is None:
        return margin, "- "
    space = last["space"] or " "
    if last["number"] is None:
        return margin, last["sign"] + space
    number = int(last["number"])
    before = MARKER.match(draft.text, items[-2].start) if len(items) > 1 else None
    # A list whose numbers are all equal leaves the counting to Markdown.
    step = 0 if before and before["number"] == last["number"] else 1
    return margin, f"{min(number + step, _MOST)}{last['closing']}{space}"


def format_item(edit: AddItem, margin: str, marker: str) -> str:
    """Format the item: a marker or box in the caller's text is not doubled; further lines are indented below it."""
    lines = trim_blank_lines(edit.text, edit.op).split("\n")
    first = lines[0].lstrip()
    if own := MARKER.match(first):
        first = first[own.end() :]
    box = "[ ] " if edit.task and not BOX.match(first) else ""
    inner = "\t" if "\t" in marker else " " * len(marker)
    rest = [line if is_blank_line(line) else margin + inner + line for line in lines[1:]]
    return "\n".join([margin + marker + box + first, *rest])
