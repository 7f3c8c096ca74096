"""Sets up an agent to use a vault: by the agent's own command, or by an edit of its settings that is shown first."""

import argparse
import base64
import difflib
import json
import re
import shlex
import shutil
import subprocess
import sys
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import platformdirs

from bridge.access.tokens import Tokens
from bridge.cli.catalogue import program_command
from bridge.cli.console import NotConfirmed, confirm, print_message
from bridge.cli.stdio.find import choose_vault
from bridge.data_folder import FORMER_NAME, Folders, folder_options, read_vault_list, vault_id
from bridge.errors import BridgeError, InvalidArguments, NoteChanged
from bridge.private_files import write_private

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


def _zed_settings() -> Path:
    # On macOS it follows Linux.
    config = platformdirs.user_config_path(roaming=True)
    return (config / "Zed" if sys.platform == "win32" else Path.home() / ".config" / "zed") / "settings.json"


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
        file=lambda: platformdirs.user_config_path(roaming=True) / "Claude" / "claude_desktop_config.json",
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


MAX_VAULT_NAME_CHARS = 20
"""Characters of a vault's name in its server's name: agents prefix it to each tool's name, whose length they limit."""

HOOK_S = 5
"""Seconds after which an agent gives up on a hook, which takes little more than one."""


def set_up_agent(given: argparse.Namespace) -> int:
    folders = Folders(given.data_dir)
    vault = choose_vault(folders, given.vault, Path.cwd()).resolve()
    if given.hooks:
        return print_hooks(given, vault)
    command, name = [*program_command(), *mcp_arguments(given, vault)], server_name(folders, vault)
    if given.install is None:
        print_config(given.print_config, name, command)
    else:
        install(given.install, name, command, yes=given.yes)
    if given.client is not None and Tokens(folders.tokens).find_client(given.client) is None:
        sys.stderr.write(f"This client has no token; run: vaultside tokens create {shlex.quote(given.client)}\n")
    return 0


def print_config(agent: str, name: str, command: Sequence[str]) -> None:
    known = AGENTS[agent]
    sys.stdout.write(write_config(agent, name, command) + "\n")
    sys.stdout.flush()
    add = "" if known.add is None else shlex.join(known.add(name, command))
    sys.stderr.write(known.place.format(add=add, file="" if known.file is None else known.file()) + "\n")
    if known.link is not None:
        sys.stderr.write(f"Or open: {known.link(name, known.entry(command))}\n")


def print_hooks(given: argparse.Namespace, vault: Path) -> int:
    if given.print_config != "claude-code":
        raise InvalidArguments(
            f"`--hooks` is for claude-code, not for {given.print_config}.",
            hint="Its prompt `begin_session` brings the same.",
        )
    where = folder_options(given.data_dir)
    client = [] if given.client is None else [given.client]

    def hooks(operation: str, *agent: str) -> list[Mapping[str, Any]]:
        words = [*program_command(), operation, "--hook", *agent, "--vault", str(vault), *where]
        return [{"type": "command", "command": shlex.join(words), "timeout": HOOK_S}]

    save = [{"hooks": hooks("save-session", *client)}]
    begin = [{"matcher": "startup|resume|clear|compact", "hooks": hooks("brief")}]
    settings = {"hooks": {"SessionStart": begin, "PreCompact": save, "SessionEnd": save}}
    sys.stdout.write(json.dumps(settings, indent=2, ensure_ascii=False) + "\n")
    sys.stdout.flush()
    sys.stderr.write("Merge this into ~/.claude/settings.json, or .claude/settings.json in a project.\n")
    return 0


def server_name(folders: Folders, vault: Path) -> str:
    """Name a vault's server, so that its entry does not replace that of another vault."""
    id_, slug = vault_id(vault), vault_slug(vault)
    first = next((other for other, path in read_vault_list(folders).items() if vault_slug(path) == slug), id_)
    whole = slug == vault.name.casefold().replace(" ", "-")
    return f"vaultside-{slug}" if whole and first == id_ else f"vaultside-{slug}-{id_[:4]}".replace("--", "-")


