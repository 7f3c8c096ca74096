"""Handing work over to a later session, and taking it over."""

import asyncio
import time
from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Final, Literal

from msgspec import Meta
from msgspec.structs import replace

from bridge.api.agreement import open_folder, set_up_requests
from bridge.api.call import Call
from bridge.api.markup import Element, Line, Section, Segment, notice, path_of
from bridge.api.moments import iso
from bridge.api.note_names import find_file, no_such_note
from bridge.api.note_text import open_note
from bridge.api.registry import operation
from bridge.api.signature import Spread
from bridge.api.write import WriteArguments, WriteOptions, Written, client_name, execute_requests, session_of
from bridge.changes.requests.base import Request
from bridge.changes.requests.create_note import CreateNote
from bridge.changes.requests.edit_note import SetProperties
from bridge.engine.agents_folder import AgentsFolder, agents_folder
from bridge.engine.open_vault import OpenVault
from bridge.errors import BridgeError, InvalidArguments, NoteNotFound
from bridge.features.handoffs.handoff_note import (
    TAKEN_STATUS,
    TEXTS,
    Handoff,
    VaultEvidence,
    check_proof,
    find_gap,
    handoff_name,
    handoff_properties,
    is_handoff,
    read_handoff,
    waiting_handoffs,
    write_handoff,
)
from bridge.features.memory.public import MemoryCatalogue
from bridge.index.note import IndexedNote, time_created
from bridge.markdown.note import field_of
from bridge.records import Record
from bridge.state.change_records import ChangeFilter
from bridge.text.budget import estimate_tokens
from bridge.text.invisible import inline
from bridge.text.secrets import require_plain
from bridge.types import VaultPath
from bridge.vault.paths import file_name_for

HINT: Final = (
    "Correct the claims or their proofs, or leave the claims out. A quote must say something of its claim. What is not"
    " so is shown by a property whose `value` is null, or by the `digest` of a note that lacks it."
)


@operation(
    example={
        "goal": "Describe every starter",
        "state": "Levain is done.",
        "next_action": "Write about the rye starter.",
        "claims": [
            {
                "text": "The levain note has a feeding section",
                "proof": {"path": "Bread/Starters/Sourdough starter.md", "heading": "Feeding"},
            }
        ],
        "dry_run": True,
    },
    reads=False,
    scope="write",
    tasks=(
        "hand work over to the next session",
        "leave a handoff for another agent",
        "write down where things stand for whoever continues",
        "pass an unfinished job on",
        "give the next agent what it needs to go on",
    ),
)
async def hand_over(
    call: Call,
    handoff: Annotated[Handoff, Spread()],
    to: Annotated[str, Meta(max_length=100)] | None = None,
    *,
    options: WriteArguments,
) -> Written:
    """Hand work over to a later session, as a note in the agents' folder whose claims are checked.

    Args:
        to: The client that should take over; any by default.

    Raises:
        ConfirmationRequired: The user did not agree to the agents' folder yet.
        InvalidArguments: A claim is not true, or its quote or heading shows nothing of it; the message says what is.
    """
    require_sound(handoff)
    folder, agreed = open_folder(call, options)
    await asyncio.to_thread(require_true, call, handoff)
    now = datetime.now().astimezone()
    properties = handoff_properties(handoff.goal, now, client_name(call), session_of(call), to)
    path = new_path(call, folder, handoff_name(handoff.goal, now))
    requests: list[Request] = set_up_requests(call, folder)
    requests.append(CreateNote(path=path, text=write_handoff(handoff), properties=properties))
    return await execute_requests(call, requests, options, operation="hand_over", agreed=agreed)


def require_sound(handoff: Handoff) -> None:
    """Require that the texts are not empty, hold no secret and nothing that a reader does not see."""
    texts = {"goal": handoff.goal, "state": handoff.state, "next_action": handoff.next_action}
    for name, text in texts.items():
        if not text.strip():
            raise InvalidArguments(f"`{name}` is empty.")
    for name in ("constraints", "unknowns", "artifacts", "stop_conditions"):
        texts[name] = "\n".join(getattr(handoff, name))
    texts["claims"] = "\n".join(one.text for one in handoff.claims)
    require_plain(**texts)


def require_true(call: Call, handoff: Handoff) -> None:
    """Require that each proof holds, and may show its claim; blocks."""
    facts = VaultEvidence(call)
    refused: dict[int, str] = {}
    for number, claim in enumerate(handoff.claims, start=1):
        verdict = check_proof(claim.proof, facts)
        if verdict.outcome in {"changed", "gone"}:
            refused[number] = f"is not true: {verdict.why}"
        elif (gap := find_gap(claim.text, claim.proof)) is not None:
            refused[number] = f"is not proved: {gap}"
    if refused:
        raise InvalidArguments(
            " ".join(
                f"Claim {number}, “{handoff.claims[number - 1].text[:200]}”, {why}." for number, why in refused.items()
            ),
            hint=HINT,
            claims=[*refused],
        )


