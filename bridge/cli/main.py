"""The command `vaultside`. Only results go to standard output."""

import os
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

INTERRUPT_STATUS = 130


def main(argv: Sequence[str] | None = None) -> int:
    # While the program loads and exits, nothing is open that must be closed, and libraries break if interrupted while
    # being imported: Ctrl-C simply ends the process. Where it is ignored, as in a script's background, it stays so.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        from bridge.cli.run_command import parse_and_run

        status = parse_and_run(sys.argv[1:] if argv is None else argv)
        # Whatever could still compute was started by this module.
        leave = sys.modules.get("bridge.cli.exit")
        return status if leave is None else leave.leave(status)
    except KeyboardInterrupt:
        interrupt()


def interrupt() -> NoReturn:
    """Exit at once: the interrupted code may be in any state, so nothing more can be imported."""
    try:
        getattr(sys.modules.get("bridge.cli.exit"), "end_children", int)()
        sys.stdout.flush()
    finally:
        os._exit(INTERRUPT_STATUS)
