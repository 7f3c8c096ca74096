"""The plugin: its parts by themselves, and its bundle."""

from pathlib import Path

import pytest

from tests.npm import installed
from tests.plugin.npm_commands import PLUGIN, ROOT, run, vitest

MAX_BYTES = 300 * 1024


@pytest.fixture(scope="module", autouse=True)
def _packages() -> None:
    installed(PLUGIN)


def test_what_decides_does_so_without_the_app() -> None:
    run(*vitest("core"))


def test_the_same_sources_make_the_same_small_bundle(tmp_path: Path) -> None:
    made = []
    for name in ("one", "other"):
        run("node", "esbuild.config.mjs", str(tmp_path / name))
        made.append((tmp_path / name / "main.js").read_bytes())
    assert made[0] == made[1]
    assert len(made[0]) <= MAX_BYTES
    assert str(ROOT).encode() not in made[0]
