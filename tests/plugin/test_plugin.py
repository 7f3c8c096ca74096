"""The plugin: its parts by themselves, its bundle, and the bundle in a browser against a real bridge."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bridge.data_folder import default_models_dir
from tests.npm import installed
from tests.plugin.browser import chromium

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = ROOT / "obsidian-plugin"
LARGEST = 300 * 1024


@pytest.fixture(scope="module", autouse=True)
def _packages() -> None:
    installed(PLUGIN)


def run(*command: str, **env: str) -> None:
    """Run a command in the plugin's folder; what it said is the reason when it fails."""
    done = subprocess.run(
        command, cwd=PLUGIN, capture_output=True, text=True, check=False, env={**os.environ, "NO_COLOR": "1", **env}
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"


def vitest(project: str, **env: str) -> None:
    run(str(PLUGIN / "node_modules" / ".bin" / "vitest"), "run", "--project", project, **env)


def test_what_decides_does_so_without_the_app() -> None:
    vitest("core")


def test_the_same_sources_make_the_same_small_bundle(tmp_path: Path) -> None:
    made = []
    for name in ("one", "other"):
        run("node", "esbuild.config.mjs", str(tmp_path / name))
        made.append((tmp_path / name / "main.js").read_bytes())
    assert made[0] == made[1]
    assert len(made[0]) <= LARGEST
    assert str(ROOT).encode() not in made[0]


@pytest.mark.model
def test_the_bundle_does_its_work_in_a_browser() -> None:
    run("node", "esbuild.config.mjs")
    bridge = Path(sys.executable).with_name("vault-bridge")
    vitest("browser", CHROMIUM=chromium(), VAULT_BRIDGE=str(bridge), VAULT_BRIDGE_MODELS=str(default_models_dir()))
