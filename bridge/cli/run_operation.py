"""`vault-bridge <operation>`: runs in the running bridge if there is one, else in this process."""

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bridge.api.arguments import VAULT
from bridge.api.registry import Operation
from bridge.cli import find_bridge, options, paths, render
from bridge.cli.console import json_line
from bridge.cli.find_bridge import FoundVault, ServedVault, UnservedVault, find_vault, served_vaults
from bridge.errors import NoSuchVault
from bridge.features import get_operation


def main(given: argparse.Namespace) -> int:
    """Run an operation and print its result."""
    operation = get_operation(given.command)
    result, reached = find_and_run(given, operation)
    if given.json:
        json_line(result)
    else:
        render.show(operation.name, result)
        if "freshness" in result:
            render.explain_backlog(result, reached.indexer if isinstance(reached, ServedVault) else "none")
    return int(operation.name == "doctor" and result["verdict"] == "fail")


def find_and_run(given: argparse.Namespace, operation: Operation) -> tuple[dict[str, Any], FoundVault | None]:
    """Run an operation, and return its result and the vault it ran on."""
    typed = options.collect(operation, given)
    reference = typed.pop(VAULT, None) or given.vault
    # Operations of scope `admin` run in this process, since the runtime token does not grant it; a user who may write
    # the settings file may run them, and running bridges notice the change.
    reached = None if operation.scope == "admin" else target_vault(given.data_dir, reference, operation)
    arguments = typed if reached is None else paths.to_vault_paths(operation, typed, reached.path)
    if needs_digest(operation, arguments):
        # A user who types a command means the note as it is now; the write checks that it is still that.
        query = {"path": arguments["path"], "max_chars": 1}
        arguments["digest"] = run_operation(given, get_operation("read_note"), query, reached)["digest"]
    if isinstance(reached, ServedVault) and (operation.vault or reference is not None):
        arguments[VAULT] = reached.id
    return run_operation(given, operation, arguments, reached), reached


def run_operation(
    given: argparse.Namespace, operation: Operation, arguments: Mapping[str, Any], reached: FoundVault | None
) -> dict[str, Any]:
    """Run an operation in the bridge that serves the vault, or else in this process."""
    operation.bind({name: value for name, value in arguments.items() if name != VAULT})
    match reached:
        case ServedVault(runtime):
            answered: dict[str, Any] = find_bridge.call(runtime, operation.name, arguments)
            return answered
        case UnservedVault(path):
            return run_in_process(given, operation, arguments, [path])
        case None:
            return run_in_process(given, operation, arguments, [])


def needs_digest(operation: Operation, arguments: Mapping[str, Any]) -> bool:
    """Say whether a write needs a digest that was not given: one that deletes, and one that edits."""
    if operation.reads or "digest" in arguments or not isinstance(arguments.get("path"), str):
        return False
    return any(taken.name == "digest" and (taken.required or "edits" in arguments) for taken in operation.arguments)


def target_vault(data_dir: Path, reference: str | None, operation: Operation) -> FoundVault | None:
    """Find the vault; None is possible for an operation that needs no particular vault.

    Raises:
        NoSuchVault: There is none, or several match.
    """
    try:
        return find_vault(data_dir, reference)
    except NoSuchVault:
        if operation.vault or reference is not None:
            raise
        # Any running bridge can answer an operation that needs no particular vault.
        running = next(served_vaults(data_dir), None)
        if running is None and operation.name == "status":
            raise
        return running


def run_in_process(
    given: argparse.Namespace, operation: Operation, arguments: Mapping[str, Any], vaults: list[Path]
) -> dict[str, Any]:
    """Run an operation in this process."""
    from bridge.cli import local
    from bridge.cli.exit import run_coroutine
    from bridge.cli.progress import IndexBar

    async def work() -> dict[str, Any]:
        async with local.open_bridge(given.data_dir, given.models_dir, vaults) as bridge:
            with IndexBar(patient=True) as bar:
                return await local.run_when_ready(
                    bridge, operation, arguments, bar.show if sys.stderr.isatty() else None
                )

    return run_coroutine(work())
