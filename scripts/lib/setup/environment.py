"""Makes `.venv` from the lock files; runs on a bare Python, before anything is installed."""

import argparse
import fcntl
import hashlib
import json
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from scripts.lib.setup import llama_wheel
from scripts.lib.setup.lockfile import LOCKS, ROOT, Pin, read_lock
from scripts.lib.setup.steps import StepFailed, run, say

VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "set-up.json"
FORMAT = 1
LOCK_OF = {"run": "run", "test": "dev"}
CLEAN = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1", "PIP_USER": "0", "PYTHONNOUSERSITE": "1"}


def main() -> int:
    """Bring `.venv` up to date, or say whether it is."""
    parser = argparse.ArgumentParser(prog="scripts/setup", description=__doc__)
    parser.add_argument("purpose", choices=LOCK_OF)
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
    """Make a concurrent set-up of this checkout wait."""
    VENV.mkdir(exist_ok=True)
    with (VENV / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("Another set-up of this checkout is running; waiting for it.")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def environment_digest(purpose: str) -> str:
    """Return a digest of everything that the environment is made from."""
    # A checkout that was moved has a .venv full of wrong paths.
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    installed = {name: project[name] for name in ("build-system", "project")}
    locks = [LOCKS[LOCK_OF[purpose]].read_text(encoding="utf-8"), LOCKS["build"].read_text(encoding="utf-8")]
    return hashlib.sha256(json.dumps([FORMAT, str(ROOT), installed, *locks]).encode()).hexdigest()


def read_stamps() -> dict[str, str]:
    """Return the digests of completed set-ups, by purpose."""
    try:
        found = json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def is_done(purpose: str) -> bool:
    """Say whether the environment is up to date."""
    return read_stamps().get(purpose) == environment_digest(purpose)


def set_up(purpose: str) -> None:
    """Install everything, each step only if it is needed."""
    say(f"Setting up in {VENV} (once; later starts skip this).")
    make_venv()
    pins = read_lock(LOCK_OF[purpose])
    llama = next(pin for pin in pins if pin.name == "llama-cpp-python")
    install("pip itself", [pin for pin in pins if pin.name == "pip"])
    packages = [pin for pin in pins if pin is not llama]
    install(f"{len(packages)} packages", packages)
    install_llama(llama)
    project = ["install", "--no-deps", "--no-build-isolation", "--no-index", "--editable", str(ROOT)]
    run("Installing Vault Bridge", pip_command(*project), VENV / "logs" / "project.log", CLEAN)
    run("Checking the packages", pip_command("check"), VENV / "logs" / "check.log", CLEAN)
    done = {purpose, "run"}
    STAMP.write_text(
        json.dumps({**read_stamps(), **{name: environment_digest(name) for name in done}}), encoding="utf-8"
    )


def make_venv() -> None:
    """Create the virtual environment unless this checkout has a usable one."""
    made_for = VENV / "made-for"
    origin = f"{ROOT}\n"
    elsewhere = made_for.exists() and made_for.read_text(encoding="utf-8") != origin
    if (
        PYTHON.exists()
        and not elsewhere
        and subprocess.run(pip_command("--version"), capture_output=True, check=False).returncode == 0
    ):
        made_for.write_text(origin, encoding="utf-8")
        return
    for entry in VENV.iterdir():
        if entry.name != ".lock":
            shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
    version = ".".join(map(str, sys.version_info[:3]))
    command = [sys.executable, "-I", "-m", "venv", str(VENV)]
    hint = "On Debian and Ubuntu the module is a package of its own: apt install python3-venv."
    run(f"Making .venv with Python {version}", command, VENV / "logs" / "venv.log", CLEAN, hint=hint)
    made_for.write_text(origin, encoding="utf-8")


def install(what: str, pins: list[Pin]) -> None:
    """Install exactly these packages, each file checked against the lock."""
    logs = VENV / "logs"
    logs.mkdir(exist_ok=True)
    wanted = logs / f"{what.rsplit(maxsplit=1)[-1]}.txt"
    wanted.write_text("".join(pin.text for pin in pins), encoding="utf-8")
    command = pip_command("install", "--no-deps", "--require-hashes", "--progress-bar", "off", "-r", str(wanted))
    hint = "Is the package index reachable? Nothing is lost; run it again to go on."
    run(f"Installing {what}", command, wanted.with_suffix(".log"), CLEAN, hint=hint)


def install_llama(llama: Pin) -> None:
    """Install llama.cpp's wheel, built now or in an earlier set-up."""
    if is_usable_build(llama):
        return
    for rebuild in (False, True):
        wheel = llama_wheel.obtain(llama, pip_command(), VENV, CLEAN, rebuild=rebuild)
        command = pip_command("install", "--no-deps", "--no-index", "--force-reinstall", str(wheel))
        run("Installing llama.cpp", command, VENV / "logs" / "llama-install.log", CLEAN)
        if is_usable_build(llama):
            return
        say("This llama.cpp build does not run on this machine." + ("" if rebuild else " Building it anew."))
    raise StepFailed("llama.cpp was built but does not start; see .venv/logs/llama-build.log")


def is_usable_build(llama: Pin) -> bool:
    """Say whether the locked version is installed and built for this processor; otherwise its calls crash."""
    trial = subprocess.run([PYTHON, "-I", "-c", llama_wheel.TRIAL], capture_output=True, text=True, check=False)
    return trial.returncode == 0 and trial.stdout.strip() == llama.version


def pip_command(*arguments: str) -> list[str]:
    """Return the command line of the environment's own pip."""
    return [str(PYTHON), "-m", "pip", *arguments]


if __name__ == "__main__":
    sys.exit(main())
