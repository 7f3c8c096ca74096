"""A file that is being fetched, kept between tries together with what it is the beginning of."""

import contextlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from bridge.models.folder import private


class Partial:
    """The beginning of a file, with a note beside it of where it comes from."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._note = path.with_name(path.name + ".json")

    def size(self) -> int:
        """Return how many bytes there are."""
        try:
            return self.path.stat().st_size
        except FileNotFoundError:
            return 0

    def known(self, url: str) -> tuple[int, str | None, int | None]:
        """Return how many bytes there are of the file at an address, its version, and how long the whole is."""
        try:
            note = json.loads(self._note.read_bytes())
            if note["url"] == url:
                return self.size(), note["version"], note["total"]
        except (OSError, ValueError, KeyError, TypeError):
            pass
        return 0, None, None

    def begin(self, url: str, start: int, version: str | None, total: int | None) -> None:
        """Make ready to append: keep the first `start` bytes and note what they belong to."""
        with private(self.path, append=True) as stream:
            stream.truncate(start)
        with private(self._note) as stream:
            stream.write(json.dumps({"url": url, "version": version, "total": total}).encode())

    @contextlib.contextmanager
    def opened(self) -> Iterator[BinaryIO]:
        """Open for appending."""
        with private(self.path, append=True) as stream:
            yield stream

    def room(self) -> int:
        """Return how many bytes fit on the disk."""
        return shutil.disk_usage(self.path.parent).free

    def taken(self) -> None:
        """Forget what is known of it, for the file was moved to its place."""
        self._note.unlink(missing_ok=True)

    def discard(self) -> None:
        """Forget it."""
        self.path.unlink(missing_ok=True)
        self._note.unlink(missing_ok=True)
