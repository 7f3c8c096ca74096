"""Does one thing to one file, only if the file is as it was read; when it raises, the file is as it was.

Only when it raises `Halfway` the file may be the new one.
"""

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from bridge.errors import BridgeError
from bridge.types import Digest
from bridge.vault.open_file import FILE
from bridge.vault.write.guard import DisplacedFile, guard_file
from bridge.vault.write.handle import (
    NEW,
    PathHandle,
    changed_error,
    exists_error,
    is_same_file,
    is_unchanged,
    mark_indeterminate,
    missing_error,
    no_draft_name_error,
    open_handle,
    require_free,
    require_same,
    require_unlocked,
)
from bridge.vault.write.metadata import copy_metadata, set_new_file_metadata
from bridge.vault.write.syscalls import Disk

DRAFTS = 100
"""Names tried for a draft; the first is taken only where a crash left one that could not be cleaned up."""

REMEMBERED = 1_000
"""Files of which is known that the bridge wrote them last."""


@dataclass(frozen=True, slots=True)
class FileOps:
    """What touches the vault."""

    disk: Disk
    root: Path
    stepwise: bool
    displaced: list[DisplacedFile] = field(default_factory=list)
    """Files that lost their names lately, which a program may still write into; whoever takes one closes it."""
    _written: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)

    def at(self, path: str, keeps: Callable[[str], bool] | None = None) -> AbstractContextManager[PathHandle]:
        """Hold the folder of a path open."""
        return open_handle(self.disk, self.root, path, keeps, stepwise=self.stepwise)

    def put(self, path: str, place: PathHandle, before: Digest | None, after: Digest, data: bytes) -> None:
        """Make a file of bytes, in place of the one that was read.

        Raises:
            NoteExists: There is a file, and there must be none.
            NoteChanged: The file is not the one that was read.
            Busy: Another program is saving it.
            ReadOnly: The user made the file read-only.
            OSError: The system refuses.
            Halfway: The disk failed.
        """
        if before is None:
            require_free(path, place)
        else:
            require_unlocked(path, place)
        draft, written = self._draft(place, data)
        with self._kept_until_placed(place, draft):
            if before is None:
                self._rename_new(path, place, draft, place, place.name)
            else:
                self._replace(path, place, draft, before, after)
        with mark_indeterminate(path):
            place.sync()
            if place.digest() != after and is_unchanged(self._info(place), written):
                raise OSError(errno.EIO, "what was written reads otherwise")
        self._remember(written)

    def move(self, path: str, here: PathHandle, to: str, there: PathHandle, before: Digest | None) -> None:
        """Give a file or folder another path.

        Args:
            path: Where it is.
            here: The same, held open.
            to: Where it shall be.
            there: The same, held open.
            before: The file's digest; what is there is moved whatever it is when absent.

        Raises:
            NoteExists: There is something already.
            NoteChanged: It is not there, or not the file that was read.
            OSError: The system refuses.
        """
        if here.info is None:
            raise missing_error(path)
        if before is not None:
            require_same(path, here, before)
        if there.info is None:
            self._rename_new(to, here, here.name, there, there.name)
        elif is_same_file(here, there) and not there.is_spelled:
            # One file under two spellings of its name, on a disk to which they are one.
            self.disk.rename(here.name, there.name, src_dir_fd=here.folder, dst_dir_fd=there.folder)
        else:
            raise exists_error(to)
        with mark_indeterminate(path):
            there.sync()
            here.sync()

    def delete(self, path: str, place: PathHandle, before: Digest) -> None:
        """Delete a file that was read.

        Raises:
            NoteChanged: It is not the file that was read.
            Busy: Another program is saving it.
            OSError: The system refuses.
        """
        with guard_file(self.disk, path, place) as guard:
            require_same(path, place, before)
            aside = self._put_aside(place)
            with mark_indeterminate(path):
                # Whoever saved it in this moment wants it: only what was read is deleted.
                if place.digest(aside) == before and guard.is_untouched(place, aside):
                    self.disk.unlink(aside, dir_fd=place.folder)
                    self._watch(guard.displaced(path, before, None))
                    place.sync()
                    return
                self._rename_new(path, place, aside, place, place.name)
        raise changed_error(path)

    def throw_away(self, path: str, place: PathHandle, before: Digest) -> None:
        """Put a file that was read into the system's trash.

        Raises:
            NoteChanged: It is not the file that was read.
            OSError: The system refuses.
        """
        require_same(path, place, before)
        # By its name, as the trash wants it; what is saved in this moment goes there too, and is not lost.
        self.disk.throw_away(os.path.join(os.path.realpath(self.root), *path.split("/")))  # noqa: PTH118
        with mark_indeterminate(path):
            place.sync()

    def make_folder(self, path: str, place: PathHandle) -> None:
        """Make a folder with the rights of the one that holds it; one that is there will do.

        Raises:
            NoteExists: There is a file of that name.
            OSError: The system refuses.
        """
        if place.is_folder:
            return
        require_free(path, place)
        mode = stat.S_IMODE(place.parent().st_mode) | 0o700
        try:
            self.disk.mkdir(place.name, dir_fd=place.folder)
        except FileExistsError:
            if stat.S_ISDIR(self._info(place).st_mode):
                return
            raise exists_error(path) from None
        with contextlib.suppress(OSError):
            os.chmod(place.name, mode, dir_fd=place.folder)
        with mark_indeterminate(path):
            place.sync()

    def remove_folder(self, path: str, place: PathHandle) -> bool:
        """Take an empty folder away, and say whether it was there and empty.

        Raises:
            OSError: The system refuses.
        """
        if not place.is_folder:
            return False
        try:
            self.disk.rmdir(place.name, dir_fd=place.folder)
        except OSError as error:
            if error.errno in {errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT}:
                return False
            raise
        with mark_indeterminate(path):
            place.sync()
        return True

    def _draft(self, place: PathHandle, data: bytes) -> tuple[str, os.stat_result]:
        """Write a new file beside a place, whole and on the disk; return its name and what the system knows of it."""
        name, descriptor = self._new_draft(place)
        try:
            with self._kept_until_placed(place, name):
                left = memoryview(data)
                while left:
                    left = left[self.disk.write(descriptor, left) :]
                self._dress(place, descriptor)
                self.disk.fsync(descriptor)
                return name, self.disk.fstat(descriptor)
        finally:
            self.disk.close(descriptor)

    def _dress(self, place: PathHandle, descriptor: int) -> None:
        """Give a draft what the file has whose place it takes, or what a new one has in this folder."""
        if place.info is None:
            set_new_file_metadata(descriptor, place.parent())
            return
        old = self.disk.open(place.name, FILE, dir_fd=place.folder)
        try:
            copy_metadata(descriptor, old)
        finally:
            self.disk.close(old)

    @contextlib.contextmanager
    def _kept_until_placed(self, place: PathHandle, draft: str) -> Iterator[None]:
        """Delete a draft that does not come to its place; from the point of no return on it may be somebody's file."""
        try:
            yield
        except (OSError, BridgeError):
            with contextlib.suppress(OSError):
                self.disk.unlink(draft, dir_fd=place.folder)
            raise

    def _new_draft(self, place: PathHandle) -> tuple[str, int]:
        """Make an empty file beside a place, under the first name that nothing has."""
        for name in map(place.draft, range(DRAFTS)):
            with contextlib.suppress(FileExistsError):
                return name, self.disk.open(name, NEW, 0o600, dir_fd=place.folder)
        raise no_draft_name_error()

    def _put_aside(self, place: PathHandle) -> str:
        """Give a file the first name of a draft that nothing has."""
        for name in map(place.draft, range(DRAFTS)):
            with contextlib.suppress(FileExistsError):
                self.disk.rename_new(place.name, name, source_folder=place.folder, target_folder=place.folder)
                return name
        raise no_draft_name_error()

    def _replace(self, path: str, place: PathHandle, draft: str, before: Digest, after: Digest) -> None:
        """Put a draft in the place of the file that was read."""
        with guard_file(self.disk, path, place) as guard:
            require_same(path, place, before)
            if not self._exchange(place, draft):
                # Between the look and this call a program may replace the file by another, and lose that.
                self.disk.replace(draft, place.name, src_dir_fd=place.folder, dst_dir_fd=place.folder)
                with mark_indeterminate(path):
                    self._watch(guard.displaced(path, before, after))
                return
            with mark_indeterminate(path):
                if place.digest(draft) == before and guard.is_untouched(place, draft):
                    self.disk.unlink(draft, dir_fd=place.folder)
                    self._watch(guard.displaced(path, before, after))
                    return
                # Somebody saved in the moment between: theirs goes back, and if they did it again meanwhile, that.
                self._exchange(place, draft)
                if place.digest(draft) != after:
                    self._exchange(place, draft)
        raise changed_error(path)

    def _watch(self, file: DisplacedFile | None) -> None:
        """Remember a file that a program may still write into."""
        if file is not None:
            self.displaced.append(file)

    def is_ours(self, info: os.stat_result) -> bool:
        """Say whether a file is as the bridge wrote it."""
        written = self._written.get((info.st_dev, info.st_ino))
        return written == (info.st_mtime_ns, info.st_size)

    def _remember(self, written: os.stat_result) -> None:
        """Remember a file as the bridge wrote it; the oldest are forgotten."""
        while len(self._written) >= REMEMBERED:
            del self._written[next(iter(self._written))]
        self._written[written.st_dev, written.st_ino] = written.st_mtime_ns, written.st_size

    def _info(self, place: PathHandle) -> os.stat_result:
        """Return what the system knows now of what is at a place."""
        return self.disk.stat(place.name, dir_fd=place.folder, follow_symlinks=False)

    def _exchange(self, place: PathHandle, draft: str) -> bool:
        """Swap a place's file with a draft; False where the system cannot."""
        return self.disk.exchange(draft, place.name, folder=place.folder)

    def _rename_new(self, path: str, here: PathHandle, name: str, there: PathHandle, to: str) -> None:
        """Rename to a free name, which is a path's."""
        try:
            self.disk.rename_new(name, to, source_folder=here.folder, target_folder=there.folder)
        except FileExistsError:
            raise exists_error(path) from None
