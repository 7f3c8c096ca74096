"""Ends sessions that have become quiet."""

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bridge.engine.open_vault import OpenVault

LOOK_EVERY_S = 60.0
"""Seconds between looks for quiet sessions."""


async def end_quiet_sessions(vault: "OpenVault") -> None:
    """End the sessions without a call for half an hour, until cancelled."""
    while True:
        await asyncio.to_thread(vault.store.sessions.end_quiet)
        await asyncio.sleep(LOOK_EVERY_S)
