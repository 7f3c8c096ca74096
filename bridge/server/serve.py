"""Listens, publishes the address, and cleans up when it stops."""

import asyncio
import os
import secrets
import socket
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aiohttp import log as web_log
from aiohttp import web

import bridge as program
from bridge.api.call import READER, RUNTIME
from bridge.errors import Busy
from bridge.server import errors, runtime_file
from bridge.server.app import build_application
from bridge.server.asgi import SHUTDOWN_S, Mount, mount_all
from bridge.server.presence import IDLE_TIMER, shut_down_when_idle
from bridge.server.routes import HALF_OPEN
from bridge.server.runtime_file import Runtime

if TYPE_CHECKING:
    from bridge.engine.bridge import Bridge

IDLE_S = 75.0
"""Seconds that a connection may be idle between two requests."""


async def serve(
    bridge: "Bridge",
    port: int,
    stop: asyncio.Event,
    ready: Callable[[Runtime], None],
    mounts: Mapping[str, Mount],
    leave_after: float | None = None,
    *,
    reads_only: bool = False,
) -> None:
    """Serve a bridge until told to stop.

    Args:
        bridge: The bridge; started and stopped here.
        port: The port; 0 takes a free one.
        stop: Ends the service when set.
        ready: Called once it listens.
        mounts: Apps by path, opened in the background.
        leave_after: Seconds without a client after which it stops by itself; None disables this.
        reads_only: Whether the runtime file's token only grants reading.

    Raises:
        VaultHeld: Another process holds one of the vaults.
        Busy: The port is taken.
        ReadOnly: The data folder is not writable.
    """
    await bridge.hold()
    runner = None
    tasks: list[asyncio.Task[None]] = []
    files: list[Path] = []
    keys: list[Path] = []
    try:
        listening = listen(port)
        token = secrets.token_urlsafe(32)
        key = None if reads_only else secrets.token_urlsafe(32)
        port = listening.getsockname()[1]
        app = build_application(bridge, port, token, READER if reads_only else RUNTIME, key)
        mounted = mount_all(app, bridge, port, mounts)
        web_log.server_logger.addFilter(errors.REDACTING_FILTER)
        runner = web.AppRunner(
            app,
            access_log=None,
            handle_signals=False,
            handler_cancellation=True,
            shutdown_timeout=SHUTDOWN_S,
            keepalive_timeout=IDLE_S,
        )
        await runner.setup()
        await web.SockSite(runner, listening).start()
        tasks.append(asyncio.create_task(app[HALF_OPEN].watch(runner), name="half-open connections"))
        here = Runtime(f"http://127.0.0.1:{port}", token, os.getpid(), program.__version__)
        bridge.url = here.url
        for vault in bridge.vaults:
            if key is not None:
                keys.append(bridge.folders.owner(vault))
                runtime_file.write_owner_file(keys[-1], here.url, key)
            files.append(bridge.folders.runtime(vault))
            runtime_file.write_runtime(files[-1], here)
        ready(here)
        # Only now: opening an index imports heavy libraries, which must not delay the first requests.
        bridge.begin()
        for one in mounted:
            one.open()
        if leave_after is not None:
            leaving = shut_down_when_idle(app[IDLE_TIMER], bridge, leave_after, stop)
            tasks.append(asyncio.create_task(leaving, name="leaving"))
        await stop.wait()
    finally:
        for task in tasks:
            task.cancel()
        for file in files:
            runtime_file.remove_runtime(file)
        for file in keys:
            # The process that writes it holds the vault, so it is ours.
            file.unlink(missing_ok=True)
        if runner is not None:
            await runner.cleanup()
        await bridge.stop()


def listen(port: int) -> Any:
    """Open the socket, on loopback only.

    Raises:
        Busy: The port is taken.
    """
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if os.name == "posix":
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(("127.0.0.1", port))
    except OSError as error:
        listening.close()
        raise Busy(
            f"Port {port} cannot be used: {error.strerror}.", hint="Choose another port, or 0 for a free one."
        ) from None
    listening.setblocking(False)
    return listening
