"""Starts a bridge for a vault that none serves: a shared one that outlives its starter, or a private one."""

import asyncio
import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bridge.cli.serve import open_log
from bridge.cli.stdio.messages import parse_json
from bridge.errors import BridgeError, Internal
from bridge.records import dataclass
from bridge.server.runtime_file import Runtime

if sys.platform == "win32":
    DETACHED = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
else:
    DETACHED = 0


@dataclass(frozen=True, slots=True)
class SharedBridge:
    """A shared bridge that is starting."""

    process: subprocess.Popen[bytes]
    log: Path
    begins: int
    """The offset in the log at which its output begins."""

    @property
    def has_ended(self) -> bool:
        return self.process.poll() is not None

    def reason(self) -> BridgeError:
        """Return why it ended, from its own log."""
        from bridge.cli.find_bridge import RemoteError

        with self.log.open("rb") as log:
            log.seek(self.begins)
            for line in reversed(log.read().splitlines()):
                match parse_json(line):
                    case {"error": {"code": str(), "message": str()} as error}:
                        return RemoteError(error)
        return Internal("The bridge exited right after its start.", hint=f"The reason may be in {self.log}.")


@dataclass(frozen=True, slots=True)
class PrivateBridge:
    """A bridge for this client only."""

    process: subprocess.Popen[bytes]
    runtime: asyncio.Future[Runtime]
    """The address at which it listens, once it does."""

    def end(self) -> None:
        """End it; it also ends when this process does, even in a crash."""
        if self.process.stdin is not None:
            self.process.stdin.close()


@dataclass(frozen=True, slots=True)
class BridgeStarter:
    """Starts bridges for one vault."""

    vault: Path
    data_dir: Path
    models_dir: Path
    log: Path
    leave_after: int
    """Seconds without a client after which a shared bridge exits."""

    def start(self) -> SharedBridge:
        """Start a shared bridge, which logs its errors as JSON."""
        descriptor = open_log(self.log)
        try:
            begins = os.fstat(descriptor).st_size
            process = start_process(
                self._words("--json", "--leave-after", str(self.leave_after)),
                stdin=subprocess.DEVNULL,
                stdout=descriptor,
                stderr=descriptor,
                # Neither keeps the starter's folder in use nor ends with its process group.
                cwd=self.log.parent,
                start_new_session=True,
                creationflags=DETACHED,
            )
        finally:
            os.close(descriptor)
        # A child that ends is only reaped if something waits for it.
        threading.Thread(target=process.wait, name="started", daemon=True).start()
        return SharedBridge(process, self.log, begins)

    def start_own(self) -> PrivateBridge:
        """Start a private bridge: it only reads, stores nothing, and has keyword search but no semantic search."""
        words = self._words("--fleeting", "--parent-stdin", "--print-ready")
        process = start_process(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        loop = asyncio.get_running_loop()
        runtime: asyncio.Future[Runtime] = loop.create_future()

        def hear() -> None:
            line = process.stdout.readline() if process.stdout is not None else b""
            # The loop may have closed before.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(set_runtime, runtime, line)
            process.wait()

        threading.Thread(target=hear, name="own", daemon=True).start()
        return PrivateBridge(process, runtime)

    def _words(self, *options: str) -> Sequence[str]:
        folders = ("--data-dir", str(self.data_dir), "--models-dir", str(self.models_dir))
        return [*program_command(), "serve", *options, *folders, str(self.vault)]


def start_process(command: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(command, **options)
    except OSError as error:
        raise Internal(f"No bridge can be started: {error.strerror}.") from None


def set_runtime(runtime: asyncio.Future[Runtime], line: bytes) -> None:
    """Set the address from a bridge's ready line, or an error if it never came."""
    match parse_json(line):
        case {"url": str(url), "token": str(token), "pid": int(pid), "version": str(version)}:
            runtime.set_result(Runtime(url, token, pid, version))
        case _:
            runtime.set_exception(Internal("The bridge did not start.", hint="The reason may be in the lines above."))


def program_command() -> list[str]:
    script = Path(sys.executable).with_name("vault-bridge.exe" if os.name == "nt" else "vault-bridge")
    return [str(script)] if script.exists() else [sys.executable, "-P", "-m", "bridge.cli"]
