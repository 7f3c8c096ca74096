"""A bridge may have many files open, however few its terminal allows."""

import resource
import subprocess
import sys

import pytest

from bridge.cli.serve import MAX_OPEN_FILES

SAY = (
    "import resource; from bridge.cli.serve import raise_file_limit as permit_many; "
    "permit_many(); print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])"
)


@pytest.mark.parametrize(("soft", "hard"), [(256, None), (256, 512), (512, 512)])
def test_as_many_files_as_the_user_may_have_are_permitted(soft: int, hard: int | None) -> None:
    own = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    limit = f"ulimit -Sn {soft}; {'' if hard is None else f'ulimit -Hn {hard};'}"
    command = ["bash", "-c", f'{limit} exec "$0" -c "$1"', sys.executable, SAY]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    most = MAX_OPEN_FILES if own == resource.RLIM_INFINITY else min(MAX_OPEN_FILES, own)
    assert int(said) == (hard or most)
