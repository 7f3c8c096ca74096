"""Finds and reads a vault's files."""

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePath

from bridge.errors import BridgeError, NoteNotFound, NoteUnreadable, OutsideVault, PathKept, TooLarge, VaultUnreadable
from bridge.text.fold import nfc
from bridge.types import VaultPath
from bridge.vault.open_file import open_inside, place_on_disk, relative_path
from bridge.vault.paths import display_path, parents, vault_path
from bridge.vault.rules import Rules
from bridge.vault.scan import Scan, Stat, Walk, denied_files, require_listing

CHUNK_BYTES = 1024 * 1024


class Vault:
    """One folder of notes; nothing here writes, and nothing outside the folder is read."""

    def __init__(self, root: Path, rules: Rules) -> None:
        """Create a vault; the folder is not read yet."""
        self.root = root
        self.rules = rules
        self._held_something = False

    def scan(self, *, was_filled: bool = False) -> Scan:
        """Find every file."""
        walk = Walk(self.root, self.rules)
        walk.walk_all()
        if not walk.files and not walk.others:
            self.require_mounted(was_filled=was_filled)
        self._held_something = self._held_something or bool(walk.files or walk.others)
        return walk.finish()

    def require_mounted(self, *, was_filled: bool) -> None:
        """Treat a completely empty folder as a disk that is not mounted."""
        if (was_filled or self._held_something) and is_empty_folder(self.root):
            raise VaultUnreadable(
                f"The vault folder {self.root} is empty, but had notes before.",
                hint="Connect its disk. If you emptied it yourself, put any file into it, or remove the vault.",
            )

    def look(self, paths: Iterable[str]) -> Scan:
        """Find the current files at some paths and, for folders, below them.

        A known file at or below one of the paths that is not found is gone; the scan covers no other files.
        """
        clean = {path.strip("/") for path in paths}
        if "" in clean:
            return self.scan()
        walk = Walk(self.root, self.rules)
        for path in sorted(clean):
            if not clean.isdisjoint(parents(path)):
                # It is found with its folder.
                continue
            try:
                known = vault_path(path)
            except BridgeError:
                continue
            walk.one(known)
        require_listing(self.root)
        return walk.finish()

    def stat(self, path: VaultPath) -> Stat | None:
        """Return a document's state; None when it is gone, not a document, or left out of the index."""
        return self.look([path]).files.get(path)

    def moved_to_denied(self, lost: Mapping[Stat, VaultPath]) -> Mapping[VaultPath, VaultPath]:
        """Return the missing files that are now at a denied path, each with that path."""
        found = denied_files(self.root, self.rules) if self.rules.deny and lost else ()
        return {lost[stat]: path for stat, path in found if stat in lost}

    def read(self, path: VaultPath) -> tuple[bytes, Stat]:
        """Return a file's bytes, even if left out of the index, with its state before it was read."""
        with self.open(path) as descriptor:
            return self.read_open(path, descriptor)

    @contextmanager
    def open(self, path: VaultPath) -> Iterator[int]:
        """Open a file for reading; yields its descriptor, and raises as `read`."""
        descriptor = open_inside(self.root, vault_path(path), self.rules.denies)
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def read_open(self, path: VaultPath, descriptor: int) -> tuple[bytes, Stat]:
        """Return the bytes of a file that `open` opened, with its state before it was read; raises as `read`."""
        data, before, after = self._read(path, descriptor)
        if (before, before.changed_ns) != (after, after.changed_ns) or len(data) != before.size:
            # It is still being written: with the earlier times, the next comparison finds later writes.
            os.lseek(descriptor, 0, os.SEEK_SET)
            data, before, _ = self._read(path, descriptor)
        return data, before

    def locate(self, path: str) -> VaultPath:
        """Validate a path from a client, relative or absolute; the file need not exist."""
        whole = PurePath(path)
        if whole.is_absolute() and whole.is_relative_to(self.root):
            path = whole.relative_to(self.root).as_posix()
        # A folder may be named by a space; a client that sends one has no path.
        return vault_path(path if path.strip() else "")

    def place(self, path: str) -> Path:
        """Return where a path is on the disk, which may spell it otherwise."""
        return place_on_disk(self.root, path)

    def has(self, path: VaultPath) -> bool:
        """Return whether there is a file or folder, even one that is unreadable or not indexed."""
        return not self.rules.denies(path) and os.path.lexists(self.place(path))

    def is_read_only(self, path: VaultPath) -> bool:
        """Return whether a file that is there, or its folder, cannot be written."""
        place = self.place(path)
        try:
            return not place.stat().st_mode & 0o222 or not os.access(place.parent, os.W_OK)
        except OSError:
            return False

    def inside(self, folder: VaultPath) -> Collection[VaultPath]:
        """Return the paths directly in a folder, including hidden files; empty when there is no such folder."""
        try:
            with os.scandir(self.place(folder)) as listing:
                return [VaultPath(f"{folder}/{nfc(entry.name)}") for entry in listing]
        except OSError:
            return ()

    def require_writable(self, path: VaultPath, folders: dict[str, str] | None = None) -> None:
        """Require that a path may be written, whether or not the file exists."""
        behind = self._behind(path, {} if folders is None else folders)
        if behind is None:
            raise OutsideVault(f"`{display_path(path)}` leads out of the vault through a symbolic link.")
        # The same message whether or not the file exists: the error must not reveal it.
        if self.rules.keeps(path) or self.rules.keeps(nfc(behind)):
            raise PathKept(f"`{display_path(path)}` may not be changed: the user's settings protect it.")

    def _behind(self, path: VaultPath, folders: dict[str, str]) -> str | None:
        top, folder = os.fspath(self.root), os.path.dirname(os.path.join(self.root, path))  # noqa: PTH118, PTH120
        for each in (top, folder):
            if each not in folders:
                folders[each] = os.path.realpath(each)
        place = os.path.join(folders[folder], path.rpartition("/")[2])  # noqa: PTH118
        # Windows has junctions too, and short names for long ones.
        is_other = os.name == "nt" or os.path.islink(place)  # noqa: PTH114
        return relative_path(folders[top], os.path.realpath(place) if is_other else place)

    def _read(self, path: VaultPath, descriptor: int) -> tuple[bytes, Stat, Stat]:
        try:
            before = stat_of(descriptor)
            if before.size > self.rules.max_file_bytes:
                raise TooLarge(
                    f"`{display_path(path)}` is larger than {self.rules.max_file_bytes / 2**20:g} MiB.",
                    hint="Raise the setting `max_file_mb`.",
                )
            pieces = []
            # Not to the end: a file that a program keeps appending to has none.
            left = before.size + 1
            while left > 0 and (piece := os.read(descriptor, min(CHUNK_BYTES, left))):
                pieces.append(piece)
                left -= len(piece)
            return b"".join(pieces), before, stat_of(descriptor)
        except OSError as error:
            if not os.path.lexists(self.place(path)):
                raise NoteNotFound(f"There is no note `{display_path(path)}`.") from None
            raise NoteUnreadable(f"`{display_path(path)}` cannot be read: {error.strerror}.") from None


def stat_of(descriptor: int) -> Stat:
    return Stat.of(os.fstat(descriptor))


def is_empty_folder(root: Path) -> bool:
    try:
        with os.scandir(root) as listing:
            return next(listing, None) is None
    except OSError:
        return True
