"""Reports a mistyped word in one sentence with the closest known one, where argparse would list every choice."""

import argparse
import re
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from bridge.cli.catalogue import read_catalogue, typed_name
from bridge.text.closest import find_alike

MAX_HANGING_INDENT = 21
"""Most columns that command names take before their descriptions."""

MEANT = {
    "order": ("plan-tidy", "property-report", "merge-suggestions", "link-report"),
    "open": ("read-note", "daily-note"),
    "show": ("read-note",),
    "related": ("related-notes",),
    "summary": ("summarise",),
    "policies": ("list-workflows", "run-workflow"),
    "policy": ("list-workflows", "run-workflow"),
}
"""Commands that some words mean which no command has in its name."""

MAX_NAMES = 6
"""Most names listed in a sentence."""


class ParagraphHelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Keeps the line breaks of a description, and wraps lines that are too long for the terminal."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        import textwrap

        return "\n".join(
            textwrap.fill(line, width, initial_indent=indent, subsequent_indent=indent + hanging_indent(line))
            for line in text.splitlines()
        )


def hanging_indent(line: str) -> str:
    listed = re.match(r"  \S+ +", line)
    return " " * (min(len(listed[0]), MAX_HANGING_INDENT) if listed else 0)


class Parser(argparse.ArgumentParser):
    """The parser of the command line."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Parse the words; unknown ones are refused here, where the command they were given to is known."""
        given, left = super().parse_known_args(args, namespace)
        if left:
            self.error(self.left_over(left, args or [], getattr(given, "query", None)))
        return given, left

    def left_over(self, words: list[str], given: Sequence[str], query: str | None) -> str:
        for name, first, last in zip(given, given[1:], given[2:], strict=False):
            if name == "--lines" and last in words and first.isdecimal() and last.isdecimal():
                return f"lines are given as a range: `--lines {first}-{last}`."
        wrong = next((word.partition("=")[0] for word in words if word.startswith("-")), None)
        if wrong is None:
            return f"nothing is known to do with `{' '.join(words)}`; put quotes around words that belong together."
        if wrong in self._option_string_actions:
            return f"`{wrong}` stands after `--`, where no options are read; put it before."
        near = did_you_mean(wrong, self._option_string_actions)
        if near == "." and not wrong.startswith("--") and any(action.dest == "query" for action in self._actions):
            whole = f"{query} {wrong}" if query else wrong
            near = f'; to exclude a word, end with the query in quotes: `{self.prog} -- "{whole}"`.'
        return f"there is no option `{wrong}`{near}"

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a value that is not a choice; overrides the library's method, which would list every command."""
        if action.choices is not None and value not in action.choices:
            raise argparse.ArgumentError(None, f"there is no `{value}`{did_you_mean(str(value), action.choices)}")

    def error(self, message: str) -> NoReturn:
        """Exit with the mistake and a pointer to the help, without the usage, which may be longer than a screen."""
        self.exit(2, f"vaultside: {message}\n  `{self.prog} --help` tells what it takes.\n")


def did_you_mean(written: str, choices: Iterable[str]) -> str:
    every = list(choices)
    # Of a command that has two spellings, the one that the help uses.
    names = [name for name in every if "_" not in name or name.replace("_", "-") not in every]
    word = written.replace("_", "-").casefold()
    renamed = read_catalogue()["renamed"].get(word.replace("-", "_"), "")
    near = [name for name in (typed_name(renamed), *MEANT.get(word, ())) if name in names]
    alike = find_alike(word, names)
    near = near or [name for name in alike if word in name.split("-")] or sorted(alike, key=alike.__getitem__)[-1:]
    if near:
        return f"; did you mean {' or '.join(f'`{name}`' for name in near[:MAX_NAMES])}?"
    return f"; there are {', '.join(names)}." if len(names) <= MAX_NAMES else "."
