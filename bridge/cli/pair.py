"""`vaultside pair`: shows a code with which a client gets a token of its own."""

import argparse
import sys

from bridge.cli import find_bridge
from bridge.cli.console import json_line, print_message
from bridge.cli.find_bridge import ServedVault, find_vault
from bridge.errors import NoSuchVault, NotReady
from bridge.server.runtime_file import Runtime, running_bridges


def main(given: argparse.Namespace) -> int:
    """Open pairing in the running bridge and print the code."""
    runtime = require_runtime(given)
    opened = find_bridge.call(runtime, "open_pairing", {})
    if given.json:
        json_line({**opened, "url": runtime.url})
        return 0
    sys.stdout.write(f"{opened['code']}\n")
    sys.stdout.flush()
    print_message(
        f"Enter this code in the client within {opened['expires_in_s'] // 60} minutes. The bridge is at {runtime.url}."
    )
    return 0


def require_runtime(given: argparse.Namespace) -> Runtime:
    if given.vault is not None:
        match find_vault(given.data_dir, given.vault):
            case ServedVault(runtime):
                return runtime
            case _:
                raise NotReady("No bridge is serving this vault.", hint="Start `vaultside serve`, then pair.")
    match list(running_bridges(given.data_dir)):
        case [runtime]:
            return runtime
        case []:
            raise NotReady("No bridge is running.", hint="Start `vaultside serve`, then pair.")
        case _:
            raise NoSuchVault("Several bridges are running; choose one.", hint="Give `--vault`.")
