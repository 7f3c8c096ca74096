"""Makes `.venv` from the lock files; runs on a bare Python, before anything is installed."""

import argparse
import fcntl
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from scripts.lib.setup.llama_setup import LLAMA, install_llama, llama_lock
from scripts.lib.setup.lockfile import ROOT, read_lock
from scripts.lib.setup.steps import StepFailed, ignore, run, say
from scripts.lib.setup.venv import CLEAN, LOCK_OF, VENV, install, is_done, make_venv, pip_command, stamp


def main() -> int:
    """Bring `.venv` up to date, or say whether it is."""
    parser = argparse.ArgumentParser(prog="scripts/setup", description=__doc__)
    parser.add_argument("purpose", choices=("run", "check", "test"))
    parser.add_argument("--check", action="store_true", help="only say, by the exit status, whether all is done")
    options = parser.parse_args()
    if options.check:
        return 0 if is_done(options.purpose) else 1
    try:
        with setup_lock():
            if not is_done(options.purpose):
                set_up(options.purpose)
    except StepFailed as failure:
        say(str(failure))
        return 1
    except KeyboardInterrupt:
        say("Interrupted. Run it again to go on.")
        return 130
    return 0


@contextmanager
def setup_lock() -> Iterator[None]:
    """Make a concurrent set-up of this checkout wait.

    Raises:
        StepFailed: `.venv` is a link.
    """
    if VENV.is_symlink():
        # Emptied to be made anew, it would take the environment of another checkout with it.
        raise StepFailed(f"{VENV} is a link to {VENV.readlink()}.", "Delete the link; a set-up makes a folder there.")
    VENV.mkdir(exist_ok=True)
    with (VENV / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("Another set-up of this checkout is running; waiting for it.")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def set_up(purpose: str) -> None:
    """Install everything, each step only if it is needed; llama.cpp follows in the background, or before the tests."""
    if purpose != "test" or not is_done("check"):
        set_up_packages("check" if purpose == "test" else purpose)
    if purpose == "test":
        with llama_lock(ignore) as lock:
            install_llama(CLEAN, lock)
        stamp("llama", "test")


def set_up_packages(purpose: str) -> None:
    """Install all but the build of llama.cpp."""
    say(f"Setting up in {VENV} (once; later starts skip this).")
    make_venv()
    pins = read_lock(LOCK_OF[purpose])
    install("pip itself", [pin for pin in pins if pin.name == "pip"])
    packages = [pin for pin in pins if pin.name != LLAMA]
    install(f"{len(packages)} packages", packages)
    project = ["install", "--no-deps", "--no-build-isolation", "--no-index", "--editable", str(ROOT)]
    run("Installing Vaultside", pip_command(*project), VENV / "logs" / "project.log", CLEAN)
    stamp("run", purpose)


if __name__ == "__main__":
    sys.exit(main())
