"""The edits of a note's text: a closed union, distinguished by `op`."""

from bridge.records import Record
from bridge.types import Lines


class EditRequest(Record, tag_field="op"):
    """What edits have in common: a name that tells them apart."""

    @property
    def op(self) -> str:
        return str(self.__struct_config__.tag)


class Append(EditRequest, kw_only=True, tag="append"):
    """Add text at the end of the note.

    Attributes:
        text: Markdown.
    """

    text: str


class Prepend(EditRequest, kw_only=True, tag="prepend"):
    """Add text at the start of the note, below its properties.

    Attributes:
        text: Markdown.
    """

    text: str


class InsertUnder(EditRequest, kw_only=True, tag="insert_under"):
    """Add text at the end of a heading's own text, above its subheadings; new subsections go below them.

    Attributes:
        heading: The heading or its path `A > B`; if repeated, `A > B (line 12)`.
        text: Markdown; its headings are deepened to fit.
        create_heading: Add it if missing.
    """

    heading: str
    text: str
    create_heading: bool = False


class ReplaceSection(EditRequest, kw_only=True, tag="replace_section"):
    """Replace everything under a heading, subsections included; the heading line stays.

    Attributes:
        heading: The heading or its path `A > B`; if repeated, `A > B (line 12)`.
        text: Markdown, with or without the heading itself; its headings are deepened to fit.
    """

    heading: str
    text: str


class ReplaceBlock(EditRequest, kw_only=True, tag="replace_block"):
    """Replace the block with this id; the id stays.

    Attributes:
        block: Its id, such as `^like-this`.
        text: Markdown.
    """

    block: str
    text: str


class ReplaceLines(EditRequest, kw_only=True, tag="replace_lines"):
    """Replace whole lines with exactly this text.

    Attributes:
        lines: First and last line.
        text: The new text; empty to remove the lines.
    """

    lines: Lines
    text: str


class ReplaceText(EditRequest, kw_only=True, tag="replace_text"):
    """Replace text that occurs once in the note.

    Attributes:
        old: The exact text.
        new: The new text.
        all: Replace every occurrence.
    """

    old: str
    new: str
    all: bool = False


class AddItem(EditRequest, kw_only=True, tag="add_item"):
    """Add an item to a list, marked and indented like the last; starts one if there is none.

    Attributes:
        heading: Heading above the list; by default, the note's last list.
        text: The item without its marker; further lines go below it.
        task: Add a checkbox.
        create_heading: Add the heading if missing.
        stamp: Add the time.
    """

    heading: str | None = None
    text: str
    task: bool = False
    create_heading: bool = False
    stamp: bool = False


Edit = Append | Prepend | InsertUnder | ReplaceSection | ReplaceBlock | ReplaceLines | ReplaceText | AddItem
"""One change to a note's text."""
