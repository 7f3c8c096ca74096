"""What a command knows of this program and its operations: from a generated file, as importing them takes a second."""

import functools
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bridge.export.catalogue import CommandCatalogue, OperationCommand

PROGRAM = "vaultside"


@functools.cache
def read_catalogue() -> "CommandCatalogue":
    """Read the file, which `python -m bridge.export` writes."""
    catalogue: CommandCatalogue = json.loads(Path(__file__).with_name("catalogue.json").read_bytes())
    return catalogue


def operation_commands() -> Mapping[str, "OperationCommand"]:
    return read_catalogue()["operations"]


def typed_name(operation: str) -> str:
    return operation.replace("_", "-")


def program_command() -> list[str]:
    """Return the words that start this program in another process."""
    script = Path(sys.executable).with_name(f"{PROGRAM}.exe" if os.name == "nt" else PROGRAM)
    return [str(script)] if script.exists() else [sys.executable, "-P", "-m", "bridge.cli"]
