"""Offers changes to an editor in which the vault is open, such as Obsidian with the plugin."""

import asyncio
import codecs
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Final, Literal, TypeVar

from msgspec.structs import replace

from bridge.errors import BridgeError, ChangeConflict, ChangeNotFound, NoteChanged, NoteNotFound
from bridge.events import ApplyChange, Events
from bridge.markdown.decode import digest_of
from bridge.records import Record
from bridge.state.change_records import Change, State
from bridge.state.journal import ChangeEntry
from bridge.state.store import Store
from bridge.types import Digest, VaultId
from bridge.vault.plan import Plan, Step
from bridge.vault.vault import Vault

T = TypeVar("T")

CLAIMED_WITHIN_S = 1.0
"""Seconds after which an unclaimed change is written to disk."""

ANSWERED_WITHIN_S = 10.0
"""Seconds to wait for the outcome of a claimed change; after that, the file on disk decides."""

LEFT_S = 1.0
"""The same, once no editor is connected."""

Refusal = Literal["unsaved", "changed", "failed"]
"""Why the editor did not make a change: it has unsaved edits, its text differs, or an error occurred."""

NO_CLAIM: Final = "unclaimed"


class Answer(Record):
    """The editor's answer about a change that it claimed."""

    refused: Refusal | None
    """Why the change was not made; None when it was made."""


class Offer:
    """A change that waits to be claimed, then acknowledged; used on the event loop only."""

    def __init__(self, change: Change, text: str, keep: Callable[[], None]) -> None:
        loop = asyncio.get_running_loop()
        self.change = change
        self.text = text
        self._keep = keep
        self._claimed: asyncio.Future[bool] = loop.create_future()
        self._answer: asyncio.Future[Answer | None] = loop.create_future()
        self.became: asyncio.Future[State | None] = loop.create_future()
        """The state of the change; None when it could not be settled."""

    async def claim(self) -> None:
        """Claim the change: once, and only in time."""
        if self._claimed.done():
            raise ChangeConflict("The change was claimed by someone else, or too late.", hint="Do not make it.")
        self._claimed.set_result(True)
        try:
            await asyncio.to_thread(self._keep)
        except BridgeError:
            settle(self._answer, Answer("failed"))
            raise

    def answer(self, answer: Answer) -> bool:
        """Record the editor's answer; return False when it is too late."""
        if not self._claimed.done() or not self._claimed.result():
            raise ChangeConflict("The change was not claimed.", hint="Do not make it.")
        return settle(self._answer, answer)

    def leave(self) -> None:
        """Shorten the waiting, as no editor is connected any more."""
        settle(self._claimed, False)
        asyncio.get_running_loop().call_later(LEFT_S, settle, self._answer, None)

    async def outcome(self) -> Answer | Literal["unclaimed"] | None:
        """Wait for the editor's answer; return None when there is none."""
        await asyncio.wait([self._claimed], timeout=CLAIMED_WITHIN_S)
        settle(self._claimed, False)
        if not self._claimed.result():
            return NO_CLAIM
        await asyncio.wait([self._answer], timeout=ANSWERED_WITHIN_S)
        settle(self._answer, None)
        return self._answer.result()


class EditorSessions:
    """Tracks the editors connected to one vault, and the changes offered to them."""

    def __init__(self, vault: VaultId, events: Events) -> None:
        self._vault = vault
        self._events = events
        self._programs = 0
        self.offers: dict[str, Offer] = {}

    @property
    def is_wanted(self) -> bool:
        return self._programs > 0

    @contextmanager
    def connect_editor(self) -> Iterator[None]:
        """Count an editor as connected until the block is left."""
        self._programs += 1
        try:
            yield
        finally:
            self._programs -= 1
            if not self.is_wanted:
                for offer in self.offers.values():
                    offer.leave()

    @contextmanager
    def publish_offer(self, offer: Offer) -> Iterator[None]:
        change = offer.change
        self.offers[change.id] = offer
        try:
            self._events.publish(ApplyChange(change.id, change.steps[0].path), self._vault)
            yield
        finally:
            del self.offers[change.id]
            settle(offer.became, None)

    async def claim(self, change: str) -> Offer:
        offer = self.offers.get(change)
        if offer is None:
            raise ChangeNotFound("This change is no longer offered.", hint="Do not make it.")
        await offer.claim()
        return offer


