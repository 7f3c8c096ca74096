"""The SQLite file of a vault: what neither Markdown nor a rebuild can give back."""

from bridge.store.calls import DAY_S, KEPT_DAYS, Reading, Recorded
from bridge.store.changes import Change, State, Wanted
from bridge.store.growth import Changes, Day, Size
from bridge.store.history import Entry
from bridge.store.store import Store
from bridge.store.verdicts import Verdict

__all__ = [
    "DAY_S",
    "KEPT_DAYS",
    "Change",
    "Changes",
    "Day",
    "Entry",
    "Reading",
    "Recorded",
    "Size",
    "State",
    "Store",
    "Verdict",
    "Wanted",
]
