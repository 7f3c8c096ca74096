"""Shows the progress of long work on standard error: a bar in a terminal, occasional lines in a log."""

import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

from bridge.text.counts import count_of

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from bridge.features.status.public import VaultStatus

LINE_EVERY_S = 10.0
PATIENT_S = 1.0


class ProgressBars:
    """A bar for each task, from when it is first shown."""

    def __init__(self) -> None:
        self._progress: Progress | None = None
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._progress is not None:
            self._progress.stop()

    def show_task(self, name: str, done: int, total: int | None) -> None:
        if self._progress is None:
            self._progress = progress_bars()
            self._progress.start()
        if name not in self._tasks:
            self._tasks[name] = self._progress.add_task(name, total=None)
        self._progress.update(self._tasks[name], completed=done, total=total or None)


class InstallProgress(ProgressBars):
    """The steps of an installation."""

    _printed = ""

    def show(self, step: str, done: int, total: int | None) -> None:
        if sys.stderr.isatty():
            self.show_task(step, done, total)
        elif step != self._printed:
            self._printed = step
            sys.stderr.write(f"{step} …\n")


class IndexBar(ProgressBars):
    """Notes read and passages embedded."""

    def __init__(self, *, patient: bool = False) -> None:
        super().__init__()
        self._from = time.monotonic() + (PATIENT_S if patient else 0.0)
        self._last_line_time = time.monotonic()

    def show(self, vaults: "Sequence[VaultStatus]") -> None:
        if time.monotonic() < self._from:
            return
        waiting, notes = sum(one.pending.keyword for one in vaults), sum(one.notes for one in vaults)
        unembedded, passages = sum(one.pending.vectors for one in vaults), sum(one.passages for one in vaults)
        if not sys.stderr.isatty():
            embedded = f"{passages - unembedded:,} of {count_of(passages, 'passage')} embedded"
            self._say(f"{count_of(notes, 'note')}, {waiting:,} to read; {embedded}")
            return
        self.show_task("Reading notes", notes if waiting else max(notes, 1), notes + waiting)
        if passages and any(one.model is not None for one in vaults):
            self.show_task("Understanding passages", passages - unembedded, passages)

    def _say(self, line: str) -> None:
        if time.monotonic() - self._last_line_time > LINE_EVERY_S:
            self._last_line_time = time.monotonic()
            sys.stderr.write(f"{line}\n")


def progress_bars() -> "Progress":
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
