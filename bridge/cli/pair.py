"""`vaultside pair`: shows a code with which a client gets a token of its own."""

import argparse
import sys

from bridge.cli import find_bridge
from bridge.cli.console import json_line, print_message
from bridge.errors import NotReady


def main(given: argparse.Namespace) -> int:
    """Open pairing in the running bridge and print the code."""
    runtime = find_bridge.find_runtime(given.data_dir, given.vault)
    if runtime is None:
        what = "No bridge is running." if given.vault is None else "No bridge is serving this vault."
        raise NotReady(what, hint="Start `vaultside serve`, then pair.")
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