def vault_slug(vault: Path) -> str:
    ascii_only = unicodedata.normalize("NFKD", vault.name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9_]+", "-", ascii_only).strip("-")[:MAX_VAULT_NAME_CHARS].strip("-")


def mcp_arguments(given: argparse.Namespace, vault: Path) -> list[str]:
    options = {"--client": given.client, "--preset": given.preset}
    own = [word for option, value in options.items() if value is not None for word in (option, value)]
    return ["mcp", str(vault), *own, *folder_options(given.data_dir, given.models_dir)]


BY_HAND = "Print the entry with `--print-config {agent}` and put it there by hand."


class AgentRefused(BridgeError):
    """The agent's own command failed, or its settings cannot be edited."""

    code = "internal"


def install(agent: str, name: str, command: Sequence[str], *, yes: bool) -> None:
    """Add a server to an agent's settings, once the user has agreed."""
    known = AGENTS[agent]
    if known.add is not None:
        run(agent, known.add(name, command), yes=yes)
    elif known.file is not None:
        edit(agent, known.file(), (*known.servers, name), known.entry(command), yes=yes)


def run(agent: str, command: Sequence[str], *, yes: bool) -> None:
    program = shutil.which(command[0])
    if program is None:
        raise InvalidArguments(f"There is no `{command[0]}` on the path.", hint=BY_HAND.format(agent=agent))
    line = shlex.join(command)
    if not yes and not confirm(f"Run {line}?"):
        raise NotConfirmed(f"This runs {line}.")
    status = subprocess.run([program, *command[1:]], check=False).returncode
    if status:
        raise AgentRefused(f"`{command[0]}` failed with status {status}.", hint=BY_HAND.format(agent=agent))
    print_message(f"{agent} knows the vault now.")


def edit(agent: str, file: Path, place: Sequence[str], entry: Entry, *, yes: bool) -> None:
    # Settings are often links into a folder that is kept elsewhere.
    file = file.resolve()
    before = read(file)
    try:
        after = add_entry(before, place, entry)
    except ValueError:
        raise AgentRefused(
            f"{file} is no plain JSON, so that an edit could lose something.", hint=BY_HAND.format(agent=agent)
        ) from None
    if after == before:
        print_message(f"{file} has this entry already.")
        return
    sys.stderr.write("".join(diff(before, after, file)))
    if not yes and not confirm(f"Write this to {file}?"):
        raise NotConfirmed(f"This changes {file} as shown.")
    if read(file) != before:
        raise NoteChanged(f"{file} was changed meanwhile.", hint="Run this again.")
    file.parent.mkdir(parents=True, exist_ok=True)
    mode = file.stat().st_mode if file.exists() else None
    write_private(file, after.encode())
    if mode is not None:
        file.chmod(mode)
    print_message(f"{file} is written. Restart {agent} if it runs.")


def read(file: Path) -> str:
    return file.read_bytes().decode() if file.exists() else ""


def add_entry(text: str, place: Sequence[str], entry: Entry) -> str:
    """Add an entry to settings in JSON, in the place of one of the product's former name for the same vault.

    Raises:
        ValueError: The settings are no plain JSON, such as JSON with comments, which would be lost.
    """
    *keys, name = place
    try:
        servers = settings = json.loads(text or "{}")
        for key in keys:
            servers = servers.setdefault(key, {})
        former = [other for other, value in servers.items() if is_former(other, value, entry)]
    except (AttributeError, TypeError):
        raise ValueError("the settings are of another form") from None
    for other in former:
        del servers[other]
    if servers.get(name) == entry and not former:
        return text
    servers[name] = entry
    indent = found.group() if (found := re.search(r"(?<=\n)[ \t]+", text)) else "  "
    return json.dumps(settings, indent=indent, ensure_ascii=False) + "\n"


def is_former(name: str, value: Entry, entry: Entry) -> bool:
    """Return whether an entry starts the product by its former name for the same vault."""
    return name.startswith(f"{FORMER_NAME}-") and value.get("args") == entry.get("args")


def diff(before: str, after: str, file: Path) -> list[str]:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), str(file), str(file), lineterm="")
    return [f"{line}\n" for line in lines]
