"""The index folder: its owner, the version that wrote it, and the small files beside the tables."""

import errno
import json
import shutil
import time
import zlib
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from bridge.errors import BridgeError, DiskFull, IndexUnusable, NotReady, ReadOnly
from bridge.index.boilerplate import Boilerplate
from bridge.index.table import INDEX_VERSION, NOTES, PASSAGES, VECTORS
from bridge.private_files import make_private, modified_at, write_private
from bridge.records import Record
from bridge.types import Digest

_FORMAT_FILE = "index.json"
_BOILERPLATE_FILE = "boilerplate.json"
_VANISHED_FILE = "vanished.json"
_RULES_FILE = "rules.json"
_CHECKSUMS_FILE = "checksums.json"
_SCAN_FILE = "scanned.json"


class BrokenIndex(Exception):
    """The folder does not contain a sound index."""


class BrokenTable(BrokenIndex):
    """The tables of notes and passages cannot be used, but its vectors can."""


def delete_drafts(folder: Path) -> None:
    """Delete the files that LanceDB was writing when it was killed, which it forgets; nothing may be writing there."""
    for draft in folder.rglob(".tmp*"):
        draft.unlink(missing_ok=True)


class IndexFolder(Record):
    """A folder that contains one vault's index."""

    path: Path

    def claim(self) -> None:
        """Create the folder if it is missing, and check that this version may use it."""
        with disk_errors(self.path):
            self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
            if not any(self.path.iterdir()):
                self._write(_FORMAT_FILE, {"version": INDEX_VERSION})
            found = self._read(_FORMAT_FILE)
            version = found.get("version") if found else None
            if isinstance(version, int) and version > INDEX_VERSION:
                raise IndexUnusable(
                    f"The index in `{self.path}` was written by a newer version of Vaultside"
                    f" (format {version}, this version reads {INDEX_VERSION}).",
                    hint="Start the newer version, or delete that folder; it is built again from the vault.",
                )
            if version != INDEX_VERSION:
                if not found:
                    raise BrokenIndex("no readable `index.json`")
                # The vectors of the version before are stored in the same way.
                error = BrokenTable if version == INDEX_VERSION - 1 else BrokenIndex
                raise error(f"format {version} instead of {INDEX_VERSION}")
            # Better to reject an unwritable folder now than at the first change.
            self._write(_FORMAT_FILE, {**(found or {}), "version": INDEX_VERSION})
            delete_drafts(self.path)
            # Earlier versions kept the notes and the summaries there.
            shutil.rmtree(self.path / "summaries.lance", ignore_errors=True)
            for file in self.path.glob("*catalogue*"):
                file.unlink()

    def set_aside(self, *, keep_vectors: bool) -> Path:
        """Move a broken index away, replacing an earlier one, and start with an empty folder."""
        aside, answering = self.aside, self.answering_model
        with disk_errors(self.path):
            shutil.rmtree(aside, ignore_errors=True)
            self.path.rename(aside)
            self.claim()
            for table in aside.glob(f"{VECTORS}*") if keep_vectors else ():
                table.rename(self.path / table.name)
                self.answer_with(answering)
        return aside

    @property
    def aside(self) -> Path:
        """Where a broken index is kept."""
        return self.path.with_name(f"{self.path.name}.broken")

    @property
    def answering_model(self) -> str | None:
        found = (self._read(_FORMAT_FILE) or {}).get("answering")
        return found if isinstance(found, str) else None

    def answer_with(self, key: str | None) -> None:
        """Store which model's vectors answer queries."""
        self._write(_FORMAT_FILE, {"version": INDEX_VERSION, "answering": key})

    def keep_embedded(self) -> None:
        """Store that every passage has a vector of the answering model, as the index is closed."""
        self._write(_FORMAT_FILE, {**(self._read(_FORMAT_FILE) or {}), "embedded": True})

    def take_embedded(self) -> bool:
        """Return whether every passage had a vector when the index was closed; true once."""
        found = self._read(_FORMAT_FILE) or {}
        if found.pop("embedded", None) is not True:
            return False
        # After a crash, nobody knows.
        self._write(_FORMAT_FILE, found)
        return True

    @property
    def boilerplate(self) -> Boilerplate:
        """The recurring lines learnt; empty when they cannot be read."""
        try:
            return Boilerplate.loads((self.path / _BOILERPLATE_FILE).read_text("utf-8"))
        except (OSError, ValueError):
            return Boilerplate()

    def keep_boilerplate(self, boilerplate: Boilerplate) -> None:
        with disk_errors(self.path):
            write_private(self.path / _BOILERPLATE_FILE, boilerplate.dumps().encode())

    @property
    def vanished_texts(self) -> dict[str, float]:
        """By digest: when each text that is in no note any more was last seen."""
        found = self._read(_VANISHED_FILE) or {}
        return {name: when for name, when in found.items() if isinstance(when, int | float)}

    def keep_vanished(self, vanished: Mapping[str, float]) -> None:
        self._write(_VANISHED_FILE, vanished)

    @property
    def scanned_ns(self) -> int:
        """When the last comparison of the whole vault with the index began; 0 if that is not known."""
        found = (self._read(_SCAN_FILE) or {}).get("began_ns")
        return found if isinstance(found, int) else 0

    def keep_scanned(self, began_ns: int) -> None:
        """Store when a comparison of the whole vault began, after what it found is written."""
        self._write(_SCAN_FILE, {"began_ns": began_ns})

    @property
    def cleansed_globs(self) -> frozenset[str]:
        """The user's globs for which no data is kept here."""
        found = (self._read(_RULES_FILE) or {}).get("cleansed", [])
        return frozenset(found) if isinstance(found, list) else frozenset()

    def keep_cleansed(self, globs: Collection[str]) -> None:
        """Store the globs for which no data is kept here."""
        self._write(_RULES_FILE, {"cleansed": sorted(globs)})

    @property
    def _checksums(self) -> dict[str, int]:
        found = self._read(_CHECKSUMS_FILE) or {}
        return {name: value for name, value in found.items() if isinstance(value, int)}

    def find_changed(self) -> str | None:
        """Return the name of a file that is not as it was written; None when there is none."""
        known = self._checksums
        return next((name for name in known if checksum(self.path / name) not in {known[name], None}), None)

    def update_checksums(self) -> None:
        """Store the checksums of files written since the last time."""
        before = self._checksums
        names = [file.relative_to(self.path).as_posix() for each in WRITTEN_ONCE for file in self.path.glob(each)]
        now = {name: found for name in names if (found := before.get(name) or checksum(self.path / name)) is not None}
        if now != before:
            self._write(_CHECKSUMS_FILE, now)

    def _read(self, name: str) -> dict[str, Any] | None:
        try:
            found = json.loads((self.path / name).read_text("utf-8"))
        except (FileNotFoundError, NotADirectoryError, ValueError):
            return None
        return found if isinstance(found, dict) else None

    def _write(self, name: str, content: Mapping[str, Any]) -> None:
        with disk_errors(self.path):
            write_private(self.path / name, json.dumps(content).encode())


