"""Runs the long commands of a set-up: output goes to a log, one line of progress to the terminal."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

EVERY_S = 20
LOOK_EVERY_S = 0.5
END_WITHIN_S = 5

REASONS = 20_000
"""Characters at the end of a log that are searched for a known reason; other compilers go on after one fails."""


class StepFailed(Exception):
    """A step failed.

    Attributes:
        problem: What failed and why, in a sentence.
        hint: What to do about it.
    """

    def __init__(self, problem: str, hint: str = "", details: str = "") -> None:
        self.problem = problem
        self.hint = hint
        super().__init__("\n".join(filter(None, (problem, details, hint))))


class Count(NamedTuple):
    """How much of a step is done, of how much in all."""

    done: int
    total: int


Watch = Callable[[str, Count | None], None]
"""Called twice a second with a running step's title and count; an exception it raises ends the step."""


def ignore(title: str, count: Count | None) -> None:
    """Watch nothing."""


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
    watch: Watch = ignore,
    held: tuple[int, ...] = (),
) -> None:
    """Run a command to its end; an exception ends it with all the processes it started.

    Args:
        title: The title shown, such as "Installing 60 packages".
        command: The program and its arguments.
        log: The file for its output.
        env: Variables added to the environment.
        hint: What to try if it fails.
        usual: How long it usually takes, shown at the start.
        watch: Told how far it is.
        held: Open files that it inherits, such as a lock that must outlive this process.

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
        count = None
        # A session of its own, so that compilers that a build started end with it.
        with subprocess.Popen(
            command,
            stdout=output,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            env={**inherited, **env},
            start_new_session=True,
            pass_fds=held,
        ) as process:
            try:
                while (status := wait(process)) is None:
                    news = written.read()
                    count = latest_count(news) or count
                    line.show(f"{count.done} of {count.total} files" if count else latest_package(news))
                    watch(title, count)
            except BaseException:
                end(process)
                raise
        line.end(ok=status == 0)
    if status:
        output_text = log.read_text(encoding="utf-8", errors="replace")
        tail = "\n".join(f"    {text[:200]}" for text in output_text.splitlines()[-15:])
        problem, way_out = explain(title, output_text[-REASONS:], hint)
        raise StepFailed(problem, way_out, f"{tail}\nAll of it: {log}")


def wait(process: subprocess.Popen[bytes]) -> int | None:
    """Wait a moment and return the exit status, or None while it runs."""
    try:
        return process.wait(LOOK_EVERY_S)
    except subprocess.TimeoutExpired:
        return None


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process and all that it started."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError, PermissionError, subprocess.TimeoutExpired):
            os.killpg(process.pid, number)
            process.wait(END_WITHIN_S)


def explain(title: str, output: str, hint: str) -> tuple[str, str]:
    """Return why a step failed, and the way out."""
    if "No space left on device" in output:
        return f"{title} failed: the disk is full.", "Make room, then run it again: it goes on where it stopped."
    if re.search(r"\bKilled\b|[Cc]annot allocate memory", output):
        out_of_memory = "Close other programs, then run it again: it goes on where it stopped."
        return f"{title} failed: the system ended it, probably because memory ran out.", out_of_memory
    return f"{title} failed.", hint


def latest_count(news: str) -> Count | None:
    """Return the last count in the output of a build."""
    counted = re.findall(r"\[(\d+)/(\d+)\]", news)
    return Count(*map(int, counted[-1])) if counted else None


def latest_package(news: str) -> str:
    """Return the package that pip fetches last."""
    fetched = re.findall(r"^\s*(?:Collecting|Downloading) (\S+)", news, re.MULTILINE)
    return re.sub(r".*/|-(?:cp|py)\d.*|\.tar\.gz|==.*", "", str(fetched[-1])) if fetched else ""


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
