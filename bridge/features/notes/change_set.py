"""Several changes as one."""

from typing import Annotated

from msgspec import Meta

from bridge.api.call import Call
from bridge.api.registry import operation
from bridge.api.write import (
    Expectation,
    WriteArguments,
    Written,
    execute_requests,
    expected_counts,
    make_previewed,
)
from bridge.changes.requests.create_note import CreateNote
from bridge.changes.requests.edit_note import EditNote, SetProperties
from bridge.changes.requests.merge_notes import MergeNotes
from bridge.changes.requests.move_note import DeleteNote, MoveNote
from bridge.changes.requests.rename import RenameAlias, RenameHeading
from bridge.changes.requests.split_note import SplitNote
from bridge.changes.requests.tasks import AddTask, ToggleTask
from bridge.errors import InvalidArguments

Change = (
    CreateNote
    | EditNote
    | SetProperties
    | MoveNote
    | MergeNotes
    | SplitNote
    | RenameHeading
    | RenameAlias
    | DeleteNote
    | ToggleTask
    | AddTask
)
"""One change of a set."""


@operation(
    example={
        "edits": [
            {"op": "create_note", "path": "Bread/Leaven.md", "text": "What makes it rise."},
            {
                "op": "edit_note",
                "path": "Bread/Starters/Sourdough starter.md",
                "edits": [{"op": "append", "text": "See [[Leaven]]."}],
            },
        ],
        "expect": {"files": 2, "links_broken": 0},
        "dry_run": True,
    },
    reads=False,
    scope="write",
    destructive=True,
    tasks=(
        "several changes as one, all or nothing",
        "edit many notes at once",
        "move many notes",
        "delete several notes",
        "convert an inline field to a property",
        "merge notes and delete the rest",
        "swap two notes",
    ),
)
async def change_set(
    call: Call,
    edits: Annotated[tuple[Change, ...], Meta(max_length=1_000)] = (),
    preview: Annotated[str, Meta(max_length=20)] | None = None,
    *,
    expect: Expectation | None = None,
    options: WriteArguments,
) -> Written:
    """Make several changes as one: all or nothing, one after the other, undone together.

    Args:
        edits: The changes; each takes the arguments of the operation that `op` names.
        preview: In place of changes, the id that a dry run of any change has returned: what it showed is made, or
            refused if something that it touches has changed.
        expect: Their expected combined effect; any other is refused.

    Raises:
        ExpectationFailed: The effect differs from `expect` or from the preview; the error says how.
        ChangeNotFound: No such preview of this client; the latest 20 are kept until the bridge stops.
        NoteNotFound: No such note; the message names the closest.
        NoteExists: A file to be created exists.
        NoteChanged: A note's content does not match its `digest`.
        SettingsUnreadable: An Obsidian settings file that decides where a file belongs cannot be read.
    """
    if preview is not None:
        if edits or expect is not None:
            raise InvalidArguments("`preview` stands in place of `edits` and `expect`.")
        return await make_previewed(call, preview, options)
    if not edits:
        raise InvalidArguments("`edits` is empty.", hint="Give the changes, or the `preview` of a dry run.")
    return await execute_requests(
        call,
        edits,
        options,
        operation="change_set",
        expect=expected_counts(expect),
    )
