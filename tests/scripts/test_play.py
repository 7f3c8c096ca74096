"""The panes are drawn on a copy of any vault, and nothing is left behind."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.npm import installed
from tests.plugin.browser import chromium
from tests.plugin.npm_commands import PLUGIN, run


@pytest.mark.process
def test_every_pane_is_drawn_on_a_copy(tmp_path: Path) -> None:
    vault, pictures, places = tmp_path / "Anybody's notes", tmp_path / "pictures", tmp_path / "tmp"
    places.mkdir()
    vault.mkdir()
    (vault / "One.md").write_text("# One\n\nSee [[Two]].\n")
    (vault / "Two.md").write_text("# Two\n\n- [ ] Sow\n")
    before = {file.name: file.stat().st_mtime_ns for file in vault.rglob("*")}
    installed(PLUGIN)
    run("node", "esbuild.config.mjs")
    env = {
        "CHROMIUM": chromium(),
        "VAULTSIDE": str(Path(sys.executable).with_name("vaultside")),
        "VAULTSIDE_MODELS": str(tmp_path / "no models"),
        "TMPDIR": str(places),
    }
    run("node", str(PLUGIN / "tests/browser/play.mjs"), str(vault), str(pictures), **env)
    panes = ("search", "ask", "related", "graph", "changes", "memory", "tidy", "status")
    drawn = {file.stem: file.stat().st_size for file in pictures.glob("*.png")}
    assert drawn.keys() == {f"{pane}-{shade}" for pane in panes for shade in ("light", "dark")}
    assert min(drawn.values()) > 5_000
    assert {file.name: file.stat().st_mtime_ns for file in vault.rglob("*")} == before
    assert not list(places.glob("vaultside-*"))


def test_a_folder_that_is_not_there_is_named() -> None:
    script = PLUGIN.parent / "scripts" / "play"
    done = subprocess.run([script, "/nowhere/at all"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "There is no folder /nowhere/at all.\n")
