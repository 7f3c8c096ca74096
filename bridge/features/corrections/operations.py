"""Records corrections."""

import asyncio
from collections.abc import Iterable
from datetime import datetime
from functools import partial
from typing import Annotated

from msgspec import Meta

from bridge.api.agreement import open_folder, set_up_requests
from bridge.api.call import Call
from bridge.api.change_view import written_view
from bridge.api.markup import Answer, Element, Line
from bridge.api.note_names import no_such_note
from bridge.api.registry import operation
from bridge.api.write import WriteArguments, Written, client_name, execute_requests, nothing_written
from bridge.changes.draft import Draft
from bridge.changes.effect import Effect
from bridge.changes.requests.base import Request, RequestContext
from bridge.engine.agents_folder import agents_folder
from bridge.engine.open_vault import OpenVault
from bridge.errors import InvalidArguments, NoteNotFound, ProtectedPath
from bridge.features.corrections.correction import (
    NOTE,
    Correction,
    CorrectionKind,
    add_correction,
    new_correction,
    read_corrections,
)
from bridge.state.link_feedback import LinkFeedback
from bridge.text.fold import fold_case
from bridge.text.secrets import require_plain
from bridge.types import VaultPath

Words = Annotated[str, Meta(min_length=1, max_length=500)]


class CorrectionsChange(Request, kw_only=True, tag="record_correction"):
    """Adds a correction to the note; whatever else it says stays byte for byte."""

    added: Correction

    def plan(self, draft: Draft, context: RequestContext) -> Effect:  # noqa: ARG002
        there = draft.has(self.path)
        text = draft.read(self.path).decode("utf-8", "surrogateescape") if there else ""
        data = add_correction(text, self.added).encode("utf-8", "surrogateescape")
        if there:
            draft.replace(self.path, data)
        else:
            draft.create(self.path, data)
        return Effect()


class RecordedCorrection(Written, kw_only=True):
    """A correction that was recorded.

    Attributes:
        id: Its id, which is also the block id of its line.
        declined: Whether the wrong link was declined, so that it is not suggested in that note again.
    """

    id: str
    declined: bool = False


@operation(
    example={"kind": "wrong_fact", "text": "Rye needs more water than the table says", "dry_run": True},
    reads=False,
    scope="write",
    tasks=(
        "record that something in the notes is wrong",
        "the user corrected you: write the correction down",
        "this link is wrong, do not suggest it again",
    ),
)
async def record_correction(
    call: Call,
    kind: CorrectionKind,
    text: Words,
    path: VaultPath | None = None,
    target: VaultPath | None = None,
    words: Annotated[str, Meta(max_length=200)] | None = None,
    *,
    options: WriteArguments,
) -> RecordedCorrection:
    """Record a correction as a task in `Corrections.md` of the agents' folder; briefings tell open ones.

    `list_tasks` lists them by the path of that note, `toggle_task` ticks one; the same words again open it again.

    Args:
        kind: What is wrong; a `wrong_link` with `path` and `target` is not suggested there again.
        text: What is wrong and what is right, in a sentence.
        path: The note that is wrong.
        target: For a wrong link, the note that it leads to.
        words: For a wrong link, the linked words; by default the title of the target.

    Raises:
        NoteNotFound: No such note; the message names the closest.
        ConfirmationRequired: The user did not agree to the agents' folder yet.
        InvalidArguments: The text holds a secret, or `target` is given without `path` or for another kind.
    """
    vault = call.vault
    vault.require_keyword()
    require_plain(text=text)
    for note in filter(None, (path, target)):
        if note not in vault.index.notes:
            raise no_such_note(vault, note)
    if target is not None and (path is None or kind != "wrong_link"):
        raise InvalidArguments("`target` is for a `wrong_link` in the note `path`.")
    folder, agreed = open_folder(call, options)
    today = datetime.now().astimezone().date()
    new = new_correction(kind, text, (path or "").removesuffix(".md"), client_name(call) or "", today)
    if not new.text:
        raise InvalidArguments("`text` says nothing.")
    place = folder.place(NOTE)
    known = {one.id: one for one in await asyncio.to_thread(stored_corrections, vault)}
    if new.id in known and known[new.id].is_open:
        made = nothing_written(place, f"This is recorded already, as `{new.id}`.")
    else:
        requests: list[Request] = set_up_requests(call, folder)
        requests.append(CorrectionsChange(path=place, added=new))
        made = await execute_requests(call, requests, options, operation="record_correction", agreed=agreed)
    declines = path is not None and target is not None and not options.dry_run
    if declines:
        await asyncio.to_thread(partial(decline_link, vault, path, target, words, by_user=call.is_user))
    return RecordedCorrection(
        **{name: getattr(made, name) for name in Written.__struct_fields__}, id=new.id, declined=declines
    )


def decline_link(
    vault: OpenVault, path: VaultPath | None, target: VaultPath | None, words: str | None, *, by_user: bool
) -> None:
    if path is not None and target is not None:
        form = fold_case(words or vault.index.notes[target].title).strip()
        vault.store.feedback.add(LinkFeedback(path, target, form, 0, 1, int(not by_user)))


def stored_corrections(vault: OpenVault) -> list[Correction]:
    """Return the corrections of the note as it is on disk; none without a readable note. Blocks."""
    try:
        data, _ = vault.files.read(agents_folder(vault.settings).place(NOTE))
    except (NoteNotFound, ProtectedPath):
        return []
    return list(read_corrections(data.decode("utf-8-sig", "replace")))


def recorded_view(answer: Answer) -> Iterable[Element]:
    """Show a recorded correction: its id, then the change."""
    yield Line(f"correction {answer['id']}" + (" · this link is not suggested again" if answer["declined"] else ""))
    yield from written_view(answer)
