"""What is kept beside the vault may be damaged, vanish or have no room; the vault is served, or refused in words."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.system.sidecar import PATIENCE_S, CallFailed, Sidecar, serving
from tests.system.vaults import Kept, fingerprint, generate

NOTES = 30

needs_mounts = pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")

Damage = Callable[[Path], None]


def delete(index: Path) -> None:
    """Remove the whole index."""
    shutil.rmtree(index)


def truncate_all(index: Path) -> None:
    """Cut every file in half."""
    change_each(index, lambda file: os.truncate(file, file.stat().st_size // 2))


def empty_all(index: Path) -> None:
    """Leave every file, empty."""
    change_each(index, lambda file: os.truncate(file, 0))


def scribble(index: Path) -> None:
    """Write over the middle of every file."""

    def write_over(file: Path) -> None:
        with file.open("r+b") as stream:
            stream.seek(file.stat().st_size // 2)
            stream.write(b"\xde\xad\xbe\xef" * 16)

    change_each(index, write_over)


def lose_data_files(index: Path) -> None:
    """Remove the rows and keep what points at them."""
    for file in index.rglob("*.lance"):
        if file.is_file():
            file.unlink()


def lose_versions(index: Path) -> None:
    """Remove what points at the rows and keep them."""
    for folder in list(index.rglob("_versions")):
        shutil.rmtree(folder)


def put_a_file_in_its_place(index: Path) -> None:
    """Have something else there."""
    shutil.rmtree(index)
    index.write_text("not a folder")


def change_each(folder: Path, change: Callable[[Path], None]) -> None:
    """Change every file below a folder, but for those that a running bridge removes meanwhile."""
    # Not `rglob`, which fails when a folder goes meanwhile.
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):
                change(Path(place, name))


def index_folder(data: Path) -> Path:
    """Return the index of the only vault."""
    (found,) = (data / "vaults").glob("*/index")
    return found


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """Make a vault and its index, once."""
    folder = tmp_path_factory.mktemp("indexed")
    vault = folder / "work" / "vault"
    generate(vault, NOTES, sections=1)
    with serving(vault, data_dir=folder / "work" / "data", models_dir=folder / "none") as bridge:
        bridge.wait_indexed(vectors=False)
    return Kept.of(folder / "work")


@pytest.fixture
def indexed(kept: Kept) -> tuple[Path, Path]:
    """Return a vault and a data folder with its index."""
    folder = kept.restored()
    return folder / "vault", folder / "data"


def finds_all(bridge: Sidecar) -> tuple[int, int]:
    """Wait for the index, and return how many notes it has and how many a search for one finds."""
    status = bridge.wait_indexed(vectors=False)
    return status["notes"], len(bridge.call("search", query="mark0007zq", mode="keyword")["hits"])


@pytest.mark.parametrize(
    "damage",
    [delete, truncate_all, empty_all, scribble, lose_data_files, lose_versions, put_a_file_in_its_place],
    ids=lambda damage: str(damage.__name__),
)
def test_a_damaged_index_is_built_again(damage: Damage, indexed: tuple[Path, Path], tmp_path: Path) -> None:
    vault, data = indexed
    before = fingerprint(vault)
    damage(index_folder(data))
    with serving(vault, data_dir=data, models_dir=tmp_path / "none") as bridge:
        assert finds_all(bridge) == (NOTES, 1)
        assert "Traceback" not in bridge.errors()
    assert fingerprint(vault) == before


@pytest.mark.parametrize("damage", [truncate_all, empty_all, scribble], ids=lambda damage: str(damage.__name__))
def test_an_index_damaged_while_it_is_used_ends_no_bridge(
    damage: Damage, indexed: tuple[Path, Path], tmp_path: Path
) -> None:
    vault, data = indexed
    with serving(vault, data_dir=data, models_dir=tmp_path / "none") as bridge:
        assert finds_all(bridge) == (NOTES, 1)
        damage(index_folder(data))
        for number in range(NOTES):
            # It may say that the index is built again.
            with suppress(CallFailed):
                bridge.call("search", query=f"mark{number:04}zq", mode="keyword")
        assert bridge.vault()["name"] == "vault"
    with serving(vault, data_dir=data, models_dir=tmp_path / "none") as bridge:
        assert finds_all(bridge) == (NOTES, 1)


def test_an_index_deleted_while_it_is_used_is_built_at_the_next_start(
    indexed: tuple[Path, Path], tmp_path: Path
) -> None:
    vault, data = indexed
    before = fingerprint(vault)
    with serving(vault, data_dir=data, models_dir=tmp_path / "none") as bridge:
        bridge.wait_indexed(vectors=False)
        # At once: what is being written into a folder while it is emptied would keep it from going.
        gone = index_folder(data).rename(tmp_path / "gone")
        shutil.rmtree(gone)
        (vault / "New.md").write_text("freshly written\n")
        (vault / "New.md").unlink()
        assert bridge.vault()["name"] == "vault"
    with serving(vault, data_dir=data, models_dir=tmp_path / "none") as bridge:
        assert finds_all(bridge) == (NOTES, 1)
    assert {k: v for k, v in fingerprint(vault).items() if k != "."} == {k: v for k, v in before.items() if k != "."}


def test_a_whole_data_folder_deleted_is_made_again(indexed: tuple[Path, Path], tmp_path: Path) -> None:
    vault, data = indexed
    shutil.rmtree(data)
    with serving(vault, data_dir=data, models_dir=tmp_path / "none") as bridge:
        assert finds_all(bridge) == (NOTES, 1)


@pytest.mark.parametrize("garbage", [b"", b"not a database at all", b"SQLite format 3\x00" + bytes(2000)])
def test_a_damaged_state_file_is_no_reason_not_to_start(
    garbage: bytes, indexed: tuple[Path, Path], tmp_path: Path
) -> None:
    vault, data = indexed
    (state,) = (data / "vaults").glob("*/state.sqlite")
    for beside in state.parent.glob("state.sqlite-*"):
        beside.unlink()
    state.write_bytes(garbage)
    with serving(vault, data_dir=data, models_dir=tmp_path / "none") as bridge:
        assert finds_all(bridge) == (NOTES, 1)


def test_a_settings_file_that_is_no_toml_costs_the_settings_only(indexed: tuple[Path, Path], tmp_path: Path) -> None:
    vault, data = indexed
    (data / "settings.toml").write_text("this is [ not toml")
    with serving(vault, data_dir=data, models_dir=tmp_path / "none") as bridge:
        assert finds_all(bridge) == (NOTES, 1)


@contextmanager
def disk(place: Path, options: str) -> Iterator[Path]:
    """Mount a small disk in memory."""
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)], capture_output=True, text=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"no disk can be mounted here: {mounted.stderr.strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


@needs_mounts
def test_a_disk_that_fills_up_is_told_and_survived(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    generate(vault, 400, sections=4)
    before = fingerprint(vault)
    with (
        disk(tmp_path / "disk", "size=1m") as small,
        serving(vault, data_dir=small / "data", models_dir=tmp_path / "none", log=tmp_path / "log") as bridge,
    ):
        bridge.until(lambda: "The disk is full" in str(bridge.vault()["trouble"]), "the disk is named")
        assert bridge.vault()["ready"]["keyword"] is False
        assert "Traceback" not in bridge.errors()
        subprocess.run(["mount", "-o", "remount,size=200m", str(small)], check=True)
        status = bridge.wait_indexed(vectors=False)
    assert status["notes"] == 400
    assert fingerprint(vault) == before


@needs_mounts
def test_a_disk_that_is_full_is_refused_in_words_and_keeps_the_index(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    generate(vault, NOTES, sections=1)
    with disk(tmp_path / "disk", "size=64m") as small:
        data = small / "data"
        with serving(vault, data_dir=data, models_dir=tmp_path / "none", log=tmp_path / "log") as bridge:
            assert finds_all(bridge) == (NOTES, 1)
        ballast = fill(small)
        status, log = refused(vault, data, tmp_path)
        assert status != 0
        assert "The disk is full" in log
        assert "Traceback" not in log
        ballast.unlink()
        with serving(vault, data_dir=data, models_dir=tmp_path / "none", log=tmp_path / "log") as bridge:
            assert finds_all(bridge) == (NOTES, 1)


@needs_mounts
def test_a_note_that_came_and_went_while_the_disk_was_full_is_not_waited_for(
    indexed: tuple[Path, Path], tmp_path: Path
) -> None:
    vault, filled = indexed
    with disk(tmp_path / "disk", "size=64m") as small:
        data = Path(shutil.copytree(filled, small / "data"))
        with serving(vault, data_dir=data, models_dir=tmp_path / "none", log=tmp_path / "log") as bridge:
            assert finds_all(bridge) == (NOTES, 1)
            ballast = fill(small)
            (vault / "New.md").write_text("freshly written\n")
            bridge.until(lambda: bridge.vault()["trouble"], "the disk is named")
            (vault / "New.md").unlink()
            ballast.unlink()
            assert finds_all(bridge) == (NOTES, 1)


def fill(disk: Path) -> Path:
    """Leave no byte, and return the file that takes them."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(4096))
    return ballast


