import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.errors import VaultUnreadable
from bridge.vault.rules import Rules
from bridge.vault.scan import MAX_PROBES, Scan, Stat
from bridge.vault.vault import Vault
from tests.vault.trees import apart, grow, without_rights


def scanned(root: Path, rules: Rules | None = None) -> Scan:
    return Vault(root, rules or Rules()).scan()


def test_files_are_told_apart(tmp_path: Path) -> None:
    grow(tmp_path, "a.md", "A/b.canvas", "A/c.pdf", "A/d.excalidraw", "A/e.png", "A/f", "Empty/")
    found = scanned(tmp_path)
    assert set(found.files) == {"a.md", "A/b.canvas", "A/c.pdf", "A/d.excalidraw"}
    assert found.others == {"A/e.png", "A/f"}
    assert found.skipped == {}
    info = (tmp_path / "a.md").stat()
    assert found.files["a.md"] == Stat(info.st_mtime_ns, 4)  # type: ignore[index]


def test_hidden_files_are_not_even_mentioned(tmp_path: Path) -> None:
    grow(tmp_path, ".obsidian/app.md", ".git/a.md", ".trash/b.md", "A/.b.md", "a.md")
    assert scanned(tmp_path) == Scan({"a.md": scanned(tmp_path).files["a.md"]}, frozenset(), {})  # type: ignore[dict-item,index]


def test_files_still_in_icloud_are_mentioned(tmp_path: Path) -> None:
    grow(tmp_path, "A/.Plan.md.icloud")
    assert scanned(tmp_path).skipped == {
        "A/.Plan.md.icloud": "Still in iCloud: the file was not downloaded to this computer."
    }


def test_left_out_files_can_still_be_linked(tmp_path: Path) -> None:
    grow(tmp_path, "Archive/a.md", "Archive/B/c.md", "Archive/d.png", "big.md", "_t/e.md", "f.tmp", "g.md")
    (tmp_path / "big.md").write_text("x" * 101)
    found = scanned(tmp_path, Rules(("Archive/**", "*.tmp"), 100, ("_t/",)))
    assert set(found.files) == {"g.md"}
    assert found.others == {"Archive/a.md", "Archive/B/c.md", "Archive/d.png", "big.md", "_t/e.md", "f.tmp"}
    assert set(found.skipped) == {"Archive/", "big.md", "_t/"}


def test_conflict_copies_are_left_out(tmp_path: Path) -> None:
    grow(tmp_path, "a.sync-conflict-20240101-101010-ABCDEFG.md", "a.md")
    assert set(scanned(tmp_path).files) == {"a.md"}


@pytest.mark.process
@pytest.mark.skipif(sys.platform != "linux", reason="only there a path may be so long")
def test_folders_may_be_nested_deeper_than_python_calls(tmp_path: Path) -> None:
    deep = "/".join("d" * sys.getrecursionlimit())
    # Python's own ways to make and to remove so many folders call themselves as often.
    subprocess.run(["mkdir", "-p", str(tmp_path / deep)], check=True)
    grow(tmp_path, "a.md", f"{deep}/b.md")
    try:
        assert set(scanned(tmp_path).files) == {"a.md", f"{deep}/b.md"}
        assert set(Vault(tmp_path, Rules()).look(["d"]).files) == {f"{deep}/b.md"}
    finally:
        subprocess.run(["rm", "-r", str(tmp_path / "d")], check=True)


def test_what_lies_in_a_folder_that_is_looked_at_is_looked_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grow(tmp_path, "A/B/C/a.md", "A/b.md")
    listed: list[str] = []
    scandir = os.scandir

    def counted(place: str) -> Any:
        listed.append(os.path.relpath(place, tmp_path))
        return scandir(place)

    monkeypatch.setattr(os, "scandir", counted)
    found = Vault(tmp_path, Rules()).look(["A/B", "A", "A/B/C", "A/b.md", "A/gone.md"])
    assert set(found.files) == {"A/B/C/a.md", "A/b.md"}
    assert sorted(listed) == [".", "A", "A/B", "A/B/C"]


def test_a_folder_named_by_a_space_is_looked_at(tmp_path: Path) -> None:
    grow(tmp_path, " /a.md")
    assert set(Vault(tmp_path, Rules()).look([" "]).files) == {" /a.md"}


def test_names_are_composed(tmp_path: Path) -> None:
    grow(tmp_path, apart("Été/Café.md"))
    vault = Vault(tmp_path, Rules())
    (path,) = vault.scan().files
    assert path == "Été/Café.md"
    assert vault.read(path)[0].decode() == apart("Été/Café.md")


