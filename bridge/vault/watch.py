"""Reports what changes in a vault, once it has settled."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from pathlib import Path
from typing import Literal

from bridge.vault.notifications import Notifier, StopSignal, WatchUnavailable
from bridge.vault.poll import is_network_mount, poll_changes

log = logging.getLogger(__name__)

FEW = 32
"""More paths than this at once are a burst, such as by Git, a sync program or a moved folder."""
QUIET_MS = 120
"""A burst is reported after this long without a change …"""
LONGEST_BURST_S = 1.5
"""… or after this long."""
HEARTBEAT_MS = 1000
"""How often a silent vault is checked for its existence."""
OVERFLOW = 4000
"""With this many paths in one set, the system may have dropped some, so the whole vault is included."""


async def watch(root: Path, mode: Literal["auto", "poll"], stop: asyncio.Event) -> AsyncGenerator[frozenset[str], None]:
    """Yield the changed paths, in settled sets, until stopped; hidden files are left out.

    The first set is empty: from then on no change is missed. A set holds paths of files and folders relative to the
    vault; `Vault.look` finds out what happened to them. The empty path means the whole vault: some change may have been
    missed.
    """
    has_begun = False
    if mode == "auto" and not is_network_mount(root):
        try:
            async with aclosing(_watch_notifications(root, stop)) as notifications:
                async for changed in notifications:
                    has_begun = True
                    yield changed
        except WatchUnavailable as error:
            log.warning("The system cannot tell of changes (%s): the vault is polled instead", error)
        else:
            return
    async with aclosing(poll_changes(root, stop)) as polled:
        async for changed in polled:
            # Between the two watchers, changes may have been missed.
            yield frozenset({""}) if has_begun and not changed else changed


async def _watch_notifications(root: Path, stop: asyncio.Event) -> AsyncGenerator[frozenset[str], None]:
    loop = asyncio.get_running_loop()
    ending = StopSignal(stop)
    # A thread of its own: a few vaults would use up the loop's shared threads.
    thread = ThreadPoolExecutor(1, thread_name_prefix="watch")
    ear: Notifier | None = None
    try:
        ear = await loop.run_in_executor(thread, Notifier, root, ending)
        yield frozenset()
        while (events := await loop.run_in_executor(thread, ear.listen, HEARTBEAT_MS)) is not None:
            changed = set(events)
            until = loop.time() + LONGEST_BURST_S
            while len(changed) > FEW and loop.time() < until:
                if not (events := await loop.run_in_executor(thread, ear.listen, QUIET_MS)):
                    break
                changed |= events
            if changed:
                yield frozenset(changed | {""} if len(changed) >= OVERFLOW else changed)
    finally:
        ending.leave()
        if ear:
            thread.submit(ear.close)
        thread.shutdown(wait=False)