def new_path(call: Call, folder: AgentsFolder, title: str) -> VaultPath:
    files = call.vault.files
    name = file_name_for(title, lambda one: files.has(VaultPath(f"{folder.handoffs}/{one}.md")), default="Handoff")
    return VaultPath(f"{folder.handoffs}/{name}.md")


WRITTEN_WITHIN_S = 2.0
"""Seconds that may lie between a change and the modification time of its file."""

MAX_CHANGES = 20
"""Most changes of one note that are looked at."""

VERDICTS = {"still_true": "proof still holds"}
"""What verdicts are called, where it is not their name: a proof may show less than its claim says."""

LISTS = ("constraints", "stop_conditions", "unknowns", "artifacts")
"""The lists of a handoff, those first that a successor must not miss."""


class CheckedClaim(Record):
    """A claim, and whether it still holds.

    Attributes:
        text: The claim.
        verdict: Whether its proof holds now; `unchecked` without one that can be checked.
        why: What is true instead, or where the note is now.
    """

    text: str
    verdict: Literal["still_true", "changed", "gone", "unchecked"]
    why: str


class ChangedSince(Record):
    """A note of the handoff that was changed after it.

    Attributes:
        path: The note.
        changes: How many changes were made through the bridge.
        clients: The programs that made them.
        modified: When it was modified otherwise, such as by hand; null if it was not.
    """

    path: VaultPath
    changes: int
    clients: tuple[str, ...]
    modified: str | None


class TakenHandoff(Record):
    """A handoff, with what became of its claims.

    Attributes:
        path: Its note.
        goal: What is to be reached.
        state: How far it was.
        next_action: What to do first.
        constraints: What must not be done or changed.
        stop_conditions: When to stop and ask.
        unknowns: What was not known.
        artifacts: Notes and files that matter.
        claims: The claims, those first that no longer hold.
        changed_since: Its notes that were changed after it.
        agent: The client that handed over; empty for a person.
        to: The client that should take over; null for any.
        created: When.
        taken: Whether it is marked as taken over now.
        left_out: Entries omitted because of the budget; the note has them.
    """

    path: VaultPath
    goal: str
    state: str
    next_action: str
    constraints: tuple[str, ...]
    stop_conditions: tuple[str, ...]
    unknowns: tuple[str, ...]
    artifacts: tuple[str, ...]
    claims: tuple[CheckedClaim, ...]
    changed_since: tuple[ChangedSince, ...]
    agent: str
    to: str | None
    created: str
    taken: bool
    left_out: int


@operation(
    example={"path": "Agents/Handoffs/Starters.md", "peek": True},
    reads=False,
    tasks=(
        "take over from the last session",
        "continue where another agent stopped",
        "continue the work where the last session stopped",
        "read the handoff left for me",
        "is what was handed over still true",
    ),
)
async def take_over(
    call: Call,
    path: VaultPath | None = None,
    peek: bool = False,
    budget: Annotated[int, Meta(ge=200, le=8_000)] = 1_500,
) -> TakenHandoff:
    """Take over a handoff: each of its claims is checked again, and what was changed since is listed.

    Args:
        path: The handoff; by default, the newest that nobody took, for this client or any.
        peek: Do not mark it as taken over.
        budget: Maximum tokens.

    Raises:
        NoteNotFound: There is no open handoff, or there is none at `path`.
        Forbidden: The caller may not write, and does not `peek`.
    """
    if not peek:
        call.principal.require("write")
    vault = call.vault
    vault.require_keyword()
    if peek:
        found = await asyncio.to_thread(check_handoff, call, find_handoff(call, path))
        return within_budget(found, budget, taken=False)
    # One at a time, so that several clients never take the same one.
    async with vault.part(MemoryCatalogue).writing:
        note = find_handoff(call, path)
        found = await asyncio.to_thread(check_handoff, call, note)
        properties = {
            "status": TAKEN_STATUS,
            "taken_by": client_name(call) or "user",
            "taken": iso(time.time()),
        }
        made = await execute_requests(
            call, [SetProperties(path=note.path, properties=properties)], WriteOptions(), operation="take_over"
        )
    return within_budget(found, budget, taken=made.state == "applied")


def find_handoff(call: Call, path: VaultPath | None) -> IndexedNote:
    vault, folder = call.vault, agents_folder(call.vault.settings)
    if path is not None:
        if path not in vault.index.notes:
            raise no_such_note(vault, path)
        note = vault.index.notes[path]
        if not is_handoff(note, folder):
            raise NoteNotFound(f"`{path}` is not a handoff.", hint="Leave out `path` for the newest.", path=path)
        return note
    waiting = waiting_handoffs(vault.index.notes.values(), folder, client_name(call))
    if not waiting:
        raise NoteNotFound("No handoff waits.", hint=f"`find_notes` with the folder `{folder.handoffs}` lists all.")
    return waiting[0]


