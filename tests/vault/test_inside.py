import os
from pathlib import Path

import pytest

from bridge.errors import NoteNotFound, NoteUnreadable, OutsideVault, ProtectedPath, VaultUnreadable
from bridge.vault.open_file import STEPWISE, entry_kind, follow_to_file, relative_path
from tests.vault.trees import apart, grow, without_rights

WAYS = pytest.mark.parametrize("stepwise", [True, False] if STEPWISE else [False])


def content(root: Path, path: str, stepwise: bool) -> str:
    with follow_to_file(root, path, stepwise=stepwise) as (name, folder, _):
        descriptor = os.open(name, os.O_RDONLY, dir_fd=folder)
    with os.fdopen(descriptor, encoding="utf-8") as file:
        return file.read()


@WAYS
def test_a_file_is_found_below_folders(tmp_path: Path, stepwise: bool) -> None:
    grow(tmp_path, "A/B/c.md")
    assert content(tmp_path, "A/B/c.md", stepwise) == "A/B/c.md"


@WAYS
def test_accents_may_be_apart_on_disk(tmp_path: Path, stepwise: bool) -> None:
    grow(tmp_path, apart("Été/Café.md"))
    assert content(tmp_path, "Été/Café.md", stepwise) == apart("Été/Café.md")


@WAYS
def test_of_two_forms_the_composed_is_read(tmp_path: Path, stepwise: bool) -> None:
    grow(tmp_path, apart("Été/é.md"), "Été/é.md")
    assert content(tmp_path, "Été/é.md", stepwise) == "Été/é.md"


@WAYS
@pytest.mark.parametrize("path", ["b.md", "A/b.md", "c.md/b.md", "é.md", "x" * 300, "A" + "/A" * 3000])
def test_what_is_not_there_is_not_found(tmp_path: Path, stepwise: bool, path: str) -> None:
    grow(tmp_path, "A/", "c.md")
    with pytest.raises(NoteNotFound), follow_to_file(tmp_path, path, stepwise=stepwise):
        pass


@WAYS
def test_a_link_inside_the_vault_is_followed(tmp_path: Path, stepwise: bool) -> None:
    grow(tmp_path, "Real/deep/a.md")
    (tmp_path / "Folder").symlink_to("Real")
    (tmp_path / "Real/b.md").symlink_to("deep/a.md")
    (tmp_path / "c.md").symlink_to(tmp_path / "Folder/b.md")
    assert content(tmp_path, "Folder/deep/a.md", stepwise) == "Real/deep/a.md"
    assert content(tmp_path, "Folder/b.md", stepwise) == "Real/deep/a.md"
    assert content(tmp_path, "c.md", stepwise) == "Real/deep/a.md"


@WAYS
def test_a_link_out_of_the_vault_is_refused(tmp_path: Path, stepwise: bool) -> None:
    vault = grow(tmp_path / "vault", "a.md")
    grow(tmp_path, "vault2/secret.md")
    (vault / "file.md").symlink_to("../vault2/secret.md")
    (vault / "folder").symlink_to("../vault2")
    (vault / "back").symlink_to("../vault2/../vault")
    for path in ("file.md", "folder/secret.md"):
        with pytest.raises(OutsideVault), follow_to_file(vault, path, stepwise=stepwise):
            pass
    assert content(vault, "back/a.md", stepwise) == "a.md"


@WAYS
def test_a_link_to_a_hidden_file_is_refused(tmp_path: Path, stepwise: bool) -> None:
    grow(tmp_path, ".obsidian/app.md", ".trash/a.md")
    (tmp_path / "a.md").symlink_to(".obsidian/app.md")
    (tmp_path / "Bin").symlink_to(".trash")
    for path in ("a.md", "Bin/a.md"):
        with pytest.raises(ProtectedPath), follow_to_file(tmp_path, path, stepwise=stepwise):
            pass


@WAYS
def test_links_without_end_are_no_trap(tmp_path: Path, stepwise: bool) -> None:
    (tmp_path / "a.md").symlink_to("b.md")
    (tmp_path / "b.md").symlink_to("a.md")
    (tmp_path / "Loop").symlink_to(".")
    grow(tmp_path, "c.md")
    with pytest.raises(NoteNotFound, match="endless chain"), follow_to_file(tmp_path, "a.md", stepwise=stepwise):
        pass
    assert content(tmp_path, "Loop/Loop/Loop/c.md", stepwise) == "c.md"
    with pytest.raises(NoteNotFound), follow_to_file(tmp_path, "Loop/" * 40 + "c.md", stepwise=stepwise):
        pass


@WAYS
def test_what_is_no_file_is_never_opened(tmp_path: Path, stepwise: bool) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "Folder.md").mkdir()
    with pytest.raises(NoteNotFound, match="a pipe"), follow_to_file(tmp_path, "pipe.md", stepwise=stepwise):
        pass
    with pytest.raises(NoteNotFound, match="a folder"), follow_to_file(tmp_path, "Folder.md", stepwise=stepwise):
        pass


@WAYS
def test_a_vanished_vault_is_not_a_missing_note(tmp_path: Path, stepwise: bool) -> None:
    with pytest.raises(VaultUnreadable), follow_to_file(tmp_path / "gone", "a.md", stepwise=stepwise):
        pass


@WAYS
def test_missing_rights_are_told(stepwise: bool) -> None:
    with without_rights() as root:
        grow(root, "Locked/a.md")
        (root / "Locked").chmod(0)
        with (
            pytest.raises(NoteUnreadable, match="Permission denied"),
            follow_to_file(root, "Locked/a.md", stepwise=stepwise),
        ):
            pass


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    grow(tmp_path, "A/B/c.md", ".h/x.md")
    (tmp_path / "A/l.md").symlink_to("B/c.md")
    (tmp_path / "A/out.md").symlink_to("/etc/hostname")
    (tmp_path / "A/hidden.md").symlink_to("../.h/x.md")
    before = sorted(Path("/dev/fd").iterdir())
    for path in ("A/B/c.md", "A/l.md", "A/out.md", "A/hidden.md", "A/none.md", "none/none.md", "A"):
        try:
            with follow_to_file(tmp_path, path):
                pass
        except (NoteNotFound, OutsideVault, ProtectedPath):
            continue
    assert sorted(Path("/dev/fd").iterdir()) == before


def test_relative_knows_neighbours_from_insides() -> None:
    assert relative_path("/vault", "/vault") == ""
    assert relative_path("/vault", "/vault/a/b") == "a/b"
    assert relative_path("/vault", "/vault2/a") is None
    assert relative_path("/", "/a") == "a"


def test_sorts_of_entries_have_names() -> None:
    assert entry_kind(Path("/dev/null").stat().st_mode) == "a device"
    assert entry_kind(0) == "something else"
