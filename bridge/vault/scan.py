"""Walks a vault and sorts its files; never leaves it, never opens a file."""

import os
import stat
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

from msgspec import Struct, field

from bridge.errors import VaultUnreadable
from bridge.markdown.kinds import is_document
from bridge.records import Record
from bridge.text.fold import nfc
from bridge.types import Digest, VaultPath
from bridge.vault.open_file import entry_kind, is_link, relative_path
from bridge.vault.paths import find_flaw, is_hidden, parents
from bridge.vault.rules import ICLOUD, Rules, hidden_reason

NO_TARGET = "A symbolic link without a target."

MAX_PROBES: Final = 4
"""Names looked up one by one in a folder before it is listed."""


class Stat(Record):
    """What identifies the state of a file."""

    mtime_ns: int
    size: int
    changed_ns: int = 0
    """When its content or its rights changed last, which no program can set back; 0 on Windows, which does not say.

    States are compared without it.
    """

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stat) and (self.mtime_ns, self.size) == (other.mtime_ns, other.size)

    def __hash__(self) -> int:
        return hash((self.mtime_ns, self.size))

    @classmethod
    def of(cls, info: os.stat_result) -> Self:
        # On Windows `st_ctime` is the time of creation.
        return cls(info.st_mtime_ns, info.st_size, 0 if os.name == "nt" else info.st_ctime_ns)

    @property
    def fingerprint(self) -> Digest:
        """A stand-in for the digest of an unreadable file."""
        return Digest(f"{self.mtime_ns}-{self.size}-{self.changed_ns}")


class Scan(Record):
    """The content of a vault, without hidden files."""

    files: Mapping[VaultPath, Stat]
    """Documents to index."""
    others: frozenset[VaultPath]
    """Other files that links may resolve to: attachments, and documents that are not indexed."""
    skipped: Mapping[str, str]
    """Why a document or folder is not indexed; a folder's path ends with `/` and covers everything in it."""
    unreadable: frozenset[str] = frozenset()
    """The skipped folders that could not be listed: their files may still be there."""

    def unsure_of(self, path: str) -> bool:
        """Return whether a path is in a folder that could not be listed, so that it may exist unseen."""
        return bool(self.unreadable) and any(f"{folder}/" in self.unreadable for folder in parents(path))


