"""The file that tells others where the bridge is."""

import json
import os
import stat
from pathlib import Path

import pytest

from bridge.server.runtime_file import Runtime, read_runtime, remove_runtime, running_bridges, write_runtime

HERE = Runtime("http://127.0.0.1:1", "token", os.getpid(), "0.1.0")


def test_the_file_is_for_its_owner_alone_and_holds_what_the_contract_says(tmp_path: Path) -> None:
    path = tmp_path / "run" / "abc.json"
    write_runtime(path, HERE)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert json.loads(path.read_bytes()) == {
        "url": "http://127.0.0.1:1",
        "token": "token",
        "pid": os.getpid(),
        "version": "0.1.0",
        "schema": 1,
    }
    assert [each.name for each in path.parent.iterdir()] == ["abc.json"]


def test_what_a_dead_process_left_is_not_believed_and_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "abc.json"
    write_runtime(path, Runtime("http://127.0.0.1:1", "old", dead(), "0.1.0"))
    assert read_runtime(path) is None
    write_runtime(path, HERE)
    assert read_runtime(path) == HERE


def dead() -> int:
    """Return the id of a process that has ended, as no other has: no system gives so large a one."""
    return 2**31 - 2


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"pid": 1}', '{"url":"","token":"","pid":"x","version":"","schema":1}']
)
def test_a_broken_file_is_no_file(tmp_path: Path, text: str) -> None:
    path = tmp_path / "abc.json"
    path.write_text(text)
    assert read_runtime(path) is None


def test_only_our_own_file_is_removed(tmp_path: Path) -> None:
    ours, other = tmp_path / "a.json", tmp_path / "b.json"
    write_runtime(ours, HERE)
    write_runtime(other, Runtime("http://127.0.0.1:2", "t", os.getppid(), "0.1.0"))
    remove_runtime(ours)
    remove_runtime(other)
    assert [path.name for path in tmp_path.iterdir()] == ["b.json"]


def test_a_bridge_of_several_vaults_runs_once(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_runtime(tmp_path / "run" / f"{name}.json", HERE)
    assert list(running_bridges(tmp_path)) == [HERE]
