"""The result of a part of the torture tests."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Report:
    """The figures of a part."""

    faults: Mapping[str, int]
    """How often each fault occurred."""
    figures: Mapping[str, object] = field(default_factory=dict)
    """What was done."""
    examples: tuple[str, ...] = ()
    """Descriptions of some of the faults."""
