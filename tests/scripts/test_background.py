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
from scripts.lib.setup.llama_setup import LLAMA, PREBUILT
from scripts.lib.setup.lockfile import ROOT, Pin, read_lock

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


def make_wheel(folder: Path, pin: Pin, package: str) -> Path:
    """Make a wheel whose package only says its version."""
    name = f"{pin.name.replace('-', '_')}-{pin.version}"
    folder.mkdir(parents=True)
    wheel, about = folder / f"{name}-py3-none-any.whl", f"{name}.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        code = f"__version__ = {pin.version!r}\ndef llama_backend_init(): ...\n"
        archive.writestr(f"{package}/__init__.py", code)
        archive.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {pin.name}\nVersion: {pin.version}\n")
        archive.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{about}/RECORD", "")
    return wheel


def keep_wheel(cache: Path) -> None:
    """Keep a build of llama.cpp."""
    folder = cache / "vaultside" / "wheels" / llama_wheel.cache_key(PIN)
    wheel = make_wheel(folder, PIN, "llama_cpp")
    (folder / "sha256").write_text(llama_wheel.sha256(wheel))


@pytest.mark.skipif(sys.platform == "darwin", reason="its caches are not moved by a variable")
def test_a_failure_is_recorded_and_the_next_start_tries_again(
    checkout: Path, bridge: subprocess.Popen[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CMAKE_ARGS", "CFLAGS", "CXXFLAGS", "CXX", "CC"):
        monkeypatch.delenv(name, raising=False)
    empty, cache = tmp_path / "no compiler", str(tmp_path / "cache")
    empty.mkdir()
    with background(checkout, bridge, PATH=str(empty), XDG_CACHE_HOME=cache, PIP_NO_INDEX="1") as process:
        pass
    assert process.returncode == 1
    failed = {name: str(value) for name, value in (record(checkout) or {}).items()}
    assert failed["problem"].startswith("A C++ compiler is needed")
    assert "apt install g++" in failed["hint"]
    assert failed["hint"].endswith("Then start `scripts/run` again.")

    keep_wheel(tmp_path / "cache")
    with background(checkout, bridge, PATH=str(empty), XDG_CACHE_HOME=cache) as process:
        pass
    assert (process.returncode, record(checkout)) == (0, None)
    assert list((checkout / ".venv").glob("lib/python*/site-packages/llama_cpp/__init__.py"))
    assert (checkout / ".venv" / "bin" / "called").read_text() == "models install Notes\n"


def test_without_a_compiler_the_prebuilt_wheel_takes_its_place(
    checkout: Path, bridge: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    pin = next(pin for pin in read_lock("run") if pin.name == PREBUILT)
    wheel = make_wheel(tmp_path / "wheels", pin, PREBUILT)
    lock = checkout / "scripts" / "requirements.txt"
    own = f"{pin.name}=={pin.version} --hash=sha256:{llama_wheel.sha256(wheel)}\n"
    lock.write_text(lock.read_text().replace(pin.text, own))
    index = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheel.parent)}
    empty = tmp_path / "no compiler"
    empty.mkdir()
    cache = str(tmp_path / "cache")
    with background(checkout, bridge, PATH=str(empty), XDG_CACHE_HOME=cache, CXX="", **index) as process:
        pass
    assert (process.returncode, record(checkout)) == (0, None)
    assert list((checkout / ".venv").glob("lib/python*/site-packages/xllamacpp/__init__.py"))
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


def test_a_build_ends_with_its_bridge_and_reads_as_interrupted(
    checkout: Path, bridge: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    # The environment's pip is what builds; this one never ends.
    pip = next((checkout / ".venv").glob("lib/python*/site-packages/pip"))
    pip.unlink()
    pip.with_suffix(".py").write_text(
        "import os, sys, time\nopen(sys.prefix + '/pip', 'w').write(str(os.getpid()))\ntime.sleep(600)\n"
    )
    started = checkout / ".venv" / "pip"
    with background(checkout, bridge, XDG_CACHE_HOME=str(tmp_path / "cache"), CXX="c++") as process:
        until(lambda: started.exists() and started.read_text() != "")
        until(lambda: (record(checkout) or {}).get("step") == "Fetching the build tools")
        bridge.kill()
        bridge.wait()
    assert process.returncode == 130
    with pytest.raises(ProcessLookupError):
        os.kill(int(started.read_text()), 0)
    assert "problem" not in (record(checkout) or {"problem": "there is no record"})
