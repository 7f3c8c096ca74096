"""Wires up the relay for one client, and exits when the client does."""

import argparse
import asyncio
import contextlib
import os
from functools import partial
from pathlib import Path
from typing import Any

import aiohttp

from bridge.cli.serve import leave_on_signal
from bridge.cli.stdio.choose_vault import choose_vault
from bridge.cli.stdio.endpoint import Endpoint, http_session
from bridge.cli.stdio.find import BridgeFinder
from bridge.cli.stdio.launch import BridgeStarter
from bridge.cli.stdio.pipes import InputLines, OutputLines
from bridge.cli.stdio.pump import Pump
from bridge.data_folder import Folders, default_data_dir, vault_id
from bridge.server.runtime_file import Runtime

LEAVE_AFTER_S = 600
LEAVE_AFTER_ELSEWHERE_S = 30
"""Seconds without a client after which a bridge started here exits: fewer if its data folder is not the default one,
since it is then only used to try something."""

LAST_START_S = 30.0
"""Most seconds to wait for a bridge that is still starting when the client's input has ended."""

LAST_ANSWERS_S = 10.0
"""Most seconds to wait for pending answers then, once the bridge is there."""

GOODBYE_S = 0.2
HEALTH_S = 2.0


def serve_client(given: argparse.Namespace) -> int:
    """Serve the client on standard input and output until it exits."""
    folders = Folders(given.data_dir.absolute())
    vault = choose_vault(folders, given.vault, Path.cwd()).resolve()
    # Whatever libraries print must not come between the messages.
    output = os.dup(1)
    os.dup2(2, 1)
    asyncio.run(relay(given, folders, vault, output))
    return 0


async def relay(given: argparse.Namespace, folders: Folders, vault: Path, descriptor: int) -> None:
    """Relay messages until standard input ends, nobody reads the output, or a signal arrives."""
    stop = asyncio.Event()
    leave_on_signal(stop)
    source = InputLines(0)
    call_threadsafe = asyncio.get_running_loop().call_soon_threadsafe
    output = OutputLines(descriptor, lambda: call_threadsafe(stop.set))
    id_ = vault_id(vault)
    async with http_session() as http:
        finder = BridgeFinder(folders.runtime(id_), partial(is_listening, http), make_starter(given, folders, vault))
        query = {"vault": id_, **({"preset": given.preset} if given.preset else {})}
        pump = Pump(Endpoint(http, finder, query, given.client), output.say)
        looking = finder.begin()
        carrying = asyncio.create_task(pump.run(source), name="carrying")
        await wait_for_first(carrying, source.ended, stop)
        if not carrying.done():
            await wait_for_first(looking, carrying, stop, within=LAST_START_S)
            await wait_for_first(carrying, stop, within=LAST_ANSWERS_S)
        carrying.cancel()
        finder.give_up()
        await asyncio.gather(carrying, return_exceptions=True)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(pump.end(), GOODBYE_S)
    output.close(GOODBYE_S)
    if not carrying.cancelled():
        carrying.result()


def make_starter(given: argparse.Namespace, folders: Folders, vault: Path) -> BridgeStarter:
    """Return the starter of bridges for this vault."""
    after = LEAVE_AFTER_S if folders.data == default_data_dir() else LEAVE_AFTER_ELSEWHERE_S
    return BridgeStarter(vault, folders.data, given.models_dir.absolute(), folders.log(vault_id(vault)), after)


async def is_listening(http: aiohttp.ClientSession, runtime: Runtime) -> bool:
    """Say whether a bridge listens at its recorded address."""
    try:
        async with http.get(f"{runtime.url}/healthz", timeout=aiohttp.ClientTimeout(total=HEALTH_S)) as response:
            return response.ok
    except (aiohttp.ClientError, TimeoutError):
        return False


async def wait_for_first(*what: asyncio.Future[Any] | asyncio.Event, within: float | None = None) -> None:
    """Wait until a task is done, an event is set, or a number of seconds has passed."""
    events = {asyncio.ensure_future(one.wait()) for one in what if isinstance(one, asyncio.Event)}
    tasks = {one for one in what if not isinstance(one, asyncio.Event)}
    await asyncio.wait(tasks | events, timeout=within, return_when=asyncio.FIRST_COMPLETED)
    for event in events:
        event.cancel()


__all__ = ["main"]


def main(given: argparse.Namespace) -> int:
    """Serve one client, or print its configuration."""
    if given.print_config is not None:
        from bridge.cli.stdio.print_config import print_agent_config

        return print_agent_config(given)

    return serve_client(given)
