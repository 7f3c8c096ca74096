"""Builds the command line: the commands of `commands`, and one for each operation."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

import bridge
from bridge.cli.commands import COMMANDS, add_commands, common_options
from bridge.cli.did_you_mean import ParagraphHelpFormatter, Parser

if TYPE_CHECKING:
    from bridge.api.registry import Operation
    from bridge.cli.commands import Commands

EVERYWHERE = {"--data-dir": True, "--models-dir": True, "--vault": True, "--json": False}
"""Options that may stand before the command, and whether each takes a value."""


def build_parser(words: Sequence[str] = ()) -> argparse.ArgumentParser:
    """Build the parser for every command and operation.

    Args:
        words: The command line; if it names a command, the operations are left out, since loading them would delay
            the commands that agents wait for.
    """
    by_hand = bool(words) and words[0] in COMMANDS
    made: argparse.ArgumentParser = Parser(
        prog="vault-bridge",
        description="A local companion for an Obsidian vault: search, links and agents' tools, offline.",
        epilog="" if by_hand else overview(),
        formatter_class=ParagraphHelpFormatter,
        allow_abbrev=False,
    )
    made.add_argument("--version", action="version", version=f"vault-bridge {bridge.__version__}")
    commands = made.add_subparsers(required=True, metavar="COMMAND", title="commands and operations", help="see below")
    add_commands(commands)
    if not by_hand:
        add_operations(commands)
    return made


def command_first(words: Sequence[str]) -> Sequence[str]:
    """Move options that stand before the command behind it, where argparse reads them."""
    at = 0
    while at < len(words) and (takes := EVERYWHERE.get(words[at].partition("=")[0])) is not None:
        at += 1 + (takes and "=" not in words[at])
    return [*words[at : at + 1], *words[:at], *words[at + 1 :]] if at < len(words) else []


def add_operations(commands: "Commands") -> None:
    """Add the command of each operation."""
    from bridge.features import operations

    for operation in operations():
        add_operation(commands, operation)


def add_operation(commands: "Commands", operation: "Operation") -> None:
    """Add the command of an operation."""
    from bridge.cli import options

    typed = operation.name.replace("_", "-")
    entry = commands.add_parser(
        typed,
        # The form that programs and hints use.
        aliases=[operation.name] if operation.name != typed else [],
        parents=[common_options()],
        description="\n\n".join(filter(None, (operation.summary, operation.details))).replace("%", "%%"),
        formatter_class=ParagraphHelpFormatter,
        allow_abbrev=False,
    )
    # Before the arguments: a default set after them would hide a given argument of the same name.
    entry.set_defaults(module="run_operation", command=operation.name, vault=None)
    options.add(entry, operation)
    what = "The vault, by path, name or id; without, the one around this folder, or the only one that is served."
    if operation.name == "doctor":
        entry.add_argument("vault", nargs="?", default=argparse.SUPPRESS, metavar="VAULT", help=what)
    entry.add_argument("--vault", dest="vault", default=argparse.SUPPRESS, help=what)
    entry.add_argument("--json-args", metavar="FILE", help="Take arguments from a JSON object; `-` is standard input.")


def overview() -> str:
    """List commands and operations with their summaries."""
    from bridge.features import operations

    width = max(len(operation.name) for operation in operations())
    known = [f"  {name:{width}}  {what}" for name, what in COMMANDS.items()]
    offered = [f"  {o.name.replace('_', '-'):{width}}  {o.summary}" for o in operations()]
    return "\n".join(["commands:", *known, "", "operations:", *offered])
