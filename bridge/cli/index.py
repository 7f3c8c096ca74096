"""`vault-bridge index`: reads and embeds a whole vault, then ends."""

import argparse
import asyncio
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

import orjson

from bridge.cli import find_bridge, local
from bridge.cli.console import tell
from bridge.cli.find_bridge import Folder, Served, reach
from bridge.cli.progress import IndexBar
from bridge.cli.render_status import summary
from bridge.errors import BridgeError, ModelMissing, ModelUnusable, NotReady

LOOK_EVERY_S = 0.1
STUCK_S = 30.0
"""Seconds of trouble without progress after which indexing is given up."""

Look = Callable[[], Awaitable[dict[str, Any]]]


def main(given: argparse.Namespace) -> int:
    """Index the vault that is named."""
    from bridge.cli.exit import run

    return run(index(given))


async def index(given: argparse.Namespace) -> int:
    """Index here, or watch the bridge that serves the vault do it."""
    reached = reach(given.data_dir, given.vault)
    model = await asyncio.to_thread(model_of, given)
    match reached:
        case Served(runtime, id_):

            async def ask() -> dict[str, Any]:
                answer = await asyncio.to_thread(find_bridge.call, runtime, "status", {"vault": id_})
                vault: dict[str, Any] = answer["vaults"][0]
                return vault

            vault = await followed(ask, meaning=model)
        case Folder(path):
            async with local.opened(given.data_dir, given.models_dir, [path]) as bridge:
                vault = await followed(lambda: local.state(bridge), meaning=model)
    tell(summary(vault))
    if given.json:
        sys.stdout.buffer.write(orjson.dumps(vault) + b"\n")
    return 0


def model_of(given: argparse.Namespace) -> bool:
    """Say whether there is a model to embed with, and if not, how to get one."""
    from bridge.data_folder import Folders
    from bridge.models.folder import find
    from bridge.settings.file import load

    try:
        find(given.models_dir, load(Folders(given.data_dir).settings)[0].model)
    except (ModelMissing, ModelUnusable) as error:
        tell(f"{error.message} {error.hint}")
        return False
    return True


async def followed(look: Look, *, meaning: bool) -> dict[str, Any]:
    """Wait until everything is indexed.

    Raises:
        NotReady: Indexing stands still.
    """
    before: Any = None
    moved = time.monotonic()
    with IndexBar() as bar:
        while not done(vault := await look(), meaning=meaning):
            bar.show(vault)
            now = (vault["notes"], vault["passages"], vault["pending"])
            if now != before:
                before, moved = now, time.monotonic()
            if vault["trouble"] and time.monotonic() - moved > STUCK_S:
                raise NotReady(vault["trouble"])
            if vault["paused"] and vault["ready"]["keyword"]:
                raise Paused
            await asyncio.sleep(LOOK_EVERY_S)
    return vault


class Paused(BridgeError):
    """Embedding is paused."""

    code = "not_ready"
    hint = "Run `vault-bridge resume-indexing`."


def done(vault: dict[str, Any], *, meaning: bool) -> bool:
    """Say whether nothing is left to do."""
    words = vault["ready"]["keyword"] and not vault["pending"]["keyword"]
    vectors = vault["ready"]["semantic"] and not vault["pending"]["vectors"]
    return bool(words and (vectors or not meaning or not vault["passages"]))
