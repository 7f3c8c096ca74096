"""Manages the reranker in use, shared by all vaults."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from bridge.errors import BridgeError, ModelMissing
from bridge.models.catalogue import SUGGESTED_RERANKER
from bridge.models.folder import InstalledModel, find_reranker
from bridge.models.model_setup import read_model_setup
from bridge.models.reranker import BUDGET_S, PassageScores, Reranker, RerankerStatus
from bridge.settings.schema import Settings

_HOW_TO_CHOOSE = (
    f"`vault-bridge models install {SUGGESTED_RERANKER}` and `vault-bridge models use {SUGGESTED_RERANKER}` add one."
)


class Rerankers:
    """Prepares the chosen reranker when it is first needed; its process starts with the first passages."""

    def __init__(self, models_dir: Path, settings: Settings) -> None:
        self.models_dir = models_dir
        self.settings = settings
        self.budget_s = BUDGET_S
        """Seconds that a search waits for scores."""
        self._reranker: Reranker | None = None

    @property
    def status(self) -> RerankerStatus | None:
        return self._reranker.status() if self._reranker is not None else None

    async def score(self, query: str, passages: Sequence[str], budget_s: float | None = None) -> PassageScores:
        """Score passages for a query; without a usable reranker, return only why there is none."""
        try:
            reranker = await self._current()
        except BridgeError as error:
            return PassageScores(problem=f"{error.message} {error.hint}".strip())
        return await reranker.score(query, passages, budget_s)

    def chosen(self) -> InstalledModel:
        """Return the chosen reranker. Blocks for small files."""
        if not self.settings.rerank_model:
            raise ModelMissing("No reranker is chosen.", hint=_HOW_TO_CHOOSE)
        if (setup := read_model_setup()) is not None:
            raise setup.error()
        return find_reranker(self.models_dir, self.settings.rerank_model)

    async def _current(self) -> Reranker:
        model = await asyncio.to_thread(self.chosen)
        if self._reranker is None or self._reranker.model != model:
            await self.close()
            self._reranker = Reranker(model, budget_s=self.budget_s)
        return self._reranker

    async def close(self) -> None:
        """End the model's process."""
        reranker, self._reranker = self._reranker, None
        if reranker is not None:
            await reranker.close()
