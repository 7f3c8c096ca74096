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
from dataclasses import dataclass
from pathlib import Path

from scripts.lib.setup.lockfile import LOCKS, Pin
from scripts.lib.setup.steps import StepFailed, Watch, ignore, run, say
from scripts.lib.setup.venv import LLAMA_OPTIONS

COMPILERS = ("c++", "g++", "clang++")
WORK = "llama-build"


@dataclass(frozen=True, slots=True)
class Workshop:
    """Where and how a wheel is built.

    Attributes:
        pip: The command line of the environment's pip.
        venv: The environment, for work files and logs.
        env: Variables for pip and the build.
        watch: Told how far it is.
        held: Open files that the build inherits.
    """

    pip: list[str]
    venv: Path
    env: Mapping[str, str]
    watch: Watch = ignore
    held: tuple[int, ...] = ()

    def run(self, title: str, arguments: list[str], log: str, *, hint: str = "", usual: str = "", **env: str) -> None:
        """Run pip, as `steps.run`."""
        place = self.venv / "logs" / log
        command = [*self.pip, *arguments]
        run(title, command, place, {**self.env, **env}, hint=hint, usual=usual, watch=self.watch, held=self.held)


def obtain(llama: Pin, workshop: Workshop, *, rebuild: bool) -> Path:
    """Return a wheel that was built on a machine like this one.

    Args:
        llama: The locked version with the hash of its source.
        workshop: Where and how it is built.
        rebuild: Whether to ignore earlier builds.

    Raises:
        StepFailed: There is no compiler, or the build failed.
    """
    if given := os.environ.get("VAULTSIDE_LLAMA_WHEEL"):
        wheel = Path(given).expanduser().resolve()
        if rebuild or not wheel.is_file():
            raise StepFailed(
                f"VAULTSIDE_LLAMA_WHEEL names {wheel}, which {'does not run' if rebuild else 'is no file'}.",
                "Correct the variable or remove it.",
            )
        return wheel
    kept = cache_folder() / cache_key(llama)
    if not rebuild and (found := intact_wheel(kept)):
        say(f"Using the llama.cpp build of an earlier set-up ({kept}).")
        return found
    if rebuild:
        shutil.rmtree(workshop.venv / WORK, ignore_errors=True)
    return keep(build(llama, workshop), kept)


def build(llama: Pin, workshop: Workshop) -> Path:
    """Compile it with locked build tools and without other downloads; an interrupted build is continued."""
    compiler = os.environ.get("CXX") or next(filter(shutil.which, COMPILERS), None)
    if compiler is None:
        raise StepFailed(
            "A C++ compiler is needed to build llama.cpp and none was found.",
            "Debian, Ubuntu: apt install g++ · Fedora: dnf install gcc-c++ · macOS: xcode-select --install · "
            "or name a wheel that you have: VAULTSIDE_LLAMA_WHEEL=/path/to/llama_cpp_python….whl",
        )
    # Work of another version or compiler is not continued.
    place = workshop.venv / WORK
    begin(place, f"{cache_key(llama)} {compiler}")
    tools, sources, wheels = place / "tools", place / "source", place / "wheel"
    named = place / "llama.txt"
    named.write_text(llama.text, encoding="utf-8")
    checked = ["--require-hashes", "--no-deps", "--progress-bar", "off"]
    if not tools.is_dir():
        draft = make_empty(place / "tools.part")
        fetch = ["install", *checked, "--target", str(draft), "-r", str(LOCKS["build"])]
        workshop.run("Fetching the build tools", fetch, "build-tools.log")
        draft.rename(tools)
    if not sources.is_dir():
        draft, archive = make_empty(place / "source.part"), make_empty(place / "archive")
        fetch = ["download", *checked, "--no-build-isolation", "--no-binary", llama.name, "-d", str(archive)]
        fetch += ["-r", str(named)]
        workshop.run("Fetching llama.cpp", fetch, "llama-source.log", PYTHONPATH=str(tools))
        shutil.unpack_archive(next(archive.glob("*.tar.gz")), draft)
        draft.rename(sources)
    # pip's own cache of built wheels does not distinguish processors.
    make = ["wheel", "-v", "--no-cache-dir", "--no-build-isolation", "--no-deps", "--no-index"]
    make += ["-w", str(make_empty(wheels))]
    make += [f"--config-settings=build-dir={place / 'objects'}"]
    make += [f"--config-settings=cmake.define.CMAKE_PROJECT_llama_cpp_INCLUDE={LLAMA_OPTIONS}"]
    workshop.run(
        "Building llama.cpp",
        [*make, str(next(sources.iterdir()))],
        "llama-build.log",
        hint="A prebuilt wheel can be used instead: VAULTSIDE_LLAMA_WHEEL=/path/to/llama_cpp_python….whl",
        usual="a few minutes, once",
        PYTHONPATH=str(tools),
    )
    return next(wheels.glob("*.whl"))


def begin(place: Path, key: str) -> None:
    """Make a folder for this work, and empty it if it holds other work."""
    about = place / "key"
    if not about.is_file() or about.read_text(encoding="utf-8") != key:
        make_empty(place)
        about.write_text(key, encoding="utf-8")


def make_empty(folder: Path) -> Path:
    """Make this folder, or empty it, and return it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


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
        return Path.home() / "Library" / "Caches" / "vaultside" / "wheels"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "vaultside" / "wheels"


def cache_key(llama: Pin) -> str:
    """Return a digest of what a build depends on: source, processor, C library, options; it fits every Python 3."""
    asked = [f"{name}={os.environ.get(name, '')}" for name in ("CMAKE_ARGS", "CFLAGS", "CXXFLAGS", "CXX", "CC")]
    facts = [
        llama.text,
        LLAMA_OPTIONS.read_text(encoding="utf-8"),
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
