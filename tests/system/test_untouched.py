"""The vault is byte for byte as it was after everything that only reads or only tries."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.system.sidecar import CallFailed, serving
from tests.system.vaults import fingerprint, generate

READING: dict[str, dict[str, Any]] = {
    "search": {"query": "garden"},
    "related_notes": {"text": "harvest and meadow"},
    "find_notes": {"limit": 5},
    "list_folders": {},
    "list_tags": {},
    "status": {},
    "list_tasks": {},
    "list_changes": {},
    "daily_note": {},
    "create_note": {"path": "New/Note.md", "text": "Only tried.", "dry_run": True},
    "edit_note": {"path": "bom.md", "edits": [{"op": "append", "text": "Only tried."}], "dry_run": True},
    "add_task": {"path": "empty.md", "text": "Only tried", "dry_run": True},
    "move_note": {"path": "Journal", "to": "Diary", "dry_run": True},
}


@pytest.mark.model
def test_indexing_searching_and_leaving_change_no_byte(tmp_path: Path, models_dir: Path) -> None:
    vault = tmp_path / "vault"
    generate(vault, 30, sections=1)
    odd = {"bom.md": b"\xef\xbb\xbf# With a mark\r\n", "nul.md": b"a\x00b", "bad.md": b"\xff\xfe\xfd", "empty.md": b""}
    for name, data in odd.items():
        (vault / name).write_bytes(data)
    (vault / ".obsidian").mkdir()
    (vault / ".obsidian" / "app.json").write_text('{"newLinkFormat": "shortest"}')
    before = fingerprint(vault)
    with serving(vault, data_dir=tmp_path / "data", models_dir=models_dir) as bridge:
        bridge.wait_indexed()
        for operation, arguments in READING.items():
            bridge.call(operation, **arguments)
        bridge.call("read_note", path="bom.md")
    assert fingerprint(vault) == before


def test_a_vault_that_cannot_be_written_is_served(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    generate(vault, 5)
    for folder in (vault, *(p for p in vault.rglob("*") if p.is_dir())):
        folder.chmod(0o500)
    try:
        with serving(vault, data_dir=tmp_path / "data", models_dir=tmp_path / "none") as bridge:
            status = bridge.wait_indexed(vectors=False)
            found = bridge.call("search", query="mark0003zq")
        assert (status["notes"], found["mode_used"], len(found["hits"])) == (5, "keyword", 1)
    finally:
        for folder in (vault, *(p for p in vault.rglob("*") if p.is_dir())):
            folder.chmod(0o700)


def test_only_the_user_can_read_what_is_kept(tmp_path: Path) -> None:
    vault, data = tmp_path / "vault", tmp_path / "data"
    generate(vault, 10)
    mask = os.umask(0)
    try:
        with serving(vault, data_dir=data, models_dir=tmp_path / "none") as bridge:
            bridge.wait_indexed(vectors=False)
            open_to_others = [str(path.relative_to(tmp_path)) for path in below(data) if is_open(path)]
    finally:
        os.umask(mask)
    # A folder that only the user can enter protects what is in it; what lies directly in it is private besides.
    assert [path for path in open_to_others if path.count("/") < 2] == []


def below(folder: Path) -> Iterator[Path]:
    """Yield a folder and all in it, while files come and go."""
    for place, _, names in os.walk(folder):
        yield Path(place)
        yield from (Path(place, name) for name in names)


def is_open(path: Path) -> bool:
    """Say whether others may do anything with a file; one that is gone lets nobody in."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return False
    return not stat.S_ISSOCK(mode) and bool(stat.S_IMODE(mode) & 0o077)


def test_a_missing_note_is_refused_without_a_trace(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    generate(vault, 5)
    with serving(vault, data_dir=tmp_path / "data", models_dir=tmp_path / "none") as bridge:
        bridge.wait_indexed(vectors=False)
        with pytest.raises(CallFailed) as failure:
            bridge.call("read_note", path="../../etc/passwd")
        log = bridge.errors()
    assert failure.value.error["code"] == "outside_vault"
    assert "Traceback" not in log
