"""Moments as callers write and read them."""

from datetime import datetime

from bridge.errors import InvalidArguments
from bridge.operations.hints import When


def moment(name: str, written: When | None) -> float | None:
    """Read a moment as seconds since 1970; a bare date is local midnight, a time without zone is local.

    Args:
        name: The argument it stands in, for the message.
        written: What the caller sent.

    Raises:
        InvalidArguments: It is no ISO 8601.
    """
    if written is None:
        return None
    try:
        return datetime.fromisoformat(written.strip()).astimezone().timestamp()
    except (ValueError, OverflowError, OSError):
        raise InvalidArguments(
            f"`{name}` must be a date or time in ISO 8601, such as 2026-01-31 or 2026-01-31T09:30, "
            f'not "{written[:40]}".'
        ) from None


def iso(seconds: float) -> str:
    """Write a moment in local time, to the second."""
    return datetime.fromtimestamp(seconds).astimezone().isoformat(timespec="seconds")
