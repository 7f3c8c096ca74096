"""What must be true of a place before it is touched, and how it is told that it is not."""

import contextlib
import errno
import os
from collections.abc import Iterator

from bridge.errors import NoteChanged, NoteExists, ReadOnly
from bridge.types import Digest
from bridge.vault.paths import shown
from bridge.vault.write.place import Place


class Halfway(Exception):
    """The disk failed when the file had been touched: it may be the old or the new one."""

    def __init__(self, path: str, error: OSError) -> None:
        super().__init__()
        self.path = path
        self.error = error


class Overtaken(NoteChanged):
    """Another program wrote the file between the bridge's reading and its writing: planned again, it may be done."""


@contextlib.contextmanager
def past_return(path: str) -> Iterator[None]:
    """Say of what fails from here on that the file was touched."""
    try:
        yield
    except OSError as error:
        raise Halfway(path, error) from None


def unchanged(now: os.stat_result, written: os.stat_result) -> bool:
    """Say whether nobody touched a file since we wrote it; whoever did, did so after us."""
    same_times = (now.st_mtime_ns, now.st_size) == (written.st_mtime_ns, written.st_size)
    return os.path.samestat(now, written) and same_times


def require_free(path: str, place: Place) -> None:
    """Let only a place pass where nothing is."""
    if place.info is not None:
        raise taken(path)


def require_same(path: str, place: Place, before: Digest) -> None:
    """Let only a place pass where the file is that was read."""
    if (now := place.digest()) is None:
        raise gone(path)
    if now != before:
        raise changed(path, now)


def require_unlocked(path: str, place: Place) -> None:
    """Let only a file pass that may be written: a rename would get around its rights."""
    if place.info is not None and not place.info.st_mode & 0o222:
        raise ReadOnly(
            f"`{shown(path)}` is read-only.", hint="Give it the right to be written, if you want it changed."
        )


def same(one: Place, other: Place) -> bool:
    """Say whether two places hold one file."""
    return one.info is not None and other.info is not None and os.path.samestat(one.info, other.info)


def crowded() -> OSError:
    """Say that every name for a draft is taken."""
    return OSError(errno.EEXIST, "what crashes left is in the way")


def taken(path: str) -> NoteExists:
    """Say that something is there."""
    return NoteExists(f"There is `{shown(path)}` already.")


def gone(path: str) -> Overtaken:
    """Say that nothing is there."""
    return Overtaken(f"`{shown(path)}` is not there any more.")


def changed(path: str, digest: Digest | None = None) -> Overtaken:
    """Say that something else is there."""
    facts = {} if digest is None else {"digest": digest}
    return Overtaken(f"`{shown(path)}` changed since you read it.", **facts)
