"""Files that are read in parts when these are needed, so that what they hold takes no memory of the process."""

import errno
import tempfile
import threading
from io import BytesIO, FileIO
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray


class OpenFile:
    """A file that threads read and write in parts; not mapped, so that one cut short is an error and kills nothing."""

    def __init__(self, file: FileIO | BytesIO) -> None:
        self._file = file
        self._lock = threading.Lock()

    @classmethod
    def scratch(cls, folder: Path) -> Self:
        """Create a file without a name, which nothing else can open and which is gone when the program ends.

        Without room on the disk, what it holds is in memory.
        """
        try:
            return cls(tempfile.TemporaryFile(buffering=0, dir=folder))
        except OSError:
            return cls(BytesIO())

    def __del__(self) -> None:
        self._file.close()

    def read_all(self) -> bytes:
        return self._file.read() or b""

    def read(self, into: memoryview, at: int) -> None:
        """Fill a buffer from a place on."""
        with self._lock:
            self._file.seek(at)
            while len(into):
                if not (count := self._file.readinto(into)):
                    raise OSError(errno.EIO, "A file of the index was cut short")
                into = into[count:]

    def write(self, data: memoryview, at: int) -> None:
        with self._lock:
            try:
                self._write(data, at)
            except OSError:
                self._file.seek(0)
                content = BytesIO(self._file.read())
                self._file.close()
                self._file = content
                self._write(data, at)

    def _write(self, data: memoryview, at: int) -> None:
        self._file.seek(at)
        while len(data):
            data = data[self._file.write(data) :]


class StoredArray:
    """An array in a file; a slice of it is read when it is taken."""

    def __init__(self, file: OpenFile, kind: str, length: int, at: int) -> None:
        self._file, self._kind, self._length, self._at = file, np.dtype(kind), length, at

    def __getitem__(self, part: slice) -> NDArray[Any]:
        start, stop, _ = part.indices(self._length)
        found = np.empty(max(0, stop - start), self._kind)
        if len(found):
            self._file.read(found.data.cast("B"), self._at + start * self._kind.itemsize)
        return found
