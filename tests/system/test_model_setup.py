"""A bridge serves words while the model is being fetched, and takes it up without a restart."""

import fcntl
import importlib.util
import json
import subprocess
import sys
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.system.sidecar import CallFailed, Sidecar, serving

ROOT = Path(__file__).parents[2]
NOTES = {
    "Staling.md": "# Staling\n\nStarch crystallises, fastest just above freezing.\n",
    "Oven.md": "# Oven\n\nThe clay oven keeps its heat for a day.\n",
    "Budget.md": "# Budget\n\nThe committee approved the money for next year.\n",
}


@dataclass(frozen=True, slots=True)
class Environment:
    """An environment with everything but llama.cpp, as `scripts/setup run` leaves it."""

    folder: Path
    hidden: tuple[Path, ...]

    def show_llama(self) -> None:
        """Install llama.cpp."""
        for entry in self.hidden:
            (self.folder / "packages" / entry.name).symlink_to(entry)

    def record(self, **facts: Any) -> None:
        """Write what the set-up records."""
        (self.folder / "model-setup.json").write_text(json.dumps(facts))

    @contextmanager
    def setting_up(self) -> Iterator[None]:
        """Hold the lock of the set-up."""
        with (self.folder / "model-setup.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    """Make an environment whose packages are those of the tests, without llama.cpp."""
    found = importlib.util.find_spec("llama_cpp")
    assert found is not None
    assert found.origin is not None
    folder, site = tmp_path / "environment", Path(found.origin).parents[1]
    venv.create(folder, symlinks=True)
    packages = folder / "packages"
    packages.mkdir()
    hidden = tuple(entry for entry in site.iterdir() if entry.name.startswith("llama_cpp"))
    prebuilt = {entry for entry in site.iterdir() if entry.name.startswith("xllamacpp")}
    for entry in set(site.iterdir()) - set(hidden) - prebuilt:
        (packages / entry.name).symlink_to(entry)
    (own,) = folder.glob("lib/python*/site-packages")
    (own / "all.pth").write_text(f"{packages}\n{ROOT}\n")
    (folder / "bin" / "vaultside").write_text(
        f"#!{folder}/bin/python\nimport sys\nfrom bridge.cli.main import main\nsys.exit(main())\n"
    )
    (folder / "bin" / "vaultside").chmod(0o755)
    return Environment(folder, hidden)


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """Write some notes."""
    folder = tmp_path / "Notes"
    folder.mkdir()
    for name, text in NOTES.items():
        (folder / name).write_text(text)
    return folder


def run_command(environment: Environment, tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command of the environment."""
    command = [str(environment.folder / "bin" / "vaultside"), *arguments, "--data-dir", str(tmp_path / "data")]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.model
@pytest.mark.skipif(sys.platform == "win32", reason="scripts/setup is for systems with bash")
def test_words_are_served_while_the_model_is_fetched_and_meaning_follows(
    environment: Environment, vault: Path, tmp_path: Path, models_dir: Path
) -> None:
    options = {"models_dir": models_dir, "program": environment.folder / "bin" / "vaultside"}
    environment.record(step="Fetching the model", done=43, total=84, since=0)
    with environment.setting_up(), serving(vault, data_dir=tmp_path / "data", **options) as sidecar:
        sidecar.wait_indexed(vectors=False)
        words = sidecar.call("search", query="clay oven")
        assert (words["hits"][0]["path"], words["mode_used"]) == ("Oven.md", "keyword")
        assert "Fetching the model: 43 of 84" in words["notices"][0]
        setup = sidecar.vault()["model_setup"]
        assert (setup["state"], setup["done"], setup["total"]) == ("running", 43, 84)
        with pytest.raises(CallFailed) as refused:
            sidecar.call("search", query="clay oven", mode="semantic")
        assert (refused.value.error["code"], "43 of 84" in refused.value.error["message"]) == ("not_ready", True)
        assert finding(sidecar)["verdict"] == "warn"

        environment.show_llama()
        assert sidecar.vault()["model_setup"]["state"] == "running", "it is not there before the set-up has ended"
        (environment.folder / "model-setup.json").unlink()
        (environment.folder / "model-setup.lock").unlink()
        sidecar.wait_indexed()
        meant = sidecar.call("search", query="why does bread go hard in the fridge", mode="semantic")
        assert meant["hits"][0]["path"] == "Staling.md"
        assert (sidecar.vault()["model_setup"], finding(sidecar)["verdict"]) == (None, "ok")


def test_a_missing_llama_is_said_with_the_way_out_and_no_worker_is_tried(
    environment: Environment, vault: Path, tmp_path: Path, models_dir: Path
) -> None:
    # An interrupted set-up left this.
    environment.record(step="Fetching the model", since=0)
    message, hint = "llama.cpp is not installed.", f"{environment.folder}/bin/python -m pip install xllamacpp=="
    options = {"models_dir": models_dir, "program": environment.folder / "bin" / "vaultside"}
    with serving(vault, data_dir=tmp_path / "data", **options) as sidecar:
        sidecar.wait_indexed(vectors=False)
        answer = sidecar.call("search", query="clay oven")
        assert (answer["hits"][0]["path"], answer["notices"][0].startswith(message)) == ("Oven.md", True)
        setup, found = sidecar.vault()["model_setup"], finding(sidecar)
        assert (setup["state"], setup["message"], hint in setup["hint"]) == ("missing", message, True)
        assert (found["verdict"], found["message"], hint in found["do"]) == ("fail", message, True)
        assert "worker" not in sidecar.errors()
    indexed = run_command(environment, tmp_path, "index", str(vault), "--models-dir", str(models_dir))
    assert (indexed.returncode, message in indexed.stderr) == (0, True)
    empty = tmp_path / "models"
    installed = run_command(environment, tmp_path, "models", "install", "--models-dir", str(empty))
    assert (installed.returncode, message in installed.stderr, empty.exists()) == (1, True, False)


def finding(sidecar: Sidecar) -> dict[str, Any]:
    """Return what doctor finds of the model."""
    (found,) = [each for each in sidecar.call("doctor")["findings"] if each["check"] == "model"]
    return dict(found)
