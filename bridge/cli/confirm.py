"""Asks the person at the terminal."""

import sys

from bridge.errors import BridgeError


class NotConfirmed(BridgeError):
    """Nobody said yes."""

    code = "confirmation_required"
    hint = "Repeat this with `--yes`."


def is_asked() -> bool:
    """Return whether somebody at a terminal can be asked."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def confirm(question: str) -> bool:
    """Ask a question; anything but a yes, and a program that cannot be asked, is a no."""
    if not is_asked():
        return False
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().casefold() in {"y", "yes"}
