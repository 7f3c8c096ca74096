"""Says in a sentence what was mistyped, and what is near it, where the library would list all there is."""

import argparse
import difflib
import re
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

MAX_HANGING_INDENT = 21
"""Columns that the names of commands take at most, before what is said of them."""

FEW = 6
"""As many as a sentence may name."""


class ParagraphHelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Keeps the lines of a description, and breaks those that are too long for the terminal."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(
            textwrap.fill(line, width, initial_indent=indent, subsequent_indent=indent + hanging_indent(line))
            for line in text.splitlines()
        )


def hanging_indent(line: str) -> str:
    """Return what the following lines of a line begin with: under its text, where it is one of a list."""
    listed = re.match(r"  \S+ +", line)
    return " " * (min(len(listed[0]), MAX_HANGING_INDENT) if listed else 0)


class Parser(argparse.ArgumentParser):
    """Reads the words of a command."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Read the words; what is left over is refused where it is known to which command it was given."""
        given, left = super().parse_known_args(args, namespace)
        if left:
            self.error(self.left_over(left, args or []))
        return given, left

    def left_over(self, words: list[str], given: Sequence[str]) -> str:
        """Say what is wrong with words that mean nothing among those that were given."""
        for name, first, last in zip(given, given[1:], given[2:], strict=False):
            if name == "--lines" and last in words and first.isdecimal() and last.isdecimal():
                return f"lines are given as a range: `--lines {first}-{last}`."
        wrong = next((word.partition("=")[0] for word in words if word.startswith("-")), None)
        if wrong is None:
            return f"nothing is known to do with `{' '.join(words)}`; put quotes around words that belong together."
        return f"there is no option `{wrong}`{did_you_mean(wrong, self._option_string_actions)}"

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a value that is no choice; a method of the library, which would show every command there is."""
        if action.choices is not None and value not in action.choices:
            raise argparse.ArgumentError(None, f"there is no `{value}`{did_you_mean(str(value), action.choices)}")

    def error(self, message: str) -> NoReturn:
        """Leave with what is wrong and where to look, without the usage: it may be longer than a screen."""
        self.exit(2, f"vault-bridge: {message}\n  `{self.prog} --help` tells what it takes.\n")


def did_you_mean(written: str, known: Iterable[str]) -> str:
    """Ask whether the nearest was meant, or name them when they are few."""
    names = list(known)
    near = difflib.get_close_matches(written, names, n=1)
    few = f"; there are {', '.join(names)}." if len(names) <= FEW else "."
    return f"; did you mean `{near[0]}`?" if near else few
