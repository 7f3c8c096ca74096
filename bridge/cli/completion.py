"""`vaultside completion`: completes commands, options, vaults and notes in a shell, by argcomplete."""

import argparse
import os
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from argcomplete import autocomplete
from argcomplete.lexers import split_line
from argcomplete.shell_integration import shellcode

from bridge.cli.catalogue import PROGRAM, operation_commands, typed_name
from bridge.cli.parser import build_parser, command_names
from bridge.data_folder import Folders, enclosing_vault, find_known_vaults, read_vault_list, resolve_data_dir
from bridge.server.runtime_file import read_runtime


def main(given: argparse.Namespace) -> int:
    """Print the script that has this program complete in a shell."""
    sys.stdout.write(shellcode([PROGRAM], shell=given.shell, complete_arguments=["-o", "nospace"]))
    return 0


def print_completions() -> None:
    """Answer the script, which gives the line and the place in it by variables, and exit."""
    words = split_line(os.environ["COMP_LINE"], int(os.environ["COMP_POINT"]))[3]
    autocomplete(find_parser(words[1:]), **OPTIONS)


def find_parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """Return the parser of a command; of all commands only the names, as their parsers take long to build."""
    if words and typed_name(words[0]) in command_names():
        return build_parser(words)
    parser = argparse.ArgumentParser(PROGRAM)
    parser.add_argument("--version", action="store_true")
    parser.add_argument("command", choices=command_names())
    return parser


def begins_with(word: str, prefix: str) -> bool:
    word, prefix = (unicodedata.normalize("NFC", each).casefold() for each in (word, prefix))
    return word.startswith(prefix)


def complete_value(prefix: str, action: argparse.Action, parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """Return what may stand for a value, whose kind is that of its argument."""
    given = vars(parsed_args)
    folders = Folders(given.get("data_dir") or resolve_data_dir())
    arguments = operation_commands()[given["command"]]["arguments"] if "command" in given else {}
    argument = arguments.get(action.dest)
    if argument is not None and "|" in argument["placeholder"]:
        return argument["placeholder"].split("|")
    match "vault" if action.dest == "vault" else action.type if argument is None else argument["kind"]:
        case "vault":
            names = sorted({path.name for path in read_vault_list(folders).values()})
            return match_prefix(names, prefix) or list_paths(Path(), prefix, files=False)
        case "path" | "folder" as kind:
            return list_in_vault(current_vault(folders, given.get("vault")), prefix, files=kind == "path")
        case "file":
            return list_paths(Path(), prefix, files=True)
        case kind if kind is Path or action.dest == "json_args":
            return list_paths(Path(), prefix, files=kind is None)
    return []


OPTIONS: Mapping[str, Any] = {
    "always_complete_options": False,
    "validator": begins_with,
    "default_completer": complete_value,
}
"""How argcomplete completes."""


def match_prefix(words: Iterable[str], prefix: str) -> list[str]:
    """Return the words with this prefix; regardless of case if none matches exactly."""
    found = [word for word in words if begins_with(word, prefix)]
    return [word for word in found if word.startswith(prefix)] or found


def list_in_vault(root: Path | None, prefix: str, *, files: bool) -> list[str]:
    elsewhere = prefix.startswith(("/", "~", "./", "../")) or Path(prefix).is_absolute()
    inside = [] if root is None or elsewhere else list_paths(root, prefix, files=files)
    if inside or not (elsewhere or (root is not None and Path.cwd().is_relative_to(os.path.realpath(root)))):
        return inside
    return list_paths(Path(), prefix, files=files)


def current_vault(folders: Folders, reference: str | None) -> Path | None:
    if reference is not None:
        here = Path(reference).expanduser()
        return here if here.is_dir() else next(iter(find_known_vaults(folders, reference)), None)
    known = read_vault_list(folders)
    served = [path for id_, path in known.items() if read_runtime(folders.runtime(id_)) is not None]
    return enclosing_vault(Path.cwd(), known.values()) or (served[0] if len(served) == 1 else None)


def list_paths(root: Path, prefix: str, *, files: bool) -> list[str]:
    """Return the matching entries of a folder; folders end with `/`."""
    above, slash, name = prefix.rpartition("/")
    place = root / Path(above + slash).expanduser()
    return [
        above + slash + found
        for found in match_prefix(sorted(visible_entries(place, files=files)), unicodedata.normalize("NFC", name))
    ]


def visible_entries(place: Path, *, files: bool) -> Iterator[str]:
    try:
        found = list(os.scandir(place))
    except OSError:
        return
    for entry in found:
        if not entry.name.startswith(".") and (files or entry.is_dir()):
            yield unicodedata.normalize("NFC", entry.name) + ("/" if entry.is_dir() else "")
