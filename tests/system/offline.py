"""Runs a sidecar and every operation; as a program, in a network that has only loopback."""

import errno
import fcntl
import json
import socket
import struct
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bridge.features import operations
from bridge.features.workflows.parse import starter_text
from bridge.features.workflows.read import workflow_note
from tests.system.sidecar import PATIENCE_S, CallFailed, Sidecar, serving

SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 0x1
OUTSIDE = ("192.0.2.1", 443)
"""An address reserved for documentation, where nothing answers."""


NOTEBOOK = {
    "About this folder.md": "Agents may write here.\n",
    "Handoffs/Starters.md": "---\ntype: handoff\n---\n## Goal\n\n> Describe every starter\n",
    "Workflows/Meeting note.md": workflow_note("Meeting note", "Of a meeting.", starter_text("meeting-note")),
    **{f"Memory/{name}.md": f"---\ntype: memory\nkind: fact\n---\n{name}.\n" for name in ("Rye", "Old", "New")},
}
"""The notes in the agents' folder to which examples refer."""


def exercise(vault: Path, data: Path, models: Path, before: Sequence[str] = ()) -> dict[str, Any]:
    """Index a vault completely, call every operation with its example, and return the results.

    Args:
        vault: A copy of the sample vault.
        data: An empty data folder.
        models: The folder with the default model.
        before: A command that runs the sidecar.
    """
    answers: dict[str, Any] = {}
    for place, text in NOTEBOOK.items():
        note = vault / "Agents" / place
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(text, encoding="utf-8")
    with serving(vault, data_dir=data, models_dir=models, before=before) as bridge:
        answers["indexed"] = bridge.wait_indexed()
        for operation in operations():
            answers[operation.name] = outcome(bridge, operation.name, dict(operation.example))
        bridge.call("resume_indexing")
        note = vault / "Written offline.md"
        note.write_text("# Written offline\nA heron stood in the shallow water at dusk.\n", encoding="utf-8")
        bridge.call("wait_until_indexed", path=note.name, what="vectors", timeout=PATIENCE_S)
        found = bridge.call("search", query="wading bird by a pond in the evening", mode="semantic", limit=3)
        answers["meant"] = [hit["path"] for hit in found["hits"]]
        answers["hybrid"] = bridge.call("search", query="heron")["mode_used"]
    return answers


def outcome(bridge: Sidecar, name: str, arguments: dict[str, Any]) -> str:
    """Call one operation; return "answered" or the code of its error."""
    try:
        bridge.call(name, **arguments)
    except CallFailed as failure:
        return str(failure.error.get("code"))
    return "answered"


def raise_loopback() -> None:
    """Enable the loopback of a new network namespace."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        request = struct.pack("16sh", b"lo", 0)
        flags = struct.unpack("16sh", fcntl.ioctl(probe, SIOCGIFFLAGS, request))[1]
        fcntl.ioctl(probe, SIOCSIFFLAGS, struct.pack("16sh", b"lo", flags | IFF_UP))


def outside_is_unreachable() -> bool:
    """Say whether this process cannot reach other networks."""
    with socket.socket() as probe:
        probe.settimeout(2)
        return probe.connect_ex(OUTSIDE) == errno.ENETUNREACH


def main() -> None:
    """Print the results of a sidecar that cannot reach other networks."""
    vault, data, models = map(Path, sys.argv[1:])
    raise_loopback()
    if not outside_is_unreachable():
        sys.exit("this network has a way out, which proves nothing")
    sys.stdout.write(json.dumps(exercise(vault, data, models)))


if __name__ == "__main__":
    main()
