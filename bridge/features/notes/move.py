"""Moving, renaming and deleting; links follow."""

from typing import Annotated

from annotated_types import MaxLen

from bridge.api.call import Call
from bridge.api.hints import Reason
from bridge.api.registry import operation
from bridge.api.write import Written, execute_requests
from bridge.changes.requests import DeleteNote, MoveNote, RenameAlias, RenameHeading
from bridge.types import Digest, NewPath, NoteOrFolder, VaultPath


@operation(
    example={"path": "Bread/Starters", "to": "Bread/Leaven", "dry_run": True},
    reads=False,
    scope="write",
    destructive=True,
    tasks=(
        "put a note into a folder",
        "give a note a new name",
        "change a note's name",
        "rename a note with its links",
        "move a note to another folder",
        "rename or move a folder",
        "move a file or picture",
        "change the title of a file",
    ),
)
async def move_note(
    call: Call,
    path: NoteOrFolder,
    to: NewPath,
    digest: Digest | None = None,
    dry_run: bool = False,
    reason: Reason | None = None,
    confirm: bool = False,
) -> Written:
    """Move or rename a note, another file or a folder; every link to it is rewritten in its own style.

    Args:
        path: The file or folder.
        to: Its full new path, or the target folder with a trailing `/`.
        digest: Digest of the file as read; a changed file is refused.
        dry_run: Only preview the change.
        reason: Why, for the user.
        confirm: Proceed despite `confirmation_required`.

    Raises:
        NoteNotFound: No such file or folder; the message names the closest.
        NoteExists: The new path exists.
        NoteChanged: Its content does not match `digest`.
        ProtectedPath: A read-only note would have to change.
        ConfirmationRequired: Many files would change.
    """
    asked = MoveNote(path, to, digest)
    return await execute_requests(call, [asked], dry_run=dry_run, reason=reason, confirm=confirm)


@operation(
    example={
        "path": "Bread/Starters/Sourdough starter.md",
        "heading": "Feeding",
        "to": "Feeding it",
        "digest": "48346d159e821615fff49c0abfea3e7b3368a7cd19c150943b54be3723ac38ff",
        "dry_run": True,
    },
    reads=False,
    scope="write",
    destructive=True,
    tasks=(
        "change the text of a heading, links stay whole",
        "rename a heading and the links to it",
        "reword a section's heading everywhere",
    ),
)
async def rename_heading(
    call: Call,
    path: VaultPath,
    heading: Annotated[str, MaxLen(2_000)],
    to: Annotated[str, MaxLen(1_000)],
    digest: Digest | None = None,
    dry_run: bool = False,
    reason: Reason | None = None,
    confirm: bool = False,
) -> Written:
    """Rename a heading; every link to it is rewritten in its own style.

    Args:
        path: The note.
        heading: The heading, or its path `A > B`.
        to: Its new text.
        digest: Digest of the note as read; a changed note is refused.
        dry_run: Only preview the change.
        reason: Why, for the user.
        confirm: Proceed despite `confirmation_required`.

    Raises:
        NoteNotFound: No such note; the message names the closest.
        NoteChanged: Its content does not match `digest`.
        HeadingNotFound: No such heading; `headings` lists those that exist.
        AmbiguousHeading: Several sections match; `headings` lists them.
        ProtectedPath: A read-only note would have to change.
        ConfirmationRequired: Many files would change.
    """
    asked = RenameHeading(path, heading, to, digest)
    return await execute_requests(call, [asked], dry_run=dry_run, reason=reason, confirm=confirm)


@operation(
    example={
        "path": "Bread/Starters/Levain.md",
        "alias": "leaven",
        "to": "the milk",
        "digest": "1ea4d7c0cb4e6a8ad3db01af7659a0e953b701e7607ba0f60110b6fe86ffb73f",
        "dry_run": True,
    },
    reads=False,
    scope="write",
    destructive=True,
    tasks=("rename an alias of a note", "change another name of a note in links"),
)
async def rename_alias(
    call: Call,
    path: VaultPath,
    alias: Annotated[str, MaxLen(1_000)],
    to: Annotated[str, MaxLen(1_000)],
    digest: Digest | None = None,
    links: bool = False,
    dry_run: bool = False,
    reason: Reason | None = None,
    confirm: bool = False,
) -> Written:
    """Rename an alias of a note and, if you want, the links that show it.

    Args:
        path: The note.
        alias: The exact alias.
        to: The new alias.
        digest: Digest of the note as read; a changed note is refused.
        links: Also update links that show the old alias.
        dry_run: Only preview the change.
        reason: Why, for the user.
        confirm: Proceed despite `confirmation_required`.

    Raises:
        NoteNotFound: No such note; the message names the closest.
        NoteChanged: Its content does not match `digest`.
        TextNotFound: The note has no such alias.
        InvalidProperties: Its properties cannot be parsed, so nothing is changed.
        ProtectedPath: A read-only note would have to change.
        ConfirmationRequired: Many files would change.
    """
    asked = RenameAlias(path, alias, to, digest, links)
    return await execute_requests(call, [asked], dry_run=dry_run, reason=reason, confirm=confirm)


@operation(
    example={
        "path": "Bread/Starters/Sourdough starter.md",
        "digest": "48346d159e821615fff49c0abfea3e7b3368a7cd19c150943b54be3723ac38ff",
        "dry_run": True,
    },
    reads=False,
    scope="write",
    destructive=True,
    tasks=("delete a note", "put a note into the trash", "remove a file"),
)
async def delete_note(
    call: Call,
    path: VaultPath,
    digest: Digest,
    dry_run: bool = False,
    reason: Reason | None = None,
    confirm: bool = False,
) -> Written:
    """Delete a note as Obsidian does, to the trash chosen there; `undo_change` brings it back.

    Args:
        path: The note.
        digest: Digest of the note as read; a changed note is refused.
        dry_run: Only preview the change.
        reason: Why, for the user.
        confirm: Proceed despite `confirmation_required`.

    Raises:
        NoteNotFound: No such note; the message names the closest.
        NoteChanged: Its content does not match `digest`.
        SettingsUnreadable: Obsidian's `app.json`, which selects the trash, cannot be read.
        ConfirmationRequired: Links in many notes would break.
    """
    return await execute_requests(call, [DeleteNote(path, digest)], dry_run=dry_run, reason=reason, confirm=confirm)
