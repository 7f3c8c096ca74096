"""What an embedding worker is started with, and how it is started."""

import dataclasses
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bridge.models.known import ModelSpec, Pooling

POOLING: dict[Pooling, int] = {"mean": 1, "cls": 2, "last": 3}
"""llama.cpp's numbers of the poolings."""


@dataclass(frozen=True, slots=True)
class Work:
    """A model and how to run it; without a pooling the worker only tells what the file says of itself.

    `low` is for work that nobody waits for; `memory` (bytes of address space) and `cpu_seconds` bound a worker that
    opens a foreign file.
    """

    path: str
    window: int = 0
    pooling: int | None = None
    flash: bool = True
    mmap: bool = True
    memory: int = 0
    cpu_seconds: int = 0
    low: bool = True


LEVELS = 3
"""How often settings can be lowered before a model counts as unusable, plus one."""


def work(
    path: Path, spec: ModelSpec, level: int = 0, *, low: bool = True, memory: int = 0, cpu_seconds: int = 0
) -> Work:
    """Say how a model is run, with fewer features at each level."""
    full = Work(str(path), spec.window, POOLING[spec.pooling], low=low, memory=memory, cpu_seconds=cpu_seconds)
    match level:
        case 0:
            return full
        case 1:
            return dataclasses.replace(full, flash=False)
        case _:
            return dataclasses.replace(full, flash=False, mmap=False, window=min(spec.window, 128))


def command(task: Work) -> list[str]:
    """Return the command line of a worker."""
    # -P: a folder that happens to be current may hold a `json.py`.
    return [sys.executable, "-P", "-m", "bridge.models.worker", json.dumps(dataclasses.asdict(task))]


def surroundings(task: Work) -> dict[str, Any]:
    """Return the keyword arguments with which a worker process is started."""
    package = str(Path(__file__).parents[2])
    paths = os.pathsep.join(p for p in (package, os.environ.get("PYTHONPATH", "")) if p)
    # One thread each, and no debugger started by an abort.
    variables = {"PYTHONPATH": paths, "OMP_NUM_THREADS": "1", "GGML_NO_BACKTRACE": "1"}
    quiet: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    if sys.platform == "win32":
        priority = subprocess.BELOW_NORMAL_PRIORITY_CLASS if task.low else 0
        quiet["creationflags"] = subprocess.CREATE_NO_WINDOW | priority
    return {"env": {**os.environ, **variables}, **quiet}
