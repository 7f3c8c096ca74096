"""Builds llama.cpp's wheel from its verified source, once per machine.

llama.cpp is compiled for the processor it is built on, so a wheel is cached under a key of everything that could make
it wrong elsewhere; without the cache, it is built again.
"""

import hashlib
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from scripts.lib.setup.lockfile import LOCKS, Pin
from scripts.lib.setup.steps import StepFailed, run, say

TRIAL = "import llama_cpp; llama_cpp.llama_backend_init(); print(llama_cpp.__version__)"
COMPILERS = ("c++", "g++", "clang++")


def obtain(llama: Pin, pip: list[str], venv: Path, env: Mapping[str, str], *, rebuild: bool) -> Path:
    """Return a wheel that was built on a machine like this one.

    Args:
        llama: The locked version with the hash of its source.
        pip: The command line of the environment's pip.
        venv: The folder for work files and logs.
        env: Variables for pip.
        rebuild: Whether to ignore earlier builds.

    Raises:
        StepFailed: There is no compiler, or the build failed.
    """
    if given := os.environ.get("VAULT_BRIDGE_LLAMA_WHEEL"):
        wheel = Path(given).expanduser().resolve()
        if rebuild or not wheel.is_file():
            raise StepFailed(
                f"VAULT_BRIDGE_LLAMA_WHEEL names {wheel}, which {'does not run' if rebuild else 'is no file'}."
            )
        return wheel
    kept = cache_folder() / cache_key(llama)
    if not rebuild and (found := intact_wheel(kept)):
        say(f"Using the llama.cpp build of an earlier set-up ({kept}).")
        return found
    return keep(build(llama, pip, venv, env), kept)


def build(llama: Pin, pip: list[str], venv: Path, env: Mapping[str, str]) -> Path:
    """Compile it with locked build tools and without other downloads."""
    compiler = os.environ.get("CXX") or next(filter(shutil.which, COMPILERS), None)
    if compiler is None:
        raise StepFailed(
            "A C++ compiler is needed to build llama.cpp and none was found.\n"
            "Debian, Ubuntu: apt install g++ · Fedora: dnf install gcc-c++ · macOS: xcode-select --install\n"
            "or name a wheel that you have: VAULT_BRIDGE_LLAMA_WHEEL=/path/to/llama_cpp_python….whl"
        )
    tools, wheels, logs = venv / "build-tools", venv / "wheel", venv / "logs"
    for folder in (tools, wheels):
        shutil.rmtree(folder, ignore_errors=True)
    source = logs / "llama.txt"
    source.write_text(llama.text, encoding="utf-8")
    fetch = [*pip, "install", "--require-hashes", "--no-deps", "--progress-bar", "off", "--target", str(tools)]
    run("Fetching the build tools", [*fetch, "-r", str(LOCKS["build"])], logs / "build-tools.log", env)
    # pip's own cache of built wheels does not distinguish processors.
    make = [*pip, "wheel", "-v", "--no-cache-dir", "--no-build-isolation", "--no-deps", "--require-hashes"]
    run(
        "Building llama.cpp",
        [*make, "--progress-bar", "off", "--no-binary", llama.name, "-w", str(wheels), "-r", str(source)],
        logs / "llama-build.log",
        {**env, "PYTHONPATH": str(tools)},
        hint="A prebuilt wheel can be used instead: VAULT_BRIDGE_LLAMA_WHEEL=/path/to/llama_cpp_python….whl",
        usual="4 to 7 minutes on two cores, once",
    )
    shutil.rmtree(tools, ignore_errors=True)
    return next(wheels.glob("*.whl"))


def keep(wheel: Path, folder: Path) -> Path:
    """Copy a new wheel into the cache; a cache that cannot be written is not an error."""
    fresh = folder.with_name(f"{folder.name}.{os.getpid()}")
    try:
        fresh.mkdir(parents=True)
        shutil.copy2(wheel, fresh)
        (fresh / "sha256").write_text(sha256(wheel), encoding="utf-8")
        shutil.rmtree(folder, ignore_errors=True)
        fresh.rename(folder)
    except OSError as error:
        shutil.rmtree(fresh, ignore_errors=True)
        say(f"The build could not be kept for other checkouts: {error}")
    return wheel


def intact_wheel(folder: Path) -> Path | None:
    """Return the wheel in this cache folder if it is intact."""
    try:
        wheel = next(folder.glob("*.whl"))
        return wheel if (folder / "sha256").read_text(encoding="utf-8") == sha256(wheel) else None
    except (StopIteration, OSError):
        return None


def cache_folder() -> Path:
    """Return the cache folder of built wheels."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "vault-bridge" / "wheels"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "vault-bridge" / "wheels"


def cache_key(llama: Pin) -> str:
    """Return a digest of what a build depends on: source, processor, C library, options; it fits every Python 3."""
    asked = [f"{name}={os.environ.get(name, '')}" for name in ("CMAKE_ARGS", "CFLAGS", "CXXFLAGS", "CXX", "CC")]
    facts = [
        llama.text,
        platform.machine(),
        *platform.libc_ver(),
        *sorted(processor()),
        *asked,
    ]
    return f"{llama.name}-{llama.version}-{hashlib.sha256(chr(0).join(facts).encode()).hexdigest()[:16]}"


def processor() -> set[str]:
    """Return the processor's features, as the system names them."""
    if sys.platform == "darwin":
        names = ("machdep.cpu.brand_string", "machdep.cpu.features", "machdep.cpu.leaf7_features")
        answer = subprocess.run(["sysctl", "-n", *names], capture_output=True, text=True, check=False)
        return set(answer.stdout.split())
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    return {word for line in lines if line.startswith(("flags", "Features")) for word in line.partition(":")[2].split()}


def sha256(path: Path) -> str:
    """Return the digest of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
