import os
import subprocess
import sys
from pathlib import Path

import pytest

from bridge.data_folder import Folders, vault_id
from bridge.engine.vault_lock import VaultLock
from bridge.errors import VaultHeld

HOLDER = """
import sys
from pathlib import Path
from bridge.engine.vault_lock import VaultLock as Hold
hold = Hold.take(Path(sys.argv[1]), Path(sys.argv[2]))
print("held", flush=True)
sys.stdin.read()
"""


@pytest.mark.process
def test_a_second_process_is_told_who_holds_the_vault(tmp_path: Path) -> None:
    lock, runtime = tmp_path / "vault" / "lock", tmp_path / "run.json"
    runtime.write_text('{"url": "http://127.0.0.1:1", "pid": 7, "token": "secret"}')
    command = [sys.executable, "-c", HOLDER, str(lock), str(runtime)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        with pytest.raises(VaultHeld) as refused:
            VaultLock.take(lock, runtime)
        assert refused.value.facts == {"url": "http://127.0.0.1:1", "pid": 7}
        assert "secret" not in str(refused.value.wire())
        process.kill()
    # The lock ends with the process, even a killed one.
    VaultLock.take(lock, runtime).release()


def test_a_held_vault_without_a_runtime_file_is_refused_too(tmp_path: Path) -> None:
    hold = VaultLock.take(tmp_path / "lock", tmp_path / "none.json")
    with pytest.raises(VaultHeld, match="another process"):
        VaultLock.take(tmp_path / "lock", tmp_path / "none.json")
    hold.release()


def test_the_folders_are_private(tmp_path: Path) -> None:
    folders = Folders(tmp_path / "data")
    folders.make()
    assert [p.stat().st_mode & 0o777 for p in (folders.data, folders.data / "run")] == [0o700, 0o700]


def test_the_id_of_a_vault_is_that_of_its_real_path(tmp_path: Path) -> None:
    real = tmp_path / "Notes"
    real.mkdir()
    link = tmp_path / "link"
    link.symlink_to(real)
    assert vault_id(link) == vault_id(real)
    assert len(vault_id(real)) == 16
    assert vault_id(tmp_path) != vault_id(real)
    assert os.path.realpath(link) == str(real)
