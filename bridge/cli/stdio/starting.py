"""Starts a bridge that outlives whoever starts it, for a vault that none serves."""

import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from bridge.cli.log_file import open_log
from bridge.errors import BridgeError, Internal

if sys.platform == "win32":
    DETACHED = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
else:
    DETACHED = 0


@dataclass(frozen=True, slots=True)
class Started:
    """A bridge on its way."""

    process: "subprocess.Popen[bytes]"
    log: Path
    begins: int
    """Where in the log it begins to speak."""

    @property
    def has_ended(self) -> bool:
        """Whether it is gone already."""
        return self.process.poll() is not None

    def reason(self) -> BridgeError:
        """Return why it ended, as it said itself."""
        from bridge.cli.client import Refused

        with self.log.open("rb") as log:
            log.seek(self.begins)
            for line in reversed(log.read().splitlines()):
                match parsed(line):
                    case {"error": {"code": str(), "message": str()} as error}:
                        return Refused(error)
        return Internal("The bridge ended as soon as it was started.", hint=f"It may have said why in {self.log}.")


def start(words: Sequence[str], log: Path) -> Started:
    """Start a bridge in a session of its own; it says what goes wrong to its log, as JSON.

    Args:
        words: What follows `vault-bridge serve`.
        log: The log, which is made for this user only.

    Raises:
        BridgeError: The log cannot be written, or nothing can be started.
    """
    descriptor = open_log(log)
    try:
        begins = os.fstat(descriptor).st_size
        process = subprocess.Popen(
            [*program(), "serve", "--json", *words],
            stdin=subprocess.DEVNULL,
            stdout=descriptor,
            stderr=descriptor,
            # Not to hold on to the folder of whoever starts it.
            cwd=log.parent,
            start_new_session=True,
            creationflags=DETACHED,
        )
    except OSError as error:
        raise Internal(f"No bridge can be started: {error.strerror}.") from None
    finally:
        os.close(descriptor)
    # Else one that ends stays in the list of processes, as if it lived.
    threading.Thread(target=process.wait, name="started", daemon=True).start()
    return Started(process, log, begins)


def program() -> list[str]:
    """Return the command that runs this program, from whatever folder."""
    script = Path(sys.executable).with_name("vault-bridge.exe" if os.name == "nt" else "vault-bridge")
    return [str(script)] if script.exists() else [sys.executable, "-P", "-m", "bridge.cli"]


def parsed(line: bytes) -> Any:
    """Read a line of a log; None when it is no JSON."""
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
