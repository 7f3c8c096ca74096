"""Manages the models in use, shared by all vaults: for embedding, for ranking and for chat."""

import asyncio
import contextlib
import logging
import os
from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np

from bridge.errors import BridgeError, ModelMissing, ModelUnusable
from bridge.models.catalogue import SUGGESTED_CHAT_MODEL, SUGGESTED_RERANKER
from bridge.models.choice import ModelChoice
from bridge.models.embedder import Embedder
from bridge.models.folder import InstalledModel, find_model, installed_models
from bridge.models.generator import Generator
from bridge.models.model_setup import ModelSetup, read_model_setup
from bridge.models.reranker import BUDGET_S, PassageScores, Reranker
from bridge.settings.schema import Settings

log = logging.getLogger(__name__)

REMEMBERED_QUERIES = 2_048


def model_key(model: InstalledModel) -> str:
    """Return the key of a model's vectors: its id and the first digits of its digest."""
    return f"{model.spec.id}-{model.digest[:12]}"


def workers_wanted(settings: Settings) -> int:
    """Return the number of embedding processes: as set, or one less than the cores and at most four."""
    return settings.workers or max(1, min(4, (os.cpu_count() or 2) - 1))


class Embedders:
    """Opens models when they are first needed and closes them at the end."""

    def __init__(self, models_dir: Path, settings: Settings) -> None:
        self.models_dir = models_dir
        self.settings = settings
        self.trouble: BridgeError | None = None
        """Why no model is available, for `status` and `doctor`."""
        self._open: dict[str, Embedder] = {}
        self._is_set_up = False
        self._queries: dict[tuple[str, str], np.ndarray] = {}

    def setup(self) -> ModelSetup | None:
        """Return why no model can be used yet; None as soon as llama.cpp is installed."""
        if not self._is_set_up and (setup := read_model_setup()) is not None:
            return setup
        if not self._is_set_up:
            # What the models waited for is no trouble any more; the next look finds what is.
            self._is_set_up, self.trouble = True, None
        return None

    def has_installed(self) -> bool:
        """Return whether there is an embedding model to choose. Blocks."""
        return any(model.spec.purpose == "embed" for model in installed_models(self.models_dir))

    async def current(self, choice: ModelChoice | None) -> Embedder | None:
        """Return the embedder of the settings' model or else of the one that fits, or None with `trouble` set."""
        if (setup := self.setup()) is not None:
            self.trouble = setup.error()
            return None
        if choice is None and not self.settings.model:
            return None
        try:
            model = await asyncio.to_thread(self._find, choice)
        except (ModelMissing, ModelUnusable) as error:
            self.trouble = error
            return None
        self.trouble = None
        return self._open_embedder(model)

    def _find(self, choice: ModelChoice | None) -> InstalledModel:
        if self.settings.model or choice is None:
            return find_model(self.models_dir, self.settings.model, "embed")
        try:
            return find_model(self.models_dir, choice.id, "embed")
        except ModelMissing:
            with contextlib.suppress(ModelMissing, ModelUnusable):
                return find_model(self.models_dir, choice.other, "embed")
            raise

    def reason(self, model: str, choice: ModelChoice | None) -> str:
        if self.settings.model or choice is None:
            return "the settings name it"
        if model == choice.id:
            return choice.reason
        return f"{choice.reason}; {choice.id} would be used if it were installed"

    async def of(self, key: str) -> Embedder | None:
        """Return the embedder whose vectors have this key; None when its model or llama.cpp is not installed."""
        if self.setup() is None and key in self._open:
            return self._open[key]
        model = await self.find_installed(key)
        return None if model is None else self._open_embedder(model)

    async def find_installed(self, key: str | None) -> InstalledModel | None:
        """Return the model whose vectors have this key; None when it or llama.cpp is not installed."""
        if key is None or self.setup() is not None:
            return None
        models = await asyncio.to_thread(installed_models, self.models_dir)
        return next((model for model in models if model_key(model) == key), None)

    def fails(self, key: str) -> bool:
        """Return whether the model whose vectors have this key failed when last used."""
        return key in self._open and self._open[key].failure is not None

    async def embed_query(self, key: str | None, text: str) -> np.ndarray | None:
        """Embed a query with the model of the searchable vectors; None when no model can."""
        embedder = await self.of(key) if key is not None else None
        if key is None or embedder is None:
            return None
        if (key, text) in self._queries:
            return self._queries[key, text]
        try:
            vector: np.ndarray = (await embedder.embed([text], query=True)).vectors[0]
        except BridgeError as error:
            log.warning("The model did not answer a query: %s", error.code)
            return None
        self._queries[key, text] = vector
        if len(self._queries) > REMEMBERED_QUERIES:
            del self._queries[next(iter(self._queries))]
        return vector

    async def known_words(self, key: str | None, words: Collection[str]) -> frozenset[str]:
        """Return those of some words that the model of the searchable vectors knows; none when no model can tell."""
        embedder = await self.of(key) if key is not None else None
        if embedder is None:
            return frozenset()
        try:
            return await embedder.known_words(words)
        except BridgeError as error:
            log.warning("The model did not say which words it knows: %s", error.code)
            return frozenset()

    async def close_except(self, keys: set[str]) -> None:
        for key in [k for k in self._open if k not in keys]:
            await self._open.pop(key).close()

    async def close(self) -> None:
        await asyncio.gather(*(embedder.close() for embedder in self._open.values()))
        self._open.clear()

    def _open_embedder(self, model: InstalledModel) -> Embedder:
        key = model_key(model)
        if key not in self._open:
            self._open[key] = Embedder(model, workers_wanted(self.settings), self.settings.unload_after_s)
        return self._open[key]