def settle(future: asyncio.Future[T], result: T) -> bool:
    """Settle a future; return False when it already was."""
    if future.done():
        return False
    future.set_result(result)
    return True


REFUSAL_REASONS: Mapping[Refusal, str] = {
    "unsaved": "Obsidian has edits of the note that are not saved yet.",
    "changed": "The note in Obsidian is not the one that was read.",
    "failed": "Obsidian could not make the change.",
}


class EditorDelegate:
    """Delegates changes to an editor."""

    def __init__(self, store: Store, editor_sessions: EditorSessions, publish: Callable[[Change], None]) -> None:
        self._store = store
        self._editor_sessions = editor_sessions
        self._publish = publish

    async def makes(self, change: Change, plan: Plan, entry: ChangeEntry, vault: Vault) -> bool:
        """Have an editor make a change, if one is connected and claims it in time."""
        text = planned_text(plan) if self._editor_sessions.is_wanted else None
        if text is None:
            return False
        change = replace(change, steps=tuple(plan.steps), facts=replace(change.facts, by="obsidian"))
        await asyncio.to_thread(entry.prepare, plan)
        offer = Offer(change, text, partial(self._store.journal.record_claim, change.id))
        with self._editor_sessions.publish_offer(offer):
            answer = await offer.outcome()
            if answer == NO_CLAIM:
                return False
            state = await asyncio.to_thread(self._record_outcome, change, entry, answer, vault)
            offer.became.set_result(state)
        if state == "conflict":
            self._publish(replace(change, state=state))
            raise ChangeConflict(
                "Obsidian took the change and did not say that it made it; the note does not show it.",
                hint=f"Read the note before you repeat it. `show_change` tells what became of `{change.id}`.",
                change=change.id,
            )
        if state == "rejected" and answer is not None and answer.refused is not None:
            raise NoteChanged(
                REFUSAL_REASONS[answer.refused],
                hint="Wait until the user pauses, read the note again and repeat the change.",
                path=change.steps[0].path,
                refused=answer.refused,
            )
        return True

    def _record_outcome(self, change: Change, entry: ChangeEntry, answer: Answer | None, vault: Vault) -> State:
        if is_applied(change, vault):
            entry.settle(True)
            return "applied"
        if answer is not None and answer.refused is not None:
            entry.settle(False)
            return "rejected"
        self._store.journal.set_state(change.id, "conflict")
        return "conflict"


def planned_text(plan: Plan) -> str | None:
    """Return the text that an editor is to give a note; None when the plan is not suited to an editor.

    It is suited when its only step replaces one plain text of a note with another. New, moved and removed files are in
    no editor, and several files could not be changed together. Text that Obsidian would not write as it stands, with a
    byte order mark or other line breaks, would not come out as planned.
    """
    match plan.steps:
        case [Step(kind="put", path=path, before=str(before), after=str(after))]:
            old, new = decode_plain(plan.blobs[Digest(before)]), decode_plain(plan.blobs[Digest(after)])
            return new if path.lower().endswith(".md") and old is not None else None
        case _:
            return None


def decode_plain(data: bytes) -> str | None:
    """Decode UTF-8 without a byte order mark, carriage return or null; return None for anything else."""
    if data.startswith(codecs.BOM_UTF8) or b"\r" in data or b"\0" in data:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def is_delegated(change: Change) -> bool:
    """Return whether an editor claimed a change; then only the file on disk shows the outcome."""
    return change.facts.by == "obsidian"


def is_applied(change: Change, vault: Vault) -> bool:
    try:
        return digest_of(vault.read(change.steps[0].path)[0]) == change.steps[0].after
    except NoteNotFound:
        return False
