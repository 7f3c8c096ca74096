"""`vaultside serve`: runs a bridge until it is stopped."""

import argparse
import asyncio
import contextlib
import os
import signal
import stat
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from bridge.cli import fetch_model
from bridge.cli.program import PROGRAM
from bridge.cli.progress import watch
from bridge.data_folder import Folders, vault_id
from bridge.index.read_ahead import read_ahead
from bridge.private_files import make_private, write_error
from bridge.server.runtime_file import SCHEMA, Runtime

if TYPE_CHECKING:
    from bridge.engine.bridge import Bridge


@contextmanager
def temporary_data_folder(data_dir: Path) -> Iterator[Path]:
    """Create a data folder for a block; the rules and clients of the user's own data folder apply in it too."""
    own = Folders(data_dir.absolute())
    with tempfile.TemporaryDirectory(prefix="vaultside-", ignore_cleanup_errors=True) as folder:
        made = Folders(Path(folder))
        made.settings.symlink_to(own.settings)
        made.tokens.symlink_to(own.tokens)
        yield made.data


MAX_OPEN_FILES = 10_240
"""The limit of macOS, and more than enough elsewhere."""


def raise_file_limit() -> None:
    """Raise the number of files that this process may have open, as far as permitted.

    LanceDB keeps two files open of each index that was replaced, and an index is replaced every few hundred edits:
    the usual thousand lasts a busy bridge for some weeks.
    """
    if sys.platform == "win32":
        return
    import resource

    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = MAX_OPEN_FILES if most == resource.RLIM_INFINITY else min(MAX_OPEN_FILES, most)
    if resource.RLIM_INFINITY not in {now, limit} and now < limit:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, most))


MAX_LOG_BYTES = 2**20
"""Size in bytes at which a log is truncated."""

LOOK_EVERY_S = 60.0


def open_log(path: Path) -> int:
    make_private(path.parent)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    except OSError as error:
        raise write_error(path, error) from None
    shorten(descriptor)
    return descriptor


def shorten(descriptor: int) -> None:
    """Truncate a log that is too large; anything but a regular file is left alone."""
    facts = os.fstat(descriptor)
    if stat.S_ISREG(facts.st_mode) and facts.st_size > MAX_LOG_BYTES:
        os.ftruncate(descriptor, 0)


async def keep_log_short(descriptor: int) -> None:
    while True:
        await asyncio.sleep(LOOK_EVERY_S)
        shorten(descriptor)


def main(given: argparse.Namespace) -> int:
    from bridge.cli.exit import run_coroutine

    raise_file_limit()
    if not given.fleeting:
        folders = Folders(given.data_dir)
        for vault in given.vaults:
            read_ahead(folders.index(vault_id(vault)))
    return run_coroutine(serve(given))


async def serve(given: argparse.Namespace) -> int:
    with (
        temporary_data_folder(given.data_dir) if given.fleeting else contextlib.nullcontext(given.data_dir) as data_dir
    ):
        # Without models, nothing is computed that would be lost.
        models_dir = data_dir / "models" if given.fleeting else given.models_dir
        return await serve_from(data_dir, models_dir, given)


async def serve_from(data_dir: Path, models_dir: Path, given: argparse.Namespace) -> int:
    from bridge.index.background import collect_rarely, pause_gc

    collect_rarely()
    with pause_gc():
        from bridge.engine.bridge import Bridge
        from bridge.features import installed_hooks
        from bridge.mcp.mount import mount
        from bridge.server.serve import serve as serve_bridge
    fetches_model = fetch_model.is_wanted(given)
    stop = asyncio.Event()
    leave_on_signal(stop)
    if given.parent_stdin:
        leave_with_parent(stop, asyncio.get_running_loop())
    bridge = Bridge(data_dir, models_dir, given.vaults, installed_hooks())
    watching = [] if given.leave_after is None else [asyncio.create_task(keep_log_short(sys.stderr.fileno()))]

    def ready(runtime: Runtime) -> None:
        if given.print_ready:
            sys.stdout.buffer.write(orjson.dumps(ready_message(bridge, runtime)) + b"\n")
            sys.stdout.buffer.flush()
        else:
            watching.append(asyncio.create_task(watch(bridge, runtime)))
            if fetches_model:
                watching.append(asyncio.create_task(fetch_model.fetch(given)))

    try:
        mounts = {"/mcp": mount}
        await serve_bridge(bridge, given.port, stop, ready, mounts, given.leave_after, reads_only=given.fleeting)
    finally:
        for task in watching:
            task.cancel()
        await asyncio.gather(*watching, return_exceptions=True)
    return 0


def leave_on_signal(stop: asyncio.Event) -> None:
    """Stop on SIGTERM and SIGINT; a second signal exits at once."""
    loop = asyncio.get_running_loop()

    def leave() -> None:
        if stop.is_set():
            os._exit(130)
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        try:
            loop.add_signal_handler(number, leave)
        except NotImplementedError:
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(leave))


def leave_with_parent(stop: asyncio.Event, loop: asyncio.AbstractEventLoop) -> None:
    """Stop when standard input ends, as it does when the process that started us exits."""

    def wait() -> None:
        # Reads below sys.stdin, whose lock a thread that still reads would hold at exit.
        try:
            while os.read(0, 4096):
                pass
        except OSError:
            pass
        loop.call_soon_threadsafe(stop.set)

    threading.Thread(target=wait, name="parent", daemon=True).start()


def ready_message(bridge: "Bridge", runtime: Runtime) -> dict[str, Any]:
    vaults = [{"id": host.id, "name": host.name, "path": str(host.root)} for host in bridge.vaults.values()]
    # By these the plugin knows that what it started is this program, and that they understand each other.
    who = {"program": PROGRAM, "protocol": SCHEMA}
    facts = {"url": runtime.url, "token": runtime.token, "pid": runtime.pid, "version": runtime.version}
    return {**who, **facts, "vaults": vaults}
