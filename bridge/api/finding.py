"""What a check of the bridge's health finds."""

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["ok", "warn", "fail"]


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check.

    Attributes:
        check: The check.
        verdict: `ok`, `warn` or `fail`.
        message: What it found.
        do: The remedy; empty if none is needed.
        vault: The vault concerned; null for all.
    """

    check: str
    verdict: Verdict
    message: str
    do: str
    vault: str | None


def make_finding(check: str, verdict: Verdict, message: str, do: str = "") -> Finding:
    """Make a finding that concerns no vault in particular."""
    return Finding(check, verdict, message, do, None)
