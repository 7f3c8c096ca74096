"""The manual page, made from what `--help` says."""

import argparse
import functools
import re

import bridge
from bridge.cli.catalogue import PROGRAM
from bridge.cli.parser import ParagraphHelpFormatter, add_commands, command_names, grouped_commands

WIDTH = 72
"""Columns of the help, which `man` indents in a terminal of 80."""


def man_page(description: str) -> str:
    """Return the page: the first commands by what they are for, then the help of each."""
    first = [f".SS {what}\n{escape(', '.join(names))}" for what, names in grouped_commands(every=False).items()]
    each = [f".SS {escape(name)}\n.nf\n{escape(text)}\n.fi" for name, text in command_helps().items()]
    parts = [
        f'.TH {PROGRAM.upper()} 1 "" "{PROGRAM} {bridge.__version__}" "{PROGRAM}"',
        f".SH NAME\n{PROGRAM} \\- {escape(description)}",
        f'.SH SYNOPSIS\n.B {PROGRAM}\n.IR COMMAND " ..."',
        ".SH FIRST COMMANDS",
        *first,
        ".SH ALL COMMANDS",
        *each,
    ]
    return "\n".join(parts) + "\n"


def command_helps() -> dict[str, str]:
    names = command_names()
    commands = add_commands(argparse.ArgumentParser(prog=PROGRAM), names)
    for name in names:
        commands[name].formatter_class = functools.partial(ParagraphHelpFormatter, width=WIDTH)
    return {name: commands[name].format_help().rstrip() for name in names}


def escape(text: str) -> str:
    """Write text as it is where the formatter would read it as its own."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^(?=[.'])", r"\\&", text, flags=re.MULTILINE)
