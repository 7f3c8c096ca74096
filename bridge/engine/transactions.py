"""Makes changes to the vault: one at a time for each note, journalled, and indexed before the caller is answered."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Collection, Coroutine, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime
from types import MappingProxyType
from typing import Any, Literal, TypeVar

from msgspec import field
from msgspec.structs import replace

from bridge.changes.draft import Draft, follow_step
from bridge.changes.effect import explain_read_only
from bridge.changes.extent import Extent, effect_keys, explain_no_change, measure_change
from bridge.changes.git import commit
from bridge.engine.agents_folder import AgentsFolder, holds_all
from bridge.engine.editor_handoff import EditorDelegate, EditorSessions
from bridge.engine.folder_agreement import FolderAgreement
from bridge.engine.indexer import Indexer
from bridge.engine.moves import replaced_bytes, trace_moves
from bridge.engine.planned_change import (
    PlannedChange,
    count_effects,
    digest_after,
    digest_before,
    plan_undo,
    require_expected,
)
from bridge.errors import (
    BridgeError,
    ChangeConflict,
    ConfirmationRequired,
    Declined,
    ExpectationFailed,
    InvalidArguments,
    NoteNotFound,
    NotReady,
    ReadOnly,
)
from bridge.events import ChangeProposed, ChangeRecorded, Events, Signal
from bridge.markdown.edit.lint import new_faults
from bridge.markdown.links import name_key, target_file
from bridge.markdown.names import Names
from bridge.records import Record
from bridge.settings.schema import Settings
from bridge.state.change_records import Change, ChangeFilter
from bridge.state.journal import Journal
from bridge.state.store import Store
from bridge.types import Digest, VaultId, VaultPath
from bridge.vault.paths import parents
from bridge.vault.plan import Blobs, Plan, Step
from bridge.vault.stable_read import read_settled
from bridge.vault.vault import Vault
from bridge.vault.write.bulk import replaces_only
from bridge.vault.write.handle import FileOvertaken
from bridge.vault.write.writer import PreparedPlan, Writer, WriteStopped

LONG_S = 1.0
"""Seconds from which on a change says for what it waited."""


class Hold:
    """The notes that one change has locked."""

    def __init__(self, work: str, paths: Collection[VaultPath] | None, *, wide: bool = False) -> None:
        self.work = work
        """What is done with them."""
        self.wide = wide
        """Whether it chooses its notes while others go on."""
        self.waited = ""
        """For what it waited long, as a sentence."""
        self.passed: set[VaultPath] = set()
        """What others have locked since it began to choose."""
        self.take(paths)

    def take(self, paths: Collection[VaultPath] | None) -> None:
        """Have these notes from now on; None for every present and future one."""
        self.paths = None if paths is None else frozenset(paths)
        # The folders around them.
        self.around = frozenset(VaultPath(folder) for path in self.paths or () for folder in parents(path))

    def overlaps(self, other: "Hold") -> bool:
        """Return whether two have a note in common; a folder stands for what is in it."""
        if self.paths is None or other.paths is None:
            return self.paths != frozenset() and other.paths != frozenset()
        return not (
            self.paths.isdisjoint(other.paths)
            and self.paths.isdisjoint(other.around)
            and self.around.isdisjoint(other.paths)
        )


class PathLocks:
    """Locks notes for one change at a time: all of its notes at once or none, so that no deadlock can occur.

    A change that may touch any note has none at first, and then claims those that it turns out to need. Others go on
    with the rest; only one of such changes runs at a time.
    """

    def __init__(self) -> None:
        self._holds: list[Hold] = []
        self._freed = Signal()

    @asynccontextmanager
    async def hold(
        self, paths: Collection[VaultPath] | None, work: str = "", *, dry_run: bool = False
    ) -> AsyncGenerator[Hold, None]:
        """Lock notes until the block is left; a dry run waits like any change, but nobody waits for it."""
        mine = Hold(work, () if paths is None else paths, wide=paths is None)
        await self._wait(mine, lambda other: other.overlaps(mine) or (other.wide and mine.wide))
        if dry_run:
            yield mine
            return
        self._holds.append(mine)
        for other in self._holds:
            other.passed.update(mine.paths or ())
        try:
            yield mine
        finally:
            self._holds.remove(mine)
            self._freed.notify()

    def choose(self, mine: Hold) -> None:
        """Begin to choose notes: `passed` has what others have locked since."""
        mine.passed = {path for other in self._holds if other is not mine for path in other.paths or ()}

    async def claim(self, mine: Hold, paths: Collection[VaultPath] | None) -> None:
        """Lock other notes instead, None for all, once those who have them are done; nobody else gets them before."""
        mine.take(paths)
        self._freed.notify()
        await self._wait(mine, lambda other: other is not mine and other.overlaps(mine))

    async def _wait(self, mine: Hold, blocks: Callable[[Hold], bool]) -> None:
        since, work = time.monotonic(), None
        while blocking := next(filter(blocks, self._holds), None):
            work = blocking.work
            await self._freed.wait()
        waited = time.monotonic() - since
        if work is not None and waited >= LONG_S:
            mine.waited = f"It waited {waited:.0f} s for another change to end{work and f': `{work}`'}."


T = TypeVar("T")


async def run_to_completion(work: Coroutine[Any, Any, T]) -> T:
    """Run work to its end, even if the caller is cancelled meanwhile."""
    task = asyncio.ensure_future(work)
    cancelled = False
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            cancelled = not task.cancelled()
        except Exception:  # noqa: BLE001 - raised below
            break
    if cancelled:
        raise asyncio.CancelledError
    return task.result()


def missing_note(vault: Vault, names: Names, journal: Journal, path: VaultPath) -> NoteNotFound:
    """Return the error for a missing note, with its path since a recorded move, or else with the closest ones."""
    now = journal.moved_to(path, vault.has)
    if now is None or vault.rules.denies(path):
        return names.missing_error(path)
    return NoteNotFound(f"`{path}` was moved to `{now}`.", hint="Use the new path.", path=path, closest=[now])


PROPOSED_FOR_S = 14 * 24 * 3600.0
"""Seconds for which a proposal waits for the user."""

MAX_REJECTED = 1_000
"""Rejected proposals of a client, the newest, that it is kept from repeating."""

MAX_REPLANS = 3
"""How often a change is planned again when another program wrote a note in between."""

STOP_AFTER_S = 1.0
"""Seconds after which a change that is being written does not keep the bridge from stopping."""

FILES_AT_ONCE = 100
"""Replaced files that are indexed at a time."""

NO_BYTES: Blobs = MappingProxyType({})


class Author(Record):
    """Who makes a change, and how."""

    operation: str
    client: str | None = None
    session: str | None = None
    reason: str | None = None
    proposes: bool = False
    """Whether the change waits for the user's approval."""
    confirmed: bool = False
    """Whether a large change was confirmed."""
    applies_in: AgentsFolder | None = None
    """The folder in which the change applies even if others wait for approval."""
    is_agent: bool = False
    """Whether an agent makes the change: one that gives agents a right waits for the user, whatever may apply."""
    needs_user: bool = False
    """Whether a large change waits for the user's approval even if confirmed."""


