"""Files of arrays with a checksum, which are loaded without copying."""

import json
import logging
import zlib
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from bridge.index.note import read_json, to_plain
from bridge.index.open_file import OpenFile, StoredArray
from bridge.private_files import delete_drafts, write_private

log = logging.getLogger(__name__)

Layout = Sequence[tuple[str, str]]
"""The names and types of the arrays of a file, in order."""

HEAD_BYTES = 16
"""Bytes before those of which the checksum is taken."""

MIN_LEFT_BYTES = 1 << 18
"""Size of a file from which arrays are left in it: reading parts of smaller ones costs more than it saves."""


class OtherFormat(Exception):
    """A file is sound, and of another version of its format."""


class ArrayFile:
    """A file beside the tables of an index, of what can be made again from them."""

    def __init__(self, path: Path, mark: bytes, layout: Layout, remedy: str) -> None:
        """Name the file, its format, and what is logged that is done when it is damaged."""
        self._path, self._mark, self._layout, self._remedy = path, mark, layout, remedy

    def load(self) -> dict[str, Any] | None:
        """Load the arrays; None if they cannot be read."""
        try:
            return read_arrays(self._mark, self._layout, self._path)
        except (FileNotFoundError, OtherFormat):
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
        if not self._contains(content):
            write_private(self._path, content)
        delete_drafts(self._path)

    def _contains(self, content: bytes) -> bool:
        try:
            return self._path.stat().st_size == len(content) and self._path.read_bytes() == content
        except OSError:
            return False

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


def read_arrays(mark: bytes, layout: Layout, path: Path, left: Collection[str] = ()) -> dict[str, Any]:
    """Return the arrays of a file, which share its memory; of a large one, some are left in it once it was checked.

    The file is read and not mapped: whatever cut a mapped file short would kill the process that looks at it.
    """
    file = OpenFile(path.open("rb", buffering=0))
    content = file.read_all()
    body = memoryview(content)[HEAD_BYTES:]
    if content[len(mark) : HEAD_BYTES] != zlib.crc32(body).to_bytes(8, "little"):
        raise ValueError("The file is damaged.")
    if not content.startswith(mark):
        raise OtherFormat
    at = 0
    arrays: dict[str, Any] = {}
    for name, kind in layout:
        length = int.from_bytes(body[at : at + 8], "little")
        array = np.frombuffer(body, kind, length, at + 8)
        arrays[name] = (array, HEAD_BYTES + at + 8)
        at += 8 + array.nbytes + len(_pad_bytes(array))
    if not left or len(content) < MIN_LEFT_BYTES:
        return {name: array for name, (array, _) in arrays.items()}
    return {
        name: StoredArray(file, kind, len(array), place) if name in left else array.copy()
        for (name, kind), (array, place) in zip(layout, arrays.values(), strict=True)
    }


def _pad_bytes(array: NDArray[Any]) -> bytes:
    """Return what follows an array, so that the next one begins at a multiple of eight bytes."""
    return bytes(-array.nbytes % 8)


def encode_lists(lists: Sequence[Any]) -> NDArray[np.uint8]:
    """Return lists of numbers and texts as JSON; as ASCII if a text is no valid Unicode."""
    try:
        encoded = msgspec.json.encode(lists, enc_hook=to_plain)
    except UnicodeEncodeError:
        encoded = json.dumps(lists, default=to_plain).encode()
    return np.frombuffer(encoded, np.uint8)


def decode_lists(array: NDArray[np.uint8]) -> list[Any]:
    """Return the lists that `encode_lists` encoded."""
    found: list[Any] = read_json(array.tobytes())
    return found
