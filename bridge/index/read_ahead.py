"""Reads the large files of an index in a thread, while the program that uses them is still being imported."""

import os
import threading
import zlib
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Final

from bridge.records import Record

NAMES: Final = ("catalogue", "names", "words", "postings")
"""Files and folders of files, in the order in which a start uses them."""

HEAD_BYTES: Final = 16
"""Bytes before those of which the checksum is taken."""

_reading: Final[dict[Path, "Future[FileContent | None]"]] = {}


class FileContent(Record):
    """The content of a file, and what identifies the file that it was read from."""

    content: bytes
    checksum: int
    """Of what follows the head."""
    identity: tuple[int, ...]


def read_ahead(folder: Path) -> None:
    """Start reading the files of the index in a folder; what is read is kept until `take_file` or `forget_files`."""
    files = (
        file
        for place in (folder / name for name in NAMES)
        for file in (sorted(place.glob("*.postings")) if place.is_dir() else [place])
    )
    waiting = {file: Future[FileContent | None]() for file in files}
    _reading.update(waiting)
    threading.Thread(target=_read_all, args=(waiting,), name="reading ahead", daemon=True).start()


def _read_all(waiting: Mapping[Path, Future[FileContent | None]]) -> None:
    for file, future in waiting.items():
        if not future.set_running_or_notify_cancel():
            continue
        found = None
        # The code that needs the file reports the error.
        with suppress(OSError):
            found = read_file(file)
        future.set_result(found)


def take_file(path: Path) -> FileContent:
    """Return the content of a file, which is kept no longer if it was read ahead."""
    future = _reading.pop(path, None)
    # One that is not being read yet is read here.
    found = future.result() if future is not None and not future.cancel() else None
    return found if found is not None and found.identity == identify_file(path.stat()) else read_file(path)


def forget_files(folder: Path) -> None:
    """Keep nothing that was read ahead in a folder."""
    # Other vaults take theirs at the same time, in threads of their own.
    for file in list(_reading):
        if folder in file.parents and (future := _reading.pop(file, None)) is not None:
            future.cancel()


def read_file(path: Path) -> FileContent:
    with path.open("rb") as file:
        identity = identify_file(os.fstat(file.fileno()))
        content = file.read()
    return FileContent(content, zlib.crc32(memoryview(content)[HEAD_BYTES:]), identity)


def identify_file(info: os.stat_result) -> tuple[int, ...]:
    return info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns
