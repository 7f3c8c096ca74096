"""Removes denied notes from all derived data: hidden at once, erased afterwards."""

import asyncio
import logging

from bridge.engine.indexer import Indexer
from bridge.engine.parser_pool import sample_texts
from bridge.errors import BridgeError, IndexUnusable
from bridge.index.boilerplate import Boilerplate
from bridge.state.store import Store
from bridge.vault.vault import Vault

log = logging.getLogger(__name__)

RETRY_S = 5.0
"""Seconds before the next try after a full disk."""


class DenyEnforcer:
    """Erases data about denied notes when the rules change, and when a note is moved into a denied path."""

    def __init__(self, indexer: Indexer, store: Store) -> None:
        self.trouble: BridgeError | None = None
        self._indexer = indexer
        self._store = store
        self._turn = asyncio.Lock()
        self._due = asyncio.Event()
        self._asked = 0
        """How often it was asked to erase again, which an erasure under way does not answer."""

    async def use(self, vault: Vault) -> None:
        """Apply changed rules; return when denied notes are erased and newly allowed ones are indexed."""
        before, self._indexer.vault = self._indexer.vault.rules, vault
        if before.deny != vault.rules.deny:
            self.hide()
        try:
            await self.erase_denied()
        finally:
            if before != vault.rules:
                await self._indexer.reconcile()

    def hide(self) -> None:
        """Hide denied notes in memory; call as soon as the rules change, before awaiting anything."""
        indexer = self._indexer
        index, rules = indexer.index, indexer.vault.rules
        indexer.hide()
        self._store.failures.remove_if(rules.denies)
        self._due.set()
        # Before anything is read: data about notes that a lifted rule lets in is stored from now on.
        still = index.folder.cleansed_globs & {*rules.deny}
        if still != index.folder.cleansed_globs:
            index.folder.keep_cleansed(still)

    def erase_again(self) -> None:
        """Erase again as if the rules were new, because data about denied notes was stored."""
        self._asked += 1
        self._indexer.index.folder.keep_cleansed(())
        self._due.set()

    async def run(self) -> None:
        """Erase whenever it is due; errors are recorded and retried."""
        while True:
            self._due.clear()
            try:
                await self.erase_denied()
                self.trouble = None
                await self._due.wait()
            except IndexUnusable:
                raise
            except BridgeError as error:
                self.trouble = error
                log.warning("What is denied is hidden but not erased yet: %s", error.code)
                await asyncio.sleep(RETRY_S)

    async def erase_denied(self) -> None:
        """Erase what the rules deny, and return when nothing of it is left."""
        async with self._turn:
            index, rules, asked = self._indexer.index, self._indexer.vault.rules, self._asked
            if await asyncio.to_thread(lambda: index.folder.cleansed_globs) == {*rules.deny}:
                return
            await asyncio.to_thread(self._store.forget, rules.denies)
            unlearnt = await self._unlearn()
            await index.erase(rules.denies)
            if self._indexer.vault.rules == rules and self._asked == asked:
                await asyncio.to_thread(index.folder.keep_cleansed, rules.deny)
            log.info("What the rules deny was erased")
        if unlearnt:
            await self._indexer.reconcile()

    async def _unlearn(self) -> bool:
        """Forget recurring lines that hardly any visible note contains."""
        index, vault = self._indexer.index, self._indexer.vault
        learnt = index.boilerplate
        if not learnt.recurring:
            return False

        def learn_again() -> Boilerplate:
            # The index may know only some of the notes yet.
            paths = self._indexer.without_agents(vault.scan(was_filled=bool(index.notes)).files)
            return learnt.among(text for _, text in sample_texts(vault, paths))

        boilerplate = await asyncio.to_thread(learn_again)
        if index.boilerplate is not learnt:
            return await self._unlearn()
        if boilerplate == learnt:
            return False
        await index.use_boilerplate(boilerplate)
        return True
