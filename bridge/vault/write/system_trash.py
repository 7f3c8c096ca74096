"""The trash of the system, where a person finds what was deleted."""

import os
import sys
from pathlib import Path


def has_trash(root: Path) -> bool:
    """Say whether the system has a trash for a folder in which somebody may look.

    On Linux a desktop makes it in the user's home; where none ever did, nobody would look there.
    """
    if sys.platform in {"darwin", "win32"}:
        return True
    place = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share", "Trash")
    try:
        return place.is_dir() and place.stat().st_dev == root.stat().st_dev
    except OSError:
        return False


def throw_away(path: str) -> None:
    """Put a file into the system's trash.

    Raises:
        OSError: The system refuses.
    """
    from send2trash import send2trash

    send2trash(path)
