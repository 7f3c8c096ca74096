"""Replaces the content of many files: what a single file waits for on the disk, groups of files wait for together.

All new texts are on the disk before the first of them takes the name of its file. Everything else is as for one file:
each is checked, exchanged with what was read, and read back.
"""

import contextlib
import errno
import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Final

from msgspec import Struct, field

from bridge.errors import BridgeError, Busy
from bridge.records import Record
from bridge.types import Digest
from bridge.vault.plan import Blobs, Plan, Step
from bridge.vault.write.file_ops import FileOps
from bridge.vault.write.handle import (
    FileOvertaken,
    IndeterminateWrite,
    PathHandle,
    mark_indeterminate,
    missing_error,
    require_unlocked,
)

MIN_BULK_FILES: Final = 64
"""Files from which on a change is written in groups."""

GROUP_FILES: Final = 100
"""Files of a group; each holds its folder and itself open."""


def is_bulk(plan: Plan, many: int = MIN_BULK_FILES) -> bool:
    """Return whether a plan does nothing but replace many files, each once, so that their order does not matter."""
    return len(plan.steps) >= many and replaces_only(plan.steps)


def replaces_only(steps: Sequence[Step]) -> bool:
    replaced = {step.path for step in steps if step.kind == "put" and step.before is not None}
    return len(replaced) == len(steps)


def leave_out(skips_overtaken: bool) -> contextlib.AbstractContextManager[None]:
    """Leave a file out that another program saves, if it may be; otherwise the change fails."""
    return contextlib.suppress(FileOvertaken, Busy) if skips_overtaken else contextlib.nullcontext()


class _Draft(Record):
    """A new text beside the file that it is to replace."""

    name: str
    of: os.stat_result
    """The stat result of that file when its metadata were copied."""
    written: os.stat_result
    """The draft's own."""


def _digests(step: Step) -> tuple[Digest, Digest]:
    if step.before is None or step.after is None:
        raise AssertionError(step)
    return step.before, step.after


class BulkReplacement(Struct):
    """The replacement of many files, under way."""

    file_ops: FileOps
    blobs: Blobs
    keeps: Callable[[str], bool]
    go_on: Callable[[], None]
    """Called before each file; what it raises ends the work, and nothing is tidied up."""
    done: list[Step]
    """Gets each step that is done, or may be."""
    skips_overtaken: bool = False
    """Whether files that another program saves meanwhile are left out."""
    path: str = ""
    """The file that is being dealt with."""
    _drafts: dict[str, _Draft] = field(default_factory=dict)
    """The drafts beside files that were not replaced yet, by the paths of these."""

    def run(self, steps: Sequence[Step]) -> None:
        """Replace the files."""
        groups = [steps[start : start + GROUP_FILES] for start in range(0, len(steps), GROUP_FILES)]
        try:
            for group in groups:
                self._write_drafts(group)
            for group in groups:
                self._replace(group)
        except (OSError, IndeterminateWrite, BridgeError):
            self._remove_drafts()
            raise

    def _write_drafts(self, steps: Sequence[Step]) -> None:
        """Write the new texts of a group beside its files, and wait until they are on the disk."""
        disk = self.file_ops.disk
        descriptors: list[int] = []
        try:
            for step in steps:
                self.go_on()
                self.path = step.path
                _, after = _digests(step)
                with leave_out(self.skips_overtaken), self.file_ops.at(step.path, self.keeps) as place:
                    if place.info is None:
                        raise missing_error(step.path)
                    require_unlocked(step.path, place)
                    name, descriptor = self.file_ops.write_draft(place, self.blobs[after])
                    descriptors.append(descriptor)
                    self._drafts[step.path] = _Draft(name, place.info, disk.fstat(descriptor))
            disk.sync_together(descriptors)
        finally:
            for descriptor in descriptors:
                disk.close(descriptor)

    def _replace(self, steps: Sequence[Step]) -> None:
        """Replace the files of a group, wait until their names are on the disk, and read them back."""
        disk = self.file_ops.disk
        replaced: list[tuple[Step, PathHandle, _Draft]] = []
        nameless: list[int] = []
        with ExitStack() as held:
            try:
                for step in steps:
                    if step.path not in self._drafts:
                        continue
                    self.go_on()
                    self.path = step.path
                    place = held.enter_context(self.file_ops.at(step.path, self.keeps))
                    with leave_out(self.skips_overtaken):
                        replaced.append((step, place, self._replace_one(step, place, nameless.append)))
            finally:
                disk.close_together(nameless)
            with mark_indeterminate(self.path):
                self._sync_folders([place for _, place, _ in replaced])
            for step, place, draft in replaced:
                with mark_indeterminate(step.path):
                    self.file_ops.verify(place, _digests(step)[1], draft.written)

    def _replace_one(self, step: Step, place: PathHandle, close: Callable[[int], None]) -> _Draft:
        before, after = _digests(step)
        require_unlocked(step.path, place)
        draft = self._drafts[step.path]
        if place.info is not None and place.info.st_ctime_ns != draft.of.st_ctime_ns:
            self.file_ops.dress_draft(place, draft.name)
        # From here on another program's file may have the draft's name: only `replace` removes it.
        del self._drafts[step.path]
        try:
            self.file_ops.replace(step.path, place, draft.name, before, after, close)
        except (OSError, BridgeError):
            raise
        except BaseException:
            self.done.append(step)
            raise
        self.done.append(step)
        return draft

    def _sync_folders(self, places: Sequence[PathHandle]) -> None:
        folders = {key: place for place in places if (key := self._folder_key(place)) is not None}
        try:
            self.file_ops.disk.sync_together([place.folder for place in folders.values() if place.folder is not None])
        except OSError as error:
            if error.errno not in {errno.EINVAL, errno.ENOTSUP}:
                raise
            # Some disks do not support this, and of several disks in a vault perhaps only one.
            for place in folders.values():
                place.sync()

    def _folder_key(self, place: PathHandle) -> tuple[int, int] | None:
        if place.folder is None:
            return None
        info = self.file_ops.disk.fstat(place.folder)
        return info.st_dev, info.st_ino

    def _remove_drafts(self) -> None:
        for path, draft in self._drafts.items():
            with contextlib.suppress(OSError, BridgeError), self.file_ops.at(path, self.keeps) as place:
                self.file_ops.disk.unlink(draft.name, dir_fd=place.folder)
