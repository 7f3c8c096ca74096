"""The environment in `.venv`: whether it is complete, and pip in it; runs on a bare Python."""

import hashlib
import json
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from scripts.lib.setup.lockfile import LOCKS, ROOT, Pin
from scripts.lib.setup.steps import run

VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "set-up.json"
LLAMA_OPTIONS = Path(__file__).with_name("llama.cmake")
"""How llama.cpp is built."""

FORMAT = 1
LOCK_OF = {"run": "run", "llama": "run", "check": "dev", "test": "dev"}
"""The lock of each purpose: `run` and `check` are all but llama.cpp, `test` is everything."""

CLEAN = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1", "PIP_USER": "0", "PYTHONNOUSERSITE": "1"}


def environment_digest(purpose: str) -> str:
    """Return a digest of everything that the environment is made from."""
    # A checkout that was moved has a .venv full of wrong paths.
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    installed = {name: project[name] for name in ("build-system", "project")}
    sources = [LOCKS[LOCK_OF[purpose]], LOCKS["build"], LLAMA_OPTIONS]
    texts = [source.read_text(encoding="utf-8") for source in sources]
    return hashlib.sha256(json.dumps([FORMAT, str(ROOT), installed, *texts]).encode()).hexdigest()


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


def stamp(*purposes: str) -> None:
    """Record that the environment is complete for these purposes."""
    STAMP.write_text(
        json.dumps({**read_stamps(), **{name: environment_digest(name) for name in purposes}}), encoding="utf-8"
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
    # What is imported is compiled then; compiling everything takes twice as long as installing it.
    command = pip_command("install", "--no-deps", "--no-compile", "--require-hashes", "--progress-bar", "off")
    hint = "Is the package index reachable? Nothing is lost; run it again to go on."
    run(f"Installing {what}", [*command, "-r", str(wanted)], wanted.with_suffix(".log"), CLEAN, hint=hint)


def pip_command(*arguments: str) -> list[str]:
    """Return the command line of the environment's own pip."""
    return [str(PYTHON), "-m", "pip", *arguments]
