"""The edits of a note's text: a closed union, distinguished by `op`."""

from typing import Annotated, Literal

from bridge.records import Record
from bridge.types import Lines, TaggedUnion


class Append(Record, kw_only=True):
    """Add text at the end of the note.

    Attributes:
        op: `append`.
        text: Markdown.
    """

    op: Literal["append"] = "append"
    text: str


class Prepend(Record, kw_only=True):
    """Add text at the start of the note, below its properties.

    Attributes:
        op: `prepend`.
        text: Markdown.
    """

    op: Literal["prepend"] = "prepend"
    text: str


class InsertUnder(Record, kw_only=True):
    """Add text at the end of a heading's own text, above its subheadings; new subsections go below them.

    Attributes:
        op: `insert_under`.
        heading: The heading or its path `A > B`; if repeated, `A > B (line 12)`.
        text: Markdown; its headings are deepened to fit.
        create_heading: Add it if missing.
    """

    op: Literal["insert_under"] = "insert_under"
    heading: str
    text: str
    create_heading: bool = False


class ReplaceSection(Record, kw_only=True):
    """Replace everything under a heading, subsections included; the heading line stays.

    Attributes:
        op: `replace_section`.
        heading: The heading or its path `A > B`; if repeated, `A > B (line 12)`.
        text: Markdown, with or without the heading itself; its headings are deepened to fit.
    """

    op: Literal["replace_section"] = "replace_section"
    heading: str
    text: str


class ReplaceBlock(Record, kw_only=True):
    """Replace the block with this id; the id stays.

    Attributes:
        op: `replace_block`.
        block: Its id, such as `^like-this`.
        text: Markdown.
    """

    op: Literal["replace_block"] = "replace_block"
    block: str
    text: str


class ReplaceLines(Record, kw_only=True):
    """Replace whole lines with exactly this text.

    Attributes:
        op: `replace_lines`.
        lines: First and last line.
        text: The new text; empty to remove the lines.
    """

    op: Literal["replace_lines"] = "replace_lines"
    lines: Lines
    text: str


class ReplaceText(Record, kw_only=True):
    """Replace text that occurs once in the note.

    Attributes:
        op: `replace_text`.
        old: The exact text.
        new: The new text.
        all: Replace every occurrence.
    """

    op: Literal["replace_text"] = "replace_text"
    old: str
    new: str
    all: bool = False


class AddItem(Record, kw_only=True):
    """Add an item to a list, marked and indented like the last; starts one if there is none.

    Attributes:
        op: `add_item`.
        heading: Heading above the list; by default, the note's last list.
        text: The item without its marker; further lines go below it.
        task: Add a checkbox.
        create_heading: Add the heading if missing.
        stamp: Add the time.
    """

    op: Literal["add_item"] = "add_item"
    heading: str | None = None
    text: str
    task: bool = False
    create_heading: bool = False
    stamp: bool = False


Edit = Annotated[
    Append | Prepend | InsertUnder | ReplaceSection | ReplaceBlock | ReplaceLines | ReplaceText | AddItem,
    TaggedUnion("op"),
]
"""One change to a note's text."""
