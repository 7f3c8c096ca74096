"""`vaultside index`: reads and embeds a whole vault, then ends."""

import argparse
import asyncio
import shlex
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import orjson
from msgspec import ValidationError, convert

from bridge.api.schemas import encode_default
from bridge.cli import find_bridge, local
from bridge.cli.console import print_message
from bridge.cli.exit import run_coroutine
from bridge.cli.find_bridge import ServedVault, UnservedVault, find_vault
from bridge.cli.progress import IndexBar
from bridge.cli.run_operation import OtherVersion
from bridge.data_folder import Folders
from bridge.errors import BridgeError, ModelMissing, ModelUnusable, NotReady
from bridge.features.status.public import Status, VaultStatus, summarize_vault
from bridge.models.folder import find_model, installed_models
from bridge.models.model_setup import require_llama
from bridge.settings.file import load_settings

LOOK_EVERY_S = 0.1
STUCK_S = 30.0
"""Seconds of trouble without progress after which indexing is given up."""

Look = Callable[[], Awaitable[Sequence[VaultStatus]]]


def main(given: argparse.Namespace) -> int:
    return run_coroutine(index(given))


async def index(given: argparse.Namespace) -> int:
    """Index in this process, or wait for the bridge that serves the vault to do it."""
    reached = find_vault(given.data_dir, given.vault)
    model = await asyncio.to_thread(has_model, given)
    match reached:
        case ServedVault(runtime, id_):

            async def look() -> Sequence[VaultStatus]:
                answer = await asyncio.to_thread(find_bridge.call, runtime, "status", {"vault": id_})
                try:
                    return convert(answer, Status).vaults
                except ValidationError:
                    raise OtherVersion from None

            vault = await wait_until_indexed(look, meaning=model)
        case UnservedVault(path):
            async with local.open_bridge(given.data_dir, given.models_dir, [path]) as bridge:
                vault = await wait_until_indexed(lambda: local.vault_statuses(bridge), meaning=model)
    print_message(summarize_vault(vault))
    if given.json:
        sys.stdout.buffer.write(orjson.dumps(vault, default=encode_default) + b"\n")
    return 0


def has_model(given: argparse.Namespace) -> bool:
    """Say whether there is a model to embed with; if not, print how to get one."""
    try:
        require_llama()
        if named := load_settings(Folders(given.data_dir).settings)[0].model:
            find_model(given.models_dir, named)
        elif not any(model.spec.purpose == "embed" for model in installed_models(given.models_dir)):
            vault = shlex.quote(given.vault) if Path(given.vault).is_dir() else "VAULT"
            fitting = f"`vaultside models install {vault}` fetches the one that fits these notes."
            raise ModelMissing("No model that embeds notes is installed.", hint=fitting)
    except (ModelMissing, ModelUnusable, NotReady) as error:
        print_message(f"{error.message} {error.hint}")
        return False
    return True


async def wait_until_indexed(look: Look, *, meaning: bool) -> VaultStatus:
    before: Any = None
    moved = time.monotonic()
    with IndexBar() as bar:
        while not is_indexed(vault := (await look())[0], meaning=meaning):
            bar.show([vault])
            now = (vault.notes, vault.passages, vault.pending)
            if now != before:
                before, moved = now, time.monotonic()
            if vault.trouble and time.monotonic() - moved > STUCK_S:
                raise NotReady(vault.trouble)
            if vault.paused and vault.ready.keyword:
                raise EmbeddingPaused
            await asyncio.sleep(LOOK_EVERY_S)
    return vault


class EmbeddingPaused(BridgeError):
    """Embedding is paused."""

    code = "not_ready"
    hint = "Run `vaultside resume-indexing`."


def is_indexed(vault: VaultStatus, *, meaning: bool) -> bool:
    words = vault.ready.keyword and not vault.pending.keyword
    vectors = vault.ready.semantic and not vault.pending.vectors
    return words and (vectors or not meaning or not vault.passages)
