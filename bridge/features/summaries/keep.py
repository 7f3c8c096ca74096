"""Keeping a summary in its note."""

import asyncio
from typing import Annotated, Literal

from annotated_types import MaxLen

from bridge.api.call import Call
from bridge.api.note_text import open_note
from bridge.api.registry import operation
from bridge.api.write import WriteArguments, Written, execute_requests
from bridge.changes.requests.base import Request
from bridge.changes.requests.edit_note import EditNote, SetProperties
from bridge.errors import InvalidArguments
from bridge.markdown.edit.requests import Edit, Prepend, ReplaceLines
from bridge.markdown.note import Note
from bridge.types import VaultPath

TYPE = "summary"
"""Name of the property, and type of the callout."""


@operation(
    example={
        "path": "Bread/Starters/Sourdough starter.md",
        "text": "Flour and water that raise bread.",
        "dry_run": True,
    },
    reads=False,
    idempotent=True,
    scope="write",
    destructive=True,
    tasks=(
        "save the summary in the note",
        "put an abstract at the top of a note",
        "write a summary property",
    ),
)
async def keep_summary(
    call: Call,
    path: VaultPath,
    text: Annotated[str, MaxLen(10_000)],
    form: Literal["property", "callout"] = "property",
    *,
    options: WriteArguments,
) -> Written:
    """Write a summary into its note, as its property `summary` or as a callout at its top; an earlier one is replaced.

    Args:
        path: The note.
        text: The summary.
        form: `property` or `callout`.

    Raises:
        NoteNotFound: No such note.
        NoteChanged: The note was changed at the same moment.
        InvalidArguments: The text is empty.
    """
    if not text.strip():
        raise InvalidArguments("`text` is empty.", hint="Pass the `text` that `summarise` returned.")
    note = await asyncio.to_thread(open_note, call.vault, path)
    request: Request
    if form == "property":
        request = SetProperties(path=note.path, properties={TYPE: " ".join(text.split())}, digest=note.digest)
    else:
        request = EditNote(path=note.path, edits=(callout_edit(note, text),), digest=note.digest)
    return await execute_requests(call, [request], options, operation="keep_summary")


def callout_edit(note: Note, text: str) -> Edit:
    callout = "\n".join([f"> [!{TYPE}]", *(f"> {line}".rstrip() for line in text.strip().splitlines())])
    there = next((one.lines for one in note.callouts if one.type == TYPE), None)
    return ReplaceLines(lines=there, text=callout) if there else Prepend(text=callout)
