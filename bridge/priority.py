"""Has background work of other processes come after the answering of requests."""

import os
import sys
from contextlib import suppress
from functools import cache
from typing import Final

NICENESS: Final = 10
"""What is added to the priority number of a process that gives way."""


@cache
def lower_priority() -> None:
    """Lower this process's priority, once and for good; without effect where the system does not permit it."""
    with suppress(OSError):
        if sys.platform == "win32":
            import psutil

            psutil.Process().nice(psutil.BELOW_NORMAL_PRIORITY_CLASS)
        else:
            os.nice(NICENESS)