def test_of_names_that_differ_in_form_one_is_kept(tmp_path: Path) -> None:
    grow(tmp_path, apart("é.md"), "é.md", apart("Été/a.md"), "Été/b.md")
    vault = Vault(tmp_path, Rules())
    found = vault.scan()
    assert set(found.files) == {"é.md", "Été/b.md"}
    assert set(found.skipped) == {apart("é.md"), apart("Été")}
    assert vault.read(next(p for p in found.files if p == "é.md"))[0].decode() == "é.md"


def test_names_that_cannot_travel_are_left_out(tmp_path: Path) -> None:
    place = os.fsencode(tmp_path)
    for name in (b"caf\xe9.md", b"a\\b.md", b"a\nb.md", b"C:evil.md", b"fine.md"):
        with open(place + b"/" + name, "wb"):  # noqa: PTH123
            pass
    found = scanned(tmp_path)
    assert set(found.files) == {"fine.md"}
    assert found.skipped == {
        "caf\\udce9.md": "Its name is not valid Unicode.",
        "a\\b.md": "Its name has a `\\`.",
        "a\nb.md": "Its name has a control character.",
        "C:evil.md": "Its name reads as a drive or a stream of Windows.",
    }
    for path in found.skipped:
        assert path.encode()


def test_what_is_no_file_is_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    with socket.socket(socket.AF_UNIX) as plug:
        # Bound by a short relative name: socket paths have a small limit.
        here = Path.cwd()
        os.chdir(tmp_path)
        try:
            plug.bind("plug.md")
        finally:
            os.chdir(here)
        found = scanned(tmp_path)
    assert found.skipped == {"pipe.md": "It is a pipe, not a file.", "plug.md": "It is a socket, not a file."}
    assert not found.files


def test_links_that_leave_the_vault_are_not_followed(tmp_path: Path) -> None:
    vault = grow(tmp_path / "vault", "a.md")
    grow(tmp_path, "elsewhere/secret.md")
    (vault / "file.md").symlink_to(tmp_path / "elsewhere/secret.md")
    (vault / "folder").symlink_to(tmp_path / "elsewhere")
    found = scanned(vault)
    assert set(found.files) == {"a.md"}
    assert not found.others
    assert set(found.skipped.values()) == {"A link that leaves the vault; such links are not followed."}


def test_a_link_to_an_indexed_note_is_a_name_of_it(tmp_path: Path) -> None:
    grow(tmp_path, "A/real.md", "A/data.txt", ".h/x.md")
    (tmp_path / "other.md").symlink_to("A/real.md")
    (tmp_path / "note.md").symlink_to("A/data.txt")
    (tmp_path / "pic.png").symlink_to("A/data.txt")
    (tmp_path / "hidden.md").symlink_to(".h/x.md")
    (tmp_path / "nowhere.md").symlink_to("gone.md")
    found = scanned(tmp_path)
    assert set(found.files) == {"A/real.md", "note.md"}
    assert found.others == {"A/data.txt", "other.md", "pic.png"}
    assert found.skipped == {
        "other.md": "A link to `A/real.md`, which is indexed itself.",
        "hidden.md": "A link to a hidden file.",
        "nowhere.md": "A symbolic link without a target.",
    }


def test_linked_folders_are_no_trap(tmp_path: Path) -> None:
    grow(tmp_path, "A/a.md")
    (tmp_path / "A/up").symlink_to("..")
    (tmp_path / "A/self").symlink_to("self")
    (tmp_path / "B").symlink_to("A")
    found = scanned(tmp_path)
    assert set(found.files) == {"A/a.md"}
    assert found.skipped == {
        "A/up": "A link to the folder ``, which is read under its own name.",
        "A/self": "A symbolic link without a target.",
        "B": "A link to the folder `A`, which is read under its own name.",
    }


def test_a_folder_without_rights_is_told() -> None:
    with without_rights() as root:
        grow(root, "Open/a.md", "Locked/b.md")
        (root / "Locked").chmod(0)
        found = scanned(root)
        assert set(found.files) == {"Open/a.md"}
        assert found.skipped == {"Locked/": "The folder cannot be read: Permission denied."}
        assert found.unreadable == {"Locked/"}
        assert found.unsure_of("Locked/deep/b.md")
        assert not found.unsure_of("Open/gone.md")


def test_a_vault_without_rights_is_not_empty() -> None:
    with without_rights() as root:
        grow(root, "a.md")
        root.chmod(0)
        with pytest.raises(VaultUnreadable, match="Permission denied"):
            scanned(root)


