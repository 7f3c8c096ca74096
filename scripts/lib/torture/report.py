"""What a part of the torture found."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Report:
    """The figures of a part."""

    faults: Mapping[str, int]
    """How often happened what must never happen, by what it is."""
    figures: Mapping[str, object] = field(default_factory=dict)
    """What was done."""
    examples: tuple[str, ...] = ()
    """Some of the faults in words."""
