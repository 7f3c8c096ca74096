"""The plugin's bundle in a browser against a real bridge: a case for each file of `tests/browser`."""

import sys
from pathlib import Path

import pytest

from bridge.data_folder import default_models_dir
from tests.npm import installed
from tests.plugin.browser import chromium
from tests.plugin.npm_commands import PLUGIN, run, vitest

FILES = sorted(path.relative_to(PLUGIN).as_posix() for path in (PLUGIN / "tests" / "browser").glob("*.test.ts"))


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the sample vault with its vectors, which the first file that needs them leaves to the others."""
    installed(PLUGIN)
    run("node", "esbuild.config.mjs")
    return tmp_path_factory.mktemp("ready")


@pytest.mark.model
@pytest.mark.parametrize("file", FILES)
def test_the_bundle_does_its_work(file: str, ready: Path) -> None:
    bridge = Path(sys.executable).with_name("vault-bridge")
    models = default_models_dir()
    vitest(
        "browser",
        file,
        CHROMIUM=chromium(),
        VAULT_BRIDGE=str(bridge),
        VAULT_BRIDGE_MODELS=str(models),
        READY=str(ready),
    )
