"""What features do in an open vault: tasks beside those of its parts, and calls with each indexed batch."""

import asyncio
import logging
import traceback
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

from bridge.changes.draft import Draft
from bridge.changes.requests.base import Request
from bridge.engine.open_vault import OpenVault
from bridge.errors import BridgeError, IndexUnusable
from bridge.index.note import IndexedNote
from bridge.records import Record

log = logging.getLogger(__name__)

AGAIN_AFTER_S = 60.0
"""Seconds before a task that failed is started again."""

STOP_S = 1.0
"""Seconds that a feature may take to finish when the bridge stops."""

VaultTask = Callable[[OpenVault], Coroutine[Any, Any, None]]
"""Runs as long as the vault is open, until it is cancelled."""

BatchHook = Callable[[OpenVault, Sequence[IndexedNote]], None]
"""Called on the event loop with the notes of each batch, as soon as search finds them."""


DraftHook = Callable[[OpenVault, str | None, Sequence[Request]], Awaitable[Callable[[Draft], None] | None]]
"""Called with a client and its requests; returns what completes their draft, or None."""


class Hooks(Record):
    """The tasks and calls of all features; a failing one stops neither the vault nor the others."""

    tasks: tuple[VaultTask, ...] = ()
    on_indexed: tuple[BatchHook, ...] = ()
    on_stop: tuple[VaultTask, ...] = ()
    on_draft: tuple[DraftHook, ...] = ()

    def start(self, vault: OpenVault) -> list[Coroutine[Any, Any, None]]:
        return [run_task(task, vault) for task in self.tasks]

    def notify_indexed(self, vault: OpenVault, notes: Sequence[IndexedNote]) -> None:
        for hook in self.on_indexed if notes else ():
            try:
                hook(vault, notes)
            except Exception as error:  # noqa: BLE001 - indexing goes on whatever a feature does
                log.warning("A feature does not take up what was indexed: %s", describe_failure(error))

    async def complete_draft(
        self, vault: OpenVault, client: str | None, requests: Sequence[Request]
    ) -> Callable[[Draft], None]:
        completions = [await hook(vault, client, requests) for hook in self.on_draft]

        def complete(draft: Draft) -> None:
            for completion in filter(None, completions):
                completion(draft)

        return complete

    async def stop(self, vault: OpenVault) -> None:
        """Let features finish, while the vault still answers; one that takes too long is cut off."""
        finishing = [asyncio.create_task(self._finish(hook, vault)) for hook in self.on_stop]
        if finishing:
            _, late = await asyncio.wait(finishing, timeout=STOP_S)
            for task in late:
                # Not awaited: a change that it has begun to write goes on, and is waited for as others are.
                log.warning("A feature does not finish in time")
                task.cancel()

    @staticmethod
    async def _finish(hook: VaultTask, vault: OpenVault) -> None:
        try:
            await hook(vault)
        except Exception as error:  # noqa: BLE001 - the bridge stops whatever a feature does
            log.warning("A feature does not finish: %s", describe_failure(error))


NO_HOOKS = Hooks()


async def run_task(task: VaultTask, vault: OpenVault) -> None:
    while True:
        try:
            return await task(vault)
        except IndexUnusable:
            raise
        except Exception as error:  # noqa: BLE001 - the top of the task
            log.warning("A task of a feature broke off: %s", describe_failure(error))
        await asyncio.sleep(AGAIN_AFTER_S)


def describe_failure(error: Exception) -> str:
    """Return what failed and where, without any note content."""
    if isinstance(error, BridgeError):
        return error.code
    place = traceback.extract_tb(error.__traceback__)[-1:]
    return type(error).__name__ + "".join(f" at {Path(frame.filename).name}:{frame.lineno}" for frame in place)
