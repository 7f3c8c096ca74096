"""Stretches of time as people name them."""

import re
from datetime import datetime, timedelta

from bridge.errors import InvalidArguments

PERIODS = ("today", "yesterday", "3 days", "7 days", "2 weeks", "1 month")
"""What is offered; any number of days, weeks, months or years is understood, and so is a date."""

SPAN = re.compile(r"(?:last |past )?(?:(\d{1,4}) )?(day|week|month|year)s?")
DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}


def since(written: str, now: datetime) -> str:
    """Return when a period began, as ISO 8601.

    Raises:
        InvalidArguments: It is neither a period nor a date.
    """
    said = written.strip().casefold()
    named = {"today": 0, "yesterday": 1}
    found = SPAN.fullmatch(said)
    try:
        if said in named or found is not None:
            days = named[said] if found is None else int(found[1] or 1) * DAYS[found[2]]
            return (now.date() - timedelta(days=days)).isoformat()
        return datetime.fromisoformat(written.strip()).isoformat()
    except (ValueError, OverflowError):
        raise InvalidArguments(
            f"`since` must be a date or a period, not “{written[:40]}”.",
            hint="Give a date such as 2026-01-31, or a period such as `7 days`.",
        ) from None
