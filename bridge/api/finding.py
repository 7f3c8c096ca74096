"""What a check of the bridge's health finds."""

from typing import Literal

from bridge.records import dataclass
from bridge.types import Exact

Verdict = Literal["ok", "warn", "fail"]


@dataclass(frozen=True, slots=True)
class Fix:
    """A remedy that a program can apply or offer.

    Attributes:
        label: What it does, for a button.
        command: The command line that applies it.
        operation: The operation that applies it, called without arguments; null if only a command does.
    """

    label: str
    command: Exact
    operation: Literal["reindex"] | None


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check.

    Attributes:
        check: The check.
        verdict: `ok`, `warn` or `fail`.
        message: What it found.
        do: The remedy; empty if none is needed.
        vault: The vault concerned; null for all.
        fix: The remedy, if it is a command.
    """

    check: str
    verdict: Verdict
    message: str
    do: str
    vault: str | None
    fix: Fix | None


def make_finding(check: str, verdict: Verdict, message: str, do: str = "", fix: Fix | None = None) -> Finding:
    """Make a finding that concerns no vault in particular."""
    return Finding(check, verdict, message, do, None, fix)
