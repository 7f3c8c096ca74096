"""The agents that can be set up to use a vault: where each keeps its MCP servers, and in which form."""

import base64
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

Entry = Mapping[str, Any]


class Agent(NamedTuple):
    """How an agent learns of a server.

    Attributes:
        servers: The keys of its settings below which servers stand by name.
        entry: Makes the value of a server from its command.
        place: Where people find these settings.
        file: The settings, where no command of the agent's own edits them.
        add: The agent's own command that adds a server, from its name and its command.
        link: An address that adds a server when it is opened.
    """

    servers: Sequence[str]
    entry: Callable[[Sequence[str]], Entry]
    place: str
    file: Callable[[], Path] | None = None
    add: Callable[[str, Sequence[str]], Sequence[str]] | None = None
    link: Callable[[str, Entry], str] | None = None


def _config_folder() -> Path:
    """Return where this system's apps keep their settings."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming")
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")


def _zed_settings() -> Path:
    # On macOS it follows Linux.
    folder = _config_folder() / "Zed" if sys.platform == "win32" else Path.home() / ".config" / "zed"
    return folder / "settings.json"


def _command_entry(command: Sequence[str]) -> Entry:
    return {"command": command[0], "args": list(command[1:])}


def _stdio_entry(command: Sequence[str]) -> Entry:
    return {"type": "stdio", **_command_entry(command)}


def _link_for_cursor(name: str, entry: Entry) -> str:
    config = base64.b64encode(json.dumps(entry).encode()).decode()
    return f"cursor://anysphere.cursor-deeplink/mcp/install?name={quote(name)}&config={quote(config)}"


def _link_for_vscode(name: str, entry: Entry) -> str:
    return f"vscode:mcp/install?{quote(json.dumps({'name': name, **entry}))}"


AGENTS: Mapping[str, Agent] = {
    "claude-code": Agent(
        ("mcpServers",),
        _stdio_entry,
        "Put this into .mcp.json in a project, or run for all projects: {add}",
        add=lambda name, command: ["claude", "mcp", "add", "--scope", "user", name, "--", *command],
    ),
    "claude-desktop": Agent(
        ("mcpServers",),
        _command_entry,
        "Merge this into {file} (Settings, Developer, Edit Config) and restart it.",
        file=lambda: _config_folder() / "Claude" / "claude_desktop_config.json",
    ),
    "cursor": Agent(
        ("mcpServers",),
        _stdio_entry,
        "Merge this into {file}, or .cursor/mcp.json in a project.",
        file=lambda: Path.home() / ".cursor" / "mcp.json",
        link=_link_for_cursor,
    ),
    "vscode": Agent(
        ("servers",),
        _stdio_entry,
        "Merge this into .vscode/mcp.json, or the file that `MCP: Open User Configuration` opens.",
        add=lambda name, command: ["code", "--add-mcp", json.dumps({"name": name, **_stdio_entry(command)})],
        link=_link_for_vscode,
    ),
    "codex": Agent(
        ("mcp_servers",),
        _command_entry,
        "Add this to ~/.codex/config.toml, or run: {add}",
        add=lambda name, command: ["codex", "mcp", "add", name, "--", *command],
    ),
    "gemini": Agent(
        ("mcpServers",),
        _command_entry,
        "Merge this into {file}.",
        file=lambda: Path.home() / ".gemini" / "settings.json",
    ),
    "zed": Agent(("context_servers",), _command_entry, "Merge this into {file}.", file=_zed_settings),
    "opencode": Agent(
        ("mcp", "servers"),
        lambda command: {"type": "local", "command": list(command)},
        "Merge this into opencode.json in a project, or run for all projects: {add}",
        add=lambda name, command: ["opencode", "mcp", "add", name, "--global", "--", *command],
    ),
}


def write_config(agent: str, name: str, command: Sequence[str]) -> str:
    """Return an agent's settings; they contain no secret, since the entry finds the token itself."""
    known = AGENTS[agent]
    entry = known.entry(command)
    if agent == "codex":
        # Strings and lists of strings are written alike in JSON and TOML.
        lines = (f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in entry.items())
        return "\n".join((f"[{'.'.join(known.servers)}.{name}]", *lines))
    settings: Entry = {name: entry}
    for key in reversed(known.servers):
        settings = {key: settings}
    return json.dumps(settings, indent=2, ensure_ascii=False)
