"""Commands in the plugin's folder."""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = ROOT / "obsidian-plugin"


def run(*command: str, **env: str) -> None:
    """Run a command in the plugin's folder; what it said is the reason when it fails."""
    done = subprocess.run(
        command, cwd=PLUGIN, capture_output=True, text=True, check=False, env={**os.environ, "NO_COLOR": "1", **env}
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"


def vitest(project: str, *files: str, **env: str) -> None:
    """Run the tests of a project, or only those of some of its files."""
    run(str(PLUGIN / "node_modules" / ".bin" / "vitest"), "run", "--project", project, *files, **env)
