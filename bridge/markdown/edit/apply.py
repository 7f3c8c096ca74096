"""A note's bytes with edits applied: all of them or none, and nothing else."""

from collections.abc import Sequence
from typing import assert_never

from bridge.errors import Internal, InvalidArguments
from bridge.markdown.decode import BOM
from bridge.markdown.edit.append import appended, prepended
from bridge.markdown.edit.blank_lines import Margins, woven
from bridge.markdown.edit.blocks import replaced as block_replaced
from bridge.markdown.edit.draft import Draft, opened, read
from bridge.markdown.edit.list_items import added
from bridge.markdown.edit.literal import lines_replaced, text_replaced
from bridge.markdown.edit.places import Place, ordered, spliced
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
from bridge.markdown.edit.sections import inserted
from bridge.markdown.edit.sections import replaced as section_replaced
from bridge.markdown.edit.verify import harm, require_closed
from bridge.markdown.sections import names_line
from bridge.types import VaultPath


def edited(path: VaultPath, data: bytes, edits: Sequence[Edit]) -> bytes:
    """Apply edits to a note; every byte that no edit speaks of stays.

    Args:
        path: The note.
        data: The whole file.
        edits: What to change, each as if it were the only one: positions refer to `data`.

    Raises:
        HeadingNotFound: There is no such heading; the error lists those there are.
        AmbiguousHeading: A heading names more than one section.
        BlockNotFound: There is no such block.
        TextNotFound: A text is not there, or more than once.
        InvalidArguments: The note is no Markdown, or an edit does not fit it or the others.
    """
    draft = opened(path, data)
    places = ordered(draft, [planned(draft, edit) for edit in edits])
    exact = spliced(draft.text, [place for place in places if place.literal])
    blocks = [
        Place(exact.moved(place.start), exact.moved(place.end), place.text, apart=place.apart)
        for place in places
        if not place.literal
    ]
    text = with_blocks(read(path, exact.text) if exact.changes else draft, blocks) if blocks else exact.text
    return data[: len(BOM) if data.startswith(BOM) else 0] + text.encode("utf-8")


def replaces(edit: Edit) -> bool:
    """Tell whether an edit takes something away, so that its caller must have seen what."""
    return isinstance(edit, ReplaceSection | ReplaceBlock | ReplaceLines | ReplaceText)


def names_lines(edit: Edit) -> bool:
    """Tell whether an edit finds its place by the number of a line."""
    match edit:
        case ReplaceLines():
            return True
        case InsertUnder() | ReplaceSection() | AddItem():
            return edit.heading is not None and names_line(edit.heading)
        case _:
            return False


def with_blocks(draft: Draft, places: Sequence[Place]) -> str:
    """Put blocks in so that the rest of the note stays what it was to Markdown.

    Raises:
        InvalidArguments: It cannot be done.
    """
    for place in places:
        require_closed(read(draft.path, place.text))
    wrong: InvalidArguments | None = None
    for margins in (Margins(), Margins(below=True), Margins(above=True, below=True)):
        made = woven(draft, places, margins)
        refusal = harm(draft, read(draft.path, made.text), made)
        if refusal is None:
            return made.text
        wrong = wrong or refusal
    raise wrong or Internal


def planned(draft: Draft, edit: Edit) -> Sequence[Place]:
    """Return where an edit puts what."""
    match edit:
        case Append():
            place = appended(draft, edit)
        case Prepend():
            place = prepended(draft, edit)
        case InsertUnder():
            place = inserted(draft, edit)
        case ReplaceSection():
            place = section_replaced(draft, edit)
        case ReplaceBlock():
            place = block_replaced(draft, edit)
        case ReplaceLines():
            place = lines_replaced(draft, edit)
        case ReplaceText():
            return text_replaced(draft, edit)
        case AddItem():
            place = added(draft, edit)
        case _:
            assert_never(edit)
    return (place,)
