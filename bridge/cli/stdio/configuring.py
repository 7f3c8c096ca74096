"""What to write into an agent's settings so that it starts `vault-bridge mcp` for a vault."""

import argparse
import json
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bridge.cli.stdio.choosing import chosen
from bridge.cli.stdio.starting import program
from bridge.folders import Folders, default_data_dir, default_models_dir

NAME = "vault-bridge"

PLACES = {
    "claude-code": "Put this into .mcp.json in a project, or run for all projects: {command}",
    "claude-desktop": "Merge this into claude_desktop_config.json (Settings, Developer, Edit Config) and restart it.",
    "cursor": "Merge this into ~/.cursor/mcp.json, or .cursor/mcp.json in a project.",
    "vscode": "Merge this into .vscode/mcp.json, or the file that `MCP: Open User Configuration` opens.",
}


def configure(given: argparse.Namespace) -> int:
    """Print the configuration, and beside it where it belongs."""
    command = [*program(), *words(given)]
    sys.stdout.write(json.dumps(configuration(given.print_config, command), indent=2, ensure_ascii=False) + "\n")
    sys.stdout.flush()
    add = ["claude", "mcp", "add", "--scope", "user", NAME, "--", *command]
    sys.stderr.write(PLACES[given.print_config].format(command=shlex.join(add)) + "\n")
    return 0


def words(given: argparse.Namespace) -> list[str]:
    """Return what follows `vault-bridge`, whole enough to run from anywhere."""
    vault = chosen(Folders(given.data_dir), given.vault, Path.cwd()).resolve()
    options = {
        "--client": given.client,
        "--preset": given.preset,
        "--data-dir": elsewhere(given.data_dir, default_data_dir()),
        "--models-dir": elsewhere(given.models_dir, default_models_dir()),
    }
    told = [word for option, value in options.items() if value is not None for word in (option, str(value))]
    return ["mcp", str(vault), *told]


def elsewhere(folder: Path, usual: Path) -> Path | None:
    """Return a folder that is not where it usually is."""
    return None if folder.absolute() == usual else folder.absolute()


def configuration(agent: str, command: Sequence[str]) -> Mapping[str, Any]:
    """Return an agent's settings; they hold no secret, since the entry finds the token by itself."""
    start: dict[str, Any] = {"command": command[0], "args": list(command[1:])}
    match agent:
        case "vscode":
            return {"servers": {NAME: {"type": "stdio", **start}}}
        case "claude-desktop":
            return {"mcpServers": {NAME: start}}
        case _:
            return {"mcpServers": {NAME: {"type": "stdio", **start}}}
