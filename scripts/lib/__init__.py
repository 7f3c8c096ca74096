"""The Python behind the commands in `scripts/`."""
