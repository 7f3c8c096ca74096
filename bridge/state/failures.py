"""Keeps which notes could not be indexed, with the content and the reason."""

from collections.abc import Callable, Iterable, Mapping

from bridge.state.database import Database
from bridge.state.tables import Subject, Table
from bridge.types import Digest, VaultPath

# Not merged: the notes are read again.
FAILURES = Subject("failures", tables=(Table("failed", None, paths=("path",)),))


class Failures:
    """The notes that could not be indexed; held in memory, so that reads do not wait for the disk."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.load()

    def load(self) -> None:
        """Read the rows again, after others have written them."""
        self._by_path: Mapping[VaultPath, tuple[Digest, str]] = {
            VaultPath(path): (Digest(digest), reason)
            for path, digest, reason in self._database.connection.execute("SELECT * FROM failed ORDER BY path")
        }

    def all(self) -> Mapping[VaultPath, tuple[Digest, str]]:
        """Return the digest and reason of each note that could not be indexed."""
        return self._by_path

    def add(self, path: VaultPath, digest: Digest, reason: str) -> None:
        """Record that this content of a note could not be indexed."""
        with self._database.lock:
            self._database.write("INSERT OR REPLACE INTO failed VALUES (?, ?, ?)", (path, digest, reason))
            self._by_path = dict(sorted({**self._by_path, path: (digest, reason)}.items()))

    def remove_if(self, test: Callable[[VaultPath], bool]) -> None:
        """Forget the failures of the notes for which a test holds."""
        self.remove([path for path in self._by_path if test(path)])

    def remove(self, paths: Iterable[VaultPath]) -> None:
        """Forget the failures of these notes."""
        known = {path for path in paths if path in self._by_path}
        if not known:
            return
        with self._database.lock:
            self._database.write("DELETE FROM failed WHERE path = ?", *((path,) for path in known))
            self._by_path = {path: entry for path, entry in self._by_path.items() if path not in known}