class LargeChange(ConfirmationRequired):
    """The change is large enough that it must be confirmed."""

    steps: Sequence[Step] = ()


class ChangeOutcome(Record):
    """The outcome of a change that was made, proposed or only planned."""

    planned: PlannedChange
    plan: Plan
    digest: Digest | None
    """Of the note's file afterwards, or as it is now for a dry run; None when there is no file."""
    state: Literal["applied", "proposed"]
    warnings: tuple[str, ...]
    counts: Mapping[str, int] = field(default_factory=dict)
    """The number of `files` written, moved or removed, and of `links_rewritten` and `links_broken`."""
    would: str = ""
    """What the change does, in a line."""
    confirmation: LargeChange | None = None
    """Why the change must be confirmed; set by a dry run only."""
    by: Literal["disk", "obsidian"] = "disk"
    change: Change | None = None
    """Absent when nothing was recorded."""
    skips_overtaken: bool = False
    """Whether notes that another program saves meanwhile are left out."""

    def without(self, paths: Collection[VaultPath]) -> "ChangeOutcome":
        """Return the outcome when some notes were left out."""
        planned = self.planned.without(paths)
        plan = replace(self.plan, steps=[step for step in self.plan.steps if step.path not in paths])
        would = measure_change(plan, planned.effect, planned.requests).would
        return replace(self, planned=planned, plan=plan, would=would, counts=count_effects(plan, planned.effect))


