"""Plans the undo of changes on the current vault."""

from collections.abc import Collection, Sequence

from bridge.changes.draft import Draft, digest_of
from bridge.changes.effect import Effect
from bridge.changes.path_history import VaultState
from bridge.changes.undo import hunk_states_after_undo, undo
from bridge.engine.planned_change import PlannedChange
from bridge.state.change_parts import hunk_state_facts
from bridge.state.change_records import Change
from bridge.state.store import Store
from bridge.types import Digest, VaultPath
from bridge.vault.vault import Vault


def plan_undo(
    draft: Draft, changes: Sequence[Change], vault: Vault, store: Store, hunks: Collection[int] | None = None
) -> PlannedChange:
    draft.back = True
    snapshot = store.snapshots.read
    newest_first = sorted(changes, key=lambda change: change.made, reverse=True)
    notes = undo(draft, newest_first, snapshot, vault_state(vault, store), hunks)
    switches = hunk_states_after_undo(newest_first, snapshot, store.journal.change, store.files.past, hunks)
    facts = {"undoes": [change.id for change in newest_first], **hunk_state_facts(switches)}
    return PlannedChange(first_path(newest_first[0]), Effect(warnings=notes), facts)


def vault_state(vault: Vault, store: Store) -> VaultState:
    def has(path: VaultPath, digest: Digest) -> bool:
        try:
            return digest_of((vault.root / path).read_bytes()) == digest
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
