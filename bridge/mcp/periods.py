"""Stretches of time as people name them."""

from datetime import datetime, time

from bridge.errors import InvalidArguments
from bridge.operations import read_date

PERIODS = ("today", "yesterday", "3 days", "7 days", "2 weeks", "1 month")
"""What is offered; everything that `read_date` takes is understood."""


def since(written: str, now: datetime) -> str:
    """Return when a period began, as ISO 8601.

    Raises:
        InvalidArguments: It is neither a period nor a date.
    """
    try:
        begun = read_date(written, now)
    except (ValueError, OverflowError):
        raise InvalidArguments(
            f"`since` must be a date or a period, not “{written[:40]}”.",
            hint="Give a date such as 2026-01-31, or a period such as `7 days`.",
        ) from None
    return begun.isoformat() if begun.tzinfo or begun.time() != time.min else begun.date().isoformat()
