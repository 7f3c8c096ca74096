"""Files of arrays with a checksum, which are loaded without copying, and read ahead while a program starts."""

import logging
import os
import threading
import zlib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from bridge.private_files import delete_drafts, write_private
from bridge.records import dataclass

NAMES: Final = ("catalogue", "names", "postings", "words")
"""Files and folders of files, in the order in which a start uses them."""

HEAD: Final = 16
"""Bytes before those of which the checksum is taken."""

_reading: Final[dict[Path, "Future[FileContent | None]"]] = {}


@dataclass(frozen=True, slots=True)
class FileContent:
    """The content of a file, and what identifies the file that it was read from."""

    content: bytes
    checksum: int
    """Of what follows the head."""
    identity: tuple[int, ...]


def read_ahead(folder: Path) -> None:
    """Start reading the files of the index in a folder; what is read is kept until `take_file` or `forget_files`."""
    waiting = {file: Future[FileContent | None]() for file in _list_files(folder)}
    _reading.update(waiting)
    threading.Thread(target=_read_all, args=(waiting,), name="reading ahead", daemon=True).start()


def _list_files(folder: Path) -> Iterator[Path]:
    for name in NAMES:
        place = folder / name
        yield from sorted(place.glob("*.postings")) if place.is_dir() else [place]


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
    return found if found is not None and found.identity == _identity(path.stat()) else read_file(path)


def forget_files(folder: Path) -> None:
    """Keep nothing that was read ahead in a folder."""
    # Other vaults take theirs at the same time, in threads of their own.
    for file in list(_reading):
        if folder in file.parents and (future := _reading.pop(file, None)) is not None:
            future.cancel()


def read_file(path: Path) -> FileContent:
    with path.open("rb") as file:
        identity = _identity(os.fstat(file.fileno()))
        content = file.read()
    return FileContent(content, zlib.crc32(memoryview(content)[HEAD:]), identity)


def _identity(info: os.stat_result) -> tuple[int, ...]:
    return info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns


log = logging.getLogger(__name__)

Piece = TypeVar("Piece", str, list[Any])

Layout = Sequence[tuple[str, str]]
"""The names and types of the arrays of a file, in order."""


class ArrayFile:
    """A file beside the tables of an index, of what can be made again from them."""

    def __init__(self, path: Path, mark: bytes, layout: Layout, remedy: str) -> None:
        """Name the file, its format, and what is logged that is done when it is damaged."""
        self._path, self._mark, self._layout, self._remedy = path, mark, layout, remedy

    def load(self) -> dict[str, Any] | None:
        """Load the arrays; None if they cannot be read."""
        try:
            return read_arrays(self._mark, self._layout, self._path)
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            log.warning("%s: %s", self._remedy, type(error).__name__)
            return None

    def save(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Store arrays, unless they are stored."""
        # Somebody may have deleted the index, which must not come back in part.
        if not self._path.parent.is_dir():
            return
        content = encode_arrays(self._mark, self._layout, arrays)
        with suppress(OSError):
            if self._path.stat().st_size == len(content) and self._path.read_bytes() == content:
                return
        write_private(self._path, content)
        delete_drafts(self._path)

    def remove(self) -> None:
        """Delete the file, because a note is erased."""
        self._path.unlink(missing_ok=True)
        delete_drafts(self._path)


def encode_arrays(mark: bytes, layout: Layout, arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return the content of a file: a mark of eight bytes, a checksum, and each array after its length."""
    columns = [arrays[name].astype(kind, copy=False) for name, kind in layout]
    # Searching an array that is not aligned would copy it.
    pieces = [
        piece for each in columns for piece in (len(each).to_bytes(8, "little"), each.tobytes(), _pad_bytes(each))
    ]
    body = b"".join(pieces)
    return mark + zlib.crc32(body).to_bytes(8, "little") + body


def read_arrays(mark: bytes, layout: Layout, path: Path) -> dict[str, Any]:
    """Return the arrays of a file, which share its memory.

    The file is read and not mapped: whatever cut a mapped file short would kill the process that looks at it.
    """
    found = take_file(path)
    if found.content[:HEAD] != mark + found.checksum.to_bytes(8, "little"):
        raise ValueError("The file is damaged.")
    body = memoryview(found.content)[HEAD:]
    at = 0
    arrays: dict[str, Any] = {}
    for name, kind in layout:
        length = int.from_bytes(body[at : at + 8], "little")
        arrays[name] = np.frombuffer(body, kind, length, at + 8)
        at += 8 + arrays[name].nbytes + len(_pad_bytes(arrays[name]))
    return arrays


def _pad_bytes(array: NDArray[Any]) -> bytes:
    """Return what follows an array, so that the next one begins at a multiple of eight bytes."""
    return bytes(-array.nbytes % 8)


def encode_texts(texts: Sequence[str]) -> NDArray[np.uint8]:
    return np.frombuffer("".join(texts).encode("utf-8", "surrogatepass"), np.uint8)


def decode_texts(array: NDArray[np.uint8]) -> str:
    return array.tobytes().decode("utf-8", "surrogatepass")


def cut(whole: Piece, lengths: NDArray[Any]) -> list[Piece]:
    return [whole[start:end] for start, end in pairwise(accumulate(lengths.tolist(), initial=0))]
