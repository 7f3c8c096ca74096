"""Opens a vault in this process, and says how far it is."""

import argparse
import asyncio
import contextlib
import shlex
import shutil
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import bridge as program
from bridge.api.call import OWNER, Call
from bridge.api.dispatch import dispatch_call, dispatch_viewed
from bridge.api.operation import Operation
from bridge.api.schemas import encode, encode_seen
from bridge.cli.console import print_message
from bridge.cli.exit import run_coroutine
from bridge.cli.progress import PATIENT_S, IndexBar
from bridge.data_folder import folder_options
from bridge.engine.bridge import Bridge
from bridge.engine.host import Host
from bridge.errors import BridgeError, NotReady, VaultHeld

# Also installs the tables that features add to the state, before a vault is opened.
from bridge.features import get_operation, installed_hooks
from bridge.features.status.public import Status, VaultStatus, summarize_vault
from bridge.server.runtime_file import Runtime

LOOK_EVERY_S = 0.02
WATCH_EVERY_S = 0.25
LOOK_FOR_MODEL_EVERY_S = 2.0
DOCTOR_WAITS_S = 15.0

OTHERS_END_S = 60.0
"""Seconds to wait for another command that has the vault open."""

Report = Callable[[Sequence[VaultStatus]], None]
"""Receives the status of the vaults while one is waited for."""


@asynccontextmanager
async def open_bridge(data_dir: Path, models_dir: Path, vaults: Sequence[Path]) -> AsyncIterator[Bridge]:
    bridge = await start_bridge(lambda: Bridge(data_dir, models_dir, vaults, installed_hooks()))
    try:
        yield bridge
    finally:
        await erase_denied(bridge)
        await bridge.stop()


async def start_bridge(make: Callable[[], Bridge]) -> Bridge:
    began, is_reported = time.monotonic(), False
    while True:
        bridge = make()
        try:
            await bridge.start()
        except VaultHeld as error:
            waited = time.monotonic() - began
            if error.facts or waited > OTHERS_END_S:
                raise
            if waited > PATIENT_S and not is_reported:
                print_message("Another command works on this vault; this one waits for it.")
                is_reported = True
            await asyncio.sleep(LOOK_EVERY_S)
        else:
            return bridge


def run_in_process(
    given: argparse.Namespace, operation: str, arguments: Mapping[str, Any], vaults: Sequence[Path], *, view: bool
) -> bytes:
    """Run an operation on vaults that no bridge serves, and return its result as JSON."""
    called = get_operation(operation)
    # Arguments that do not fit are refused before anything is opened.
    called.bind(arguments)

    async def work() -> bytes:
        async with open_bridge(given.data_dir, given.models_dir, vaults) as bridge:
            with IndexBar(patient=True) as bar:
                report = bar.show if sys.stderr.isatty() else None
                return await run_when_ready(bridge, called, arguments, report, view=view)

    return run_coroutine(work())


async def run_when_ready(
    bridge: Bridge, operation: Operation, arguments: Mapping[str, Any], report: Report | None = None, *, view: bool
) -> bytes:
    """Run an operation once keyword search is ready, and return its result as JSON, with its view if asked for."""
    for host in bridge.vaults.values():
        if operation.name == "doctor":
            # Until keyword search is ready or an error is found, but not for ever.
            with contextlib.suppress(BridgeError, TimeoutError):
                async with asyncio.timeout(DOCTOR_WAITS_S):
                    await wait_until_readable(bridge, host, None)
                    await wait_for_model(host)
        else:
            await wait_until_readable(bridge, host, report)
        if operation.name == "status":
            await wait_for_model(host)
    call = Call(bridge, OWNER, client=f"vaultside/{program.__version__}", transport="command")
    if view:
        return await dispatch_viewed(operation, call, arguments)
    return await dispatch_call(operation, call, arguments, encode)


async def wait_for_model(host: Host) -> None:
    while not host.progress().model_known:
        await host.signal.wait(LOOK_EVERY_S)


async def erase_denied(bridge: Bridge) -> None:
    """Wait until nothing of the denied notes is kept; what fails is tried again when the vault is next opened."""
    for host in bridge.vaults.values():
        # LanceDB's errors among them: the answer is there already.
        with contextlib.suppress(BridgeError, OSError, RuntimeError, ValueError):
            await host.vault.eraser.erase_denied()


async def wait_until_readable(bridge: Bridge, host: Host, report: Report | None) -> None:
    while True:
        with contextlib.suppress(NotReady):
            host.vault.require_keyword()
            return
        if report is not None:
            report(await vault_statuses(bridge))
        await asyncio.sleep(LOOK_EVERY_S)


async def watch(bridge: Bridge, runtime: Runtime) -> None:
    """Print where the bridge listens and how far indexing is, until it is complete."""
    names = ", ".join(host.name for host in bridge.vaults.values())
    folder = bridge.folders.runtime(next(iter(bridge.vaults))).parent
    print_message(f"Serving {names} at {runtime.url}, token in {folder}. Ctrl-C stops.")
    print_message(f"Search from another terminal: {search_command(bridge.data_dir)}")
    while True:
        status = await watch_until_settled(bridge)
        for vault in status:
            print_message(summarize_vault(vault))
        if not is_model_awaited(status):
            return
        while is_model_awaited(status):
            await asyncio.sleep(LOOK_FOR_MODEL_EVERY_S)
            status = await vault_statuses(bridge)


async def watch_until_settled(bridge: Bridge) -> Sequence[VaultStatus]:
    """Show progress until indexing is as complete as it can be now, and return the status of the vaults."""
    searchable, reported = False, dict[str, str]()
    with IndexBar() as bar:
        while True:
            report_closed(bridge, reported)
            status = await vault_statuses(bridge)
            bar.show(status)
            if not searchable and all(vault.ready.keyword for vault in status):
                searchable = True
            missing = bridge.embedders is not None and bridge.embedders.trouble is not None
            if searchable and all(is_settled(vault, missing=missing) for vault in status):
                return status
            await asyncio.sleep(WATCH_EVERY_S)


def report_closed(bridge: Bridge, reported: dict[str, str]) -> None:
    """Print why vaults are not open, unless that is what was reported last."""
    for host in bridge.vaults.values():
        if (error := host.trouble) is not None and reported.get(host.id) != error.message:
            reported[host.id] = error.message
            print_message(f"{host.name} is not open: {error.message} {error.hint}")


async def vault_statuses(bridge: Bridge) -> Sequence[VaultStatus]:
    status: Status = await get_operation("status").run(Call(bridge, OWNER), {})
    return encode_seen(status)[0].vaults


def is_model_awaited(vaults: Iterable[VaultStatus]) -> bool:
    """Say whether search by meaning follows once the model is there."""
    return any(vault.model_setup is not None and vault.model_setup.state == "running" for vault in vaults)


def search_command(data_dir: Path) -> str:
    # In a virtual environment that is not active, the bare name would not be found.
    program = "vaultside" if shutil.which("vaultside") else str(Path(sys.executable).with_name("vaultside"))
    return " ".join([shlex.quote(program), 'search "words"', *map(shlex.quote, folder_options(data_dir))])


def is_settled(vault: VaultStatus, *, missing: bool) -> bool:
    embedded = vault.model is not None and not vault.pending.vectors
    return not vault.pending.keyword and (missing or vault.paused or embedded)
