"""The files of an index, read while the program is still being imported."""

import os
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path, PosixPath

import pytest

from bridge.index import read_ahead
from bridge.index.index import Index
from bridge.index.read_ahead import forget_files, take_file
from tests.index.made import opened, paths


@pytest.fixture(autouse=True)
def nothing_left(tmp_path: Path) -> Iterator[None]:
    """Keep nothing for the next test."""
    yield
    forget_files(tmp_path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the names of files of an index."""
    (tmp_path / "postings").mkdir()
    for name in ("catalogue", "postings/1.postings"):
        (tmp_path / name).write_bytes(f"a head of sixteen bytes, and {name}".encode())
    return tmp_path


def test_a_file_is_read_once(folder: Path) -> None:
    read_ahead.read_ahead(folder)
    found = read_ahead._reading[folder / "postings" / "1.postings"].result()
    assert found is not None
    assert take_file(folder / "postings" / "1.postings") is found
    assert take_file(folder / "postings" / "1.postings").content == found.content
    forget_files(folder)
    assert not [file for file in read_ahead._reading if folder in file.parents]


def test_what_was_written_since_is_read_again(folder: Path) -> None:
    read_ahead.read_ahead(folder)
    file = folder / "catalogue"
    before = read_ahead._reading[file].result()
    assert before is not None
    draft = folder / "draft"
    draft.write_bytes(before.content[::-1])
    os.utime(draft, ns=(before.identity[-1], before.identity[-1]))
    draft.replace(file)
    assert take_file(file).content == before.content[::-1]


def test_a_missing_file_is_missed_by_who_needs_it(folder: Path) -> None:
    read_ahead.read_ahead(folder)
    with pytest.raises(FileNotFoundError):
        take_file(folder / "names")
    (folder / "catalogue").unlink()
    with pytest.raises(FileNotFoundError):
        take_file(folder / "catalogue")


async def test_an_index_opens_with_what_was_read_ahead(tmp_path: Path) -> None:
    index = await opened(tmp_path / "index", {"Barley.md": "a field", "Rye.md": "another"})
    await index.close()
    read_ahead.read_ahead(tmp_path / "index")
    index = Index.open(tmp_path / "index")
    assert await paths(index.search_names("barley", 9)) == ["Barley.md"]
    assert [file.name for file in read_ahead._reading if tmp_path in file.parents] == []
    index.abandon()


@pytest.mark.skipif(os.name == "nt", reason="there are no named pipes in folders")
def test_nobody_waits_for_a_file_that_is_not_being_read(folder: Path) -> None:
    (folder / "catalogue").unlink()
    os.mkfifo(folder / "catalogue")
    read_ahead.read_ahead(folder)
    first = read_ahead._reading[folder / "catalogue"]
    assert take_file(folder / "postings" / "1.postings").content.endswith(b"postings/1.postings")
    # Only now somebody writes what is read first.
    (folder / "catalogue").write_bytes(b"at last")
    found = first.result()
    assert found is not None
    assert found.content == b"at last"


def test_what_other_vaults_take_and_read_meanwhile_does_not_keep_one_from_forgetting(folder: Path) -> None:
    class OtherVaultsWork(PosixPath):
        """A folder; while files are compared with it, other threads take theirs and begin with others."""

        def __eq__(self, other: object) -> bool:
            read_ahead._reading.pop(folder / "names", None)
            read_ahead._reading[folder / f"begun {len(read_ahead._reading)}"] = Future()
            return Path(self) == other

        __hash__ = Path.__hash__

    read_ahead._reading.update({folder / name: Future() for name in ("catalogue", "names")})
    forget_files(OtherVaultsWork(folder))
    assert not {folder / name for name in ("catalogue", "names")} & read_ahead._reading.keys()
