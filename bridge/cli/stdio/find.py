"""Chooses a vault, and finds its bridge, wherever it currently listens; starts one if there is none."""

import asyncio
import contextlib
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from bridge.cli.catalogue import program_command
from bridge.cli.serve import open_log
from bridge.cli.stdio.messages import parse_json
from bridge.data_folder import Folders, enclosing_vault, find_known_vaults, read_vault_list
from bridge.errors import BridgeError, Busy, DiskFull, Internal, NoSuchVault, ReadOnly
from bridge.private_files import modified_at
from bridge.records import Record
from bridge.server.runtime_file import Runtime, read_runtime

if sys.platform == "win32":
    DETACHED = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
else:
    DETACHED = 0


class SharedBridge(Record):
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


class PrivateBridge(Record):
    """A bridge for this client only."""

    process: subprocess.Popen[bytes]
    runtime: asyncio.Future[Runtime]
    """The address at which it listens, once it does."""

    def end(self) -> None:
        """End it; it also ends when this process does, even in a crash."""
        if self.process.stdin is not None:
            self.process.stdin.close()


class BridgeStarter(Record):
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


log = logging.getLogger(__name__)

FALLBACK_CODES = frozenset({Busy.code, ReadOnly.code, DiskFull.code})
"""Errors after which a private bridge is started, since no shared one can be."""

LOOK_EVERY_S = 0.01

RESTART_S = 2.0
"""Seconds to wait for a bridge that was running to come back: the user who stopped it may be about to restart it."""

AGAIN_S = 1.0
"""Seconds before a start is tried again while another process holds the vault."""

PATIENCE_S = 10.0
"""Seconds to wait for another process to serve the vault or release it."""

START_S = 60.0
"""Seconds to wait for a starting bridge; on an idle machine it needs about one."""


class BridgeUnavailable(BridgeError):
    """No bridge answers for this vault, and none could be started in time."""

    code = "not_ready"
    hint = "Run `vaultside serve` with the vault in a terminal: it says what is in the way."


class BridgeFinder:
    """Looks for the bridge, once for all simultaneous requests."""

    def __init__(
        self, runtime_file: Path, listens: Callable[[Runtime], Awaitable[bool]], starter: BridgeStarter
    ) -> None:
        self._file = runtime_file
        self._listens = listens
        self._starter = starter
        self._own: PrivateBridge | None = None
        self._seen = False
        self._looking: asyncio.Task[Runtime] | None = None

    def now(self) -> Runtime | None:
        """Return where the bridge listens, a shared one before a private one; None if there is none."""
        shared = read_runtime(self._file)
        if self._own is None:
            return shared
        if shared is not None or self._own.process.poll() is not None:
            self._own.end()
            self._own = None
            return shared
        return self._own.runtime.result() if self._own.runtime.done() else None

    def begin(self) -> asyncio.Task[Runtime]:
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look(), name="looking")
            # Requests that wait get the error; without any, it does not matter.
            self._looking.add_done_callback(lambda task: task.cancelled() or task.exception())
        return self._looking

    def give_up(self) -> None:
        """Stop looking, and end the private bridge."""
        if self._looking is not None:
            self._looking.cancel()
        if self._own is not None:
            self._own.end()

    async def find(self, refused: Runtime | None = None) -> Runtime:
        """Return a bridge that listens; one is started if there is none."""
        now = self.now()
        if now is not None and now != refused:
            self._seen = True
            return now
        return await asyncio.shield(self.begin())

    async def _look(self) -> Runtime:
        try:
            return await self._find_shared()
        except BridgeError as error:
            if error.code not in FALLBACK_CODES:
                raise
            log.warning("%s This client gets a bridge of its own, which only reads, and finds words alone.", error)
            self._own = self._starter.start_own()
            return await asyncio.wait_for(asyncio.shield(self._own.runtime), START_S)

    async def _find_shared(self) -> Runtime:
        """Look for a shared bridge, starting one if needed, until one listens or the time is up."""
        reason: BridgeError = BridgeUnavailable()
        began = time.monotonic()
        start_at = began + (RESTART_S if self._seen else 0.0)
        started: SharedBridge | None = None
        now: Runtime | None = None
        # One that runs is only slow, as on a busy machine.
        while time.monotonic() < began + (PATIENCE_S if started is None and now is None else START_S):
            now = self.now()
            if now is not None and await self._listens(now):
                self._seen = True
                return now
            if started is not None and started.has_ended:
                reason = started.reason()
                if reason.code != Busy.code:
                    raise reason
                # The process that holds the vault will soon serve it or release it.
                started, start_at = None, time.monotonic() + AGAIN_S
            if started is None and time.monotonic() >= start_at:
                started = self._starter.start()
            await asyncio.sleep(LOOK_EVERY_S)
        raise reason


NAME_ONE = "Run `vaultside mcp` with the folder of your notes."


def choose_vault(folders: Folders, reference: str | None, here: Path) -> Path:
    if reference is not None:
        return find_named_vault(folders, reference)
    return (
        enclosing_vault(here, read_vault_list(folders).values())
        or only_served_vault(folders)
        or last_used_vault(folders)
    )


def find_named_vault(folders: Folders, reference: str) -> Path:
    if Path(reference).is_dir():
        return Path(reference)
    match find_known_vaults(folders, reference):
        case [path]:
            return path
        case []:
            raise NoSuchVault(f"There is no folder and no known vault `{reference}`.", hint=NAME_ONE)
        case _:
            raise NoSuchVault(f"Several vaults are called `{reference}`.", hint=NAME_ONE)


def only_served_vault(folders: Folders) -> Path | None:
    match [path for id_, path in read_vault_list(folders).items() if read_runtime(folders.runtime(id_)) is not None]:
        case []:
            return None
        case [path]:
            return path
        case paths:
            names = ", ".join(f"`{path.name}`" for path in paths)
            raise NoSuchVault(
                "Several vaults are being served; choose one.", hint=f"Run `vaultside mcp` with one of {names}."
            )


def last_used_vault(folders: Folders) -> Path:
    there = {id_: path for id_, path in read_vault_list(folders).items() if path.is_dir()}
    if not there:
        raise NoSuchVault("No vault has been opened yet, so there is none to choose.", hint=NAME_ONE)
    return there[max(there, key=lambda id_: modified_at(folders.state(id_)))]
