"""The changes that callers can request, individually or in a change set."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from bridge.markdown.edit.requests import Edit
from bridge.types import Day, Digest, NewPath, NoteOrFolder, TaggedUnion, VaultPath

Priority = Literal["highest", "high", "medium", "low", "lowest"]


@dataclass(frozen=True, slots=True)
class CreateNote:
    """Create a note.

    Attributes:
        path: Where, ending in `.md`; missing folders are created.
        text: Its text.
        properties: Its properties.
        template: Note to start from; fills in `{{title}}`, `{{date}}` and `{{time}}`.
        op: The operation.
    """

    path: NewPath
    text: str = ""
    properties: Mapping[str, Any] = field(default_factory=dict)
    template: VaultPath | None = None
    op: Literal["create_note"] = "create_note"


@dataclass(frozen=True, slots=True)
class EditNote:
    """Edit a note's text.

    Attributes:
        path: The note.
        edits: The edits, all or none; their places refer to the text as read.
        digest: Digest of the note as read; required to replace text that this change set did not write.
        op: The operation.
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
        digest: Digest of the note as read; a changed note is refused.
        properties: New values by name.
        remove: Properties to remove.
        op: The operation.
    """

    path: VaultPath
    digest: Digest | None = None
    properties: Mapping[str, Any] = field(default_factory=dict)
    remove: tuple[str, ...] = ()
    op: Literal["set_properties"] = "set_properties"


@dataclass(frozen=True, slots=True)
class MoveNote:
    """Move or rename a note, another file or a folder, and update links.

    Attributes:
        path: The file or folder.
        to: Its full new path, or the target folder with a trailing `/`.
        digest: Digest of the file as read; a changed file is refused.
        op: The operation.
    """

    path: NoteOrFolder
    to: NewPath
    digest: Digest | None = None
    op: Literal["move_note"] = "move_note"


@dataclass(frozen=True, slots=True)
class RenameHeading:
    """Rename a heading and update links.

    Attributes:
        path: The note.
        heading: The heading, or its path `A > B`.
        to: Its new text.
        digest: Digest of the note as read; a changed note is refused.
        op: The operation.
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
        alias: The exact alias.
        to: The new alias.
        digest: Digest of the note as read; a changed note is refused.
        links: Also update links that show the old alias.
        op: The operation.
    """

    path: VaultPath
    alias: str
    to: str
    digest: Digest | None = None
    links: bool = False
    op: Literal["rename_alias"] = "rename_alias"


@dataclass(frozen=True, slots=True)
class DeleteNote:
    """Delete a note as the user's Obsidian does.

    Attributes:
        path: The note.
        digest: Digest of the note as read; required unless this change set created the note.
        op: The operation.
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
        text: The task as read, with or without dates; refused if the line now holds another.
        status: The character for the box; by default, what a click in Obsidian sets.
        op: The operation.
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
        heading: Heading above the list, or its path `A > B`; by default, the note's last list.
        due: Due date.
        priority: Priority.
        create_heading: Add the heading if missing.
        op: The operation.
    """

    path: VaultPath
    text: str
    heading: str | None = None
    due: Day | None = None
    priority: Priority | None = None
    create_heading: bool = False
    op: Literal["add_task"] = "add_task"


Renaming = MoveNote | RenameHeading | RenameAlias | DeleteNote
"""Requests that change names, and so may affect links anywhere."""

Request = Annotated[
    CreateNote | EditNote | SetProperties | MoveNote | RenameHeading | RenameAlias | DeleteNote | ToggleTask | AddTask,
    TaggedUnion("op"),
]
"""One change to the vault."""