def refused(vault: Path, data: Path, folder: Path) -> tuple[int, str]:
    """Start where it cannot work; return the exit status and what it said, which is nothing on standard output."""
    bridge = Sidecar.start(vault, data_dir=data, models_dir=folder / "none", log=folder / "refusal")
    try:
        assert bridge.process.stdout is not None
        assert bridge.process.stdout.readline() == b""
        return bridge.process.wait(PATIENCE_S), bridge.errors()
    finally:
        bridge.close()


@contextmanager
def unwritable(data: Path) -> Iterator[None]:
    """Make a folder read-only, for root too."""
    if os.geteuid() != 0:
        data.chmod(0o500)
        yield
        data.chmod(0o700)
        return
    mounted = subprocess.run(["mount", "--bind", str(data), str(data)], capture_output=True, text=True, check=False)
    if mounted.returncode:
        pytest.skip(f"no folder can be made read-only for root here: {mounted.stderr.strip()}")
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", str(data)], check=True)
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(data)], check=True)


@pytest.mark.parametrize("filled", [False, True], ids=["empty", "with an index"])
def test_a_data_folder_that_cannot_be_written_is_refused_in_words(
    indexed: tuple[Path, Path], tmp_path: Path, *, filled: bool
) -> None:
    vault, data = indexed
    before = fingerprint(vault)
    if not filled:
        shutil.rmtree(data)
        data.mkdir()
    with unwritable(data):
        status, log = refused(vault, data, tmp_path)
    assert status != 0
    assert "cannot be written" in log
    assert "--data-dir" in log
    assert "Traceback" not in log
    assert fingerprint(vault) == before
