"""Several changes as one."""

from typing import Annotated

from msgspec import Meta

from bridge.api.call import Call
from bridge.api.registry import operation
from bridge.api.write import Expectation, WriteArguments, Written, execute_requests, expected_counts
from bridge.changes.requests.create_note import CreateNote
from bridge.changes.requests.edit_note import EditNote, SetProperties
from bridge.changes.requests.merge_notes import MergeNotes
from bridge.changes.requests.move_note import DeleteNote, MoveNote
from bridge.changes.requests.rename import RenameAlias, RenameHeading
from bridge.changes.requests.split_note import SplitNote
from bridge.changes.requests.tasks import AddTask, ToggleTask

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
        "remove a tag from many notes",
        "move many notes to another folder",
        "several changes as one, all or nothing",
        "edit many notes at once",
        "move many notes",
        "delete several notes",
        "convert an inline field to a property",
        "replace a word in many notes",
        "set a property on many notes",
        "set a property on every note in a folder",
        "merge notes and delete the rest",
        "swap two notes",
    ),
)
async def change_set(
    call: Call,
    edits: Annotated[tuple[Change, ...], Meta(min_length=1, max_length=1_000)],
    *,
    expect: Expectation | None = None,
    options: WriteArguments,
) -> Written:
    """Make several changes as one: all or nothing, one after the other, undone together.

    Args:
        edits: The changes; each takes the arguments of the operation that `op` names.
        expect: Their expected combined effect; any other is refused.

    Raises:
        ExpectationFailed: The effect differs from `expect`; the error says how.
        NoteNotFound: No such note; the message names the closest.
        NoteExists: A file to be created exists.
        NoteChanged: A note's content does not match its `digest`.
        SettingsUnreadable: An Obsidian settings file that decides where a file belongs cannot be read.
    """
    return await execute_requests(
        call,
        edits,
        options,
        operation="change_set",
        expect=expected_counts(expect),
    )
