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
        path: Where, ending in `.md`; folders that are missing are made.
        text: Its Markdown.
        properties: Its properties by name.
        template: A note to begin with; `{{title}}`, `{{date}}` and `{{time}}` in it are filled in.
        dry_run: Only tell what would happen.
        reason: Why, for the user.
        confirm: Make it although it is large, or much like another.

    Raises:
        NoteExists: There is a file of this path.
        NoteNotFound: There is no such template.
        SettingsUnreadable: Obsidian's settings of templates cannot be read, and the note is to begin with one.
        ConfirmationRequired: A note says nearly the same, or the text is large.
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
    """Change a note's text, all edits or none; the rest stays as it is, byte by byte.

    Args:
        path: The note.
        edits: What to change, such as `[{"op": "replace_text", "old": "teh", "new": "the"}]`. Lines and text are those
            of the note as you read it; edits do not overlap.
        digest: The note's digest as you read it, 12 digits at least; needed to replace anything.
        dry_run: Only tell what would happen.
        reason: Why, for the user.
        confirm: Make it although it is large.

    Raises:
        NoteNotFound: There is no such note; the message names the closest ones.
        NoteChanged: It is not what `digest` says; the error tells what differs.
        HeadingNotFound: The note has no such heading; `headings` lists those it has.
        AmbiguousHeading: The heading names two sections; `headings` lists the candidates.
        BlockNotFound: The note has no such block; `blocks` lists those it has.
        TextNotFound: The text does not stand there, or more than once.
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
        digest: The note's digest as you read it; refused when the note is another now.
        properties: New values by name.
        remove: Properties to take away.
        dry_run: Only tell what would happen.
        reason: Why, for the user.
        confirm: Make it although it is large.

    Raises:
        NoteNotFound: There is no such note; the message names the closest ones.
        NoteChanged: It is not what `digest` says; the error tells what differs.
        InvalidProperties: The properties cannot be read, so that nothing is changed; the message names the line.
        ConfirmationRequired: The change is large.
    """
    asked = SetProperties(path, digest, properties or {}, remove)
    return await execute_requests(call, [asked], dry_run=dry_run, reason=reason, confirm=confirm)