def check_handoff(call: Call, note: IndexedNote) -> TakenHandoff:
    """Read a handoff, and check what it says; blocks."""
    handoff, facts = read_handoff(open_note(call.vault, note.path)), VaultEvidence(call)
    claims = []
    for claim in handoff.claims:
        verdict = check_proof(claim.proof, facts)
        claims.append(CheckedClaim(claim.text, verdict.outcome, verdict.why))
    created = time_created(note)
    return TakenHandoff(
        path=note.path,
        **{name: getattr(handoff, name) for name in (*TEXTS.values(), *LISTS)},
        claims=tuple(sorted(claims, key=lambda one: one.verdict not in {"changed", "gone"})),
        changed_since=changed_since(call.vault, note.path, handoff, facts, created),
        agent=str(field_of(note.properties, "agent") or ""),
        to=str(field_of(note.properties, "to") or "") or None,
        created=iso(created),
        taken=False,
        left_out=0,
    )


def changed_since(
    vault: OpenVault, handed: VaultPath, handoff: Handoff, facts: VaultEvidence, since: float
) -> tuple[ChangedSince, ...]:
    named = {claim.proof.path for claim in handoff.claims if claim.proof is not None and claim.proof.path is not None}
    for text in handoff.artifacts:
        try:
            named.add(find_file(vault.files, vault.names, text))
        except BridgeError:
            continue
    # The time that a handoff names is that of a whole second.
    own = vault.store.journal.changes(ChangeFilter(path=handed, operation="hand_over"), 1)
    found = []
    for path in sorted(named):
        here = path if vault.files.has(path) else facts.moved_to(path) or path
        if vault.files.rules.denies(here):
            continue
        criteria = ChangeFilter(since=since, path=here, state="applied")
        later = vault.store.journal.changes(criteria, MAX_CHANGES)
        changes = [change for change in later if not own or change.made > own[0].made]
        known = max((change.time for change in changes), default=since) + WRITTEN_WITHIN_S
        now = vault.index.notes.get(here)
        modified = iso(now.mtime) if now is not None and now.mtime > known else None
        if changes or modified:
            clients = dict.fromkeys(change.client or "user" for change in changes)
            found.append(ChangedSince(here, len(changes), tuple(clients), modified))
    return tuple(found)


def within_budget(found: TakenHandoff, budget: int, *, taken: bool) -> TakenHandoff:
    """Leave out what exceeds a budget of tokens: the goal, the next action and what no longer holds stay longest."""
    left = budget - estimate_tokens(f"{found.path}{found.agent}{found.created}")
    texts: dict[str, str] = {}
    for name in ("goal", "next_action", "state"):
        text: str = getattr(found, name)
        size = estimate_tokens(text)
        while size > max(0, left):
            text = text[: len(text) * max(0, left) // (size + 1)]
            size = estimate_tokens(text)
        texts[name] = text
        left -= size
    lists: dict[str, tuple[object, ...]] = {}
    omitted = sum(len(texts[name]) < len(getattr(found, name)) for name in texts)
    for name in ("claims", "changed_since", *LISTS):
        kept: list[object] = []
        for entry in getattr(found, name):
            size = estimate_tokens(str(entry))
            if size <= left:
                kept.append(entry)
                left -= size
            else:
                omitted += 1
        lists[name] = tuple(kept)
    return replace(found, **texts, **lists, taken=taken, left_out=omitted)


def since_text(changed: ChangedSince) -> str:
    times = "once" if changed.changes == 1 else f"{changed.changes} times"
    made = f"changed {times} by {', '.join(map(inline, changed.clients))}" if changed.changes else ""
    by_hand = f"modified otherwise on {changed.modified[:10]}" if changed.modified else ""
    return "; ".join(filter(None, (made, by_hand)))


def handoff_view(handoff: TakenHandoff) -> Iterable[Element]:
    """Show a handoff: what to do, what must not be done, and which claims to mistrust."""
    by = f" · {inline(handoff.agent)}" if handoff.agent else ""
    yield Line(path_of(handoff.path), Segment(f"{by} · {handoff.created[:16]}", "muted"))
    yield Line(f"goal: {inline(handoff.goal)}")
    yield Line(f"state: {inline(handoff.state)}")
    yield Line(f"next action: {inline(handoff.next_action)}")
    lists = {name.replace("_", " "): [Line(inline(text)) for text in getattr(handoff, name)] for name in LISTS}
    lists["claims"] = [
        Line(
            f"{VERDICTS.get(one.verdict, one.verdict)}: {inline(one.text)}",
            f" ({inline(one.why)})" if one.why else "",
        )
        for one in handoff.claims
    ]
    lists["changed since"] = [Line(path_of(one.path), f" {since_text(one)}") for one in handoff.changed_since]
    yield from (Section(name, lines) for name, lines in lists.items() if lines)
    if handoff.left_out:
        yield notice(f"{handoff.left_out} entries left out; the note has them.")
