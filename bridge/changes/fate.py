"""What became of a file that a change touched, as far as the journal knows."""

from collections.abc import Iterable
from typing import Literal

from bridge.store import Change
from bridge.types import Digest, VaultPath

HAPPENED = ("applied", "undone")
"""The states of changes that were made."""


def fate(changes: Iterable[Change], change: Change, now: VaultPath) -> Literal["there", "gone", "unmade"]:
    """Say what became of a file or folder.

    Args:
        changes: Those of the path where it is or was last, the oldest first.
        change: The one that touched it.
        now: That path.

    Returns:
        Whether it is there, was removed since, though another file may have its name by now, or was taken away because
        the change that had made it was turned back.
    """
    found: Literal["there", "gone", "unmade"] = "there"
    lost: Digest | None = None
    for later in changes:
        if later.id <= change.id or later.state not in HAPPENED:
            continue
        for step, place in zip(later.steps, later.now, strict=True):
            if place != now:
                continue
            match step.kind:
                case "remove" | "remove_folder" if found == "there":
                    found, lost = "unmade" if "undoes" in later.facts else "gone", step.before
                case "put" | "make_folder" if found != "there" and step.before is None and step.after == lost:
                    found = "there"
                case "move" if found != "there" and step.before == lost:
                    found = "there"
                case _:
                    pass
    return found


def is_in_force(change: Change) -> bool:
    """Say whether somebody made a change who did not turn another back, and it was not turned back itself."""
    return change.state == "applied" and "undoes" not in change.facts
