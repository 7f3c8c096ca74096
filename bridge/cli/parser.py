"""Builds the command line: the commands of `commands`, and one for each operation."""

import argparse
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import bridge
from bridge.cli.catalogue import operation_commands, typed_name
from bridge.cli.commands import ADD_COMMAND, COMMANDS, common_options
from bridge.cli.did_you_mean import ParagraphHelpFormatter, Parser
from bridge.cli.hook import CLAUDE_CODE, JOURNAL
from bridge.cli.options import add_options
from bridge.cli.program import PROGRAM

if TYPE_CHECKING:
    from bridge.cli.commands import Commands
    from bridge.export.command_catalogue import OperationCommand

EVERYWHERE = {"--data-dir": True, "--models-dir": True, "--vault": True, "--json": False}
"""Options that may stand before the command, and whether each takes a value."""


def command_names() -> list[str]:
    return [*COMMANDS, *map(typed_name, operation_commands())]


def build_parser(words: Sequence[str] | None = None) -> argparse.ArgumentParser:
    names = command_names()
    if words is not None:
        first = typed_name(words[0]) if words else "--help"
        names = [first] if first in names else [] if first.startswith("-") else names
    made: argparse.ArgumentParser = Parser(
        prog=PROGRAM,
        description="A local companion for an Obsidian vault: search, links and agents' tools, offline.",
        epilog="" if len(names) == 1 else overview(),
        formatter_class=ParagraphHelpFormatter,
        allow_abbrev=False,
    )
    made.add_argument("-V", "--version", action="version", version=f"{PROGRAM} {bridge.__version__}")
    add_commands(made, names)
    return made


SHORT_NAMES = {
    "changes": "list-changes",
    "links": "note-links",
    "memories": "list-memories",
    "tags": "list-tags",
    "tidy": "plan-tidy",
    "undo": "undo-change",
}
"""What people type first for what they mean."""

ALL = "--all"
"""With `--help`, list every command."""


def command_first(words: Sequence[str]) -> Sequence[str]:
    """Return a command line as argparse reads it: options behind the command, `help` as an option, names in full."""
    words = _options_behind(words)
    if words[:1] == ["help"]:
        words = [*words[1:], "--help"]
    return [SHORT_NAMES.get(words[0], words[0]), *words[1:]] if words else []


def _options_behind(words: Sequence[str]) -> Sequence[str]:
    at = 0
    while at < len(words) and (takes := EVERYWHERE.get(words[at].partition("=")[0])) is not None:
        at += 1 + (takes and "=" not in words[at])
    return [*words[at : at + 1], *words[:at], *words[at + 1 :]] if at < len(words) else []


def add_commands(parser: argparse.ArgumentParser, names: Iterable[str]) -> "Commands":
    commands = parser.add_subparsers(
        # Given, so that argparse does not format a usage line to find it.
        prog=PROGRAM,
        required=True,
        metavar="COMMAND",
        title="commands and operations",
        help="see below",
    )
    operations = {typed_name(name): name for name in operation_commands()}
    for name in names:
        if name in COMMANDS:
            ADD_COMMAND[name](commands)
        else:
            add_operation(commands, operations[name], operation_commands()[operations[name]])
    return commands


def add_operation(commands: "Commands", name: str, command: "OperationCommand") -> None:
    typed = typed_name(name)
    entry = commands.add_parser(
        typed,
        # The form that programs and hints use.
        aliases=[name] if name != typed else [],
        parents=[common_options()],
        description=command["description"].replace("%", "%%"),
        formatter_class=ParagraphHelpFormatter,
        allow_abbrev=False,
    )
    # Before the arguments: a default set after them would hide a given argument of the same name.
    entry.set_defaults(module="run_operation", command=name, vault=None)
    add_options(entry, command)
    what = "The vault, by path, name or id; without, the one around this folder, or the only one that is served."
    if name == "doctor":
        entry.add_argument("vault", nargs="?", default=argparse.SUPPRESS, metavar="VAULT", help=what)
    entry.add_argument("--vault", dest="vault", default=argparse.SUPPRESS, help=what)
    if command["reads"] or name == JOURNAL:
        # For agents' hooks, which pass it on by themselves; the value is the name of the agent's client.
        entry.add_argument("--hook", nargs="?", const=CLAUDE_CODE, help=argparse.SUPPRESS)
    entry.add_argument("--json-args", metavar="FILE", help="Take arguments from a JSON object; `-` is standard input.")


ESSENTIAL = {
    "Find": ("search", "ask", "related-notes", "read-note", "summarise"),
    "Link": ("suggest-links", "link-report", "apply-links"),
    "Write and undo": ("daily-note", "edit-note", "move-note", "list-changes", "undo-change"),
    "Tidy": ("plan-tidy", "property-report", "merge-suggestions"),
    "Agents": ("mcp", "list-sessions", "list-workflows", "recall"),
    "This machine": ("serve", "status", "doctor", "models"),
}
"""The commands that one needs first, by what they are for."""


def essentials() -> str:
    """Return the first commands with their summaries, for a command line without any."""
    operations = {typed_name(name): one["summary"] for name, one in operation_commands().items()}
    summaries = {**operations, **COMMANDS}
    width = max(len(name) for names in ESSENTIAL.values() for name in names)
    lines = [f"usage: {PROGRAM} COMMAND …", ""]
    for what, names in ESSENTIAL.items():
        lines += [f"{what}:", *(f"  {name:{width}}  {summaries[name]}" for name in names), ""]
    lines.append(
        f"`{PROGRAM} help {ALL}` lists all {len(command_names())}; `{PROGRAM} help COMMAND` tells what one takes."
    )
    return "\n".join(lines) + "\n"


def overview() -> str:
    width = max(map(len, operation_commands()))
    known = [f"  {name:{width}}  {what}" for name, what in COMMANDS.items()]
    offered = [f"  {typed_name(name):{width}}  {one['summary']}" for name, one in operation_commands().items()]
    return "\n".join(["commands:", *known, "", "operations:", *offered])
