"""The tables, as numbered migrations that are never edited once released."""

import sqlite3

MIGRATIONS = (
    """
    CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
    CREATE TABLE failed (path TEXT PRIMARY KEY, digest TEXT NOT NULL, reason TEXT NOT NULL) STRICT;
    """,
)


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the file to the newest version, each step in a transaction of its own.

    Raises:
        sqlite3.DatabaseError: The file was written by a newer version.
    """
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > len(MIGRATIONS):
        raise sqlite3.DatabaseError(f"written by a newer version ({version}, this one knows {len(MIGRATIONS)})")
    for number, script in enumerate(MIGRATIONS[version:], start=version + 1):
        connection.executescript(f"BEGIN; {script} PRAGMA user_version = {number}; COMMIT;")
