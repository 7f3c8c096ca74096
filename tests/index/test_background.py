"""Memory of the whole process, in a process of its own."""

import subprocess
import sys

import pytest

HELD_AFTER_LARGE = """
import numpy as np
from pathlib import Path
from bridge.index.background import limit_memory

def resident_mib():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 // 2**20

limit_memory()
np.ones(3_000_000).sum()
before, large, small = resident_mib(), [], []
for _ in range(20):
    large.append(np.ones(1_000_000))
    small.append(bytes(1_000))
large.clear()
print(resident_mib() - before)
"""


@pytest.mark.process
@pytest.mark.skipif(sys.platform != "linux", reason="glibc's settings")
def test_large_arrays_are_returned_to_the_system_when_they_are_freed() -> None:
    ran = subprocess.run([sys.executable, "-c", HELD_AFTER_LARGE], capture_output=True, text=True, check=True)
    assert int(ran.stdout) < 20


COLLECTIONS = """
import gc
from bridge.index.background import collect_rarely

collect_rarely()
gc.collect()
before = gc.get_stats()[0]["collections"]
hits = [[] for _ in range(5_000)]
print(gc.get_stats()[0]["collections"] - before)
"""


@pytest.mark.process(brief=True)
def test_the_hits_of_a_search_start_no_collection_of_garbage() -> None:
    ran = subprocess.run([sys.executable, "-c", COLLECTIONS], capture_output=True, text=True, check=True)
    assert int(ran.stdout) == 0
