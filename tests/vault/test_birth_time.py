"""The time at which a file was created is what the system's own tools say."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bridge.vault.open_file import birth_time


@pytest.mark.process
@pytest.mark.skipif(sys.platform != "linux", reason="`stat -c` is that of Linux")
def test_the_birth_of_a_file_is_what_stat_says(tmp_path: Path) -> None:
    file = tmp_path / "Größe 笔记.md"
    file.write_text("x", "utf-8")
    # Neither a change nor its date makes a file younger or older.
    os.utime(file, (1, 1))
    said = int(subprocess.check_output(["stat", "-c", "%W", file]))
    born = birth_time(file)
    assert (0 if born is None else int(born)) == said


def test_a_missing_file_was_never_born(tmp_path: Path) -> None:
    assert birth_time(tmp_path / "None.md") is None
