"""What can be asked to be changed: the words in which callers say it, alone or several as one change."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from bridge.markdown.edit.requests import Edit
from bridge.types import Day, Digest, NewPath, NoteOrFolder, TaggedUnion, VaultPath

Priority = Literal["highest", "high", "medium", "low", "lowest"]


@dataclass(frozen=True, slots=True)
class CreateNote:
    """Make a note.

    Attributes:
        path: Where, with `.md`; folders that are missing are made.
        text: Its text.
        properties: Its properties.
        template: A note whose text comes first, with `{{title}}`, `{{date}}` and `{{time}}` filled in.
        op: What is asked.
    """

    path: NewPath
    text: str = ""
    properties: Mapping[str, Any] = field(default_factory=dict)
    template: VaultPath | None = None
    op: Literal["create_note"] = "create_note"


@dataclass(frozen=True, slots=True)
class EditNote:
    """Change the text of a note.

    Attributes:
        path: The note.
        edits: The edits, all or none; their places are those of the text as it was read.
        digest: The note's digest as it was read; needed where something is replaced that this change set did not write.
        op: What is asked.
    """

    path: VaultPath
    edits: tuple[Edit, ...]
    digest: Digest | None = None
    op: Literal["edit_note"] = "edit_note"


@dataclass(frozen=True, slots=True)
class SetProperties:
    """Change the properties of a note.

    Attributes:
        path: The note.
        digest: The note's digest as it was read; refused when the note is another now.
        properties: New values by name.
        remove: Names of properties to take away.
        op: What is asked.
    """

    path: VaultPath
    digest: Digest | None = None
    properties: Mapping[str, Any] = field(default_factory=dict)
    remove: tuple[str, ...] = ()
    op: Literal["set_properties"] = "set_properties"


@dataclass(frozen=True, slots=True)
class MoveNote:
    """Move or rename a note, another file or a folder; links follow.

    Attributes:
        path: What.
        to: Its full new path; with `/` at its end, the folder that it goes into.
        digest: The file's digest as it was read; refused when the file is another now.
        op: What is asked.
    """

    path: NoteOrFolder
    to: NewPath
    digest: Digest | None = None
    op: Literal["move_note"] = "move_note"


@dataclass(frozen=True, slots=True)
class RenameHeading:
    """Rename a heading; links follow.

    Attributes:
        path: The note.
        heading: The heading's text, or its path as `A > B`.
        to: Its new text.
        digest: The note's digest as it was read; refused when the note is another now.
        op: What is asked.
    """

    path: VaultPath
    heading: str
    to: str
    digest: Digest | None = None
    op: Literal["rename_heading"] = "rename_heading"


@dataclass(frozen=True, slots=True)
class RenameAlias:
    """Rename an alias of a note.

    Attributes:
        path: The note.
        alias: The alias, exactly.
        to: What it shall be.
        digest: The note's digest as it was read; refused when the note is another now.
        links: Whether links that show the alias shall show the new one.
        op: What is asked.
    """

    path: VaultPath
    alias: str
    to: str
    digest: Digest | None = None
    links: bool = False
    op: Literal["rename_alias"] = "rename_alias"


@dataclass(frozen=True, slots=True)
class DeleteNote:
    """Delete a note, as the user's Obsidian does.

    Attributes:
        path: The note.
        digest: The note's digest as it was read; needed unless this change set made the note.
        op: What is asked.
    """

    path: VaultPath
    digest: Digest | None = None
    op: Literal["delete_note"] = "delete_note"


@dataclass(frozen=True, slots=True)
class ToggleTask:
    """Change the box of a task.

    Attributes:
        path: The note.
        line: The task's line.
        text: The task as it was read, with or without dates; refused when another stands there.
        status: The character for the box; without, the one that a click in Obsidian gives.
        op: What is asked.
    """

    path: VaultPath
    line: int
    text: str
    status: str | None = None
    op: Literal["toggle_task"] = "toggle_task"


@dataclass(frozen=True, slots=True)
class AddTask:
    """Add a task to a note.

    Attributes:
        path: The note.
        text: What is to be done.
        heading: The heading above the list, or its path as `A > B`; without, the note's last list.
        due: The day it is due.
        priority: How urgent it is.
        create_heading: Add the heading if the note lacks it.
        op: What is asked.
    """

    path: VaultPath
    text: str
    heading: str | None = None
    due: Day | None = None
    priority: Priority | None = None
    create_heading: bool = False
    op: Literal["add_task"] = "add_task"


Renaming = MoveNote | RenameHeading | RenameAlias | DeleteNote
"""What changes names, so that links anywhere are concerned."""

Request = Annotated[
    CreateNote | EditNote | SetProperties | MoveNote | RenameHeading | RenameAlias | DeleteNote | ToggleTask | AddTask,
    TaggedUnion("op"),
]
"""One change to the vault."""
