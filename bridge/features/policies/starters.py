"""The policies that come with the bridge, from which the user's own begin."""

from functools import cache
from pathlib import Path
from typing import Final

from bridge.errors import InvalidArguments
from bridge.features.policies.parse import read_policy

_FOLDER: Final = Path(__file__).with_name("starters")

STARTERS: Final = (
    *("new-project", "meeting-note", "weekly-review", "archive-done-projects", "inbox-triage", "reading-note"),
    *("daily-roll-over", "contact", "bug", "decision"),
)


@cache
def starter_text(name: str) -> str:
    """Return the YAML of a starter."""
    if name not in STARTERS:
        raise InvalidArguments(f"There is no starter `{name[:60]}`.", hint=f"There are {', '.join(STARTERS)}.")
    return (_FOLDER / f"{name}.yaml").read_text(encoding="utf-8")


@cache
def starter_description(name: str) -> str:
    return read_policy(starter_text(name)).policy.description
