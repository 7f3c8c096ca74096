"""Opens a vault in this process, if no bridge serves it."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bridge as program
from bridge.api.call import OWNER, Call
from bridge.api.dispatch import dispatch_call
from bridge.api.registry import Operation
from bridge.api.schemas import encode
from bridge.cli.console import print_message
from bridge.cli.progress import PATIENT_S, vault_statuses
from bridge.errors import BridgeError, NotReady, VaultHeld

# Also installs the tables that features add to the state, before a vault is opened.
from bridge.features import installed_hooks

if TYPE_CHECKING:
    from bridge.engine.bridge import Bridge
    from bridge.engine.host import Host

LOOK_EVERY_S = 0.02
DOCTOR_WAITS_S = 15.0

OTHERS_END_S = 60.0
"""Seconds to wait for another command that has the vault open."""

Report = Callable[[dict[str, Any]], None]
"""Receives the status of a vault while it is waited for."""


@asynccontextmanager
async def open_bridge(data_dir: Path, models_dir: Path, vaults: Sequence[Path]) -> "AsyncIterator[Bridge]":
    from bridge.engine.bridge import Bridge

    bridge = await start_bridge(lambda: Bridge(data_dir, models_dir, vaults, installed_hooks()))
    try:
        yield bridge
    finally:
        await erase_denied(bridge)
        await bridge.stop()


async def start_bridge(make: "Callable[[], Bridge]") -> "Bridge":
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


async def run_when_ready(
    bridge: "Bridge", operation: Operation, arguments: Mapping[str, Any], report: Report | None = None
) -> bytes:
    """Run an operation once keyword search is ready, and return its result as JSON."""
    for host in bridge.vaults.values():
        if operation.name == "doctor":
            await wait_for_diagnosis(bridge, host)
        else:
            await wait_until_readable(bridge, host, report)
        while operation.name == "status" and not host.progress().model_known:
            await host.signal.wait(LOOK_EVERY_S)
    call = Call(bridge, OWNER, client=f"vaultside/{program.__version__}", transport="command")
    return await dispatch_call(operation, call, arguments, encode)


async def erase_denied(bridge: "Bridge") -> None:
    """Wait until nothing of the denied notes is kept; what fails is tried again when the vault is next opened."""
    for host in bridge.vaults.values():
        # LanceDB's errors among them: the answer is there already.
        with contextlib.suppress(BridgeError, OSError, RuntimeError, ValueError):
            await host.vault.eraser.erase_denied()


async def wait_until_readable(bridge: "Bridge", host: "Host", report: Report | None) -> None:
    """Wait until keyword search is ready."""
    while True:
        with contextlib.suppress(NotReady):
            host.vault.require_keyword()
            return
        if report is not None:
            report(await first_vault_status(bridge))
        await asyncio.sleep(LOOK_EVERY_S)


async def wait_for_diagnosis(bridge: "Bridge", host: "Host") -> None:
    """Wait, for a limited time, until keyword search is ready or an error is found."""
    with contextlib.suppress(BridgeError, TimeoutError):
        async with asyncio.timeout(DOCTOR_WAITS_S):
            await wait_until_readable(bridge, host, None)


async def first_vault_status(bridge: "Bridge") -> dict[str, Any]:
    return (await vault_statuses(bridge))[0]
