"""The runtime file, by which other programs of this user find the bridge and authenticate."""

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from bridge.private_files import make_private, write_private

VIEW = "application/vnd.vaultside.view+json"
"""The content type of an operation's result together with its text view, which the command line prints."""

SCHEMA_VERSION = 1
"""Version of the file format."""


class Runtime(NamedTuple):
    """The address of a bridge and the token it accepts."""

    url: str
    token: str
    pid: int
    version: str
    schema: int = SCHEMA_VERSION


def write_runtime(path: Path, runtime: Runtime) -> None:
    """Write the file atomically, for this user only; one left by a dead process is replaced."""
    write_json(path, runtime._asdict())


def write_owner_file(path: Path, url: str, key: str) -> None:
    """Write the owner's file, for this user only: the token by which settings are changed, and its address."""
    write_json(path, {"url": url, "token": key})


def write_json(path: Path, facts: Mapping[str, Any]) -> None:
    make_private(path.parent)
    write_private(path, json.dumps(facts).encode())


def read_runtime(path: Path) -> Runtime | None:
    """Read the file; None if it is absent, damaged, or left by a process that has ended."""
    try:
        facts = json.loads(path.read_bytes())
        runtime = Runtime(**{name: facts[name] for name in ("url", "token", "pid", "version", "schema")})
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return runtime if is_alive(runtime.pid) else None


def running_bridges(data_dir: Path) -> Iterable[Runtime]:
    """Return each bridge that runs with this data folder, once."""
    found = (read_runtime(path) for path in sorted((data_dir / "run").glob("*.json")))
    return {runtime.url: runtime for runtime in found if runtime is not None}.values()


def remove_runtime(path: Path) -> None:
    runtime = read_runtime(path)
    if runtime is not None and runtime.pid == os.getpid():
        path.unlink(missing_ok=True)


def is_alive(pid: int) -> bool:
    if not isinstance(pid, int) or pid <= 0:
        return False
    if os.name == "nt":
        # A signal of 0 would end it there.
        import psutil

        return psutil.pid_exists(pid)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
