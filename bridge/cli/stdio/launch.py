"""Starts a bridge for a vault that none serves: one for all that outlives whoever starts it, or one of our own."""

import asyncio
import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bridge.cli.serve import open_log
from bridge.cli.stdio.messages import parse_json
from bridge.errors import BridgeError, Internal
from bridge.server.runtime_file import Runtime

if sys.platform == "win32":
    DETACHED = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
else:
    DETACHED = 0


@dataclass(frozen=True, slots=True)
class SharedBridge:
    """A bridge for all, on its way."""

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
        from bridge.cli.find_bridge import RemoteError

        with self.log.open("rb") as log:
            log.seek(self.begins)
            for line in reversed(log.read().splitlines()):
                match parse_json(line):
                    case {"error": {"code": str(), "message": str()} as error}:
                        return RemoteError(error)
        return Internal("The bridge ended as soon as it was started.", hint=f"It may have said why in {self.log}.")


@dataclass(frozen=True, slots=True)
class PrivateBridge:
    """A bridge for this client alone."""

    process: "subprocess.Popen[bytes]"
    runtime: asyncio.Future[Runtime]
    """Where it listens, once it does."""

    def end(self) -> None:
        """Let it go; it goes also when this process does, whatever ends it."""
        if self.process.stdin is not None:
            self.process.stdin.close()


@dataclass(frozen=True, slots=True)
class BridgeStarter:
    """Knows what to start."""

    vault: Path
    data_dir: Path
    models_dir: Path
    log: Path
    leave_after: int
    """Seconds without a client after which a bridge for all leaves."""

    def start(self) -> SharedBridge:
        """Start a bridge for all; it says to its log, as JSON, what goes wrong.

        Raises:
            BridgeError: The log cannot be written, or nothing can be started.
        """
        descriptor = open_log(self.log)
        try:
            begins = os.fstat(descriptor).st_size
            process = start_process(
                self._words("--json", "--leave-after", str(self.leave_after)),
                stdin=subprocess.DEVNULL,
                stdout=descriptor,
                stderr=descriptor,
                # Not to hold on to the folder of whoever starts it, nor to go with its group.
                cwd=self.log.parent,
                start_new_session=True,
                creationflags=DETACHED,
            )
        finally:
            os.close(descriptor)
        # Else one that ends stays in the list of processes as if it lived.
        threading.Thread(target=process.wait, name="started", daemon=True).start()
        return SharedBridge(process, self.log, begins)

    def start_own(self) -> PrivateBridge:
        """Start a bridge of our own: it only reads, keeps nothing, and finds words but no meaning.

        Raises:
            BridgeError: Nothing can be started.
        """
        words = self._words("--fleeting", "--parent-stdin", "--print-ready")
        process = start_process(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        loop = asyncio.get_running_loop()
        runtime: asyncio.Future[Runtime] = loop.create_future()

        def hear() -> None:
            line = process.stdout.readline() if process.stdout is not None else b""
            # The loop may have ended before.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(set_runtime, runtime, line)
            process.wait()

        threading.Thread(target=hear, name="own", daemon=True).start()
        return PrivateBridge(process, runtime)

    def _words(self, *options: str) -> Sequence[str]:
        """Return the command."""
        folders = ("--data-dir", str(self.data_dir), "--models-dir", str(self.models_dir))
        return [*program_command(), "serve", *options, *folders, str(self.vault)]


def start_process(command: Sequence[str], **options: Any) -> "subprocess.Popen[bytes]":
    """Start a process.

    Raises:
        Internal: The system does not let us.
    """
    try:
        return subprocess.Popen(command, **options)
    except OSError as error:
        raise Internal(f"No bridge can be started: {error.strerror}.") from None


def set_runtime(runtime: asyncio.Future[Runtime], line: bytes) -> None:
    """Take in what a bridge said when it was ready, or that it never was."""
    match parse_json(line):
        case {"url": str(url), "token": str(token), "pid": int(pid), "version": str(version)}:
            runtime.set_result(Runtime(url, token, pid, version))
        case _:
            runtime.set_exception(Internal("The bridge did not start.", hint="It may have said why just before."))


def program_command() -> list[str]:
    """Return the command that runs this program, from whatever folder."""
    script = Path(sys.executable).with_name("vault-bridge.exe" if os.name == "nt" else "vault-bridge")
    return [str(script)] if script.exists() else [sys.executable, "-P", "-m", "bridge.cli"]
