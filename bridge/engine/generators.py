"""Manages the chat model in use, shared by all vaults."""

import asyncio
from pathlib import Path

from bridge.errors import BridgeError, ModelMissing
from bridge.models.catalogue import SUGGESTED_CHAT_MODEL
from bridge.models.folder import find_chat_model
from bridge.models.generator import Generator
from bridge.models.model_setup import read_model_setup
from bridge.settings.schema import Settings


class Generators:
    """Prepares the chosen chat model when it is first needed; its process starts with the first answer."""

    def __init__(self, models_dir: Path, settings: Settings) -> None:
        self.models_dir = models_dir
        self.settings = settings
        self._generator: Generator | None = None
        self._made_for: tuple[object, ...] = ()

    @property
    def is_speaking(self) -> bool:
        """Whether an answer is being generated."""
        return self._generator is not None and self._generator.is_speaking

    async def current(self) -> Generator:
        """Return the generator of the chosen model."""
        settings = self.settings
        if not settings.chat_model:
            raise ModelMissing(
                "No chat model is chosen.",
                hint=f"Run `vault-bridge models install {SUGGESTED_CHAT_MODEL}` and"
                f" `vault-bridge models use {SUGGESTED_CHAT_MODEL}`.",
            )
        if (setup := await asyncio.to_thread(read_model_setup)) is not None:
            raise setup.error()
        model = await asyncio.to_thread(find_chat_model, self.models_dir, settings.chat_model)
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
        """End the model's process."""
        generator, self._generator = self._generator, None
        if generator is not None:
            await generator.close()
