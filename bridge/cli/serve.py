"""`vault-bridge serve`: runs a bridge until told to leave."""

import argparse
import asyncio
import contextlib
import os
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from bridge.cli.fleeting import fleeting
from bridge.cli.log_file import keep_short
from bridge.cli.open_files import permit_many
from bridge.cli.progress import watch
from bridge.server import Runtime

if TYPE_CHECKING:
    from bridge.engine import Bridge


def main(given: argparse.Namespace) -> int:
    """Serve the vaults that are named."""
    from bridge.cli.leaving import run

    permit_many()
    return run(serve(given))


async def serve(given: argparse.Namespace) -> int:
    """Serve until a signal, or the end of standard input, says to leave."""
    with fleeting(given.data_dir) if given.fleeting else contextlib.nullcontext(given.data_dir) as data_dir:
        # Without models, nothing is computed that would be lost.
        models_dir = data_dir / "models" if given.fleeting else given.models_dir
        return await serve_from(data_dir, models_dir, given)


async def serve_from(data_dir: Path, models_dir: Path, given: argparse.Namespace) -> int:
    """Serve with these folders."""
    from bridge.engine import Bridge
    from bridge.mcp import mount
    from bridge.server import serve as serve_bridge

    stop = asyncio.Event()
    leave_on_signal(stop)
    if given.parent_stdin:
        leave_with_parent(stop, asyncio.get_running_loop())
    bridge = Bridge(data_dir, models_dir, given.vaults)
    watching = [] if given.leave_after is None else [asyncio.create_task(keep_short(sys.stderr.fileno()))]

    def ready(runtime: Runtime) -> None:
        if given.print_ready:
            sys.stdout.buffer.write(orjson.dumps(announced(bridge, runtime)) + b"\n")
            sys.stdout.buffer.flush()
        else:
            watching.append(asyncio.create_task(watch(bridge, runtime)))

    try:
        mounts = {"/mcp": mount}
        await serve_bridge(bridge, given.port, stop, ready, mounts, given.leave_after, reads_only=given.fleeting)
    finally:
        for task in watching:
            task.cancel()
        await asyncio.gather(*watching, return_exceptions=True)
    return 0


def leave_on_signal(stop: asyncio.Event) -> None:
    """Leave on SIGTERM and SIGINT; a second one ends at once."""
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
    """Leave when standard input ends, as it does when the process that started us goes."""

    def wait() -> None:
        # Below sys.stdin, whose lock a thread that still reads would hold at the end.
        try:
            while os.read(0, 4096):
                pass
        except OSError:
            pass
        loop.call_soon_threadsafe(stop.set)

    threading.Thread(target=wait, name="parent", daemon=True).start()


def announced(bridge: "Bridge", runtime: Runtime) -> dict[str, Any]:
    """Return what the ready line says."""
    vaults = [{"id": engine.id, "name": engine.name, "path": str(engine.root)} for engine in bridge.vaults.values()]
    facts = {"url": runtime.url, "token": runtime.token, "pid": runtime.pid, "version": runtime.version}
    return {**facts, "vaults": vaults}
