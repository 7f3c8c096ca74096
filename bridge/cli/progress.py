"""Shows the progress of long work on standard error: a bar in a terminal, occasional lines in a log."""

import asyncio
import shlex
import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from bridge.cli.console import print_message
from bridge.data_folder import folder_options

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from bridge.engine.bridge import Bridge
    from bridge.server.runtime_file import Runtime

LOOK_EVERY_S = 0.25
LOOK_FOR_MODEL_EVERY_S = 2.0
LINE_EVERY_S = 10.0
PATIENT_S = 1.0


class IndexBar:
    """Notes read and passages embedded."""

    def __init__(self, *, patient: bool = False) -> None:
        """Show nothing yet."""
        self._from = time.monotonic() + (PATIENT_S if patient else 0.0)
        self._progress: Progress | None = None
        self._tasks: dict[str, TaskID] = {}
        self._last_line_time = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._progress is not None:
            self._progress.stop()

    def show(self, vault: dict[str, Any]) -> None:
        if time.monotonic() < self._from:
            return
        waiting, notes = vault["pending"]["keyword"], vault["notes"]
        unembedded, passages = vault["pending"]["vectors"], vault["passages"]
        if not sys.stderr.isatty():
            from bridge.text.counts import count_of

            embedded = f"{passages - unembedded:,} of {count_of(passages, 'passage')} embedded"
            self._say(f"{count_of(notes, 'note')}, {waiting:,} to read; {embedded}")
            return
        self._bar("Reading notes", notes if waiting else max(notes, 1), notes + waiting)
        if vault["model"] is not None and passages:
            self._bar("Understanding passages", passages - unembedded, passages)

    def _bar(self, name: str, done: int, total: int) -> None:
        if self._progress is None:
            self._progress = progress_bars()
            self._progress.start()
        if name not in self._tasks:
            self._tasks[name] = self._progress.add_task(name, total=None)
        self._progress.update(self._tasks[name], completed=done, total=total or None)

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


async def watch(bridge: "Bridge", runtime: "Runtime") -> None:
    """Print where the bridge listens and how far indexing is, until it is complete."""
    names = ", ".join(host.name for host in bridge.vaults.values())
    folder = bridge.folders.runtime(next(iter(bridge.vaults))).parent
    print_message(f"Serving {names} at {runtime.url}, token in {folder}. Ctrl-C stops.")
    print_message(f"Search from another terminal: {search_command(bridge.data_dir)}")
    # The entry for agents imports this module too, and must not load the operations.
    from bridge.features.status.public import summarize_vault

    while True:
        status = await watch_until_settled(bridge)
        for vault in status:
            print_message(summarize_vault(vault))
        if not is_model_awaited(status):
            return
        while is_model_awaited(status):
            await asyncio.sleep(LOOK_FOR_MODEL_EVERY_S)
            status = await vault_statuses(bridge)


async def watch_until_settled(bridge: "Bridge") -> list[dict[str, Any]]:
    """Show progress until indexing is as complete as it can be now, and return the status of the vaults."""
    searchable, reported = False, dict[str, str]()
    with IndexBar() as bar:
        while True:
            report_closed(bridge, reported)
            status = await vault_statuses(bridge)
            bar.show(sum_progress(status))
            if not searchable and all(vault["ready"]["keyword"] for vault in status):
                searchable = True
            missing = bridge.embedders is not None and bridge.embedders.trouble is not None
            if searchable and all(is_settled(vault, missing=missing) for vault in status):
                return status
            await asyncio.sleep(LOOK_EVERY_S)


def report_closed(bridge: "Bridge", reported: dict[str, str]) -> None:
    """Print why vaults are not open, unless that is what was reported last."""
    for host in bridge.vaults.values():
        if (error := host.trouble) is not None and reported.get(host.id) != error.message:
            reported[host.id] = error.message
            print_message(f"{host.name} is not open: {error.message} {error.hint}")


async def vault_statuses(bridge: "Bridge") -> list[dict[str, Any]]:
    from bridge.api.call import OWNER, Call
    from bridge.api.schemas import to_json
    from bridge.features import get_operation

    vaults: list[dict[str, Any]] = to_json(await get_operation("status").run(Call(bridge, OWNER), {}))["vaults"]
    return vaults


def is_model_awaited(vaults: list[dict[str, Any]]) -> bool:
    """Say whether search by meaning follows once the model is there."""
    return any(vault["model_setup"] and vault["model_setup"]["state"] == "running" for vault in vaults)


def search_command(data_dir: Path) -> str:
    # In a virtual environment that is not active, the bare name would not be found.
    program = "vaultside" if shutil.which("vaultside") else str(Path(sys.executable).with_name("vaultside"))
    return " ".join([shlex.quote(program), 'search "words"', *map(shlex.quote, folder_options(data_dir))])


def is_settled(vault: dict[str, Any], *, missing: bool) -> bool:
    embedded = vault["model"] is not None and not vault["pending"]["vectors"]
    return not vault["pending"]["keyword"] and (missing or vault["paused"] or embedded)


def sum_progress(vaults: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "notes": sum(vault["notes"] for vault in vaults),
        "passages": sum(vault["passages"] for vault in vaults),
        "model": next((vault["model"] for vault in vaults if vault["model"]), None),
        "pending": {kind: sum(vault["pending"][kind] for vault in vaults) for kind in ("keyword", "vectors")},
    }