KEEP_DAYS = 30
MAX_SUMMARIES = 1_000
"""Summaries that are kept, the newest ones."""


class SummaryFolder(Record):
    """The summaries of notes that a chat model wrote, by the digest of what they were made of; blocks."""

    path: Path

    def find(self, key: Digest) -> str | None:
        """Return a summary as it was stored; None if there is none, or only a damaged one."""
        try:
            return zlib.decompress((self.path / key).read_bytes()).decode()
        except (OSError, ValueError, zlib.error):
            return None

    def store(self, key: Digest, text: str) -> None:
        """Store a summary, and delete those that are too old or too many."""
        with suppress(BridgeError, OSError):
            make_private(self.path)
            write_private(self.path / key, zlib.compress(text.encode()))
            newest = sorted(self.path.iterdir(), key=modified_at, reverse=True)
            oldest = time.time() - KEEP_DAYS * 86_400
            for file in (one for at, one in enumerate(newest) if at >= MAX_SUMMARIES or modified_at(one) < oldest):
                file.unlink()

    def remove(self) -> None:
        """Delete every summary from the disk."""
        shutil.rmtree(self.path, ignore_errors=True)


@contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Translate errors of the disk or LanceDB into errors that a caller can act on."""
    try:
        yield
    except (BridgeError, BrokenIndex):
        raise
    except (OSError, RuntimeError, ValueError) as error:
        known = translate_disk_error(path, error)
        if known is None:
            raise
        raise known from error


def translate_disk_error(path: Path, error: Exception) -> BridgeError | None:
    """Translate a full disk, an unwritable folder and a closed table; LanceDB reports them only as text."""
    number = error.errno if isinstance(error, OSError) else None
    words = str(error)
    if number in {errno.ENOSPC, errno.EDQUOT} or "os error 28" in words or "No space left" in words:
        return DiskFull(f"The disk is full: no space for the index in `{path}`.")
    refused = ("os error 13", "os error 30", "Permission denied", "Read-only file system")
    if number in {errno.EACCES, errno.EROFS, errno.EPERM} or any(each in words for each in refused):
        return ReadOnly(f"The index in `{path}` is not writable.")
    if words.endswith(" is closed"):
        return NotReady("The index is being reopened.")
    return None


WRITTEN_ONCE = tuple(f"{table}.lance/{files}" for table in (NOTES, PASSAGES) for files in ("data/*", "_indices/*/*"))
"""Files whose names are never used again. Vectors are left out: they yield no text, and take long to compute again."""

READ_BYTES = 2**20


def checksum(path: Path) -> int | None:
    """Return the checksum of a file; None when it is gone, since files are compacted meanwhile."""
    found = 0
    try:
        with path.open("rb") as file:
            while part := file.read(READ_BYTES):
                found = zlib.crc32(part, found)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found
