"""Making notes and changing what they say."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any

from annotated_types import MaxLen, MinLen

from bridge.api.call import Call
from bridge.api.hints import Reason
from bridge.api.registry import operation
from bridge.api.write import Written, execute_requests
from bridge.changes.requests import CreateNote, EditNote, SetProperties
from bridge.features.notes.duplicates import find_duplicates
from bridge.markdown.edit.requests import Edit
from bridge.types import Digest, NewPath, VaultPath


@operation(
    example={"path": "Bread/Rye with caraway.md", "text": "Like [[Rye bread]], with caraway.", "dry_run": True},
    reads=False,
    scope="write",
    tasks=(
        "make a new note",
        "write a new page from a template",
        "save this as a note",
        "start a meeting note",
        "make an index note",
    ),
)
async def create_note(
    call: Call,
    path: NewPath,
    text: str = "",
    properties: Mapping[str, Any] | None = None,
    template: VaultPath | None = None,
    dry_run: bool = False,
    reason: Reason | None = None,
    confirm: bool = False,
) -> Written:
    """Create a note; an existing one is never overwritten.

    Args:
        path: Where, ending in `.md`; missing folders are created.
        text: Its Markdown.
        properties: Its properties by name.
        template: Note to start from; fills in `{{title}}`, `{{date}}` and `{{time}}`.
        dry_run: Only preview the change.
        reason: Why, for the user.
        confirm: Proceed despite `confirmation_required`.

    Raises:
        NoteExists: The file exists.
        NoteNotFound: No such template.
        SettingsUnreadable: Obsidian's template settings cannot be read, and `template` needs them.
        ConfirmationRequired: A nearly identical note exists, or the text is large.
    """
    asked = CreateNote(path, text, properties or {}, template)
    call.engine.require_keyword()
    taken = call.engine.vault.has(path)
    like, refusal = ((), None) if taken else await find_duplicates(call.engine, path, text, template)
    if call.confirmed(confirm):
        refusal = None
    if refusal is not None and not dry_run:
        raise refusal
    made = await execute_requests(call, [asked], dry_run=dry_run, reason=reason, confirm=confirm)
    if refusal is not None:
        made = replace(made, confirmation=refusal.message)
    return replace(made, warnings=(*made.warnings, *like))


@operation(
    example={
        "path": "Bread/Starters/Sourdough starter.md",
        "edits": [{"op": "append", "text": "Fed again."}],
        "dry_run": True,
    },
    reads=False,
    scope="write",
    destructive=True,
    tasks=(
        "replace words or a paragraph",
        "add text to a note",
        "change text in a note",
        "insert under a heading",
        "replace a section, lines or words",
        "append to a note",
        "fix a typo",
    ),
)
async def edit_note(
    call: Call,
    path: VaultPath,
    edits: Annotated[tuple[Edit, ...], MinLen(1), MaxLen(1_000)],
    digest: Digest | None = None,
    dry_run: bool = False,
    reason: Reason | None = None,
    confirm: bool = False,
) -> Written:
    """Change a note's text, all edits or none; the rest stays byte for byte.

    Args:
        path: The note.
        edits: Such as `[{"op": "replace_text", "old": "teh", "new": "the"}]`. They refer to the note as read and must
            not overlap.
        digest: Digest of the note as read; required to replace anything.
        dry_run: Only preview the change.
        reason: Why, for the user.
        confirm: Proceed despite `confirmation_required`.

    Raises:
        NoteNotFound: No such note; the message names the closest.
        NoteChanged: Its content does not match `digest`; the error shows the differences.
        HeadingNotFound: No such heading; `headings` lists those that exist.
        AmbiguousHeading: Several sections match; `headings` lists them.
        BlockNotFound: No such block; `blocks` lists those that exist.
        TextNotFound: The text does not occur, or occurs more than once.
        ConfirmationRequired: The change is large.
    """
    asked = EditNote(path, edits, digest)
    return await execute_requests(call, [asked], dry_run=dry_run, reason=reason, confirm=confirm)


@operation(
    example={
        "path": "Bread/Starters/Sourdough starter.md",
        "properties": {"rating": 5},
        "digest": "48346d159e821615fff49c0abfea3e7b3368a7cd19c150943b54be3723ac38ff",
        "dry_run": True,
    },
    reads=False,
    scope="write",
    destructive=True,
    idempotent=True,
    tasks=(
        "set the frontmatter of a note",
        "change a property",
        "add a tag or an alias to a note's properties",
        "remove a property",
        "mark a note's status",
    ),
)
async def set_properties(
    call: Call,
    path: VaultPath,
    digest: Digest | None = None,
    properties: Mapping[str, Any] | None = None,
    remove: tuple[str, ...] = (),
    dry_run: bool = False,
    reason: Reason | None = None,
    confirm: bool = False,
) -> Written:
    """Set and remove properties of a note; its other lines stay as they are.

    Args:
        path: The note.
        digest: Digest of the note as read; a changed note is refused.
        properties: New values by name.
        remove: Properties to remove.
        dry_run: Only preview the change.
        reason: Why, for the user.
        confirm: Proceed despite `confirmation_required`.

    Raises:
        NoteNotFound: No such note; the message names the closest.
        NoteChanged: Its content does not match `digest`; the error shows the differences.
        InvalidProperties: The properties cannot be parsed, so nothing is changed; the message names the line.
        ConfirmationRequired: The change is large.
    """
    asked = SetProperties(path, digest, properties or {}, remove)
    return await execute_requests(call, [asked], dry_run=dry_run, reason=reason, confirm=confirm)
