"""What can be wrong with a file of state."""

import sqlite3

FAILING = (sqlite3.Error, MemoryError, UnicodeDecodeError)
"""What reading a damaged file raises: a spoilt length asks for too much memory, a spoilt name is in the message."""


class Damaged(Exception):
    """It is not in order."""


class Newer(Exception):
    """A newer version wrote it."""