class ChangeWriter:
    """Makes the changes of one vault."""

    def __init__(
        self,
        vault: VaultId,
        indexer: Indexer,
        store: Store,
        settings: Settings,
        events: Events,
        editor_sessions: EditorSessions,
        folder_agreement: FolderAgreement,
    ) -> None:
        self.settings = settings
        self._id = vault
        self._indexer = indexer
        self._store = store
        self._events = events
        self._folder_agreement = folder_agreement
        self._locks = PathLocks()
        self.editor_sessions = editor_sessions
        self._handover = EditorDelegate(store, editor_sessions, self.publish)
        # Only one: two writers might make the same folder at once.
        self._writer = Writer(indexer.vault)
        self._committing = asyncio.Lock()
        self.displacing = asyncio.Event()
        """Set while a program may still save into a file that a change replaced."""

    async def make(
        self,
        planner: Callable[[Draft], PlannedChange],
        paths: Collection[VaultPath] | None,
        author: Author,
        *,
        dry_run: bool = False,
        expect: Mapping[str, int] | None = None,
        accepted_proposal: Change | None = None,
    ) -> ChangeOutcome:
        async with self._locks.hold(paths, author.operation, dry_run=dry_run) as hold:
            for left in reversed(range(MAX_REPLANS + 1)):
                if hold.wide and not left and not dry_run:
                    # Others changed what it needs again and again.
                    await self._locks.claim(hold, None)
                try:
                    outcome = await self._make(planner, author, dry_run, expect or {}, accepted_proposal, hold)
                except FileOvertaken as error:
                    if not left:
                        error.explain(hold.waited)
                        raise
                except BridgeError as error:
                    error.explain(hold.waited)
                    raise
                else:
                    break
        return replace(outcome, warnings=(*outcome.warnings, *filter(None, [hold.waited])))

    async def _make(
        self,
        planner: Callable[[Draft], PlannedChange],
        author: Author,
        dry_run: bool,
        expect: Mapping[str, int],
        accepted_proposal: Change | None,
        hold: Hold,
    ) -> ChangeOutcome:
        self._locks.choose(hold)
        draft = self.draft()
        planned, plan, ready = await asyncio.to_thread(self._plan_change, planner, draft)
        found = measure_change(plan, planned.effect, planned.requests)
        large = self._confirmation(found, author)
        author = replace(author, proposes=self._waits(author, planned, plan, is_large=large is not None))
        if author.is_agent:
            planned = replace(planned, facts=replace(planned.facts, by_client=True))
        warnings = (*planned.effect.warnings, *ready.warnings)
        state: Literal["applied", "proposed"] = "proposed" if author.proposes else "applied"
        # In a thread: reading a file for the first time may block.
        digest = await asyncio.to_thread(digest_after, draft, planned.path)
        outcome = ChangeOutcome(planned, plan, digest, state, warnings, count_effects(plan, planned.effect))
        require_expected(outcome.counts, expect)
        if not plan.steps:
            if planned.facts.agreement is not None and not dry_run:
                if author.proposes:
                    # The note is there, of another device: no change can wait for the user.
                    hint = "Ask the user to run `vaultside set-up-memory`."
                    raise ConfirmationRequired("Agents may keep notes only when the user agrees.", hint=hint)
                self._agree(planned.facts.agreement)
            return replace(outcome, warnings=(*warnings, explain_no_change(planned.requests)))
        if author.proposes:
            planned = await asyncio.to_thread(self._require_undeclined, planned, plan, author)
            outcome = replace(outcome, planned=planned)
        outcome = replace(outcome, would=found.would, skips_overtaken=planned.skips_overtaken and not expect)
        unconfirmed = None if author.confirmed else large
        if dry_run:
            return replace(outcome, digest=digest_before(draft, planned.path), confirmation=unconfirmed)
        if unconfirmed is not None:
            unconfirmed.steps = plan.steps
            raise unconfirmed
        if author.proposes:
            outcome = replace(outcome, digest=digest_before(draft, planned.path))
            return await run_to_completion(self._propose(outcome, author))
        if hold.wide:
            await self._claim(hold, draft, planned, ready.plan)
        return await run_to_completion(self._apply_verified(outcome, ready, author, accepted_proposal, hold))

    def _require_undeclined(self, planned: PlannedChange, plan: Plan, author: Author) -> PlannedChange:
        """Return a change that is to be proposed with what it does; refuse what the user declined before."""
        facts = replace(planned.facts, effects=effect_keys(plan, planned.facts.agreement))
        criteria = ChangeFilter(client=author.client, state="rejected")
        for change in self._store.journal.changes(criteria, MAX_REJECTED):
            if change.facts.declined and change.facts.effects and change.facts.effects <= facts.effects:
                when = datetime.fromtimestamp(change.facts.declined).astimezone()
                raise Declined(
                    f"The user declined this on {when:%Y-%m-%d at %H:%M}, as the change `{change.id}`.",
                    hint=f"{Declined.hint} Only the user can accept it: `vaultside decide {change.id} accept`.",
                )
        return replace(planned, facts=facts)

    def _waits(self, author: Author, planned: PlannedChange, plan: Plan, *, is_large: bool) -> bool:
        """Return whether a change waits for the user's approval."""
        if is_large and author.needs_user:
            return True
        if author.applies_in is not None and holds_all(author.applies_in, self.vault, step_paths(plan.steps)):
            return False
        if author.proposes or not author.is_agent:
            return author.proposes
        return planned.facts.agreement is not None or self._folder_agreement.touches_agreement(self.settings, plan)

    async def _claim(self, hold: Hold, draft: Draft, planned: PlannedChange, plan: Plan) -> None:
        if hold.paths is not None:
            await self._locks.claim(hold, step_paths(plan.steps))
        looked_at: frozenset[VaultPath] = frozenset()
        # Others go on meanwhile.
        while fresh := hold.passed - looked_at:
            if Hold("", fresh).overlaps(hold) or not fresh.isdisjoint(draft.files_read):
                raise FileOvertaken("Another change touched the same notes.")
            if planned.affects_links(plan) and await asyncio.to_thread(self._touches_links, plan.steps, fresh):
                raise FileOvertaken("Another change touched links to the same notes.")
            looked_at |= fresh

    def _touches_links(self, steps: Iterable[Step], passed: Iterable[VaultPath]) -> bool:
        names, notes = self._indexer.names.copy(), self._indexer.index.notes
        keys = {name_key(path) for step in steps for path in follow_step(names, step)}
        for path in passed:
            links = notes[path].targets if path in notes else ()
            if name_key(path) in keys or any(name_key(target_file(target, kind)) in keys for target, kind in links):
                return True
        return False

    @property
    def vault(self) -> Vault:
        """The vault's files, under the current rules."""
        return self._indexer.vault

    @property
    def writer(self) -> Writer:
        """The writer, set to the current rules."""
        self._writer.vault = self._indexer.vault
        return self._writer

    def publish(self, change: Change) -> None:
        self._events.publish(ChangeRecorded(*event_fields(change)), self._id)

    def draft(self) -> Draft:
        vault, names = self._indexer.vault, self._indexer.names

        def size_of(path: VaultPath) -> int | None:
            note = self._indexer.index.notes.get(path)
            return None if note is None else note.size

        def read(path: VaultPath) -> bytes:
            try:
                return read_settled(vault, path, self._writer.is_ours, size_of(path))
            except NoteNotFound:
                if path in names:
                    raise
                raise missing_note(vault, names, self._store.journal, path) from None

        return Draft(read, vault.has)

    def alone(self) -> AbstractAsyncContextManager[Hold]:
        """Keep changes that may touch any note from being made or settled, until the block is left."""
        return self._locks.hold(None)

    async def close(self) -> None:
        """Wait until nothing is being written; what takes long is left to the next start, as after a crash."""
        stop = asyncio.get_running_loop().call_later(STOP_AFTER_S, self._writer.stopping.set)
        async with self._locks.hold(None) as hold:
            await self._locks.claim(hold, None)
        stop.cancel()

    def _plan_change(
        self, planner: Callable[[Draft], PlannedChange], draft: Draft
    ) -> tuple[PlannedChange, Plan, PreparedPlan]:
        if self._indexer.index.notes:
            # Otherwise a new note would be written below an unmounted disk's folder, and all others would seem deleted.
            self.vault.require_mounted(was_filled=True)
        planned, plan = planner(draft), draft.plan
        try:
            return planned, plan, self._prepare(plan, draft.files_read, check_text=not planned.keeps_structure)
        except ReadOnly as error:
            raise explain_read_only(error, planned.effect) from None

    def _prepare(self, plan: Plan, just_read: Collection[VaultPath], *, check_text: bool) -> PreparedPlan:
        ready = self.writer.prepare(plan, just_read)
        found = tuple(
            fault
            for step in plan.steps
            if check_text and step.kind == "put" and step.after is not None
            for fault in new_faults(step.path, plan.blobs[step.before] if step.before else None, plan.blobs[step.after])
        )
        if found and self.settings.write_checks == "strict":
            raise InvalidArguments(
                f"The note would be wrong afterwards: {found[0]}", hint="Correct the text.", faults=list(found)
            )
        return replace(ready, warnings=(*ready.warnings, *found))

    def _confirmation(self, found: Extent, author: Author) -> LargeChange | None:
        settings = self.settings
        if max(found.files, found.losing) > settings.confirm_files:
            limit = f"`confirm_files` is {settings.confirm_files:,}"
        elif found.size > settings.confirm_kb * 1024:
            limit = f"`confirm_kb` is {settings.confirm_kb:,}"
        else:
            return None
        return LargeChange(
            f"This would {found.would}. It must be confirmed: {limit}.",
            would=found.would,
            hint=f"{LargeChange.hint} It then waits until the user accepts it." if author.needs_user else None,
            files=found.files,
            bytes=found.size,
        )

    async def _propose(self, outcome: ChangeOutcome, author: Author) -> ChangeOutcome:
        change, planned = self._new_change(outcome, author), outcome.planned
        means = await asyncio.to_thread(
            self._folder_agreement.explain,
            self.vault,
            self.settings,
            outcome.plan,
            planned.facts.agreement,
            planned.path,
        )
        if means:
            # Before the reason, which is shown wherever a person decides.
            change = replace(change, reason=f"{means} {change.reason or ''}".rstrip())
            outcome = replace(outcome, warnings=(means, *outcome.warnings))
        change = replace(change, state="proposed", expires=change.time + PROPOSED_FOR_S)
        await asyncio.to_thread(self._store.journal.propose, change, outcome.plan.blobs)
        self._events.publish(ChangeProposed(*event_fields(change)), self._id)
        return replace(outcome, change=change)

    async def _apply_verified(
        self, outcome: ChangeOutcome, ready: PreparedPlan, author: Author, accepted_proposal: Change | None, hold: Hold
    ) -> ChangeOutcome:
        """Make a change, and undo it unless it did what was planned."""
        verify = outcome.planned.verify
        made = await self._apply(outcome, ready, author, accepted_proposal)
        if verify is None or made.change is None:
            return made
        try:
            await asyncio.to_thread(verify)
        except ExpectationFailed as error:
            await self._roll_back(made.change, author, error, hold)
            raise
        return made

    async def _roll_back(self, change: Change, author: Author, why: ExpectationFailed, hold: Hold) -> None:
        def planner(draft: Draft) -> PlannedChange:
            return plan_undo(draft, [self._store.journal.change(change.id) or change], self.vault, self._store)

        by = replace(author, proposes=False, confirmed=True, applies_in=None)
        # This cannot come back here: an undo has nothing to verify.
        await self._locks.claim(hold, None)
        for left in reversed(range(MAX_REPLANS)):
            try:
                await self._make(planner, by, False, {}, None, hold)
            except FileOvertaken:
                if not left:
                    raise ChangeConflict(f"{why.message} Another program keeps it from being undone.") from why
            except BridgeError as error:
                raise ChangeConflict(f"{why.message} It could not be undone: {error.message}") from why
            else:
                return

    async def _apply(
        self, outcome: ChangeOutcome, ready: PreparedPlan, author: Author, accepted_proposal: Change | None
    ) -> ChangeOutcome:
        change = accepted_proposal or self._new_change(outcome, author)
        facts = replace(outcome.planned.facts, by="disk", skips_overtaken=change.facts.skips_overtaken)
        change = replace(change, state="applied", facts=facts)
        entry, steps = self._store.journal.begin(change), outcome.plan.steps
        # Before it is written: the note that has the id already is not to count for less.
        self._agree(change.facts.agreement)
        if change.facts.by_client:
            self._folder_agreement.ignore(outcome.plan.steps)
        if await self._handover.makes(change, outcome.plan, entry, self.vault):
            outcome = replace(outcome, by="obsidian")
            late = await self.take_up(steps)
        else:
            moved = trace_moves(steps, self._indexer.index.notes)
            with self._indexer.expect(step_paths(steps), moved):
                try:
                    steps = await asyncio.to_thread(
                        self.writer.write, ready, entry, skips_overtaken=outcome.skips_overtaken
                    )
                except WriteStopped:
                    raise NotReady(
                        "The bridge is stopping. What was written of the change is undone when it starts again.",
                        hint="Repeat the change then.",
                    ) from None
                except BridgeError:
                    # What was written before it failed may have been read meanwhile.
                    await self.take_up(steps)
                    raise
                if self._writer.displaced_files:
                    self.displacing.set()
                if outcome.skips_overtaken and (others := step_paths(ready.plan.steps) - step_paths(steps)):
                    outcome = outcome.without(others)
                late = (*await self._follow(moved), *await self.take_up(steps, outcome.plan.blobs))
        # Only the writer knows where a deleted file went.
        done = replace(change, steps=tuple(steps))
        left = await self._commit(done, outcome.plan.blobs)
        self.publish(change)
        return replace(outcome, change=done, warnings=(*outcome.warnings, *late, *left))

    def _agree(self, id_: str | None) -> None:
        if id_ is not None:
            self._folder_agreement.agree(self.settings, id_)

    def _new_change(self, outcome: ChangeOutcome, author: Author) -> Change:
        return Change(
            id=self._store.journal.next_id(),
            time=time.time(),
            client=author.client,
            session=author.session,
            operation=author.operation,
            reason=author.reason,
            steps=tuple(outcome.plan.steps),
            facts=replace(outcome.planned.facts, skips_overtaken=outcome.skips_overtaken),
        )

    async def _commit(self, change: Change, blobs: Blobs) -> tuple[str, ...]:
        """Commit a change to git if the user wants that; return warnings about files that were not committed."""
        if not self.settings.git_commit:
            return ()
        async with self._committing:
            done = await asyncio.to_thread(commit, self.vault.root, change, blobs.get)
        return done.warnings

    async def _follow(self, moved: Mapping[VaultPath, VaultPath]) -> tuple[str, ...]:
        """Let what is kept about notes follow them; their content may be new, so that it does not tell who they are."""
        try:
            if moved:
                await asyncio.to_thread(self._store.move, moved, journalled=True)
        except BridgeError as error:
            return (f"It is written, but what is kept about moved notes did not follow them: {error.message}",)
        return ()

    async def take_up(self, steps: Sequence[Step], blobs: Blobs = NO_BYTES) -> tuple[str, ...]:
        """Index the written files; if that fails, they stay written and the index follows later."""
        # Others' changes are shown in between; where files move, names and links are taken up together.
        most = FILES_AT_ONCE if replaces_only(steps) else max(1, len(steps))
        try:
            for start in range(0, len(steps), most):
                if self._writer.stopping.is_set():
                    # The next start finds it.
                    break
                some = steps[start : start + most]
                await self._indexer.show(step_paths(some), replaced_bytes(some, blobs))
        except BridgeError as error:
            return (f"It is written, but search does not show it yet: {error.message}",)
        return ()


def step_paths(steps: Iterable[Step]) -> set[VaultPath]:
    return {place for step in steps for place in (step.path, step.to) if place is not None}


def event_fields(change: Change) -> tuple[str, str, str | None, str, tuple[VaultPath, ...]]:
    paths = dict.fromkeys(place for step in change.steps for place in (step.path, step.to) if place)
    return change.id, change.operation, change.client, change.state, tuple(paths)[:100]