def test_a_vanished_vault_is_not_empty(tmp_path: Path) -> None:
    vault = Vault(grow(tmp_path / "vault", "a.md"), Rules())
    vault.scan()
    shutil.rmtree(vault.root)
    with pytest.raises(VaultUnreadable):
        vault.scan()
    with pytest.raises(VaultUnreadable):
        vault.look(["a.md"])
    vault.root.write_text("a file now")
    with pytest.raises(VaultUnreadable):
        vault.scan()


def test_an_unmounted_vault_is_not_empty(tmp_path: Path) -> None:
    root = grow(tmp_path / "vault", "A/a.md")
    vault = Vault(root, Rules())
    vault.scan()
    shutil.rmtree(root / "A")
    with pytest.raises(VaultUnreadable, match="is empty, but had notes before"):
        vault.scan()
    grow(root, ".obsidian/app.json")
    assert not vault.scan().files


def test_a_new_vault_may_be_empty(tmp_path: Path) -> None:
    assert scanned(tmp_path) == Scan({}, frozenset(), {})
    with pytest.raises(VaultUnreadable):
        Vault(tmp_path, Rules()).scan(was_filled=True)


def test_looking_at_a_folder_finds_what_is_below(tmp_path: Path) -> None:
    grow(tmp_path, "A/a.md", "A/B/b.md", "A/c.png", "d.md")
    found = Vault(tmp_path, Rules()).look(["A", "gone.md", "d.md/x"])
    assert set(found.files) == {"A/a.md", "A/B/b.md"}
    assert found.others == {"A/c.png"}


def test_looking_keeps_to_the_rules(tmp_path: Path) -> None:
    grow(tmp_path, "Archive/B/a.md", ".h/b.md", "A/c.md")
    (tmp_path / "L").symlink_to("A")
    vault = Vault(tmp_path, Rules(("Archive",)))
    found = vault.look(["Archive/B", "Archive/B/a.md", ".h/b.md", "../x", "L/c.md", "/", "A/../A/c.md"])
    assert found == vault.scan()
    found = vault.look(["Archive/B/a.md", ".h/b.md", ".h", "../x", "L/c.md", "a\x00"])
    assert found == Scan({}, frozenset(["Archive/B/a.md"]), {})  # type: ignore[list-item]
    assert vault.look(["L"]).skipped == {"L": "A link to the folder `A`, which is read under its own name."}


def test_looking_wants_the_spelling_of_the_disk(tmp_path: Path) -> None:
    grow(tmp_path, apart("é.md"), "Note.md")
    found = Vault(tmp_path, Rules()).look(["é.md", "note.md"])
    assert set(found.files) == {"é.md"}


def test_few_names_are_looked_up_without_listing_their_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"Note {number}.md" for number in range(2 * MAX_PROBES)]
    grow(tmp_path, *names, "Twin.md", "tWIN.MD")
    listed: list[str] = []
    listdir = os.listdir

    def counted(place: str) -> list[str]:
        listed.append(place)
        return listdir(place)

    monkeypatch.setattr(os, "listdir", counted)
    vault = Vault(tmp_path, Rules())
    assert set(vault.look(names[:MAX_PROBES]).files) == set(names[:MAX_PROBES])
    assert listed == []
    assert set(vault.look(names).files) == set(names)
    assert set(vault.look(["Twin.md", "tWIN.MD", "twin.md"]).files) == {"Twin.md", "tWIN.MD"}
    assert listed == [str(tmp_path)] * 2


NAMES = st.sampled_from(["a.md", "b.png", "A", "É", apart("É"), ".h", "x.tmp", "Archive"])
TREES = st.lists(st.lists(NAMES, min_size=1, max_size=4).map("/".join), max_size=12)


@settings(max_examples=40, deadline=None)
@given(TREES)
def test_looking_everywhere_finds_what_scanning_finds(paths: list[str]) -> None:
    with without_rights() as root:
        for path in paths:
            if not (root / path).exists() and all(not parent.is_file() for parent in (root / path).parents):
                grow(root, path)
        vault = Vault(root, Rules(("Archive", "*.tmp"), 1000, ("A/a",)))
        whole = vault.scan()
        each = vault.look([*whole.files, *whole.others])
        assert each.files == whole.files
        assert each.others == whole.others
        for path, stat in whole.files.items():
            assert len(vault.read(path)[0]) == stat.size
            assert vault.stat(path) == stat
