"""Files of arrays with a checksum, which are loaded without copying."""

import mmap
import sys
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Layout = Sequence[tuple[str, str]]
"""The names and types of the arrays of a file, in order."""


def encode_arrays(mark: bytes, layout: Layout, arrays: Mapping[str, "NDArray[Any]"]) -> bytes:
    """Return the content of a file: a mark of eight bytes, a checksum, and each array after its length."""
    columns = [arrays[name].astype(kind, copy=False) for name, kind in layout]
    # Searching an array that is not aligned would copy it.
    pieces = [
        piece for each in columns for piece in (len(each).to_bytes(8, "little"), each.tobytes(), _pad_bytes(each))
    ]
    body = b"".join(pieces)
    return mark + zlib.crc32(body).to_bytes(8, "little") + body


def open_arrays(mark: bytes, layout: Layout, path: Path) -> dict[str, Any]:
    """Return the arrays of a file, which are read from the disk when they are used; it may be replaced meanwhile.

    Raises:
        OSError: It cannot be read.
        ValueError: It is damaged, or of another format.
    """
    if sys.platform == "win32":
        # There, a mapped file can be neither replaced nor deleted.
        return decode_arrays(mark, layout, path.read_bytes())
    with path.open("rb") as file:
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    arrays = decode_arrays(mark, layout, content)
    # The checksum read all of it; few searches need more than a small part.
    content.madvise(mmap.MADV_DONTNEED)
    return arrays


def decode_arrays(mark: bytes, layout: Layout, content: bytes | mmap.mmap) -> dict[str, Any]:
    """Return the arrays of a file, which share its memory.

    Raises:
        ValueError: It is damaged, or of another format.
    """
    head = len(mark) + 8
    body = memoryview(content)[head:]
    if content[:head] != mark + zlib.crc32(body).to_bytes(8, "little"):
        raise ValueError("The file is damaged.")
    at = 0
    arrays: dict[str, Any] = {}
    for name, kind in layout:
        length = int.from_bytes(body[at : at + 8], "little")
        arrays[name] = np.frombuffer(body, kind, length, at + 8)
        at += 8 + arrays[name].nbytes + len(_pad_bytes(arrays[name]))
    return arrays


def _pad_bytes(array: "NDArray[Any]") -> bytes:
    """Return what follows an array, so that the next one begins at a multiple of eight bytes."""
    return bytes(-array.nbytes % 8)
