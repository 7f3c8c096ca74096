"""Commands in the plugin's folder."""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = ROOT / "obsidian-plugin"


def run(*command: str, **env: str) -> None:
    """Run a command in the plugin's folder; what it said is the reason when it fails."""
    done = finish(*command, **env)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"


def finish(*command: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run a command in the plugin's folder to its end."""
    return subprocess.run(
        command, cwd=PLUGIN, capture_output=True, text=True, check=False, env={**os.environ, "NO_COLOR": "1", **env}
    )


def vitest(project: str, *options: str) -> tuple[str, ...]:
    """Return the command that runs a project's tests."""
    return str(PLUGIN / "node_modules" / ".bin" / "vitest"), "run", "--project", project, *options
