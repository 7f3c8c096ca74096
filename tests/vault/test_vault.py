import os
from pathlib import Path

import pytest

from bridge.errors import (
    InvalidArguments,
    NoteNotFound,
    NoteUnreadable,
    OutsideVault,
    ProtectedPath,
    TooLarge,
    VaultUnreadable,
)
from bridge.types import VaultPath
from bridge.vault.rules import Rules
from bridge.vault.scan import Stat
from bridge.vault.vault import Vault
from tests.vault.trees import apart, grow, without_rights

A = VaultPath("A/a.md")


def test_reading_gives_bytes_and_what_tells_them_unchanged(tmp_path: Path) -> None:
    vault = Vault(grow(tmp_path, A), Rules())
    data, stat = vault.read(A)
    assert data == b"A/a.md"
    assert stat == vault.stat(A) == vault.scan().files[A]


def test_a_large_file_is_read_whole(tmp_path: Path) -> None:
    content = bytes(range(256)) * 20_000
    (tmp_path / "a.pdf").write_bytes(content)
    assert Vault(tmp_path, Rules()).read(VaultPath("a.pdf"))[0] == content


def test_too_large_a_file_is_not_read(tmp_path: Path) -> None:
    grow(tmp_path, A)
    with pytest.raises(TooLarge, match=r"A/a\.md"):
        Vault(tmp_path, Rules(max_file_bytes=3)).read(A)


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("none.md", NoteNotFound),
        ("../a.md", OutsideVault),
        ("/etc/hostname", OutsideVault),
        (".obsidian/app.json", ProtectedPath),
        ("out.md", OutsideVault),
        ("out/a.md", OutsideVault),
        ("A", NoteNotFound),
    ],
)
def test_reading_stays_inside(tmp_path: Path, path: str, error: type[Exception]) -> None:
    vault = grow(tmp_path / "vault", A, ".obsidian/app.json")
    grow(tmp_path, "a.md")
    (vault / "out.md").symlink_to("../a.md")
    (vault / "out").symlink_to("..")
    with pytest.raises(error):
        Vault(vault, Rules()).read(VaultPath(path))


def test_a_file_left_out_of_the_index_can_be_read(tmp_path: Path) -> None:
    vault = Vault(grow(tmp_path, A), Rules(("A/**",)))
    assert vault.read(A)[0] == b"A/a.md"
    assert vault.stat(A) is None


def test_stat_knows_only_what_is_indexed(tmp_path: Path) -> None:
    grow(tmp_path, "a.md", "b.png", "C.md/", apart("é.md"))
    vault = Vault(tmp_path, Rules())
    assert isinstance(vault.stat(VaultPath("a.md")), Stat)
    assert isinstance(vault.stat(VaultPath("é.md")), Stat)
    for path in ("b.png", "C.md", "none.md", "../a.md"):
        assert vault.stat(VaultPath(path)) is None


def test_a_file_without_rights_is_told() -> None:
    with without_rights() as root:
        grow(root, A)
        (root / A).chmod(0)
        vault = Vault(root, Rules())
        assert vault.stat(A) is not None
        with pytest.raises(NoteUnreadable, match="Permission denied"):
            vault.read(A)


def test_a_vanished_vault_is_told(tmp_path: Path) -> None:
    with pytest.raises(VaultUnreadable):
        Vault(tmp_path / "gone", Rules()).read(A)


def test_a_file_written_while_it_is_read_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vault = Vault(grow(tmp_path, A), Rules())
    real = os.read
    late = ["second half"]

    def read_and_write(descriptor: int, size: int) -> bytes:
        data = real(descriptor, size)
        if late:
            with (tmp_path / A).open("a") as file:
                file.write(late.pop())
        return data

    monkeypatch.setattr(os, "read", read_and_write)
    data, stat = vault.read(A)
    assert data == b"A/a.mdsecond half"
    assert stat == vault.stat(A)


def test_a_file_written_all_the_while_looks_changed_afterwards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vault = Vault(grow(tmp_path, A), Rules())
    real = os.read

    def read_and_write(descriptor: int, size: int) -> bytes:
        data = real(descriptor, size)
        if data:
            with (tmp_path / A).open("a") as file:
                file.write("x")
        return data

    monkeypatch.setattr(os, "read", read_and_write)
    _, stat = vault.read(A)
    assert stat != vault.stat(A)


def test_a_file_without_end_is_no_trap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vault = Vault(grow(tmp_path, A), Rules())
    monkeypatch.setattr(os, "read", lambda _, size: b"x" * size)
    assert len(vault.read(A)[0]) == len(A) + 1


def test_a_file_whose_disk_fails_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vault = Vault(grow(tmp_path, A), Rules())

    def failing(_descriptor: int, _size: int) -> bytes:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "read", failing)
    with pytest.raises(NoteUnreadable, match="Input/output error"):
        vault.read(A)
    (tmp_path / A).unlink()
    with pytest.raises(NoteNotFound):
        vault.read(A)


def test_locating_checks_without_looking(tmp_path: Path) -> None:
    vault = Vault(tmp_path, Rules())
    assert vault.locate("./A//cafe\u0301.md") == "A/café.md"
    with pytest.raises(OutsideVault):
        vault.locate("A/../../b.md")
    with pytest.raises(InvalidArguments):
        vault.locate("  ")
    assert vault.locate(" /b.md") == " /b.md"


def test_a_path_from_the_root_of_the_disk_is_taken_when_it_lies_in_the_vault(tmp_path: Path) -> None:
    vault = Vault(tmp_path / "Notes", Rules())
    assert vault.locate(f"{tmp_path}/Notes/Garden/Beans.md") == vault.locate("Garden/Beans.md") == "Garden/Beans.md"
    for outside in ("Notes 2/a.md", "Notes/../a.md", "a.md"):
        with pytest.raises(OutsideVault):
            vault.locate(f"{tmp_path}/{outside}")
    with pytest.raises(OutsideVault):
        vault.locate("/Garden/Beans.md")
    with pytest.raises(ProtectedPath):
        vault.locate(f"{tmp_path}/Notes/.obsidian/app.json")
    with pytest.raises(InvalidArguments):
        vault.locate(f"{tmp_path}/Notes")
