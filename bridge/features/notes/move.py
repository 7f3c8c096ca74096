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
        to: Its full new path; with `/` at its end, the folder that it goes into.
        digest: The file's digest as you read it; refused when the file is another now.
        dry_run: Only tell what would happen.
        reason: Why, for the user.
        confirm: Make it although many files change.

    Raises:
        NoteNotFound: There is no such file or folder; the message names the closest ones.
        NoteExists: There is one at the new path.
        NoteChanged: It is not what `digest` says.
        ProtectedPath: A note that the settings keep as it is would have to change.
        ConfirmationRequired: Many files change.
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
        heading: The heading, or its path as `A > B`.
        to: Its new text.
        digest: The note's digest as you read it; refused when the note is another now.
        dry_run: Only tell what would happen.
        reason: Why, for the user.
        confirm: Make it although many files change.

    Raises:
        NoteNotFound: There is no such note; the message names the closest ones.
        NoteChanged: It is not what `digest` says.
        HeadingNotFound: The note has no such heading; `headings` lists those it has.
        AmbiguousHeading: The heading names two sections; `headings` lists the candidates.
        ProtectedPath: A note that the settings keep as it is would have to change.
        ConfirmationRequired: Many files change.
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
    """Rename an alias of a note, and the links that show it if you want.

    Args:
        path: The note.
        alias: The alias, exactly.
        to: What it shall be.
        digest: The note's digest as you read it; refused when the note is another now.
        links: Whether links that show the alias shall show the new one.
        dry_run: Only tell what would happen.
        reason: Why, for the user.
        confirm: Make it although many files change.

    Raises:
        NoteNotFound: There is no such note; the message names the closest ones.
        NoteChanged: It is not what `digest` says.
        TextNotFound: It has no such alias.
        InvalidProperties: Its properties cannot be read, so that nothing is changed.
        ProtectedPath: A note that the settings keep as it is would have to change.
        ConfirmationRequired: Many files change.
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
    """Delete a note as the user's Obsidian does, to the trash that was chosen there; `undo_change` brings it back.

    Args:
        path: The note.
        digest: The note's digest as you read it, 12 digits at least.
        dry_run: Only tell what would happen, and which links would break.
        reason: Why, for the user.
        confirm: Make it although links in many notes break.

    Raises:
        NoteNotFound: There is no such note; the message names the closest ones.
        NoteChanged: It is not what `digest` says.
        SettingsUnreadable: Obsidian's `app.json`, which says where deleted files go, cannot be read.
        ConfirmationRequired: Links in many notes break.
    """
    return await execute_requests(call, [DeleteNote(path, digest)], dry_run=dry_run, reason=reason, confirm=confirm)
