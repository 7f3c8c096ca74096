"""Builds llama.cpp and fetches the model at low priority while a bridge serves words, and ends with that bridge."""

import argparse
import os
import signal
import sys
from pathlib import Path
from types import FrameType

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from scripts.lib.setup.llama_setup import SetupRecord, install_any_llama, llama_lock
from scripts.lib.setup.steps import Count, StepFailed, Watch, ignore, run, say
from scripts.lib.setup.venv import CLEAN, VENV, is_done, stamp

NICENESS = 15
AGAIN = "Then start `scripts/run` again."


class BridgeEnded(Exception):
    """The bridge that waits for the model is gone, or asked this to end."""


def main() -> int:
    """Set up what search by meaning needs, once: a failure is recorded and not tried again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bridge", type=int, help="process id of the bridge")
    parser.add_argument("vault", help="what it serves")
    bridge, vault = vars(parser.parse_args()).values()
    os.nice(NICENESS)
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    try:
        if is_done("llama"):
            fetch_model(vault, while_running(bridge, ignore))
            return 0
        with llama_lock(while_running(bridge, ignore)) as lock:
            return set_up(bridge, vault, lock)
    except BridgeEnded:
        say("Ended with its bridge. The next start goes on.")
        return 130


def set_up(bridge: int, vault: str, lock: int) -> int:
    """Set up all that is not there yet, and record how far it is."""
    record = SetupRecord()
    watch = while_running(bridge, record.show)
    try:
        if not is_done("llama"):
            watch("Preparing llama.cpp", None)
            install_any_llama({**CLEAN, "CMAKE_BUILD_PARALLEL_LEVEL": jobs()}, lock, watch)
            stamp("llama")
    except StepFailed as failure:
        say(str(failure))
        record.fail(failure.problem, f"{failure.hint} {AGAIN}".strip())
        return 1
    except OSError as error:
        say(str(error))
        record.fail(f"Setting up llama.cpp failed: {error.strerror or error}.", AGAIN)
        return 1
    fetch_model(vault, watch)
    record.clear()
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
