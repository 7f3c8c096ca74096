"""Runs the command by `python -m bridge.cli`, without its installed script."""

import sys

from bridge.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