class Generators:
    """Prepares the chosen chat model when it is first needed; its process starts with the first answer."""

    def __init__(self, models_dir: Path, settings: Settings) -> None:
        self.models_dir = models_dir
        self.settings = settings
        self._generator: Generator | None = None
        self._made_for: tuple[object, ...] = ()

    @property
    def is_speaking(self) -> bool:
        return self._generator is not None and self._generator.is_speaking

    async def current(self) -> Generator:
        settings = self.settings
        if not settings.chat_model:
            raise ModelMissing(
                "No chat model is chosen.",
                hint=f"Run `vaultside models install {SUGGESTED_CHAT_MODEL}` and"
                f" `vaultside models use {SUGGESTED_CHAT_MODEL}`.",
            )
        if (setup := await asyncio.to_thread(read_model_setup)) is not None:
            raise setup.error()
        model = await asyncio.to_thread(find_model, self.models_dir, settings.chat_model, "chat")
        window = min(settings.chat_window, model.spec.window)
        wanted = (model.path, model.digest, window, settings.chat_threads, settings.chat_unload_after_s)
        if self._generator is None or wanted != self._made_for:
            await self.close()
            self._made_for = wanted
            self._generator = Generator(
                model.path, window=window, threads=settings.chat_threads, unload_after_s=settings.chat_unload_after_s
            )
        return self._generator

    async def trouble(self) -> BridgeError | None:
        """Return why no answer can be written; None if one can, as far as is known before the model is loaded."""
        try:
            await self.current()
        except BridgeError as error:
            return error
        return None

    async def close(self) -> None:
        generator, self._generator = self._generator, None
        if generator is not None:
            await generator.close()


_HOW_TO_CHOOSE = (
    f"`vaultside models install {SUGGESTED_RERANKER}` and `vaultside models use {SUGGESTED_RERANKER}` add one."
)


class Rerankers:
    """Prepares the chosen reranker when it is first needed; its process starts with the first passages."""

    def __init__(self, models_dir: Path, settings: Settings) -> None:
        self.models_dir = models_dir
        self.settings = settings
        self.budget_s = BUDGET_S
        """Seconds that a search waits for scores."""
        self.reranker: Reranker | None = None

    async def score(self, query: str, passages: Sequence[str], budget_s: float | None = None) -> PassageScores:
        """Score passages for a query; without a usable reranker, return only why there is none."""
        try:
            reranker = await self._current()
        except BridgeError as error:
            return PassageScores(problem=f"{error.message} {error.hint}".strip())
        return await reranker.score(query, passages, budget_s)

    def find_chosen(self) -> InstalledModel:
        """Return the chosen reranker. Blocks for small files."""
        if not self.settings.rerank_model:
            raise ModelMissing("No reranker is chosen.", hint=_HOW_TO_CHOOSE)
        if (setup := read_model_setup()) is not None:
            raise setup.error()
        return find_model(self.models_dir, self.settings.rerank_model, "rerank")

    async def _current(self) -> Reranker:
        model = await asyncio.to_thread(self.find_chosen)
        if self.reranker is None or self.reranker.model != model:
            await self.close()
            self.reranker = Reranker(model, budget_s=self.budget_s)
        return self.reranker

    async def close(self) -> None:
        reranker, self.reranker = self.reranker, None
        if reranker is not None:
            await reranker.close()
