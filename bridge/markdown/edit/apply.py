"""Applies edits to a note's bytes: all of them or none, and nothing else."""

from collections.abc import Sequence
from typing import assert_never

from bridge.errors import Internal, InvalidArguments
from bridge.markdown.decode import BOM
from bridge.markdown.edit.append import plan_append, plan_prepend
from bridge.markdown.edit.blank_lines import Margins, join_blocks
from bridge.markdown.edit.blocks import plan_replace_block as block_replaced
from bridge.markdown.edit.draft import Draft, open_draft, read_draft
from bridge.markdown.edit.list_items import plan_add_item
from bridge.markdown.edit.literal import plan_replace_lines, plan_replace_text
from bridge.markdown.edit.places import TextEdit, order_edits, splice
from bridge.markdown.edit.requests import (
    AddItem,
    Append,
    Edit,
    InsertUnder,
    Prepend,
    ReplaceBlock,
    ReplaceLines,
    ReplaceSection,
    ReplaceText,
)
from bridge.markdown.edit.sections import plan_insert_under
from bridge.markdown.edit.sections import plan_replace_section as section_replaced
from bridge.markdown.edit.verify import require_closed, verify_edit
from bridge.markdown.sections import has_line_number
from bridge.types import VaultPath


def apply_edits(path: VaultPath, data: bytes, edits: Sequence[Edit]) -> bytes:
    """Apply edits to a note; every byte that no edit concerns stays."""
    draft = open_draft(path, data)
    places = order_edits(draft, [plan_edit(draft, edit) for edit in edits])
    exact = splice(draft.text, [place for place in places if place.literal])
    blocks = [
        TextEdit(exact.moved(place.start), exact.moved(place.end), place.text, apart=place.apart)
        for place in places
        if not place.literal
    ]
    text = insert_blocks(read_draft(path, exact.text) if exact.changes else draft, blocks) if blocks else exact.text
    return data[: len(BOM) if data.startswith(BOM) else 0] + text.encode("utf-8")


def is_replacement(edit: Edit) -> bool:
    """Return whether an edit removes something, so that its caller must have seen it."""
    return isinstance(edit, ReplaceSection | ReplaceBlock | ReplaceLines | ReplaceText)


def uses_line_numbers(edit: Edit) -> bool:
    match edit:
        case ReplaceLines():
            return True
        case InsertUnder() | ReplaceSection() | AddItem():
            return edit.heading is not None and has_line_number(edit.heading)
        case _:
            return False


def insert_blocks(draft: Draft, places: Sequence[TextEdit]) -> str:
    """Insert blocks so that the rest of the note keeps its meaning in Markdown."""
    for place in places:
        require_closed(read_draft(draft.path, place.text))
    wrong: InvalidArguments | None = None
    for margins in (Margins(), Margins(below=True), Margins(above=True, below=True)):
        made = join_blocks(draft, places, margins)
        refusal = verify_edit(draft, read_draft(draft.path, made.text), made)
        if refusal is None:
            return made.text
        wrong = wrong or refusal
    raise wrong or Internal


def plan_edit(draft: Draft, edit: Edit) -> Sequence[TextEdit]:
    match edit:
        case Append():
            place = plan_append(draft, edit)
        case Prepend():
            place = plan_prepend(draft, edit)
        case InsertUnder():
            place = plan_insert_under(draft, edit)
        case ReplaceSection():
            place = section_replaced(draft, edit)
        case ReplaceBlock():
            place = block_replaced(draft, edit)
        case ReplaceLines():
            place = plan_replace_lines(draft, edit)
        case ReplaceText():
            return plan_replace_text(draft, edit)
        case AddItem():
            place = plan_add_item(draft, edit)
        case _:
            assert_never(edit)
    return (place,)
