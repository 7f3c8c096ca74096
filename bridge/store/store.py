"""Opens the file, keeps a backup of it, and salvages what it can from a damaged one."""

import contextlib
import logging
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Self

from bridge.errors import BridgeError, StateUnusable
from bridge.store.faults import translated
from bridge.store.schema import MIGRATIONS, migrate
from bridge.types import Digest, VaultPath

log = logging.getLogger(__name__)

PATIENCE_S = 1.0
"""Seconds that another program may have the file locked."""


class Store:
    """One vault's SQLite file; every method commits before it returns."""

    def __init__(self, connection: sqlite3.Connection, path: Path, *, salvaged: bool = False) -> None:
        self._connection = connection
        self._path = path
        self.salvaged = salvaged
        """True when the file was damaged at this start and was restored."""

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open or make the file; a damaged one is set aside and restored from its backup.

        Raises:
            StateUnusable: A newer version wrote the file.
            ReadOnly: The folder cannot be written.
            DiskFull: There is no room.
        """
        with translated(path):
            try:
                return cls(connected(path), path)
            except sqlite3.OperationalError:
                raise
            except sqlite3.DatabaseError as error:
                if "newer version" in str(error):
                    raise StateUnusable(
                        f"{path.name} was {error}.", hint="Install the newer version again, or move the file away."
                    ) from None
                log.warning("The state file is damaged and is restored from its backup: %s", error)
                set_aside(path)
                return cls(restored(path), path, salvaged=True)

    def close(self) -> None:
        """Write the backup and close."""
        with contextlib.suppress(BridgeError, OSError):
            self.back_up()
        self._connection.close()

    def back_up(self) -> None:
        """Copy the file to its backup; the old backup is kept until the new one is whole."""
        fresh = backup_of(self._path).with_suffix(".new")
        fresh.unlink(missing_ok=True)
        try:
            with translated(fresh), contextlib.closing(sqlite3.connect(fresh)) as target:
                self._connection.backup(target)
            fresh.chmod(0o600)
            fresh.replace(backup_of(self._path))
        finally:
            # On a full disk half a copy takes the room that the file itself needs.
            fresh.unlink(missing_ok=True)

    def count(self, name: str, more: int) -> None:
        """Add to a counter, which starts at 0 and never falls."""
        with translated(self._path), self._connection:
            self._connection.execute(
                "INSERT INTO counter VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = value + excluded.value",
                (name, more),
            )

    def counted(self, name: str) -> int:
        """Return a counter's value."""
        row = self._connection.execute("SELECT value FROM counter WHERE name = ?", (name,)).fetchone()
        return row[0] if row else 0

    def fail(self, path: VaultPath, digest: Digest, reason: str) -> None:
        """Remember that this content of a note could not be indexed."""
        with translated(self._path), self._connection:
            self._connection.execute("INSERT OR REPLACE INTO failed VALUES (?, ?, ?)", (path, digest, reason))

    def mend(self, paths: Iterator[VaultPath] | list[VaultPath]) -> None:
        """Forget the failures of these notes."""
        with translated(self._path), self._connection:
            self._connection.executemany("DELETE FROM failed WHERE path = ?", [(path,) for path in paths])

    def failures(self) -> Mapping[VaultPath, tuple[Digest, str]]:
        """Return the digest and reason of each note that could not be indexed."""
        rows = self._connection.execute("SELECT path, digest, reason FROM failed ORDER BY path")
        return {VaultPath(path): (Digest(digest), reason) for path, digest, reason in rows}

    def sound(self) -> bool:
        """Say whether SQLite finds the file in order."""
        try:
            return bool(self._connection.execute("PRAGMA quick_check").fetchone() == ("ok",))
        except sqlite3.DatabaseError:
            return False


def connected(path: Path) -> sqlite3.Connection:
    """Open the file, check it, and bring it to the newest version."""
    connection = sqlite3.connect(path, timeout=PATIENCE_S, check_same_thread=False)
    try:
        path.chmod(0o600)
        # Before WAL: its index is then kept in memory instead of in a mapped file, and a write to a mapped file for
        # which the disk has no room ends the process. Nobody else opens the file, since the vault is held.
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        if connection.execute("PRAGMA quick_check").fetchone() != ("ok",):
            raise sqlite3.DatabaseError("quick_check failed")
        migrate(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def restored(path: Path) -> sqlite3.Connection:
    """Open a copy of the backup, or an empty file when there is no sound one."""
    backup = backup_of(path)
    if backup.exists():
        try:
            path.write_bytes(backup.read_bytes())
            return connected(path)
        except sqlite3.DatabaseError as error:
            log.warning("The backup of the state file is damaged too: %s", error)
            set_aside(path)
    return connected(path)


def set_aside(path: Path) -> None:
    """Rename a damaged file and its journal, never overwriting an earlier one."""
    number = next(n for n in range(1, 1_000_000) if not damaged(path, n).exists())
    path.replace(damaged(path, number))
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def damaged(path: Path, number: int) -> Path:
    """Name the place of a damaged file."""
    return path.with_name(f"{path.name}.damaged-{number}")


def backup_of(path: Path) -> Path:
    """Name the place of the backup."""
    return path.with_name(path.name + ".backup")


__all__ = ["MIGRATIONS", "Store"]
