"""The SQLite file of a vault: what neither Markdown nor a rebuild can give back."""

from bridge.store.calls import DAY_S, KEPT_DAYS, Reading, Recorded
from bridge.store.growth import Changes, Day, Size
from bridge.store.history import Entry
from bridge.store.records import Change, State, Wanted, is_turning
from bridge.store.store import Store
from bridge.store.switches import REST, Switch, facts_of, parts_absent, parts_undone, switches_of
from bridge.store.trails import GRAVE, FolderEvent, Moment, without_grave
from bridge.store.verdicts import Verdict

__all__ = [
    "DAY_S",
    "GRAVE",
    "KEPT_DAYS",
    "REST",
    "Change",
    "Changes",
    "Day",
    "Entry",
    "FolderEvent",
    "Moment",
    "Reading",
    "Recorded",
    "Size",
    "State",
    "Store",
    "Switch",
    "Verdict",
    "Wanted",
    "facts_of",
    "is_turning",
    "parts_absent",
    "parts_undone",
    "switches_of",
    "without_grave",
]
