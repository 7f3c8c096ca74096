"""`vaultside completion`: completes commands, options, vaults and notes in a shell."""

import argparse
import os
import sys
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from bridge.cli.catalogue import operation_commands, typed_name
from bridge.cli.parser import COMPLETE, build_parser, command_names
from bridge.data_folder import Folders, enclosing_vault, find_known_vaults, read_vault_list, resolve_data_dir
from bridge.server.runtime_file import read_runtime

if TYPE_CHECKING:
    from bridge.export.command_catalogue import CommandArgument

Kind = Literal["anything", "vault", "note", "folder", "directory", "file"]
ValueType = Kind | list[str] | None
"""What a position takes: a kind of word, one of several words, or None after an option without a value."""


class Command(TypedDict):
    """What may follow a command."""

    options: dict[str, ValueType]
    places: list[ValueType]
    repeats: bool
    """Whether the last position may be filled repeatedly."""


SCRIPTS = {
    "bash": """\
# Completion of vaultside in bash. Load it in ~/.bashrc: source <(vaultside completion bash)
_vaultside() {
    local line current="${COMP_WORDS[COMP_CWORD]}"
    COMPREPLY=()
    while IFS= read -r line; do
        case "$current" in
            [\\"\\']*) ;;
            *) printf -v line %q "$line" ;;
        esac
        COMPREPLY+=("$line")
    done < <("${COMP_WORDS[0]}" COMPLETE "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    if [ "${#COMPREPLY[@]}" -gt 0 ] && [ "${COMPREPLY[0]%/}" != "${COMPREPLY[0]}" ]; then
        compopt -o nospace 2>/dev/null
    fi
}
complete -F _vaultside vaultside
""",
    "zsh": """\
#compdef vaultside
# Completion of vaultside in zsh. Load it in ~/.zshrc after compinit: source <(vaultside completion zsh)
_vaultside() {
    local -a found open closed
    found=("${(@f)$("${words[1]}" COMPLETE "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    open=("${(@M)found:#*/}")
    closed=("${(@)found:#*/}")
    (( ${#${(@)open}} )) && compadd -S '' -- "${(@)open}"
    (( ${#${(@)closed}} )) && compadd -- "${(@)closed:#}"
}
if [ "${funcstack[1]}" = _vaultside ]; then
    _vaultside "$@"
else
    compdef _vaultside vaultside
fi
""",
    "fish": """\
# Completion of vaultside in fish: vaultside completion fish > ~/.config/fish/completions/vaultside.fish
function __vaultside
    set -l before (commandline -opc)
    set -l current (commandline -ct | string collect --allow-empty)
    $before[1] COMPLETE $before[2..-1] "$current" 2>/dev/null
end
complete -c vaultside -f -a '(__vaultside)'
""",
    "powershell": """\
# Completion of vaultside in PowerShell. Load it in $PROFILE:
# vaultside completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName vaultside -ScriptBlock {
    param($current, $line, $cursor)
    $before = @($line.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursor } | ForEach-Object { $_.Extent.Text })
    # An empty argument would be left out.
    $last = if ($current) { $current } else { '""' }
    & $line.CommandElements[0].Extent.Text COMPLETE @before $last 2>$null | ForEach-Object {
        $text = if ($_ -match '[^\\w./:=-]') { "'" + $_.Replace("'", "''") + "'" } else { $_ }
        [System.Management.Automation.CompletionResult]::new($text, $_, 'ParameterValue', $_)
    }
}
""",
}


# -- the script -----------------------------------------------------------------------------------------------------


def main(given: argparse.Namespace) -> int:
    sys.stdout.write(SCRIPTS[given.shell].replace("COMPLETE", COMPLETE))
    return 0


# -- at a Tab -------------------------------------------------------------------------------------------------------


def print_completions(words: Sequence[str]) -> int:
    found = candidates([strip_quotes(word) for word in words] or [""])
    sys.stdout.write("".join(f"{one}\n" for one in found if "\n" not in one))
    return 0


def describe_command(name: str) -> Command:
    (made,) = {
        made
        for action in build_parser([name])._actions  # noqa: SLF001  # argparse has no other way to read its definitions
        if isinstance(action.choices, dict)
        for made in action.choices.values()
    }
    operation = operation_commands().get(name.replace("-", "_"))
    return describe_parser(made, {} if operation is None else operation["arguments"])


