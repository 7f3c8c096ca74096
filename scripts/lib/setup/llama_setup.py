"""Installs llama.cpp into `.venv`: one set-up at a time, which a bridge that runs meanwhile can read."""

import contextlib
import fcntl
import json
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TextIO

from scripts.lib.setup import llama_wheel
from scripts.lib.setup.lockfile import Pin, read_lock
from scripts.lib.setup.steps import LOOK_EVERY_S, Count, StepFailed, Watch, ignore, run, say
from scripts.lib.setup.venv import CLEAN, PYTHON, VENV, pip_command

LLAMA = "llama-cpp-python"
TRIAL = "import llama_cpp; llama_cpp.llama_backend_init(); print(llama_cpp.__version__)"

BUILT = VENV / "llama-built"
"""The key of the build that is installed."""

# bridge/models/model_setup.py reads both.
LOCK = VENV / "model-setup.lock"
RECORD = VENV / "model-setup.json"


@contextmanager
def llama_lock(watch: Watch) -> Iterator[int]:
    """Hold the lock of llama.cpp's set-up, waiting for another one, and yield it as an open file.

    A bridge that finds it held knows that a set-up runs.
    """
    with LOCK.open("w") as file:
        if not take(file):
            title = "Waiting for another set-up of llama.cpp"
            say(f"{title} …")
            while not take(file):
                watch(title, None)
                time.sleep(LOOK_EVERY_S)
        yield file.fileno()


def take(file: TextIO) -> bool:
    """Take the lock of a file, or say that another process has it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def install_llama(env: Mapping[str, str], lock: int, watch: Watch = ignore) -> None:
    """Install llama.cpp's wheel, built now or in an earlier set-up, unless the locked version is there and runs.

    Args:
        env: Variables for the build.
        lock: The lock; a build that is orphaned keeps it.
        watch: Told how far it is.

    Raises:
        StepFailed: There is no compiler, the build failed, or what was built does not run.
    """
    llama = next(pin for pin in read_lock("run") if pin.name == LLAMA)
    workshop = llama_wheel.Workshop(pip_command(), VENV, env, watch, (lock,))
    for rebuild in (False, True):
        if is_usable_build(llama):
            break
        if rebuild:
            say("This llama.cpp build does not run on this machine. Building it anew.")
        wheel = llama_wheel.obtain(llama, workshop, rebuild=rebuild)
        replace = ["install", "--no-deps", "--no-index", "--force-reinstall", str(wheel)]
        workshop.run("Installing llama.cpp", replace, "llama-install.log")
        BUILT.write_text(llama_wheel.cache_key(llama), encoding="utf-8")
    else:
        if not is_usable_build(llama):
            raise StepFailed("llama.cpp was built but does not start.", "See .venv/logs/llama-build.log.")
    shutil.rmtree(VENV / llama_wheel.WORK, ignore_errors=True)
    run("Checking the packages", pip_command("check"), VENV / "logs" / "check.log", CLEAN, watch=watch)


def remove_llama(watch: Watch = ignore) -> None:
    """Remove a llama.cpp that was compiled and does not run, so that the prebuilt one is used."""
    remove = pip_command("uninstall", "--yes", LLAMA)
    run("Removing earlier builds", remove, VENV / "logs" / "llama-removed.log", CLEAN, watch=watch)


def is_usable_build(llama: Pin) -> bool:
    """Say whether the locked version is installed and built for this processor; otherwise its calls crash."""
    if not BUILT.is_file() or BUILT.read_text(encoding="utf-8") != llama_wheel.cache_key(llama):
        return False
    done = subprocess.run([PYTHON, "-I", "-c", TRIAL], capture_output=True, text=True, check=False)
    return done.returncode == 0 and done.stdout.strip() == llama.version


class SetupRecord:
    """What a bridge reads of the set-up: the step that the model waits for."""

    def __init__(self) -> None:
        self._since = time.time()
        self._shown: tuple[str, Count | None] | None = None

    def show(self, step: str, count: Count | None) -> None:
        """Record the step that runs and how far it is."""
        if self._shown != (step, count):
            self._shown = step, count
            done, total = count or (0, 0)
            self._write(step=step, done=done, total=total, since=self._since)

    def clear(self) -> None:
        """Remove the record, as there is nothing left to set up."""
        RECORD.unlink(missing_ok=True)

    def _write(self, **facts: object) -> None:
        draft = RECORD.with_suffix(".part")
        # On a full disk the step itself fails, and says so.
        with contextlib.suppress(OSError):
            draft.write_text(json.dumps(facts), encoding="utf-8")
            draft.replace(RECORD)
