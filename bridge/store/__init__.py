"""The SQLite file of a vault: what neither Markdown nor a rebuild can give back."""

from bridge.store.calls import DAY_S, KEPT_DAYS, Recorded
from bridge.store.growth import Changes, Day, Size
from bridge.store.store import Store
from bridge.store.verdicts import Verdict

__all__ = ["DAY_S", "KEPT_DAYS", "Changes", "Day", "Recorded", "Size", "Store", "Verdict"]
