"""Chooses the vault of `vaultside mcp`, and prints the settings with which an agent starts it."""

import argparse
import json
import re
import shlex
import sys
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bridge.access.tokens import Tokens
from bridge.cli.program import program_command
from bridge.cli.stdio.agents import AGENTS, write_config
from bridge.cli.stdio.install import install
from bridge.data_folder import (
    Folders,
    default_data_dir,
    default_models_dir,
    enclosing_vault,
    find_known_vaults,
    read_vault_list,
    unless_default,
    vault_id,
)
from bridge.errors import InvalidArguments, NoSuchVault
from bridge.private_files import modified_at
from bridge.server.runtime_file import read_runtime

NAME_ONE = "Run `vaultside mcp` with the folder of your notes."


def choose_vault(folders: Folders, reference: str | None, here: Path) -> Path:
    if reference is not None:
        return find_named_vault(folders, reference)
    return (
        enclosing_vault(here, read_vault_list(folders).values())
        or only_served_vault(folders)
        or last_used_vault(folders)
    )


def find_named_vault(folders: Folders, reference: str) -> Path:
    if Path(reference).is_dir():
        return Path(reference)
    match find_known_vaults(folders, reference):
        case [path]:
            return path
        case []:
            raise NoSuchVault(f"There is no folder and no known vault `{reference}`.", hint=NAME_ONE)
        case _:
            raise NoSuchVault(f"Several vaults are called `{reference}`.", hint=NAME_ONE)


def only_served_vault(folders: Folders) -> Path | None:
    match [path for id_, path in read_vault_list(folders).items() if read_runtime(folders.runtime(id_)) is not None]:
        case []:
            return None
        case [path]:
            return path
        case paths:
            names = ", ".join(f"`{path.name}`" for path in paths)
            raise NoSuchVault(
                "Several vaults are being served; choose one.", hint=f"Run `vaultside mcp` with one of {names}."
            )


def last_used_vault(folders: Folders) -> Path:
    there = {id_: path for id_, path in read_vault_list(folders).items() if path.is_dir()}
    if not there:
        raise NoSuchVault("No vault has been opened yet, so there is none to choose.", hint=NAME_ONE)
    return there[max(there, key=lambda id_: modified_at(folders.state(id_)))]


MAX_VAULT_NAME_CHARS = 20
"""Characters of a vault's name in its server's name: agents prefix it to each tool's name, whose length they limit."""

HOOK_S = 5
"""Seconds after which an agent gives up on a hook, which takes little more than one."""


def set_up_agent(given: argparse.Namespace) -> int:
    """Print what sets up an agent to use a vault, or set it up."""
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
    folder = unless_default(given.data_dir, default_data_dir())
    where = [] if folder is None else ["--data-dir", str(folder)]
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
    options = {
        "--client": given.client,
        "--preset": given.preset,
        "--data-dir": unless_default(given.data_dir, default_data_dir()),
        "--models-dir": unless_default(given.models_dir, default_models_dir()),
    }
    arguments = [word for option, value in options.items() if value is not None for word in (option, str(value))]
    return ["mcp", str(vault), *arguments]
