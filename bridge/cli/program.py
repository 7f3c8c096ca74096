"""What this program is called, and how it is started."""

import os
import sys
from pathlib import Path

PROGRAM = "vaultside"


def program_command() -> list[str]:
    """Return the words that start this program in another process."""
    script = Path(sys.executable).with_name(f"{PROGRAM}.exe" if os.name == "nt" else PROGRAM)
    return [str(script)] if script.exists() else [sys.executable, "-P", "-m", "bridge.cli"]
