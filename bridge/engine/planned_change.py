"""A change as it is planned, before anything is written, what it does, and whether it did what was forecast."""

import contextlib
from collections.abc import Callable, Collection, Mapping, Sequence

from msgspec import field
from msgspec.structs import replace

from bridge.changes.draft import Draft, path_after_move
from bridge.changes.effect import Effect, SkippedFile
from bridge.changes.forecast import (
    CountedVault,
    Forecast,
    affected_by,
    compare_counts,
    explain_difference,
    measure_files,
)
from bridge.changes.path_history import VaultState
from bridge.changes.requests.base import Request
from bridge.changes.undo import hunk_states_after_undo, undo
from bridge.engine.indexer import Indexer
from bridge.errors import ExpectationFailed, NoteNotFound
from bridge.markdown.decode import digest_of
from bridge.records import Record
from bridge.state.change_records import Change, ChangeFacts
from bridge.state.store import Store
from bridge.types import Digest, VaultPath
from bridge.vault.plan import Plan
from bridge.vault.vault import Vault
from bridge.vault.write.bulk import replaces_only
from bridge.vault.write.trash import is_in_trash


class PlannedChange(Record):
    """The planned path, effect and facts of a change."""

    path: VaultPath
    """The note that the change is about, by its path afterwards."""
    effect: Effect = field(default_factory=Effect)
    facts: ChangeFacts = ChangeFacts()
    requests: Sequence[Request] = ()
    """The requests that the change comes from, if any."""
    keeps_structure: bool = False
    """Whether only words change that cannot affect the Markdown around them, so that no problem can be new."""
    forecast: Forecast | None = None
    """The counts of the vault before and after it, if they were asked for."""
    verify: Callable[[], None] | None = None
    """Called in a thread once it is written; raises ExpectationFailed if something else was done, which undoes it."""

    @property
    def skips_overtaken(self) -> bool:
        """Whether each of its notes changes on its own, so that one that is saved meanwhile can be left out."""
        may_skip = len(self.requests) == 1 and self.requests[0].skips_overtaken and not self.effect.links_rewritten
        return may_skip and self.verify is None

    def without(self, paths: Collection[VaultPath]) -> "PlannedChange":
        """Return the change as it is made when some notes are left out."""
        effect = self.effect
        skipped = (SkippedFile(path, "Another program saved it meanwhile. Repeat the change for it.") for path in paths)
        effect = replace(
            effect,
            files=tuple(path for path in effect.files if path not in paths),
            occurrences={path: count for path, count in effect.occurrences.items() if path not in paths},
            skipped=(*effect.skipped, *skipped),
        )
        return replace(self, effect=effect)

    def affects_links(self, plan: Plan) -> bool:
        """Return whether links of notes that its plan leaves alone may have to follow it."""
        return (bool(self.requests) and not self.keeps_structure) or not replaces_only(plan.steps)


def digest_after(draft: Draft, path: VaultPath) -> Digest | None:
    try:
        return digest_of(draft.read(path))
    except NoteNotFound:
        return None


def digest_before(draft: Draft, path: VaultPath) -> Digest | None:
    """Return the digest of a file before a change; None when there was no file."""
    origin = draft.origin(path)
    with contextlib.suppress(NoteNotFound):
        return None if origin is None or is_in_trash(origin) else digest_of(draft.as_read(origin))
    return None


def count_effects(plan: Plan, effect: Effect) -> Mapping[str, int]:
    # What is written before or after it is moved is one file.
    moved = {step.to for step in plan.steps if step.kind == "move" and step.to is not None}
    written = set()
    for step in reversed(plan.steps):
        if step.kind == "move":
            moved.add(step.path)
        elif step.kind in ("put", "remove") and not any(path_after_move(step.path, place, place) for place in moved):
            written.add(step.path)
    return {
        "files": len(written) + effect.moved,
        "links_rewritten": effect.links_rewritten,
        "links_broken": len(effect.broken),
    }


def require_expected(found: Mapping[str, int], expect: Mapping[str, int]) -> None:
    wrong = [
        f"{name} would be {found[name]:,}, not {count:,}" for name, count in expect.items() if found[name] != count
    ]
    if wrong:
        raise ExpectationFailed(f"The change would do something else: {', '.join(wrong)}.", effect=dict(found))


def plan_undo(
    draft: Draft, changes: Sequence[Change], vault: Vault, store: Store, hunks: Collection[int] | None = None
) -> PlannedChange:
    draft.back = True
    snapshot = store.snapshots.read_sound
    newest_first = sorted(changes, key=lambda change: change.made, reverse=True)
    undone = undo(draft, newest_first, snapshot, vault_state(vault, store), hunks)
    switches = hunk_states_after_undo(undone.changes, snapshot, store.journal.change, store.files.past, undone.hunks)
    facts = ChangeFacts(undoes=tuple(change.id for change in undone.changes), switches=switches)
    return PlannedChange(first_path(undone.changes[0]), Effect(warnings=undone.notes), facts)


def vault_state(vault: Vault, store: Store) -> VaultState:
    def has(path: VaultPath, digest: Digest) -> bool:
        try:
            return digest_of(vault.place(path).read_bytes()) == digest
        except OSError:
            return False

    return VaultState(
        inside=vault.inside,
        has=has,
        past=store.files.past,
        is_newest=store.files.is_newest,
        folders=store.files.folder_events,
        departures=store.files.departures,
    )


def first_path(change: Change) -> VaultPath:
    files = (step for step in change.steps if not step.kind.endswith("folder"))
    named = (place for step in files for place in (step.path, step.to) if place and not place.startswith("."))
    return next(named, change.steps[0].path)


class VaultCounter:
    """Counts the ordinary notes of one vault; those of agents are left out, as in the graph."""

    def __init__(self, indexer: Indexer) -> None:
        self._indexer = indexer

    def current(self) -> CountedVault:
        """Return the vault as it is; call in a thread, while nothing else changes it."""
        index, rules = self._indexer.index, self._indexer.vault.rules
        folder, notes = index.kept_apart, index.view("notes").notes
        names = self._indexer.names.copy()
        return CountedVault.over(notes, names, lambda path: rules.indexes(path, 0) and not folder.holds(path))

    def forecast(self, draft: Draft, planned: PlannedChange, expect: Mapping[str, int] | None) -> PlannedChange:
        """Add a forecast to a planned change, and the check that it comes true."""
        files = affected_by(draft, self.current())
        forecast = compare_counts(files.before, files.after)
        if expect is not None and (wrong := explain_difference(expect, forecast.difference)):
            raise ExpectationFailed(
                f"The change would do something else than was forecast: {wrong}.", hint="Plan it again.", effect=wrong
            )

        def verify() -> None:
            now = self._indexer.vault
            notes = self._indexer.index.view("notes").notes
            found = measure_files(files, notes, lambda path: now.read(path)[0], now.has)
            if wrong := explain_difference(forecast.difference, found.difference):
                raise ExpectationFailed(
                    f"The change did something else than was forecast, and was undone: {wrong}.",
                    hint="Another program may have changed the notes meanwhile. Try again.",
                    effect=wrong,
                )

        return replace(planned, forecast=forecast, verify=verify)
