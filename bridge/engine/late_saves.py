"""Recovers what a program saves into a file that a change has just replaced, on systems without file leases."""

import asyncio
import contextlib
import logging
import os
import time
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from bridge.changes.draft import Draft
from bridge.changes.rebase import merge_file
from bridge.engine.planned_change import PlannedChange
from bridge.engine.transactions import Author, ChangeWriter
from bridge.errors import BridgeError, NoteNotFound
from bridge.events import Signal
from bridge.markdown.decode import digest_of
from bridge.state.store import Store
from bridge.types import VaultPath
from bridge.vault.stable_read import EMPTY_S, QUIET_S
from bridge.vault.write.handle import DisplacedFile

log = logging.getLogger(__name__)

WATCHED_S = 3.0
"""Seconds for which a file is watched after it was replaced or last written."""
SAVE_CHECK_S = 0.05
MAX_TRIES = 20
"""Times that a late save which cannot be kept, such as while the note is being saved again, is tried once more."""
FINISH_S = 1.5
"""Seconds for which a stopping bridge keeps watching."""
AUTHOR = Author(
    "keep_save",
    reason="Another program was saving the note while it was changed; what it saved is kept.",
    confirmed=True,
)


class WatchedFile(Struct):
    """A displaced file and its last known states."""

    file: DisplacedFile
    current_state: tuple[int, int]
    since: float
    """When the file was first seen in this state, or last could not be kept."""
    saved_state: tuple[int, int] | None = None
    """Time and size when the vault held all of its content; unknown until it is read after it lost its name."""
    tries: int = 0
    """How often its content could not be kept."""

    def look(self, now: float) -> None:
        """Check the file again."""
        if (current_state := stat_key(os.fstat(self.file.descriptor))) != self.current_state:
            self.current_state, self.since = current_state, now

    def is_late(self, now: float) -> bool:
        return self.current_state != self.saved_state and now - self.since >= (
            QUIET_S if self.current_state[1] else EMPTY_S
        )


class LateSaves(Struct):
    """Watches displaced files for some seconds."""

    writing: ChangeWriter
    store: Store
    _watched: list[WatchedFile] = field(default_factory=list)
    _looked: Signal = field(default_factory=Signal)

    async def finish(self) -> None:
        """Return when no file is watched any more, or after a short time."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(FINISH_S):
                while self.writing.displacing.is_set():
                    await self._looked.wait()

    async def run(self) -> None:
        """Watch until cancelled."""
        try:
            while True:
                await self.writing.displacing.wait()
                await self._look(time.monotonic())
                if not self._watched and not self.writing.writer.displaced_files:
                    self.writing.displacing.clear()
                self._looked.notify()
                await asyncio.sleep(SAVE_CHECK_S)
        finally:
            for watched in self._watched:
                os.close(watched.file.descriptor)

    async def _look(self, now: float) -> None:
        """Check each file once, recover late saves, and stop watching unchanged files."""
        displaced = self.writing.writer.displaced_files
        while displaced:
            file = displaced.pop(0)
            self._watched.append(WatchedFile(file, stat_key(os.fstat(file.descriptor)), now))
        for watched in list(self._watched):
            watched.look(now)
            if watched.is_late(now):
                await self._bring_back(watched)
            if now - watched.since >= WATCHED_S:
                os.close(watched.file.descriptor)
                self._watched.remove(watched)

    async def _bring_back(self, watched: WatchedFile) -> None:
        """Write a late save to the vault, merged with the change if the two do not conflict."""
        file, watched.saved_state = watched.file, watched.current_state
        path = VaultPath(file.path)

        try:
            data = await asyncio.to_thread(read_descriptor, file.descriptor)
        except OSError as error:
            log.warning("What was saved late cannot be read: %s", error.strerror)
            return

        def draw(draft: Draft) -> PlannedChange:
            try:
                now = draft.read(path)
            except NoteNotFound:
                draft.create(path, data)
            else:
                base = self.store.snapshots.read(file.before)
                merged = None if base is None else merge_file(path, base, now, data, touching=False, alike=True)
                draft.replace(path, merged if isinstance(merged, bytes) else data)
            return PlannedChange(path)

        if digest_of(data) == file.before:
            return
        # If a program saved the note after that, its content is newer: then the user decides.
        author = replace(AUTHOR, proposes=not await asyncio.to_thread(self._is_newest, watched))
        try:
            await self.writing.make(draw, {path}, author)
        except BridgeError as error:
            log.warning("What was saved late could not be kept yet: %s", error.code)
            watched.saved_state = None
            watched.tries += 1
            if watched.tries < MAX_TRIES:
                # A try may take as long as the file is watched.
                watched.since = time.monotonic()

    def _is_newest(self, watched: WatchedFile) -> bool:
        try:
            info = Path(self.writing.vault.root, watched.file.path).stat()
        except OSError:
            return True
        return self.writing.writer.is_ours(info) or info.st_mtime_ns <= watched.current_state[0]


def stat_key(info: os.stat_result) -> tuple[int, int]:
    return info.st_mtime_ns, info.st_size


def read_descriptor(descriptor: int) -> bytes:
    with open(os.dup(descriptor), "rb") as file:  # noqa: PTH123 - a descriptor
        file.seek(0)
        return file.read()
