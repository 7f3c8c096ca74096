"""Recording, listing and resolving corrections."""

import asyncio
from collections.abc import Iterable
from dataclasses import fields
from datetime import datetime
from functools import partial
from typing import Annotated, Literal

from annotated_types import Interval, MaxLen, MinLen

from bridge.api.agreement import has_agreed, is_user, require_agreement, set_up_requests
from bridge.api.call import Call
from bridge.api.change_view import written_view
from bridge.api.hints import Limit
from bridge.api.markup import Answer, Column, Element, Line, Table, notice
from bridge.api.note_names import no_such_note
from bridge.api.registry import operation
from bridge.api.write import WriteArguments, Written, client_name, execute_requests, nothing_written
from bridge.changes.draft import Draft
from bridge.changes.effect import Effect
from bridge.changes.requests.base import Request, RequestContext
from bridge.engine.open_vault import OpenVault
from bridge.errors import InvalidArguments, NoteNotFound, ProtectedPath, TextNotFound
from bridge.notebook.corrections import (
    NOTE,
    Correction,
    CorrectionKind,
    CorrectionState,
    add_correction,
    new_correction,
    read_corrections,
    settle_correction,
)
from bridge.notebook.folder import agents_folder
from bridge.notebook.refusals import require_plain
from bridge.records import dataclass
from bridge.state.link_feedback import LinkFeedback
from bridge.text.counts import count_shown
from bridge.text.fold import fold_case
from bridge.text.invisible import inline
from bridge.types import Exact, VaultPath