def describe_parser(made: argparse.ArgumentParser, arguments: "Mapping[str, CommandArgument]") -> Command:
    found: Command = {"options": {}, "places": [], "repeats": False}
    for action in made._actions:  # noqa: SLF001
        if isinstance(action.choices, dict):
            found["places"].append(list(action.choices))
            for inner in action.choices.values():
                found["options"] |= describe_parser(inner, arguments)["options"]
        elif not action.option_strings:
            found["places"].append(value_type(action, arguments))
            found["repeats"] = action.nargs in {"+", "*"}
        elif action.help != argparse.SUPPRESS:
            found["options"] |= dict.fromkeys(action.option_strings, value_type(action, arguments))
    return found


def value_type(action: argparse.Action, arguments: "Mapping[str, CommandArgument]") -> ValueType:
    if action.nargs == 0 or isinstance(action, argparse.BooleanOptionalAction):
        return None
    if action.choices is not None:
        return list(map(str, action.choices))
    if (argument := arguments.get(action.dest)) is not None:
        words = argument["placeholder"].split("|")
        kinds: dict[str, Kind] = {"path": "note", "folder": "folder", "file": "file"}
        return words if len(words) > 1 else kinds.get(argument["kind"], "anything")
    others: dict[str, Kind] = {"vault": "vault", "json_args": "file"}
    return others.get(action.dest, "directory" if action.type is Path else "anything")


def strip_quotes(word: str) -> str:
    if word[:1] in {'"', "'"}:
        return word[1:].removesuffix(word[0])
    return word.replace("\\", "") if os.name == "posix" else word


def candidates(words: Sequence[str]) -> list[str]:
    *before, last = words
    if not before:
        return match_prefix([*command_names(), "--help", "--version"], last)
    if typed_name(before[0]) not in command_names():
        return []
    command = describe_command(before[0])
    takes, options = next_place(command, before[1:])
    if last.startswith("-"):
        return match_prefix(command["options"], last)
    if isinstance(takes, list):
        return match_prefix(takes, last)
    return complete_kind(takes or "anything", last, options)


def next_place(command: Command, before: Sequence[str]) -> tuple[ValueType, Mapping[str, str]]:
    place, waits = 0, ""
    options: dict[str, str] = {}
    for word in before:
        if waits:
            options[waits], waits = word, ""
        elif command["options"].get(word) is not None:
            waits = word
        elif not word.startswith("-"):
            place += 1
    places = command["places"]
    if waits:
        return command["options"][waits], options
    if places and command["repeats"]:
        place = min(place, len(places) - 1)
    return places[place] if place < len(places) else None, options


def match_prefix(words: Sequence[str] | Mapping[str, Any], prefix: str) -> list[str]:
    """Return the words with this prefix; regardless of case if none matches exactly."""
    exact = [word for word in words if word.startswith(prefix)]
    return exact or [word for word in words if word.casefold().startswith(prefix.casefold())]


def complete_kind(kind: Kind, prefix: str, options: Mapping[str, str]) -> list[str]:
    folders = Folders(Path(options["--data-dir"]) if "--data-dir" in options else resolve_data_dir())
    match kind:
        case "anything":
            return []
        case "vault":
            names = sorted({path.name for path in read_vault_list(folders).values()})
            return match_prefix(names, prefix) or list_paths(Path(), prefix, files=False)
        case "directory" | "file":
            return list_paths(Path(), prefix, files=kind == "file")
    root = current_vault(folders, options.get("--vault"))
    inside = [] if root is None or is_elsewhere(prefix) else list_paths(root, prefix, files=kind == "note")
    return inside or (
        list_paths(Path(), prefix, files=kind == "note") if is_elsewhere(prefix) or is_inside(root) else []
    )


def current_vault(folders: Folders, reference: str | None) -> Path | None:
    if reference is not None:
        here = Path(reference).expanduser()
        return here if here.is_dir() else next(iter(find_known_vaults(folders, reference)), None)
    known = read_vault_list(folders)
    served = [path for id_, path in known.items() if read_runtime(folders.runtime(id_)) is not None]
    return enclosing_vault(Path.cwd(), known.values()) or (served[0] if len(served) == 1 else None)


def is_elsewhere(prefix: str) -> bool:
    """Say whether a path is meant from another place than the vault's root."""
    return prefix.startswith(("/", "~", "./", "../")) or Path(prefix).is_absolute()


def is_inside(root: Path | None) -> bool:
    """Say whether the current folder is in the vault."""
    return root is not None and Path.cwd().is_relative_to(os.path.realpath(root))


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
