"""What doctor looks at of changes."""

import time
from collections.abc import Sequence

from bridge.api.feature import Finding, Fix, make_finding
from bridge.engine.host import Host
from bridge.errors import BridgeError
from bridge.state.change_records import Change, ChangeFilter

MIB = 1 << 20

WEEK_S = 7 * 24 * 3600.0
"""How long a change is told of that is half made: nothing but a look at the note settles it."""

NAMED = 3
"""Notes of changes that were left half made that are named."""

WRITTEN_S = 60.0
"""Seconds after which a change that is still being written is left over."""


def check_changes(host: Host) -> Finding:
    """Look at the changes that were not settled, and at what is kept so that others can be undone."""
    try:
        store, now = host.store, time.time()
        left = sum(change.time < now - WRITTEN_S for change, _ in store.journal.find_unsettled())
        half = store.journal.changes(ChangeFilter(state="conflict", since=now - WEEK_S), 1_000)
        damaged, size = store.snapshots.count_damaged(), store.snapshots.size
    except BridgeError as error:
        return make_finding("changes", "warn", error.message, error.hint or "Ask again in a moment.")
    if half:
        fix = Fix("List them", "vault-bridge list-changes --state conflict", None)
        text = f"Changes that were left half made in the last week: {len(half)}."
        return make_finding("changes", "warn", text, f"`{fix.command}` shows them; {_look_at(host, half)}", fix)
    if left:
        return make_finding("changes", "warn", f"Changes that broke off: {left}.", "Restart: they are made whole then.")
    if damaged:
        do = "Check the disk. The notes are as they were; only changes to these versions cannot be undone."
        return make_finding(
            "changes", "warn", f"Earlier versions of notes that were damaged on the disk: {damaged}.", do
        )
    text = f"{size / MIB:.1f} of {host.settings.history_mb:,} MiB are taken by earlier versions of notes."
    if size > host.settings.history_mb * MIB:
        return make_finding("changes", "warn", text, "Accept or reject what was proposed, or raise `history_mb`.")
    return make_finding("changes", "ok", text)


def _look_at(host: Host, changes: Sequence[Change]) -> str:
    try:
        notes = host.vault.index.notes
    except BridgeError:
        return "look at their notes."
    replaced = ((step.path, step.before) for change in changes for step in change.steps if step.kind == "put")
    other = list(dict.fromkeys(path for path, before in replaced if path in notes and notes[path].digest != before))
    if not other:
        return "all their notes are as they were before."
    named = ", ".join(f"`{path}`" for path in other[:NAMED])
    more = f" and {len(other) - NAMED:,} more" if len(other) > NAMED else ""
    return f"look at {named}{more}: the others are as they were before."
