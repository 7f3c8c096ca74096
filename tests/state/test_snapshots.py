"""Contents that are kept many at once."""

import hashlib
from pathlib import Path

import pytest

from bridge.errors import ReadOnly
from bridge.state.snapshots import Snapshots
from bridge.types import Digest
from bridge.vault.write.syscalls import MAX_THREADS


def contents(count: int) -> dict[Digest, bytes]:
    texts = [f"Text {number}.\n".encode() * number for number in range(count)]
    return {Digest(hashlib.sha256(text).hexdigest()): text for text in texts}


@pytest.mark.parametrize("count", [1, MAX_THREADS - 1, MAX_THREADS * 5])
def test_every_content_is_kept_and_counted(tmp_path: Path, count: int) -> None:
    snapshots = Snapshots(tmp_path / "contents")
    assert snapshots.size == 0
    blobs = contents(count)
    snapshots.keep(blobs)
    assert {digest: snapshots.read(digest) for digest in blobs} == blobs
    assert snapshots.size == Snapshots(tmp_path / "contents").size > 0
    snapshots.keep(blobs)
    assert snapshots.size == Snapshots(tmp_path / "contents").size


def test_one_content_that_cannot_be_written_is_an_error_and_leaves_no_draft(tmp_path: Path) -> None:
    snapshots = Snapshots(tmp_path / "contents")
    assert snapshots.size == 0
    blobs = contents(MAX_THREADS * 2)
    taken = snapshots.place(sorted(blobs)[5])
    taken.mkdir(parents=True)
    with pytest.raises(ReadOnly):
        snapshots.keep(blobs)
    assert not list((tmp_path / "contents").glob("*/.*"))
    taken.rmdir()
    snapshots.keep(blobs)
    assert {digest: snapshots.read(digest) for digest in blobs} == blobs
    assert snapshots.size == Snapshots(tmp_path / "contents").size
