"""Fetches the model, then builds llama.cpp, at low priority while a bridge serves, and ends with that bridge."""

import argparse
import os
import signal
import sys
from pathlib import Path
from types import FrameType

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from scripts.lib.setup.llama_setup import SetupRecord, install_llama, llama_lock, remove_llama
from scripts.lib.setup.steps import Count, StepFailed, Watch, ignore, run, say
from scripts.lib.setup.venv import CLEAN, VENV, is_done, stamp

NICENESS = 15


class BridgeEnded(Exception):
    """The bridge that waits for the model is gone, or asked this to end."""


def main() -> int:
    """Set up what search by meaning needs: the model, with which the prebuilt llama.cpp serves, and a faster build."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bridge", type=int, help="process id of the bridge")
    parser.add_argument("vault", help="what it serves")
    bridge, vault = vars(parser.parse_args()).values()
    os.nice(NICENESS)
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    try:
        with llama_lock(while_running(bridge, ignore)) as lock:
            return set_up(bridge, vault, lock)
    except BridgeEnded:
        say("Ended with its bridge. The next start goes on.")
        return 130


def set_up(bridge: int, vault: str, lock: int) -> int:
    """Set up all that is not there yet."""
    record = SetupRecord()
    fetch_model(vault, while_running(bridge, record.show))
    record.clear()
    if is_done("llama"):
        return 0
    watch = while_running(bridge, ignore)
    try:
        install_llama({**CLEAN, "CMAKE_BUILD_PARALLEL_LEVEL": jobs()}, lock, watch)
    except (StepFailed, OSError) as failure:
        say(f"{failure}\nThe prebuilt llama.cpp is used instead.")
        remove_llama(watch)
    stamp("llama")
    return 0


def fetch_model(vault: str, watch: Watch) -> None:
    """Fetch the model that fits a vault unless it is there; without it, a bridge says by itself what to do."""
    command = [str(VENV / "bin" / "vaultside"), "models", "install", vault]
    try:
        run("Fetching the model", command, VENV / "logs" / "model.log", {}, watch=watch)
    except (StepFailed, OSError) as failure:
        say(str(failure))


def while_running(bridge: int, watch: Watch) -> Watch:
    """Return a watch that also ends the set-up when the bridge is gone."""

    def look(step: str, count: Count | None) -> None:
        try:
            os.kill(bridge, 0)
        except OSError:
            raise BridgeEnded from None
        watch(step, count)

    return look


def end(_number: int, _frame: FrameType | None) -> None:
    """End the set-up on a signal."""
    raise BridgeEnded


def jobs() -> str:
    """Return how many files are compiled at once: one less than the cores, which search keeps."""
    return os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL") or str(max(1, (os.cpu_count() or 2) - 1))


if __name__ == "__main__":
    sys.exit(main())
