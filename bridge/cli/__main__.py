"""`python -m bridge.cli`: the command, without being installed."""

import sys

from bridge.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
