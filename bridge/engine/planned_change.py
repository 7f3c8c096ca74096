"""A change as it is planned, before anything is written."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

from bridge.changes.effect import Effect
from bridge.changes.forecast import Forecast
from bridge.changes.requests.base import Request
from bridge.records import dataclass
from bridge.types import VaultPath


@dataclass(frozen=True, slots=True)
class PlannedChange:
    """The planned path, effect and facts of a change."""

    path: VaultPath
    """The note that the change is about, by its path afterwards."""
    effect: Effect = field(default_factory=Effect)
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Kept with the change, and returned wherever it is shown."""
    requests: Sequence[Request] = ()
    """The requests that the change comes from, if any."""
    keeps_structure: bool = False
    """Whether only words change that cannot affect the Markdown around them, so that no problem can be new."""
    forecast: Forecast | None = None
    """The counts of the vault before and after it, if they were asked for."""
    verify: Callable[[], None] | None = None
    """Called in a thread once it is written; raises ExpectationFailed if something else was done, which undoes it."""
