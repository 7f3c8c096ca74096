"""Keeps what the rules deny out of all that is kept: hidden at once, erased after."""

import asyncio
import logging

from bridge.engine.indexer import Indexer
from bridge.engine.parser import sample_texts
from bridge.errors import BridgeError, IndexUnusable
from bridge.state.store import Store
from bridge.vault.vault import Vault

log = logging.getLogger(__name__)

RETRY_S = 5.0
"""Seconds before another try after a full disk."""


class DenyEnforcer:
    """Erases what was kept of denied notes whenever the rules change, and when a note was moved to a denied place."""

    def __init__(self, indexer: Indexer, store: Store) -> None:
        self.trouble: BridgeError | None = None
        self._indexer = indexer
        self._store = store
        self._turn = asyncio.Lock()
        self._due = asyncio.Event()

    async def use(self, vault: Vault) -> None:
        """Take over other rules; returns when what they deny is gone and what they let in is read.

        Raises:
            BridgeError: As `done`.
        """
        before, self._indexer.vault = self._indexer.vault.rules, vault
        if before.deny != vault.rules.deny:
            self.hide()
        try:
            await self.done()
        finally:
            if before != vault.rules:
                await self._indexer.reconcile()

    def hide(self) -> None:
        """Forget in memory what the rules deny; to be called as soon as they change, before anything is awaited."""
        indexer = self._indexer
        index, rules = indexer.index, indexer.vault.rules
        indexer.hide()
        self._store.mend([path for path in self._store.failures() if rules.denies(path)])
        self._due.set()
        # Before anything is read: of what a rule let in that was lifted, something is kept from now on.
        still = index.cleansed & {*rules.deny}
        if still != index.cleansed:
            index.keep_cleansed(still)

    def erase_again(self) -> None:
        """Erase as if the rules were new: something was kept that they deny now."""
        self._indexer.index.keep_cleansed(())
        self._due.set()

    async def run(self) -> None:
        """Erase whenever there is cause; trouble is told and tried again."""
        while True:
            self._due.clear()
            try:
                await self.done()
                self.trouble = None
                await self._due.wait()
            except IndexUnusable:
                raise
            except BridgeError as error:
                self.trouble = error
                log.warning("What is denied is hidden but not erased yet: %s", error.code)
                await asyncio.sleep(RETRY_S)

    async def done(self) -> None:
        """Erase what must be, and return when nothing is left of it.

        Raises:
            DiskFull: There is no room; what is denied is hidden all the same.
            ReadOnly: The data folder cannot be written.
        """
        async with self._turn:
            index, rules = self._indexer.index, self._indexer.vault.rules
            if await asyncio.to_thread(lambda: index.cleansed) == {*rules.deny}:
                return
            await asyncio.to_thread(self._store.forget, rules.denies)
            unlearnt = await self._unlearn()
            await index.erase(rules.denies)
            if self._indexer.vault.rules == rules:
                await asyncio.to_thread(index.keep_cleansed, rules.deny)
            log.info("What the rules deny was erased")
        if unlearnt:
            await self._indexer.reconcile()

    async def _unlearn(self) -> bool:
        """Forget the recurring lines that hardly any note says that may be seen."""
        index, vault = self._indexer.index, self._indexer.vault
        learnt = index.boilerplate
        if not learnt.recurring:
            return False
        kept = await asyncio.to_thread(lambda: learnt.among(sample_texts(vault, index.notes)))
        if kept == learnt:
            return False
        await index.use_boilerplate(kept)
        return True