class Walk(Struct):
    """A scan in progress."""

    root: Path
    rules: Rules
    files: dict[VaultPath, Stat] = field(default_factory=dict)
    others: set[VaultPath] = field(default_factory=set)
    skipped: dict[str, str] = field(default_factory=dict)
    unreadable: set[str] = field(default_factory=set)
    _rest: list[tuple[str, str, bool]] = field(default_factory=list)
    """Folders still to be walked: their path, their place on the disk, and whether they are quiet."""
    _listings: dict[str, frozenset[str]] = field(default_factory=dict)
    _forms: dict[str, Mapping[str, str]] = field(default_factory=dict)
    _probes: Counter[str] = field(default_factory=Counter)
    """By folder: how many names were looked up without listing it."""

    def finish(self) -> Scan:
        return Scan(self.files, frozenset(self.others), self.skipped, frozenset(self.unreadable))

    def walk_all(self) -> None:
        require_listing(self.root)
        self._rest.append(("", os.fspath(self.root), False))
        self._below()
        # Checked again: a disk that goes away halfway looks like many deleted notes.
        require_listing(self.root)

    def one(self, path: VaultPath) -> None:
        """Scan one path, a file or a folder; a missing one adds nothing."""
        place = None if self.rules.denies(path) else self._on_disk(path)
        if place is None:
            return
        try:
            info = os.lstat(place)
        except OSError:
            return
        self._sort(path, place, info, quiet=any(self.rules.reason(f"{parent}/") for parent in parents(path)))
        self._below()

    def _below(self) -> None:
        while self._rest:
            folder, place, quiet = self._rest.pop()
            self._list(folder, place, quiet=quiet)

    def _list(self, folder: str, place: str, *, quiet: bool) -> None:
        """Sort the entries of a folder; a quiet one is inside a left-out folder that is already listed as skipped."""
        try:
            with os.scandir(place) as listing:
                entries = self._distinct(folder, list(listing))
        except FileNotFoundError:
            return
        except OSError as error:
            self.skipped[f"{folder}/"] = f"The folder cannot be read: {error.strerror}."
            self.unreadable.add(f"{folder}/")
            return
        for name, entry in entries.items():
            try:
                info = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            self._sort(join_path(folder, name), entry.path, info, quiet=quiet)

    def _distinct(self, folder: str, entries: list[os.DirEntry[str]]) -> Mapping[str, os.DirEntry[str]]:
        found: dict[str, os.DirEntry[str]] = {}
        for entry in sorted(entries, key=composed_first_key):
            name = nfc(entry.name)
            path = join_path(folder, name)
            in_icloud = name.endswith(".icloud") and ICLOUD.fullmatch(name) is not None
            if self.rules.denies(path) or (
                in_icloud and self.rules.denies(join_path(folder, name[1 : -len(".icloud")]))
            ):
                continue
            if is_hidden(name):
                if in_icloud:
                    self.skipped[path] = hidden_reason(name)
            elif why := find_flaw(path):
                self.skipped[path.encode("utf-8", "backslashreplace").decode("utf-8")] = f"Its name {why}."
            elif name in found:
                self.skipped[join_path(folder, entry.name)] = (
                    f"Another file is named `{name}`, in another Unicode form."
                )
            else:
                found[name] = entry
        return found

    def _sort(self, path: str, place: str, info: os.stat_result, *, quiet: bool) -> None:
        if is_link(info):
            followed = self._behind(path, place)
            if followed is None:
                return
            info = followed
        elif stat.S_ISDIR(info.st_mode):
            why = None if quiet else self.rules.reason(f"{path}/")
            if why:
                self.skipped[f"{path}/"] = why
            # A left-out folder is walked too: links resolve to its files whether they are indexed or not.
            self._rest.append((path, place, quiet or why is not None))
            return
        if not stat.S_ISREG(info.st_mode):
            self.skipped[path] = f"It is {entry_kind(info.st_mode)}, not a file."
            return
        known = VaultPath(path)
        if quiet or not is_document(path) or path in self.skipped:
            self.others.add(known)
        elif why := self.rules.reason(path, info.st_size):
            self.others.add(known)
            self.skipped[path] = why
        else:
            self.files[known] = Stat.of(info)

    def _behind(self, path: str, place: str) -> os.stat_result | None:
        try:
            target = os.path.realpath(place, strict=True)
            info = os.lstat(target)
        except OSError:
            self.skipped[path] = NO_TARGET
            return None
        inside = relative_path(os.path.realpath(self.root), target)
        if inside is not None and self.rules.denies(nfc(inside)):
            self.skipped[path] = NO_TARGET
        elif inside is None:
            self.skipped[path] = "A link that leaves the vault; such links are not followed."
        elif is_hidden(nfc(inside)):
            self.skipped[path] = "A link to a hidden file."
        elif stat.S_ISDIR(info.st_mode):
            self.skipped[path] = f"A link to the folder `{nfc(inside)}`, which is read under its own name."
        else:
            if is_document(path) and self.rules.indexes(nfc(inside), info.st_size):
                self.skipped[path] = f"A link to `{nfc(inside)}`, which is indexed itself."
            return info
        return None

    def _on_disk(self, path: str) -> str | None:
        """Return the place of a path, spelled as on the disk; None when it is missing or behind a linked folder.

        The spelling matters where the system ignores case: a rename of `Note` to `note` must lose `Note`.
        """
        place = os.fspath(self.root)
        for number, part in enumerate(path.split("/")):
            try:
                if number and is_link(os.lstat(place)):
                    return None
                if self._is_spelled(place, part):
                    place = f"{place}{os.sep}{part}"
                    continue
                if place not in self._listings:
                    self._listings[place] = frozenset(os.listdir(place))  # noqa: PTH208 - names alone, twice as fast
            except OSError:
                return None
            name = part if part in self._listings[place] else self._in_other_form(place, part)
            if name is None:
                return None
            place = f"{place}{os.sep}{name}"
        return place

    def _is_spelled(self, place: str, name: str) -> bool:
        """Return whether a folder certainly has a name as spelled, which few names can tell without listing it.

        Where `NOTE` is not found but `Note` is, the system tells case apart.
        """
        if place in self._listings or self._probes[place] >= MAX_PROBES or not name.isascii():
            return False
        self._probes[place] += 1
        found = f"{place}{os.sep}{name}"
        return os.path.lexists(found) and not os.path.lexists(f"{place}{os.sep}{name.swapcase()}")

    def _in_other_form(self, place: str, name: str) -> str | None:
        if place not in self._forms:
            self._forms[place] = {nfc(other): other for other in sorted(self._listings[place], reverse=True)}
        return self._forms[place].get(name)


def require_listing(root: Path) -> None:
    """Raise VaultUnreadable when a vault's folder cannot be listed."""
    try:
        with os.scandir(root) as listing:
            next(listing, None)
    except OSError as error:
        raise VaultUnreadable(f"The vault folder {root} cannot be read: {error.strerror}.") from None


def composed_first_key(entry: os.DirEntry[str]) -> tuple[bool, str]:
    """Return a sort key by which the composed one of several Unicode forms is first; reading prefers it too."""
    return entry.name != nfc(entry.name), entry.name


def join_path(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def denied_files(root: Path, rules: Rules) -> Iterator[tuple[Stat, VaultPath]]:
    """Yield each denied file with its state; folders that cannot be listed are skipped."""
    rest = [("", os.fspath(root), False)]
    while rest:
        folder, place, below = rest.pop()
        with suppress(OSError), os.scandir(place) as listing:
            for entry in listing:
                path = join_path(folder, nfc(entry.name))
                inside = below or rules.denies(path)
                if entry.is_dir(follow_symlinks=False):
                    if not is_hidden(path):
                        rest.append((path, entry.path, inside))
                elif inside:
                    info = entry.stat(follow_symlinks=False)
                    yield Stat.of(info), VaultPath(path)
