"""Reads and prepares notes: a few in a thread, many in processes, so that the server goes on answering."""

import asyncio
import logging
import multiprocessing
import os
import threading
from collections.abc import AsyncGenerator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bridge.errors import BridgeError, VaultUnreadable
from bridge.index import Boilerplate, Prepared, prepare
from bridge.types import VaultPath
from bridge.vault import Rules, Vault, read_document, read_obsidian_settings

if TYPE_CHECKING:
    from multiprocessing.synchronize import Event

    from bridge.settings import Settings

log = logging.getLogger(__name__)

_process = threading.local()

FEW = 300
"""Up to so many notes, starting processes costs more than it brings."""

SLICE = 64
"""Notes handed to a process at a time."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How to read the files of one vault; picklable."""

    root: Path
    rules: Rules
    boilerplate: Boilerplate
    max_pdf_pages: int


@dataclass(frozen=True, slots=True)
class Unread:
    """A note that could not be read; `gone` when there is no such file any more."""

    path: VaultPath
    reason: str
    gone: bool


Outcome = Prepared | Unread


def read_all(reading: Reading, paths: Sequence[VaultPath]) -> list[Outcome]:
    """Read, parse and prepare notes, each on its own: one that fails costs only itself."""
    vault = Vault(reading.root, reading.rules)
    stopping: Event | None = getattr(_process, "stopping", None)
    return [read_one(reading, vault, path) for path in paths if stopping is None or not stopping.is_set()]


def stoppable(stopping: "Event") -> None:
    """Let what this process reads end at the next note once it is told to stop."""
    _process.stopping = stopping


def read_one(reading: Reading, vault: Vault, path: VaultPath) -> Outcome:
    """Read, parse and prepare one note."""
    try:
        data, stat = vault.read(path)
    except VaultUnreadable:
        raise
    except BridgeError as error:
        return Unread(path, error.message, gone=error.code == "note_not_found")
    note = read_document(path, data, max_pdf_pages=reading.max_pdf_pages)
    return prepare(note, stat, reading.boilerplate)


async def read_notes(reading: Reading, paths: Sequence[VaultPath]) -> AsyncGenerator[list[Outcome], None]:
    """Yield the outcome of every path, in slices as they are done."""
    slices = [paths[at : at + SLICE] for at in range(0, len(paths), SLICE)]
    if len(paths) <= FEW:
        for part in slices:
            yield await asyncio.to_thread(read_all, reading, part)
        return
    spawn = multiprocessing.get_context("spawn")
    processes = min(os.cpu_count() or 1, len(slices), 4)
    stopping = spawn.Event()
    # Spawned, never forked: LanceDB's threads do not survive a fork.
    pool = ProcessPoolExecutor(processes, spawn, stoppable, (stopping,))
    try:
        waiting = [asyncio.wrap_future(pool.submit(read_all, reading, part)) for part in slices]
        for part, future in zip(slices, waiting, strict=True):
            try:
                yield await future
            except BrokenProcessPool:
                yield await one_by_one(reading, part)
    finally:
        # Else the interpreter would wait at its end for notes that nobody wants any more.
        stopping.set()
        pool.shutdown(wait=False, cancel_futures=True)


async def one_by_one(reading: Reading, paths: Sequence[VaultPath]) -> list[Outcome]:
    """Read notes after a process died, each in a process of its own, to find the one that kills it."""
    outcomes: list[Outcome] = []
    for path in paths:
        pool = ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))
        try:
            outcomes += await asyncio.wrap_future(pool.submit(read_all, reading, [path]))
        except BrokenProcessPool:
            log.warning("A note ends the process that reads it and is left out")
            outcomes.append(Unread(path, "Reading this note ends the process that reads it.", gone=False))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
    return outcomes


def rules_of(root: Path, settings: "Settings") -> Rules:
    """Join the user's settings with Obsidian's own."""
    return Rules(
        exclude=settings.exclude,
        max_file_bytes=settings.max_file_mb * 2**20,
        ignored=read_obsidian_settings(root).ignored,
        deny=settings.deny,
        readonly=settings.readonly,
    )
