"""A running `vaultside serve` as another program uses it: a process, a line of JSON, HTTP."""

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar
from urllib.parse import urlsplit

import psutil

T = TypeVar("T")

COMMAND = Path(sys.executable).with_name("vaultside")
PATIENCE_S = 300.0
"""Long, since embedding yields to everything else that runs on a machine."""


class CallFailed(Exception):
    """The sidecar answered with an error."""

    def __init__(self, status: int, answer: Any, log: str) -> None:
        super().__init__(f"{status}: {answer}\n{log}".rstrip())
        self.status = status
        self.error: dict[str, Any] = answer.get("error", {}) if isinstance(answer, dict) else {}


@dataclass(slots=True)
class Sidecar:
    """A started process; `ready` holds its ready line."""

    process: subprocess.Popen[bytes]
    log: Path
    ready: dict[str, Any]

    @classmethod
    def start(
        cls,
        *vaults: Path,
        data_dir: Path,
        models_dir: Path | None = None,
        options: Sequence[str] = (),
        before: Sequence[str] = (),
        program: Path = COMMAND,
        env: Mapping[str, str] | None = None,
        log: Path | None = None,
    ) -> Self:
        """Start it and wait for its ready line.

        Args:
            vaults: The folders to serve.
            data_dir: The folder of its index.
            models_dir: The folder of the models, if not the user's own.
            options: Further command-line options.
            before: A command that runs it, such as `strace`.
            program: The `vaultside` of another environment.
            env: Variables added to the environment.
            log: The file for its standard error; by default beside the data folder.
        """
        command = [*before, str(program), "serve", *map(str, vaults), "--data-dir", str(data_dir), "--print-ready"]
        if models_dir is not None:
            command += ["--models-dir", str(models_dir)]
        data_dir.parent.mkdir(parents=True, exist_ok=True)
        log = log or data_dir.with_name(f"{data_dir.name}.log")
        with log.open("ab") as errors:
            process = subprocess.Popen(
                [*command, *options],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env={**os.environ, **(env or {})},
            )
        return cls(process, log, {})

    def wait_ready(self) -> Self:
        """Read the ready line."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            status = self.process.wait()
            raise AssertionError(f"it ended with {status} instead of a ready line:\n{self.errors()}")
        self.ready = json.loads(line)
        return self

    def errors(self) -> str:
        """Return the end of its standard error."""
        return self.log.read_text(encoding="utf-8", errors="replace")[-6000:]

    def call(self, operation: str, **arguments: Any) -> Any:
        """Call an operation over HTTP.

        Raises:
            CallFailed: It answered with an error.
        """
        status, answer = request(self.ready["url"], self.ready["token"], operation, arguments)
        if status != http.HTTPStatus.OK:
            raise CallFailed(status, answer, "" if status < http.HTTPStatus.INTERNAL_SERVER_ERROR else self.errors())
        return answer

    def vault(self, index: int = 0) -> dict[str, Any]:
        """Return one vault's part of `status`."""
        found: dict[str, Any] = self.call("status")["vaults"][index]
        return found

    def wait_indexed(self, *, vectors: bool = True) -> dict[str, Any]:
        """Wait until nothing is pending and return the status of the first vault."""
        # Embedding takes long, and each question takes time from it.
        pause = 0.2 if vectors else 0.02
        return self.until(lambda: settled(self.vault(), vectors=vectors), "nothing is pending", pause=pause)

    def until(self, look: Callable[[], T | None], what: str, patience: float = PATIENCE_S, *, pause: float = 0.02) -> T:
        """Poll until there is a value."""
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise AssertionError(f"it ended before {what}:\n{self.errors()}")
            if found := look():
                return found
            time.sleep(pause)
        raise AssertionError(f"not within {patience:.0f} s: {what}\n{self.vault()}\n{self.errors()}")

    def stop(self, patience: float = PATIENCE_S) -> int:
        """Ask it to stop and return its exit status."""
        # Not `process`, which may be a command that runs it.
        os.kill(self.ready["pid"], signal.SIGTERM)
        return self.process.wait(patience)

    def kill(self) -> None:
        """Kill it as a crash would, at once and without cleanup."""
        with suppress(ProcessLookupError, KeyError):
            os.kill(self.ready["pid"], signal.SIGKILL)
        self.process.kill()
        self.process.wait()

    def close(self) -> None:
        """End all processes."""
        if self.process.poll() is None:
            self.kill()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()


@contextmanager
def serving(*vaults: Path, data_dir: Path, **options: Any) -> Iterator[Sidecar]:
    """Serve vaults for a block, then stop."""
    sidecar = Sidecar.start(*vaults, data_dir=data_dir, **options)
    try:
        yield sidecar.wait_ready()
        if sidecar.process.poll() is None:
            sidecar.stop()
    finally:
        sidecar.close()


def outliving(processes: Sequence[psutil.Process], patience: float = PATIENCE_S) -> list[psutil.Process]:
    """Wait for processes to end and return those that did not."""
    deadline = time.monotonic() + patience
    while alive := [process for process in processes if runs(process)]:
        if time.monotonic() > deadline:
            break
        time.sleep(0.02)
    return alive


def runs(process: psutil.Process) -> bool:
    """Say whether a process is still active: in a container, an ended one may never be reaped."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def settled(status: dict[str, Any], *, vectors: bool) -> dict[str, Any] | None:
    """Return the status when the whole vault is in the index."""
    keyword = status["ready"]["keyword"] and status["pending"]["keyword"] == 0
    meaning = status["ready"]["semantic"] and status["pending"]["vectors"] == 0
    return status if keyword and (meaning or not vectors) else None


def request(url: str, token: str, operation: str, arguments: Mapping[str, Any]) -> tuple[int, Any]:
    """Post one call and return the answer with its HTTP status."""
    place = urlsplit(url)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=PATIENCE_S)
    try:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        connection.request("POST", f"/api/{operation}", json.dumps(arguments), headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()
