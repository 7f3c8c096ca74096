"""What a command knows of the operations: read from a generated file, since importing them takes a second."""

import functools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bridge.export.command_catalogue import CommandCatalogue, OperationCommand


@functools.cache
def read_catalogue() -> "CommandCatalogue":
    """Read the file, which `python -m bridge.export` writes."""
    catalogue: CommandCatalogue = json.loads(Path(__file__).with_name("catalogue.json").read_bytes())
    return catalogue


def operation_commands() -> Mapping[str, "OperationCommand"]:
    return read_catalogue()["operations"]


def typed_name(operation: str) -> str:
    return operation.replace("_", "-")
