"""Several changes as one."""

from dataclasses import dataclass
from typing import Annotated

from annotated_types import Interval, MaxLen, MinLen

from bridge.api.call import Call
from bridge.api.hints import Reason
from bridge.api.registry import operation
from bridge.api.write import Written, execute_requests
from bridge.changes.requests import Request

Count = Annotated[int, Interval(ge=0)]


@dataclass(frozen=True, slots=True)
class Expectation:
    """What the caller thinks that a change does; what is null is not expected in any number.

    Attributes:
        files: Files that are written, moved or removed.
        links_rewritten: Links in other places that are written anew.
        links_broken: Links that are unresolved afterwards.
    """

    files: Count | None = None
    links_rewritten: Count | None = None
    links_broken: Count | None = None


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
        "rename a tag in all notes",
        "convert an inline field to a property",
        "replace a word in many notes",
        "set a property on many notes",
        "set a property on every note in a folder",
        "merge notes and delete the rest",
        "extract a section into a new note",
        "swap two notes",
    ),
)
async def change_set(
    call: Call,
    edits: Annotated[tuple[Request, ...], MinLen(1), MaxLen(1_000)],
    expect: Expectation | None = None,
    dry_run: bool = False,
    reason: Reason | None = None,
    confirm: bool = False,
) -> Written:
    """Make several changes as one: all or nothing, one after the other, undone as one.

    Args:
        edits: The changes, each as the operation that `op` names takes it.
        expect: What they should do together; refused when they would do something else.
        dry_run: Only tell what would happen.
        reason: Why, for the user.
        confirm: Make it although many files change.

    Raises:
        ExpectationFailed: They would do something else than `expect` says; the error tells what.
        NoteNotFound: There is no such note; the message names the closest ones.
        NoteExists: There is a file where one should be made.
        NoteChanged: A note is not what its `digest` says.
        SettingsUnreadable: A settings file of Obsidian that says where a file belongs cannot be read.
        ConfirmationRequired: Many files change.
    """
    return await execute_requests(
        call,
        edits,
        dry_run=dry_run,
        reason=reason,
        confirm=confirm,
        operation="change_set",
        expect={} if expect is None else expected_counts(expect),
    )


def expected_counts(expect: Expectation) -> dict[str, int]:
    """Return what is expected, by name."""
    named = {name: getattr(expect, name) for name in ("files", "links_rewritten", "links_broken")}
    return {name: count for name, count in named.items() if count is not None}
