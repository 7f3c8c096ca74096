"""Runs the long commands of a set-up: output goes to a log, one line of progress to the terminal."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TextIO

EVERY_S = 20


class StepFailed(Exception):
    """A step failed; the message says what to do."""


def say(line: str) -> None:
    """Print a line on standard error; standard output is left to results."""
    print(line, file=sys.stderr, flush=True)


def run(
    title: str,
    command: list[str],
    log: Path,
    env: Mapping[str, str],
    *,
    hint: str = "",
    usual: str = "",
) -> None:
    """Run a command to its end.

    Args:
        title: The title shown, such as "Installing 60 packages".
        command: The program and its arguments.
        log: The file for its output.
        env: Variables added to the environment.
        hint: What to try if it fails.
        usual: How long it usually takes, shown at the start.

    Raises:
        StepFailed: It ended with an error; the message contains the end of its output.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    inherited = {
        k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "PYTHONHOME", "PIP_TARGET", "PIP_PREFIX"}
    }
    started = time.monotonic()
    with log.open("w", encoding="utf-8") as output, log.open(encoding="utf-8", errors="replace") as written:
        line = ProgressLine(f"{title}{usual and f' ({usual})'}", started)
        with subprocess.Popen(
            command, stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, env={**inherited, **env}
        ) as process:
            while True:
                try:
                    status = process.wait(timeout=0.5)
                    break
                except subprocess.TimeoutExpired:
                    line.show(progress(written))
        line.end(ok=status == 0)
    if status:
        last = log.read_text(encoding="utf-8", errors="replace").splitlines()[-15:]
        tail = "\n".join(f"    {text[:200]}" for text in last)
        raise StepFailed(f"{title} failed.\n{tail}\nAll of it: {log}" + (f"\n{hint}" if hint else ""))


def progress(written: TextIO) -> str:
    """Read the new output and return the progress it reports."""
    news = written.read()
    if counted := re.findall(r"\[(\d+)/(\d+)\]", news):
        return "{} of {} files".format(*counted[-1])
    if fetched := re.findall(r"^\s*(?:Collecting|Downloading) (\S+)", news, re.MULTILINE):
        return re.sub(r".*/|-(?:cp|py)\d.*|\.tar\.gz|==.*", "", str(fetched[-1]))
    return ""


class ProgressLine:
    """One line of progress: rewritten on a terminal, repeated periodically elsewhere."""

    def __init__(self, title: str, started: float) -> None:
        self.title = title
        self.started = started
        self.note = ""
        self.shown = started
        self.live = sys.stderr.isatty()
        if not self.live:
            say(f"{title} …")

    def show(self, note: str) -> None:
        """Show the progress."""
        self.note = note or self.note
        seconds = int(time.monotonic() - self.started)
        text = f"{self.title} … {self.note}{self.note and ', '}{seconds // 60}:{seconds % 60:02}"
        if self.live:
            print(f"\r\033[K{text[:100]}", end="", file=sys.stderr, flush=True)
        elif time.monotonic() - self.shown > EVERY_S:
            self.shown = time.monotonic()
            say(f"  {text}")

    def end(self, *, ok: bool) -> None:
        """Show the outcome."""
        seconds = time.monotonic() - self.started
        start = "\r\033[K" if self.live else "  "
        say(f"{start}{self.title}: {'done' if ok else 'failed'} after {seconds:.0f} s")
