"""`--hook`: answers the hook of an agent at once or not at all, since the agent waits for it to start."""

import argparse
import json
import sys
import threading
from collections.abc import Mapping
from typing import Any

from bridge.cli import find_bridge
from bridge.cli.find_bridge import ServedVault, find_vault
from bridge.errors import BridgeError

CLAUDE_CODE = "claude-code"
"""The name that Claude Code gives itself, unless its entry has another."""

JOURNAL = "save_session"
"""The operation of which a hook only ends the session: an agent's journal needs no word of it."""

PATIENCE_S = 1.0
"""Seconds after which nothing is printed."""


def answer_hook(given: argparse.Namespace, operation: str, arguments: Mapping[str, Any], reference: str | None) -> int:
    """Print the text of an operation's result if a running bridge answers in time; the exit status is always 0."""
    texts: list[str] = []

    def ask() -> None:
        try:
            reached = find_vault(given.data_dir, reference)
            if isinstance(reached, ServedVault):
                own = {"client": given.hook} if operation == JOURNAL else arguments
                asked = {**own, "vault": reached.id}
                answer = json.loads(find_bridge.send(reached.runtime, operation, asked, patience=PATIENCE_S))
                texts.append(str(answer.get("text", "")))
        except (BridgeError, OSError, ValueError):
            return

    # A bridge that accepts the connection and is busy must not hold the agent up.
    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(PATIENCE_S)
    for text in texts:
        sys.stdout.write(f"{text}\n" if text else "")
    return 0
