"""Parses a command line, runs its command, and prints what went wrong in it."""

import argparse
import importlib
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from io import TextIOWrapper
from pathlib import Path
from types import FrameType
from typing import Any

from bridge.cli.console import strip_control
from bridge.cli.parser import ALL_FLAG, build_parser, command_first, list_commands
from bridge.cli.render import translate_hint
from bridge.data_folder import FORMER_NAME, default_data_dir, resolve_data_dir, resolve_models_dir
from bridge.errors import BridgeError, Busy, Invalid
from bridge.server.runtime_file import running_bridges

USAGE_STATUS = 2
"""Exit status of a command line that could not be parsed."""

Handler = Callable[[int, FrameType | None], object] | signal.Handlers

PRIVATE_UMASK = 0o077

PIPE_CLOSED = 141


def parse_and_run(words: Sequence[str]) -> int:
    accept_any_text()
    if "_ARGCOMPLETE" in os.environ:
        from bridge.cli.completion import print_completions

        print_completions()
    words = command_first(words)
    every = ALL_FLAG in words and "--help" in words
    if not words or every or words in (["--help"], ["-h"]):
        sys.stdout.write(list_commands(every=every))
        return 0
    return run_command(build_parser(words).parse_args(words))


def accept_any_text() -> None:
    """Print UTF-8 where no terminal shows it, as notes are; Windows has other encodings, in which names may not fit."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="backslashreplace")


def run_command(given: argparse.Namespace) -> int:
    # LanceDB creates files by the process's umask: data derived from notes is for this user only.
    os.umask(PRIVATE_UMASK)
    try:
        fill_in_folders(given)
        command = importlib.import_module(f"bridge.cli.{given.module}")
        switch_interrupts(signal.SIG_DFL, signal.default_int_handler)
        status: int = command.main(given)
        switch_interrupts(signal.default_int_handler, signal.SIG_DFL)
        sys.stdout.flush()
    except BridgeError as error:
        return report_refusal(error, given)
    except BrokenPipeError:
        # The reader of our output has exited; the interpreter must not report that at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except OSError as error:
        sys.stderr.write(f"vaultside: {error.strerror or error}{f': {error.filename}' if error.filename else ''}\n")
        return 1
    except Exception as error:  # noqa: BLE001  # the top of the program: anything else is a bug
        return report_crash(error)
    return status


def switch_interrupts(before: Handler, now: Handler) -> None:
    """Replace the handler of Ctrl-C; where it is ignored, as in a script's background, it stays ignored."""
    if signal.getsignal(signal.SIGINT) is before:
        signal.signal(signal.SIGINT, now)


def fill_in_folders(given: argparse.Namespace) -> None:
    if given.data_dir is None:
        given.data_dir = resolve_data_dir()
        if not given.data_dir.exists():
            adopt_former_folder(given.data_dir)
    if given.models_dir is None:
        given.models_dir = resolve_models_dir()


def adopt_former_folder(data_dir: Path) -> None:
    """Rename the data folder of Vault Bridge, as the product was called, where there is none of today's name."""
    former = data_dir.with_name(FORMER_NAME)
    if data_dir != default_data_dir() or not former.is_dir():
        return
    for runtime in running_bridges(former):
        raise Busy(
            f"Vault Bridge, as Vaultside was called, still runs as process {runtime.pid}.",
            hint=f"End it, then start again: Vaultside goes on with its index and history, which are in {former}.",
        )
    former.rename(data_dir)
    sys.stderr.write(f"vaultside: {former}, of Vault Bridge, as Vaultside was called, is now {data_dir}.\n")


def report_refusal(error: BridgeError, given: argparse.Namespace) -> int:
    if given.json:
        from bridge.api.schemas import encode

        sys.stderr.buffer.write(encode(error.wire()) + b"\n")
    else:
        way_out = way_out_of(error, given)
        # Only these are sure to name arguments and operations by their own names.
        names = given.module == "run_operation" and error.code == "invalid_arguments"
        message = translate_hint(error.message, given.command) if names else error.message
        if conflicts := conflicts_of(error):
            # Each of them says why.
            message = f"There are conflicts in {message.partition(': ')[0]}."
        lines = [f"vaultside: {message}", *(f"  {line}" for line in (*conflicts, way_out) if line)]
        sys.stderr.write("\n".join(lines) + "\n")
    return USAGE_STATUS if error.code == "invalid_arguments" else 1


def conflicts_of(error: BridgeError) -> Sequence[str]:
    conflicts = error.facts.get("conflicts")
    return [strip_control(line) for line in conflict_lines(conflicts)] if isinstance(conflicts, list) else []


def way_out_of(error: BridgeError, given: argparse.Namespace) -> str:
    if given.module != "run_operation":
        return error.hint
    if error.facts.get("conflicts"):
        return WAY_OUT
    if error.hint == Invalid.hint:
        return f"`vaultside {given.command.replace('_', '-')} --help` tells what it takes."
    return translate_hint(error.hint, given.command)


def report_crash(error: Exception) -> int:
    import traceback

    place = traceback.extract_tb(error.__traceback__)[-1]
    sys.stderr.write(
        f"vaultside: {type(error).__name__} at {Path(place.filename).name}:{place.lineno}; "
        "this is a fault of the program.\n  Please report it with this line.\n"
    )
    return 1


WAY_OUT = (
    "Nothing was written. Change these places yourself, or first undo what changed them since: "
    "`vaultside list-changes PATH` lists it."
)

MAX_LINES = 10
"""Most lines quoted of each side."""


def conflict_lines(conflicts: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Describe each conflict: where, why, what is there now, and what would be there."""
    for one in conflicts:
        first, last = one.get("lines") or (0, 0)
        place = f":{first}-{last}" if last > first else f":{first}" if first else ""
        yield f"{one['path']}{place}: {one['why']}"
        if first:
            yield from quoted_side("now", one["ours"])
            yield from quoted_side("would be", one["theirs"])


def quoted_side(name: str, text: str) -> Iterator[str]:
    lines = text.splitlines()
    for line in lines[:MAX_LINES]:
        yield f"  {name}: {line}"
    if not lines:
        yield f"  {name}: (nothing)"
    if len(lines) > MAX_LINES:
        yield f"  {name}: … {len(lines) - MAX_LINES} more lines"
