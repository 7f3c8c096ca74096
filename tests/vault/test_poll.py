import os
from pathlib import Path

import pytest

from bridge.errors import VaultUnreadable
from bridge.vault.watch import is_network_mount, take_snapshot
from tests.vault.trees import apart, grow, without_rights


def test_a_look_sees_files_and_folders_but_not_hidden_ones(tmp_path: Path) -> None:
    grow(tmp_path, apart("É/a.md"), ".obsidian/app.json", "B/.c.md", "B/d.png")
    assert set(take_snapshot(tmp_path)) == {"É", "É/a.md", "B", "B/d.png"}


def test_a_look_tells_a_changed_file_within_the_same_second(tmp_path: Path) -> None:
    note = grow(tmp_path, "a.md") / "a.md"
    os.utime(note, ns=(10**18, 10**18))
    before = take_snapshot(tmp_path)
    os.utime(note, ns=(10**18, 10**18 + 1))
    assert take_snapshot(tmp_path) != before


@pytest.mark.skipif(os.name == "nt", reason="Windows does not tell when a file changed")
def test_a_look_tells_a_file_that_has_its_size_and_time_from_before(tmp_path: Path) -> None:
    note = grow(tmp_path, "a.md") / "a.md"
    times = note.stat()
    before = take_snapshot(tmp_path)
    note.write_bytes(bytes(times.st_size))
    os.utime(note, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert take_snapshot(tmp_path) != before


def test_a_look_follows_no_link(tmp_path: Path) -> None:
    grow(tmp_path, "A/a.md")
    (tmp_path / "A/loop").symlink_to("..")
    assert set(take_snapshot(tmp_path)) == {"A", "A/a.md", "A/loop"}


def test_a_look_passes_over_what_cannot_be_listed() -> None:
    with without_rights() as root:
        grow(root, "A/a.md", "b.md")
        (root / "A").chmod(0)
        assert set(take_snapshot(root)) == {"A", "b.md"}


def test_a_vanished_vault_is_told(tmp_path: Path) -> None:
    with pytest.raises(VaultUnreadable):
        take_snapshot(tmp_path / "gone")


def test_file_systems_of_other_computers_are_known(tmp_path: Path) -> None:
    device = tmp_path.stat().st_dev
    name = f"{os.major(device)}:{os.minor(device)}"
    mounts = tmp_path / "mountinfo"
    mounts.write_text(f"36 35 {name} / /home rw shared:1 - nfs4 server:/home rw\n")
    assert is_network_mount(tmp_path, mounts)
    mounts.write_text(f"36 35 {name} / / rw - ext4 /dev/sda rw\n37 35 9999:1 / /mnt rw - nfs4 server:/home rw\n")
    assert not is_network_mount(tmp_path, mounts)
    assert not is_network_mount(tmp_path, tmp_path / "none")
    assert not is_network_mount(tmp_path / "gone", mounts)
