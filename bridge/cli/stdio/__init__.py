"""`vault-bridge mcp`: the bridge's MCP endpoint on standard input and output.

Quick to start, since agents wait for it: it passes on what it is told, and loads no more than that takes.
"""

import argparse

__all__ = ["main"]


def main(given: argparse.Namespace) -> int:
    """Serve one client, or print how to set it up."""
    if given.print_config is not None:
        from bridge.cli.stdio.configuring import configure

        return configure(given)
    from bridge.cli.stdio.entry import serve

    return serve(given)
