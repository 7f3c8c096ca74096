"""What a check of the bridge's health finds."""

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["ok", "warn", "fail"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        check: What was looked at.
        verdict: `ok`, `warn` or `fail`.
        message: What was found.
        do: What to do about it; empty when nothing.
        vault: The vault it concerns; null when all.
    """

    check: str
    verdict: Verdict
    message: str
    do: str
    vault: str | None


def make_finding(check: str, verdict: Verdict, message: str, do: str = "") -> Finding:
    """Make a finding that concerns no vault in particular."""
    return Finding(check, verdict, message, do, None)
