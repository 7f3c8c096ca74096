import shutil
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from scripts.lib.setup import llama_wheel
from scripts.lib.setup.lockfile import ROOT, Pin
from scripts.lib.setup.steps import Count, StepFailed, run

PATIENCE_S = 300.0
LLAMA = Pin("llama-cpp-python", "0.0", "llama-cpp-python==0.0\n")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a copy of the set-up without anything that it made."""
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy2(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def programs(folder: Path, *names: str) -> Path:
    """Make a folder with only these programs."""
    folder.mkdir()
    for name in names:
        found = shutil.which(name)
        assert found is not None
        (folder / name).symlink_to(found)
    return folder


def set_up(checkout: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """Run the set-up in a nearly empty environment."""
    command = [str(checkout / "scripts" / "setup"), "run"]
    return subprocess.run(command, capture_output=True, text=True, env=env, check=False, timeout=PATIENCE_S)


def test_without_a_python_it_says_which_to_install(checkout: Path, tmp_path: Path) -> None:
    done = set_up(checkout, PATH=str(programs(tmp_path / "bin", "bash", "env", "dirname")))
    assert done.returncode == 1
    assert "Python 3.11, 3.12, 3.13 or 3.14 is needed" in done.stderr


def test_the_environment_of_another_checkout_is_left_alone(checkout: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "kept").touch()
    (checkout / ".venv").symlink_to(other)
    done = subprocess.run(
        [sys.executable, "-I", checkout / "scripts/lib/setup/environment.py", "run"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "Delete the link" in done.stderr
    assert [path.name for path in other.iterdir()] == ["kept"]


def test_a_python_that_does_not_start_is_passed_over(checkout: Path, tmp_path: Path) -> None:
    folder = programs(tmp_path / "bin", "bash", "env", "dirname")
    for name, text in (("python3.13", "#!/bin/sh\nexit 127\n"), ("python3", "#!/bin/sh\necho 0\n")):
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    assert "is needed and none was found" in set_up(checkout, PATH=str(folder)).stderr


def test_without_a_compiler_it_says_which_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    with pytest.raises(StepFailed, match="A C\\+\\+ compiler is needed"):
        llama_wheel.obtain(LLAMA, llama_wheel.Workshop(["pip"], tmp_path, {}), rebuild=False)


def test_a_kept_build_is_taken_only_when_it_is_whole(tmp_path: Path) -> None:
    wheel = tmp_path / "llama_cpp_python-0.0-py3-none-any.whl"
    wheel.write_bytes(b"a wheel")
    kept = tmp_path / "cache" / "key"
    assert llama_wheel.intact_wheel(kept) is None
    llama_wheel.keep(wheel, kept)
    assert llama_wheel.intact_wheel(kept) == kept / wheel.name
    (kept / wheel.name).write_bytes(b"a whe")
    assert llama_wheel.intact_wheel(kept) is None


def test_a_build_that_cannot_be_kept_is_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wheel = tmp_path / "llama_cpp_python-0.0-py3-none-any.whl"
    wheel.write_bytes(b"a wheel")
    (tmp_path / "cache").write_text("a file where the folder should be")
    assert llama_wheel.keep(wheel, tmp_path / "cache" / "key") == wheel
    assert "could not be kept" in capsys.readouterr().err


def test_a_build_is_named_by_what_it_was_made_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = llama_wheel.cache_key(LLAMA)
    options = tmp_path / "llama.cmake"
    options.write_text("set(LLAMA_BUILD_COMMON ON)\n")
    monkeypatch.setattr(llama_wheel, "LLAMA_OPTIONS", options)
    otherwise = llama_wheel.cache_key(LLAMA)
    monkeypatch.setattr(llama_wheel, "processor", lambda: {"sse2"})
    elsewhere = llama_wheel.cache_key(LLAMA)
    monkeypatch.setenv("CMAKE_ARGS", "-DGGML_NATIVE=OFF")
    assert len({here, otherwise, elsewhere, llama_wheel.cache_key(LLAMA)}) == 4


def test_a_step_that_fails_shows_the_end_of_what_it_said(tmp_path: Path) -> None:
    with pytest.raises(StepFailed) as failure:
        run("Trying", ["sh", "-c", "echo one; echo two >&2; exit 3"], tmp_path / "log", {}, hint="Try this.")
    assert str(failure.value) == f"Trying failed.\n    one\n    two\nAll of it: {tmp_path / 'log'}\nTry this."


def test_a_step_that_is_broken_off_ends_all_that_it_started(tmp_path: Path) -> None:
    class Enough(Exception):
        pass

    def look(_step: str, count: Count | None) -> None:
        if count == Count(3, 20):
            raise Enough

    script = "echo '[3/20] Compiling'; sleep 600 & echo $! > child; wait"
    with pytest.raises(Enough):
        run("Building", ["sh", "-c", f"cd '{tmp_path}'; {script}"], tmp_path / "log", {}, watch=look)
    child = int((tmp_path / "child").read_text())
    end = time.monotonic() + PATIENCE_S
    while is_running(child) and time.monotonic() < end:
        time.sleep(0.01)
    assert not is_running(child)


def is_running(process: int) -> bool:
    """Return whether a process runs, which may have been killed a moment ago and not be gone yet."""
    try:
        return psutil.Process(process).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.mark.parametrize(
    ("output", "why"),
    [
        ("write error: No space left on device", "the disk is full"),
        ("c++: fatal error: Killed signal terminated program cc1plus", "memory ran out"),
        ("error: expected `;`", "Building failed."),
    ],
)
def test_a_step_that_fails_says_why_where_that_is_known(tmp_path: Path, output: str, why: str) -> None:
    with pytest.raises(StepFailed) as failure:
        run("Building", ["sh", "-c", f"echo '{output}'; exit 1"], tmp_path / "log", {}, hint="Look.")
    assert why in failure.value.problem
    assert failure.value.hint


def test_a_set_up_that_is_done_takes_no_second_look() -> None:
    stamp = ROOT / ".venv" / "set-up.json"
    if not stamp.exists():
        pytest.skip("this environment was not made by scripts/setup")
    before = stamp.stat().st_mtime_ns
    done = subprocess.run([str(ROOT / "scripts" / "setup"), "test"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr, stamp.stat().st_mtime_ns) == (0, "", before)
