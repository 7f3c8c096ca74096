"""Has changes made by a program in which the vault is open; what became of them, the disk tells."""

import asyncio
import codecs
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Final

from bridge.changes import digest_of
from bridge.engine.handing import UNCLAIMED, Answer, Handing, Offer, Refusal
from bridge.errors import ChangeConflict, NoteChanged, NoteNotFound
from bridge.steps import Plan, Step
from bridge.store import Change, Entry, State, Store
from bridge.types import Digest
from bridge.vault import Vault

BY: Final = {"by": "obsidian"}
"""What the record of a change says from the moment on in which it was claimed."""

WHY: Mapping[Refusal, str] = {
    "unsaved": "Obsidian has edits of the note that are not saved yet.",
    "changed": "The note in Obsidian is not the one that was read.",
    "failed": "Obsidian could not make the change.",
}


class Handover:
    """Hands changes over."""

    def __init__(self, store: Store, handing: Handing, tell: Callable[[Change], None]) -> None:
        """Name the parts.

        Args:
            store: Keeps what became of a change.
            handing: Knows who makes it.
            tell: Tells whoever listens of it.
        """
        self._store = store
        self._handing = handing
        self._tell = tell

    async def makes(self, change: Change, plan: Plan, entry: Entry, vault: Vault) -> bool:
        """Have a change made, if a program is there for it and claims it in time.

        Returns:
            Whether it was; if not, nothing was done yet, and nobody else will.

        Raises:
            NoteChanged: The program refused.
            ChangeConflict: It has not said what became of the change, and the disk does not show it.
            DiskFull: There is no room for the journal.
            ReadOnly: The data folder cannot be written.
        """
        text = text_afterwards(plan) if self._handing.is_wanted else None
        if text is None:
            return False
        change = replace(change, steps=tuple(plan.steps), facts={**change.facts, **BY})
        await asyncio.to_thread(entry.prepare, plan)
        offer = Offer(change, text, partial(self._store.add_facts, change.id, BY))
        with self._handing.offering(offer):
            said = await offer.outcome()
            if said == UNCLAIMED:
                return False
            state = await asyncio.to_thread(self._settled, change, entry, said, vault)
            offer.became.set_result(state)
        if state == "conflict":
            self._tell(replace(change, state=state))
            raise ChangeConflict(
                "Obsidian took the change and did not say that it made it; the note does not show it.",
                hint=f"Read the note before you repeat it. `show_change` tells what became of `{change.id}`.",
                change=change.id,
            )
        if state == "rejected" and said is not None and said.refused is not None:
            raise NoteChanged(
                WHY[said.refused],
                hint="Wait until the user pauses, read the note again and repeat the change.",
                path=change.steps[0].path,
                refused=said.refused,
            )
        return True

    def _settled(self, change: Change, entry: Entry, said: Answer | None, vault: Vault) -> State:
        """Write down what became of a change that was claimed."""
        if is_made(change, vault):
            entry.settle(True)
            return "applied"
        if said is not None and said.refused is not None:
            entry.settle(False)
            return "rejected"
        self._store.set_state(change.id, "conflict")
        return "conflict"


def text_afterwards(plan: Plan) -> str | None:
    """Return what a program is to make of a note; None when the plan is not for one.

    It is when it only puts one plain text in place of another, in a note. What is new, moved or removed is in no
    editor. Several files could not be made to change together. And text that Obsidian would not write as it stands,
    with a byte order mark or other line breaks, would not come out as planned.
    """
    match plan.steps:
        case [Step(kind="put", path=path, before=str(before), after=str(after))]:
            old, new = plain(plan.blobs[Digest(before)]), plain(plan.blobs[Digest(after)])
            return new if path.lower().endswith(".md") and old is not None else None
        case _:
            return None


def plain(data: bytes) -> str | None:
    """Return the text of UTF-8 without a byte order mark, a carriage return or a null; None of all else."""
    if data.startswith(codecs.BOM_UTF8) or b"\r" in data or b"\0" in data:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def is_handed_over(change: Change) -> bool:
    """Say whether a program claimed a change: then only the disk can tell what became of it."""
    return change.facts.get("by") == BY["by"]


def is_made(change: Change, vault: Vault) -> bool:
    """Say whether the note is what a change that was handed over makes of it."""
    try:
        return digest_of(vault.read(change.steps[0].path)[0]) == change.steps[0].after
    except NoteNotFound:
        return False
