"""Checksums of the tables' files: LanceDB reads a file with changed bits as if it had been written so."""

import zlib
from pathlib import Path

from bridge.index.folder import IndexFolder
from bridge.index.schema import NOTES, PASSAGES

WRITTEN_ONCE = tuple(f"{table}.lance/{files}" for table in (NOTES, PASSAGES) for files in ("data/*", "_indices/*/*"))
"""Files whose names are never used again. Vectors are left out: they yield no text, and take long to compute again."""

READ_BYTES = 2**20


def find_changed(folder: IndexFolder) -> str | None:
    """Return the name of a file that is not as it was written; None when there is none."""
    known = folder.checksums
    return next((name for name in known if checksum(folder.path / name) not in {known[name], None}), None)


def update_checksums(folder: IndexFolder) -> None:
    """Store the checksums of files written since the last time."""
    before = folder.checksums
    names = [file.relative_to(folder.path).as_posix() for each in WRITTEN_ONCE for file in folder.path.glob(each)]
    now = {name: found for name in names if (found := before.get(name) or checksum(folder.path / name)) is not None}
    if now != before:
        folder.keep_checksums(now)


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