Words = Annotated[str, MinLen(1), MaxLen(500)]


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionsChange(Request):
    """Adds a correction to the note, or settles one; whatever else it says stays byte for byte."""

    added: Correction | None = None
    settled: tuple[str, CorrectionState, str] | None = None
    op: str = "record_correction"

    def plan(self, draft: Draft, context: RequestContext) -> Effect:  # noqa: ARG002
        there = draft.has(self.path)
        text = draft.read(self.path).decode("utf-8", "surrogateescape") if there else ""
        if self.added is not None:
            text = add_correction(text, self.added)
        if self.settled is not None:
            text = settle_correction(text, *self.settled)
        data = text.encode("utf-8", "surrogateescape")
        if there:
            draft.replace(self.path, data)
        else:
            draft.create(self.path, data)
        return Effect()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedCorrection(Written):
    """A correction that was recorded.

    Attributes:
        id: Its id, for `resolve_correction`.
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
    words: Annotated[str, MaxLen(200)] | None = None,
    *,
    options: WriteArguments,
) -> RecordedCorrection:
    """Record a correction as a task in `Corrections.md` of the agents' folder; briefings tell open ones.

    A correction with the same words that is resolved is opened again.

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
    folder = agents_folder(vault.settings)
    begins = not vault.is_set_up
    if begins and not options.dry_run:
        require_agreement(call, folder, confirm=options.confirm)
    today = datetime.now().astimezone().date()
    new = new_correction(kind, text, (path or "").removesuffix(".md"), client_name(call) or "", today)
    if not new.text:
        raise InvalidArguments("`text` says nothing.")
    place = agents_folder(vault.settings).place(NOTE)
    known = {one.id: one for one in await asyncio.to_thread(stored_corrections, vault)}
    if new.id in known and known[new.id].state == "open":
        made = nothing_written(place, f"This is recorded already, as `{new.id}`.")
    else:
        requests: list[Request] = set_up_requests(call, folder)
        requests.append(CorrectionsChange(path=place, added=new))
        agreed = folder if begins and has_agreed(call) else None
        made = await execute_requests(call, requests, options, operation="record_correction", agreed=agreed)
    declines = path is not None and target is not None and not options.dry_run
    if declines:
        await asyncio.to_thread(partial(decline_link, vault, path, target, words, by_user=is_user(call)))
    return RecordedCorrection(
        **{each.name: getattr(made, each.name) for each in fields(Written)}, id=new.id, declined=declines
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


@dataclass(frozen=True, slots=True)
class ListedCorrection:
    """A correction in a list.

    Attributes:
        id: Its id, which is also the block id of its line.
        kind: What is wrong.
        text: What is wrong and what is right.
        about: The note that is wrong, without `.md`; empty if none is named.
        day: The day on which it was recorded.
        client: Who recorded it; empty for the user.
        state: `open`, `applied` (also if a person ticked it) or `dismissed`.
        how: What was said when it was resolved.
        line: Its line in the note.
    """

    id: str
    kind: CorrectionKind
    text: str
    about: Exact
    day: str
    client: str
    state: CorrectionState
    how: str
    line: int


@dataclass(frozen=True, slots=True)
class CorrectionList:
    """Corrections.

    Attributes:
        path: The note that holds them; null if there are none.
        corrections: The last recorded first.
        total: Count before `limit` and `offset`.
    """

    path: VaultPath | None
    corrections: tuple[ListedCorrection, ...]
    total: int


@operation(
    example={"limit": 5},
    tasks=("list the corrections", "which corrections are open", "what was found to be wrong in the notes"),
)
async def list_corrections(
    call: Call,
    state: Literal["open", "applied", "dismissed", "all"] = "open",
    path: VaultPath | None = None,
    limit: Limit = 50,
    offset: Annotated[int, Interval(ge=0)] = 0,
) -> CorrectionList:
    """List the corrections that were recorded, the last first.

    Args:
        state: Only those in this state.
        path: Only those about this note.
        limit: Maximum corrections.
        offset: Corrections to skip.
    """
    vault = call.vault
    vault.require_keyword()
    found = await asyncio.to_thread(stored_corrections, vault)
    about = None if path is None else path.removesuffix(".md")
    chosen = [one for one in reversed(found) if state in ("all", one.state) and about in (None, one.about)]
    shown = tuple(
        ListedCorrection(
            one.id, one.kind, one.text, one.about, one.day.isoformat(), one.client, one.state, one.how, one.line
        )
        for one in chosen[offset : offset + limit]
    )
    return CorrectionList(agents_folder(vault.settings).place(NOTE) if found else None, shown, len(chosen))


@operation(
    example={"id": "c-00000000", "how": "applied", "dry_run": True},
    reads=False,
    scope="write",
    tasks=("mark a correction as done", "resolve a correction", "dismiss a correction"),
)
async def resolve_correction(
    call: Call,
    id: Annotated[str, MaxLen(20)],  # noqa: A002
    how: Literal["applied", "dismissed"],
    note: Annotated[str, MaxLen(300)] = "",
    *,
    options: WriteArguments,
) -> Written:
    """Tick a correction in the note, as a person can by hand.

    Args:
        id: Its id, from `list_corrections`.
        how: Whether it was applied, or is none.
        note: What was done about it, in a sentence.

    Raises:
        TextNotFound: There is no such correction.
        InvalidArguments: `note` holds a secret.
    """
    vault = call.vault
    vault.require_keyword()
    require_plain(note=note)
    wanted = id.strip().removeprefix("^")
    known = {one.id: one for one in await asyncio.to_thread(stored_corrections, vault)}
    if wanted not in known:
        raise TextNotFound(f"There is no correction `{wanted}`.", hint="`list_corrections` lists them.")
    place = agents_folder(vault.settings).place(NOTE)
    if known[wanted].state == how:
        return nothing_written(place, f"It is {how} already.")
    request = CorrectionsChange(path=place, settled=(wanted, how, note))
    return await execute_requests(call, [request], options, operation="resolve_correction")


CORRECTIONS = (
    Column("id"),
    Column("state", " · {}"),
    Column("kind", " · {}"),
    Column("text", lambda text: f" · {inline(text)}"),
    Column("about", " · in {}", role="path"),
    Column("day", " · {}", detail=True),
    Column("client", lambda client: f" · {inline(client)}", detail=True),
    Column("how", lambda how: f" · {inline(how)}", detail=True),
    Column("line", " · line {}", detail=True),
)


def recorded_view(answer: Answer) -> Iterable[Element]:
    """Show a recorded correction: its id, then the change."""
    yield Line(f"correction {answer['id']}" + (" · this link is not suggested again" if answer["declined"] else ""))
    yield from written_view(answer)


def correction_list_view(answer: Answer) -> Iterable[Element]:
    yield notice(count_shown(len(answer["corrections"]), answer["total"], "correction"))
    yield Table(CORRECTIONS, answer["corrections"])
