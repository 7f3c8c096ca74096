"""`vault-bridge serve`: runs a bridge until told to leave."""

import argparse
import asyncio
import contextlib
import os
import shutil
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from bridge.cli.fleeting import fleeting
from bridge.cli.log_file import keep_short
from bridge.server import Runtime

if TYPE_CHECKING:
    from bridge.engine import Bridge

LOOK_EVERY_S = 0.25


def main(given: argparse.Namespace) -> int:
    """Serve the vaults that are named."""
    from bridge.cli.leaving import leave, run

    return leave(run(serve(given)))


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


async def watch(bridge: "Bridge", runtime: Runtime) -> None:
    """Tell a person where the bridge listens and how far it is, until everything is indexed."""
    from bridge.cli.local import plain
    from bridge.cli.progress import IndexBar
    from bridge.operations import OWNER, Call, named

    names = ", ".join(engine.name for engine in bridge.vaults.values())
    folder = bridge.folders.runtime(next(iter(bridge.vaults))).parent
    tell(f"Serving {names} at {runtime.url}, token in {folder}. Ctrl-C stops.")
    # In a virtual environment that is not active, the name alone would not be found.
    program = "vault-bridge" if shutil.which("vault-bridge") else Path(sys.executable).with_name("vault-bridge")
    tell(f'Search from another terminal: {program} search "words"')
    searchable = False
    with IndexBar() as bar:
        while True:
            status = plain(await named("status").run(Call(bridge, OWNER), {}))["vaults"]
            bar.show(together(status))
            if not searchable and all(vault["ready"]["keyword"] for vault in status):
                searchable = True
            if searchable and all(settled(vault) for vault in status):
                break
            await asyncio.sleep(LOOK_EVERY_S)
    for vault in status:
        tell(summary(vault))


def settled(vault: dict[str, Any]) -> bool:
    """Say whether nothing is left to do that could be done now."""
    waits_for_model = vault["model"] is None or vault["paused"]
    return not vault["pending"]["keyword"] and (waits_for_model or not vault["pending"]["vectors"])


def together(vaults: list[dict[str, Any]]) -> dict[str, Any]:
    """Add up the progress of several vaults."""
    return {
        "notes": sum(vault["notes"] for vault in vaults),
        "passages": sum(vault["passages"] for vault in vaults),
        "model": next((vault["model"] for vault in vaults if vault["model"]), None),
        "pending": {kind: sum(vault["pending"][kind] for vault in vaults) for kind in ("keyword", "vectors")},
    }


def summary(vault: dict[str, Any]) -> str:
    """Say what is indexed of a vault."""
    by_meaning = "words and meaning" if vault["ready"]["semantic"] else "words only, since no model is installed"
    skipped = f", {vault['skipped']['count']:,} skipped" if vault["skipped"]["count"] else ""
    failed = f", {vault['failed']['count']:,} unreadable" if vault["failed"]["count"] else ""
    return f"{vault['name']}: {vault['notes']:,} notes{skipped}{failed}; search by {by_meaning}."


def tell(line: str) -> None:
    """Write a line to standard error."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
