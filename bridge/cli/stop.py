"""`vaultside stop`: stops the running bridge."""

import argparse
import os
import signal
import time

from bridge.cli import find_bridge
from bridge.cli.console import json_line, print_message
from bridge.cli.find_bridge import find_runtime
from bridge.errors import BridgeError, NotReady
from bridge.server.runtime_file import Runtime, is_alive

LOOK_S = 3.0
LOOK_EVERY_S = 0.05
PATIENCE_S = 30.0
"""Seconds that a bridge gets to finish changes in progress."""


class StillRunning(BridgeError):
    """A bridge did not stop."""

    code = "busy"


def main(given: argparse.Namespace) -> int:
    """Stop the bridge that is meant, and wait until it has stopped."""
    runtime = find_runtime(given.data_dir, given.vault)
    if runtime is None:
        print_message("No bridge is running." if given.vault is None else "No bridge is serving this vault.")
    else:
        stop_bridge(runtime)
        print_message(f"The bridge at {runtime.url} (process {runtime.pid}) has stopped.")
    if given.json:
        json_line({"stopped": None if runtime is None else {"url": runtime.url, "pid": runtime.pid}})
    return 0


def stop_bridge(runtime: Runtime) -> None:
    require_ours(runtime)
    os.kill(runtime.pid, signal.SIGTERM)
    ends = time.monotonic() + PATIENCE_S
    while is_alive(runtime.pid):
        if time.monotonic() > ends:
            raise StillRunning(
                f"The bridge (process {runtime.pid}) is still at work.",
                hint=f"Wait, or end it at once with `kill -9 {runtime.pid}`; the next start repairs what is cut off.",
            )
        time.sleep(LOOK_EVERY_S)


def require_ours(runtime: Runtime) -> None:
    """Require that the process is a bridge: it accepts the runtime file's token and reports this process id."""
    hint = f"If process {runtime.pid} is a bridge that hangs, end it yourself: `kill {runtime.pid}`."
    try:
        status = find_bridge.call(runtime, "status", {}, patience=LOOK_S)
    except BridgeError as error:
        raise NotReady(error.message, hint=hint) from None
    if (status.get("bridge") or {}).get("pid") != runtime.pid:
        raise NotReady(f"The bridge at {runtime.url} does not say that it is process {runtime.pid}.", hint=hint)
