"""What `scripts/run` leaves running beside the bridge, as processes in an environment of their own."""

import fcntl
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
import venv
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from scripts.lib.setup import llama_wheel
from scripts.lib.setup.llama_setup import LLAMA
from scripts.lib.setup.lockfile import ROOT, read_lock

PIN = next(pin for pin in read_lock("run") if pin.name == LLAMA)
NAME = f"llama_cpp_python-{PIN.version}"
PATIENCE_S = 300.0
MODEL = '#!/bin/sh\necho "$@" >> "${0%/*}/called"\n'
"""A `vaultside` that fetches nothing."""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a copy of the set-up with an environment that lacks only llama.cpp."""
    folder = tmp_path / "checkout"
    shutil.copytree(ROOT / "scripts", folder / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy2(ROOT / "pyproject.toml", folder)
    venv.create(folder / ".venv", symlinks=True)
    (folder / ".venv" / "logs").mkdir()
    link_package(folder, "pip")
    (folder / ".venv" / "bin" / "vaultside").write_text(MODEL)
    (folder / ".venv" / "bin" / "vaultside").chmod(0o755)
    return folder


def link_package(checkout: Path, name: str) -> None:
    """Give the environment a package of the tests' own."""
    found = importlib.util.find_spec(name)
    assert found is not None
    assert found.origin is not None
    (site,) = (checkout / ".venv").glob("lib/python*/site-packages")
    (site / name).symlink_to(Path(found.origin).parent)


@pytest.fixture
def bridge() -> Iterator[subprocess.Popen[bytes]]:
    """Start a process in the place of a bridge."""
    with subprocess.Popen(["sleep", "600"]) as process:
        yield process
        process.kill()


@contextmanager
def background(checkout: Path, bridge: subprocess.Popen[bytes], **env: str) -> Iterator[subprocess.Popen[bytes]]:
    """Start the background set-up; it must have ended after the block."""
    python, script = checkout / ".venv" / "bin" / "python", checkout / "scripts" / "lib" / "setup" / "background.py"
    given = {"HOME": str(checkout), "PATH": os.environ["PATH"], **env}
    command = [str(python), "-I", str(script), str(bridge.pid), "Notes"]
    process = subprocess.Popen(command, env=given, stderr=subprocess.PIPE)
    try:
        yield process
        process.wait(PATIENCE_S)
    finally:
        process.kill()
        process.communicate()


def record(checkout: Path) -> dict[str, object] | None:
    """Read what the set-up recorded."""
    try:
        found: dict[str, object] = json.loads((checkout / ".venv" / "model-setup.json").read_bytes())
    except FileNotFoundError:
        return None
    return found


def until(look: Callable[[], bool]) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + PATIENCE_S
    while not look():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def keep_wheel(cache: Path) -> None:
    """Keep a build of llama.cpp whose package only says its version."""
    folder = cache / "vaultside" / "wheels" / llama_wheel.cache_key(PIN)
    folder.mkdir(parents=True)
    wheel, about = folder / f"{NAME}-py3-none-any.whl", f"{NAME}.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        code = f"__version__ = {PIN.version!r}\ndef llama_backend_init(): ...\n"
        archive.writestr("llama_cpp/__init__.py", code)
        archive.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {PIN.name}\nVersion: {PIN.version}\n")
        archive.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{about}/RECORD", "")
    (folder / "sha256").write_text(llama_wheel.sha256(wheel))


def packages(checkout: Path) -> set[str]:
    """Return the packages in the environment."""
    return {path.parent.name for path in (checkout / ".venv").glob("lib/python*/site-packages/*/__init__.py")}


def test_without_a_compiler_the_model_is_fetched_and_the_prebuilt_llama_stays(
    checkout: Path, bridge: subprocess.Popen[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CMAKE_ARGS", "CFLAGS", "CXXFLAGS", "CXX", "CC"):
        monkeypatch.delenv(name, raising=False)
    empty, cache = tmp_path / "no compiler", str(tmp_path / "cache")
    empty.mkdir()
    with background(checkout, bridge, PATH=str(empty), XDG_CACHE_HOME=cache, PIP_NO_INDEX="1") as process:
        assert process.stderr is not None
        said = process.stderr.read().decode()
    assert (process.returncode, record(checkout)) == (0, None)
    assert "A C++ compiler is needed" in said
    assert "The prebuilt llama.cpp is used instead." in said
    assert "llama_cpp" not in packages(checkout)
    assert (checkout / ".venv" / "bin" / "called").read_text() == "models install Notes\n"


@pytest.mark.skipif(sys.platform == "darwin", reason="its caches are not moved by a variable")
def test_a_build_that_was_kept_is_installed(checkout: Path, bridge: subprocess.Popen[bytes], tmp_path: Path) -> None:
    keep_wheel(tmp_path / "cache")
    with background(checkout, bridge, XDG_CACHE_HOME=str(tmp_path / "cache")) as process:
        pass
    assert (process.returncode, record(checkout)) == (0, None)
    assert "llama_cpp" in packages(checkout)
    assert (checkout / ".venv" / "bin" / "called").read_text() == "models install Notes\n"


def test_it_waits_for_another_set_up_and_ends_with_its_bridge(checkout: Path, bridge: subprocess.Popen[bytes]) -> None:
    with (checkout / ".venv" / "model-setup.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with background(checkout, bridge) as process:
            until(lambda: os.getpriority(os.PRIO_PROCESS, process.pid) > 0)
            assert (process.poll(), record(checkout)) == (None, None)
            bridge.kill()
            bridge.wait()
    assert process.returncode == 130
    assert record(checkout) is None


def test_a_build_ends_with_its_bridge(checkout: Path, bridge: subprocess.Popen[bytes], tmp_path: Path) -> None:
    # The environment's pip is what builds; this one never ends.
    pip = next((checkout / ".venv").glob("lib/python*/site-packages/pip"))
    pip.unlink()
    pip.with_suffix(".py").write_text(
        "import os, sys, time\nopen(sys.prefix + '/pip', 'w').write(str(os.getpid()))\ntime.sleep(600)\n"
    )
    started = checkout / ".venv" / "pip"
    with background(checkout, bridge, XDG_CACHE_HOME=str(tmp_path / "cache"), CXX="c++") as process:
        until(lambda: started.exists() and started.read_text() != "")
        bridge.kill()
        bridge.wait()
    assert process.returncode == 130
    with pytest.raises(ProcessLookupError):
        os.kill(int(started.read_text()), 0)
    assert record(checkout) is None
