"""Shows on standard error how long work gets on: a bar for a person, a line now and then for a log."""

import sys
import time
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

LINE_EVERY_S = 10.0
PATIENT_S = 1.0


class IndexBar:
    """Notes read and passages embedded."""

    def __init__(self, *, patient: bool = False) -> None:
        """Show nothing yet.

        Args:
            patient: Wait a second before showing anything, since it may all be over by then.
        """
        self._from = time.monotonic() + (PATIENT_S if patient else 0.0)
        self._progress: Progress | None = None
        self._tasks: dict[str, TaskID] = {}
        self._said = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._progress is not None:
            self._progress.stop()

    def show(self, vault: dict[str, Any]) -> None:
        """Show the status of a vault."""
        if time.monotonic() < self._from:
            return
        waiting, notes = vault["pending"]["keyword"], vault["notes"]
        unembedded, passages = vault["pending"]["vectors"], vault["passages"]
        if not sys.stderr.isatty():
            self._say(
                f"{notes:,} notes, {waiting:,} to read; {passages - unembedded:,} of {passages:,} passages embedded"
            )
            return
        self._bar("Reading notes", notes if waiting else max(notes, 1), notes + waiting)
        if vault["model"] is not None and passages:
            self._bar("Understanding passages", passages - unembedded, passages)

    def _bar(self, name: str, done: int, total: int) -> None:
        """Move one bar."""
        if self._progress is None:
            self._progress = bars()
            self._progress.start()
        if name not in self._tasks:
            self._tasks[name] = self._progress.add_task(name, total=None)
        self._progress.update(self._tasks[name], completed=done, total=total or None)

    def _say(self, line: str) -> None:
        """Write a line, not too often."""
        if time.monotonic() - self._said > LINE_EVERY_S:
            self._said = time.monotonic()
            sys.stderr.write(f"{line}\n")


def bars() -> "Progress":
    """Make a set of bars on standard error."""
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
