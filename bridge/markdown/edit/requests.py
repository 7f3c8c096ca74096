"""The changes that a note's text takes: a closed union whose members `op` tells apart."""

from dataclasses import dataclass
from typing import Annotated, Literal

from bridge.types import Lines, TaggedUnion


@dataclass(frozen=True, slots=True, kw_only=True)
class Append:
    """Add text at the end of the note.

    Attributes:
        op: `append`.
        text: Markdown.
    """

    op: Literal["append"] = "append"
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepend:
    """Add text at the start of the note, below its properties.

    Attributes:
        op: `prepend`.
        text: Markdown.
    """

    op: Literal["prepend"] = "prepend"
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InsertUnder:
    """Add text at the end of what stands under a heading, above its subheadings; a new subsection goes below them.

    Attributes:
        op: `insert_under`.
        heading: The heading, or its path as `A > B`; of several that are alike also its line, as `A > B (line 12)`.
        text: Markdown; its headings are made deeper to fit.
        create_heading: Add the heading if the note lacks it: at its end, or below `A`.
    """

    op: Literal["insert_under"] = "insert_under"
    heading: str
    text: str
    create_heading: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplaceSection:
    """Replace all that stands under a heading, subsections too; the heading's own line stays.

    Attributes:
        op: `replace_section`.
        heading: The heading, or its path as `A > B`; of several that are alike also its line, as `A > B (line 12)`.
        text: Markdown, with or without the heading itself; its headings are made deeper to fit.
    """

    op: Literal["replace_section"] = "replace_section"
    heading: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplaceBlock:
    """Replace the block that an id names; it keeps the id.

    Attributes:
        op: `replace_block`.
        block: The block's id, such as `^like-this`.
        text: Markdown.
    """

    op: Literal["replace_block"] = "replace_block"
    block: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplaceLines:
    """Replace whole lines by exactly the text.

    Attributes:
        op: `replace_lines`.
        lines: First and last line, as `read_note` counts them.
        text: What stands there instead; empty to remove them.
    """

    op: Literal["replace_lines"] = "replace_lines"
    lines: Lines
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplaceText:
    """Replace words that stand in the note once.

    Attributes:
        op: `replace_text`.
        old: The text exactly as it stands.
        new: What stands there instead.
        all: Replace it wherever it stands.
    """

    op: Literal["replace_text"] = "replace_text"
    old: str
    new: str
    all: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AddItem:
    """Add an item behind the last one of a list, marked and indented like it; starts a list where there is none.

    Attributes:
        op: `add_item`.
        heading: The heading above the list, or its path as `A > B`; without, the note's last list.
        text: The item without its marker; more lines go below it.
        task: Give it a box.
        create_heading: Add the heading if the note lacks it.
    """

    op: Literal["add_item"] = "add_item"
    heading: str | None = None
    text: str
    task: bool = False
    create_heading: bool = False


Edit = Annotated[
    Append | Prepend | InsertUnder | ReplaceSection | ReplaceBlock | ReplaceLines | ReplaceText | AddItem,
    TaggedUnion("op"),
]
"""One change to a note's text."""
