"""The log of a bridge that nobody watches."""

import asyncio
import os
import stat
from pathlib import Path

import pytest

from bridge.cli import serve
from bridge.cli.serve import MAX_LOG_BYTES, keep_log_short, open_log
from tests.engine.conftest import until


def test_a_log_is_for_this_user_only_and_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "bridge.log"
    for line in (b"one\n", b"two\n"):
        descriptor = open_log(path)
        os.write(descriptor, line)
        os.close(descriptor)
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"one\ntwo\n", 0o600)


async def test_a_log_begins_anew_when_it_is_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "LOOK_EVERY_S", 0.01)
    path = tmp_path / "bridge.log"
    descriptor = open_log(path)
    keeping = asyncio.create_task(keep_log_short(descriptor))
    os.write(descriptor, b"x" * (MAX_LOG_BYTES + 1))
    await until(lambda: path.stat().st_size == 0)
    os.write(descriptor, b"after")
    assert path.read_bytes() == b"after"
    keeping.cancel()
    os.write(descriptor, b"x" * MAX_LOG_BYTES)
    os.close(descriptor)
    os.close(open_log(path))
    assert path.read_bytes() == b""
