"""What an operation says before it ends: the parts of a result that are known already."""

from typing import Any

from bridge.records import dataclass


@dataclass(frozen=True, slots=True)
class StreamEvent:
    """A part of a result.

    Attributes:
        kind: What it is, such as `token`.
        data: Its value, which can be JSON.
    """

    kind: str
    data: Any


def ignore_event(event: StreamEvent) -> None:
    """Ignore an event that nobody asked for."""
