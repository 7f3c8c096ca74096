"""Undoes and redoes changes, and accepts and rejects proposals."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Collection, Mapping, Sequence
from functools import partial

from msgspec.structs import replace

from bridge.changes.draft import Draft
from bridge.changes.effect import Effect
from bridge.changes.path_history import VaultState
from bridge.changes.rebase import merge_file
from bridge.changes.undo import OTHERS_HINT, apply_proposal, hunk_states_after_accept, hunk_states_after_redo, redo
from bridge.engine.editor_handoff import Answer, Refusal, is_applied, is_delegated
from bridge.engine.planned_change import PlannedChange, VaultCounter, first_path, plan_undo, vault_state
from bridge.engine.transactions import Author, ChangeOutcome, ChangeWriter
from bridge.errors import BridgeError, ChangeConflict, ChangeNotFound, PathKept, ReadOnly
from bridge.state.change_records import Change, ChangeFacts, ChangeFilter, State
from bridge.state.store import Store
from bridge.types import VaultPath
from bridge.vault.plan import Plan, Step
from bridge.vault.vault import Vault

log = logging.getLogger(__name__)

MAX_UNDONE_CHANGES = 1_000
"""Changes that are undone together at most."""

MAX_CONFLICT_FILES = 10
"""Files of a conflict, and later changes of each, that are looked at."""

TAKE_OUT = partial(merge_file, touching=True, alike=True)
"""Takes a change that was cut off out of a file that somebody wrote since; it may not have been in it."""

CUT_OFF = "It was cut off, and others wrote in the same places: correct them, then reject it by `decide`."
NOTHING_PROPOSED = "Nothing was left to do: the same change was made already, so this proposal is no longer needed."
NOTHING_LEFT = "Nothing was left to undo: what the change did is not in the vault any more. It counts as undone."


STATE_HINTS: Mapping[State, str] = {
    "proposed": "It waits for the user, who accepts or rejects it in Obsidian or by `vaultside decide`.",
    "conflict": "It was cut off, and its notes were changed since: undo it, or reject it by `decide`.",
}


class ChangeReview:
    """Undo, redo, accept and reject for the changes of one vault."""

    def __init__(self, store: Store, writing: ChangeWriter, counter: VaultCounter) -> None:
        self._store = store
        self._writing = writing
        self._counter = counter

    def recover(self) -> None:
        """Recover interrupted changes, and record the outcome of each; blocks.

        A change that cannot be recovered now stays in the journal, and the next start tries again.
        """
        for change, entry in self._store.journal.find_unsettled():
            try:
                if is_delegated(change):
                    # The editor may be about to write the note, so the file is left as it is.
                    if is_applied(change, self._vault):
                        entry.settle(True)
                    else:
                        self._store.journal.set_state(change.id, "conflict")
                    continue
                digests = {
                    digest for step in change.steps for digest in (step.before, step.after) if digest is not None
                }
                found = ((digest, self._store.snapshots.read(digest)) for digest in digests)
                blobs = {digest: data for digest, data in found if data is not None}
                left: list[Step] = []
                became = self._writing.writer.recover(Plan(change.steps, blobs), TAKE_OUT, left)
                if became == "conflict":
                    entry.prepare(Plan(left))
                    self._store.journal.set_state(change.id, "conflict")
                else:
                    entry.settle(became == "after")
            except BridgeError as error:
                log.warning("A change that broke off is not made whole: %s", error.code)

    async def expire(self) -> None:
        """Expire overdue proposals and publish this; a disk error leaves it to a later call."""
        with contextlib.suppress(BridgeError):
            for id_ in await asyncio.to_thread(self._store.journal.expire):
                if (change := self._store.journal.change(id_)) is not None:
                    self._writing.publish(change)

    def change(self, id_: str) -> Change:
        found = self._store.journal.change(id_)
        if found is None or found.state == "prepared" or self._is_hidden(found):
            raise ChangeNotFound(f"There is no change `{id_[:40]}`.")
        return found

    def changes(self, criteria: ChangeFilter, limit: int, offset: int) -> list[Change]:
        return [
            change for change in self._store.journal.changes(criteria, limit, offset) if not self._is_hidden(change)
        ]

    def proposals(self, paths: Collection[VaultPath]) -> list[Change]:
        """Return the proposals that wait for files, the newest first."""
        return [change for change in self._store.journal.proposals(paths) if not self._is_hidden(change)]

    async def undo(
        self, ids: Sequence[str], author: Author, hunks: Collection[int] | None = None, *, dry_run: bool = False
    ) -> ChangeOutcome:
        """Undo changes, the newest first, as one change."""

        def planner(draft: Draft) -> PlannedChange:
            # Read under the lock: an earlier change may have settled or moved one of them.
            changes = [self._in_state(id_, "applied", "conflict") for id_ in ids]
            return plan_undo(draft, changes, self._vault, self._store, hunks)

        try:
            outcome = await self._writing.make(planner, None, author, dry_run=dry_run)
        except (PathKept, ReadOnly) as error:
            if len({step.path for id_ in ids for step in self.change(id_).steps}) > 1 and hunks is None:
                error.hint = f"{error.hint} {OTHERS_HINT}"
            raise
        except ChangeConflict as error:
            error = self._name_later_changes(error, ids)
            cut_off = "conflicts" in error.facts and any(self.change(id_).state == "conflict" for id_ in ids)
            raise ChangeConflict(error.message, hint=CUT_OFF if cut_off else error.hint, **error.facts) from None
        if not outcome.plan.steps:
            outcome = replace(outcome, warnings=(*outcome.planned.effect.warnings, NOTHING_LEFT))
            if not (dry_run or author.proposes):
                await asyncio.to_thread(self._store.journal.switch, outcome.planned.facts.switches)
                for id_ in ids:
                    self._writing.publish(self.change(id_))
        return outcome

    def _name_later_changes(self, error: ChangeConflict, ids: Sequence[str]) -> ChangeConflict:
        newest = max(
            (change.made for id_ in ids if (change := self._store.journal.change(id_)) is not None), default=""
        )
        conflicts = error.facts.get("conflicts")
        paths = {one["path"] for one in conflicts} if isinstance(conflicts, list) else set()
        later = {
            change.id: change.made
            for path in sorted(paths)[:MAX_CONFLICT_FILES]
            for change in self.changes(ChangeFilter(path=path, state="applied"), MAX_CONFLICT_FILES, 0)
            if change.made > newest
        }
        if not later:
            return error
        newest_first = sorted(later, key=later.__getitem__, reverse=True)
        named = f"Later changes of these files: {', '.join(f'`{id_}`' for id_ in newest_first)}. Undo them first."
        return ChangeConflict(f"{error.message} {named}", hint=error.hint, **error.facts, later=newest_first)

    async def redo(self, id_: str, author: Author, *, dry_run: bool = False) -> ChangeOutcome:
        def planner(draft: Draft) -> PlannedChange:
            change = self._in_state(id_, "undone")
            redo(draft, change, self._store.snapshots.read, self._today)
            switches = hunk_states_after_redo(change, self._store.snapshots.read, self._store.journal.change)
            return PlannedChange(first_path(change), facts=ChangeFacts(redoes=change.id, switches=switches))

        return await self._writing.make(planner, None, author, dry_run=dry_run)

    async def accept(self, id_: str, author: Author, hunks: Collection[int] | None = None) -> ChangeOutcome:
        """Apply a proposed change, or one that the user declined, or some of its hunks; the others are rejected."""
        await self.expire()
        change = self._acceptable(id_)

        def planner(draft: Draft) -> PlannedChange:
            today = self._acceptable(id_)
            draft.back = bool(change.facts.undoes)
            left = apply_proposal(draft, today, self._store.snapshots.read, self._today, hunks)
            switches = hunk_states_after_accept(today, self._store.snapshots.read, self._store.journal.change, hunks)
            facts = replace(change.facts, switches=switches, effects=frozenset(), declined=None)
            planned = PlannedChange(first_path(change), Effect(warnings=left), facts)
            return self._counter.forecast(draft, planned, None) if change.facts.forecast else planned

        accepting = replace(author, proposes=False, confirmed=True)
        outcome = await self._writing.make(planner, None, accepting, accepted_proposal=change)
        if not outcome.plan.steps:
            await asyncio.to_thread(self._store.journal.set_state, id_, "expired")
            self._writing.publish(self.change(id_))
            outcome = replace(outcome, warnings=(*outcome.planned.effect.warnings, NOTHING_PROPOSED))
        return outcome

    async def reject(self, id_: str, *, by_user: bool = False) -> Change:
        """Reject a proposal; the user also closes a change that was cut off, and declines all with the same effect."""
        await self.expire()
        async with self._writing.alone():
            found = self._in_state(id_, "proposed", *(["conflict"] if by_user else []))
            declined = time.time() if by_user and found.state == "proposed" else None
            change = replace(found, state="rejected")
            await asyncio.to_thread(self._store.journal.reject, change.id, declined)
        self._writing.publish(change)
        return change

    async def acknowledge(self, id_: str, refused: Refusal | None) -> State:
        """Record an editor's answer about a change that it claimed, however late; return the change's state."""
        offer = self._writing.editor_sessions.offers.get(id_)
        if offer is not None:
            in_time = offer.answer(Answer(refused))
            became = await asyncio.shield(offer.became)
            if in_time and became is not None:
                return became
        change = self.change(id_)
        if not is_delegated(change):
            raise ChangeConflict("The change was not claimed.", hint="Do not make it.")
        if change.state != "conflict":
            return change.state
        was_made = await asyncio.to_thread(is_applied, change, self._vault)
        if was_made:
            change = replace(change, state="applied")
            await self._writing.take_up(change.steps)
        elif refused is not None:
            # A proposal that was not made waits again.
            change = replace(change, state="rejected" if change.expires is None else "proposed")
        if change.state != "conflict":
            await asyncio.to_thread(self._store.journal.set_state, change.id, change.state)
            self._writing.publish(change)
        return change.state

    def of_session(self, session: str, state: State) -> list[Change]:
        """Return the changes of a session in a state, other than those that undid something."""
        found = self.changes(ChangeFilter(session=session, state=state), MAX_UNDONE_CHANGES, 0)
        return [change for change in found if not change.facts.targets]

    def _acceptable(self, id_: str) -> Change:
        change = self.change(id_)
        return change if change.facts.declined and change.state == "rejected" else self._in_state(id_, "proposed")

    def _in_state(self, id_: str, *states: str) -> Change:
        change = self.change(id_)
        if change.state not in states:
            raise ChangeConflict(
                f"The change is {change.state}, not {states[0]}.",
                hint=STATE_HINTS.get(change.state, "`list_changes` shows the state of each."),
            )
        return change

    def _is_hidden(self, change: Change) -> bool:
        denies = self._vault.rules.denies
        places = (place for step in change.steps for place in (step.path, step.to) if place is not None)
        return any(denies(place) for place in (*places, *change.places, *change.facts.sources))

    @property
    def _today(self) -> VaultState:
        return vault_state(self._vault, self._store)

    @property
    def _vault(self) -> Vault:
        return self._writing.vault
