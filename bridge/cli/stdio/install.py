"""Sets up an agent to use a vault: by the agent's own command, or by an edit of its settings that is shown first."""

import difflib
import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from bridge.cli.confirm import NotConfirmed, confirm
from bridge.cli.console import print_message
from bridge.cli.stdio.agents import AGENTS, Entry
from bridge.data_folder import FORMER_NAME
from bridge.errors import BridgeError, InvalidArguments, NoteChanged
from bridge.private_files import write_private

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
