"""The process around a server: ends it, with all that it started, when the bridge closes or is killed.

It is run by its path and without site packages, so that it starts in milliseconds. The bridge holds the other end of
the pipe whose number is the first argument, and never writes to it: its end is the end of the bridge.
"""

import _thread
import os
import signal
import sys
import time

PATIENCE_S = 1.0
"""How long a server may take to end by itself."""


def main() -> None:
    """Run the command in this process's group until either ends."""
    lifeline, command = int(sys.argv[1]), sys.argv[2:]
    server = os.fork()
    if server == 0:
        os.close(lifeline)
        try:
            os.execv(command[0], command)  # noqa: S606
        except OSError as error:
            sys.stderr.write(f"{error.strerror}\n")
            sys.stderr.flush()
        os._exit(126)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # The server alone holds its streams, so that the bridge sees their end.
    for stream in (0, 1):
        os.close(stream)
    _thread.start_new_thread(wait_for_bridge, (lifeline,))
    os.waitpid(server, 0)
    # What the server started itself ends with it, and this process too.
    os.killpg(0, signal.SIGKILL)


def wait_for_bridge(lifeline: int) -> None:
    os.read(lifeline, 1)
    os.killpg(0, signal.SIGTERM)
    time.sleep(PATIENCE_S)
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main()
