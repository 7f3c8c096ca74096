"""Small or unwritable disks: mounted where the user may, else approximated as the system allows."""

import contextlib
import ctypes
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

_BIND, _READ_ONLY, _REMOUNT, _DETACH = 4096, 1, 32, 2


@contextlib.contextmanager
def small(folder: Path) -> Iterator[None]:
    """Mount a disk of one MiB at a folder."""
    if not _may_mount():
        pytest.skip("only root on Linux can make a small disk; the file-size limit covers the rest")
    with _mounted(folder, b"none", b"tmpfs", 0, b"size=1m"):
        yield


@contextlib.contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Make a folder unwritable, also for root."""
    if not _may_mount():
        folder.chmod(0o555)
        try:
            yield
        finally:
            folder.chmod(0o755)
        return
    with _mounted(folder, str(folder).encode(), b"none", _BIND, None):
        _mount(folder, b"none", b"none", _BIND | _REMOUNT | _READ_ONLY, None)
        yield


def _may_mount() -> bool:
    return sys.platform == "linux" and os.geteuid() == 0


@contextlib.contextmanager
def _mounted(folder: Path, source: bytes, kind: bytes, flags: int, options: bytes | None) -> Iterator[None]:
    _mount(folder, source, kind, flags, options)
    try:
        yield
    finally:
        assert ctypes.CDLL(None).umount2(str(folder).encode(), _DETACH) == 0


def _mount(folder: Path, source: bytes, kind: bytes, flags: int, options: bytes | None) -> None:
    if ctypes.CDLL(None).mount(source, str(folder).encode(), kind, flags, options) != 0:
        pytest.skip("this machine does not let tests mount a disk")
