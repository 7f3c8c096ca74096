"""The condition `where`: an expression of Obsidian's Bases over the notes of a vault."""

import asyncio
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

from annotated_types import MaxLen

from bridge.index.note import Notes
from bridge.types import VaultPath

if TYPE_CHECKING:
    from bridge.bases.note_files import NoteFiles
    from bridge.engine.open_vault import OpenVault

Where = Annotated[str, MaxLen(2_000)]
"""An expression, such as `status == "open" && file.hasTag("project")`."""


async def notes_where(vault: "OpenVault", notes: Notes, where: str) -> frozenset[VaultPath] | None:
    """Return the notes for which a condition is true; None without a condition.

    Raises:
        InvalidArguments: The condition cannot be read, has an unknown function, or takes too long.
    """
    if not where.strip():
        return None
    from bridge.bases.evaluate import Evaluation, check_functions
    from bridge.bases.syntax import parse_expression

    node = parse_expression(where)
    check_functions([node])

    def find() -> frozenset[VaultPath]:
        query = Evaluation(note_files(vault, notes))
        return frozenset(path for path in notes if query.passes(node, path))

    return await asyncio.to_thread(find)


def note_files(vault: "OpenVault", notes: Notes) -> "NoteFiles":
    """Return the files of a vault as expressions see them; blocks for a small file."""
    from bridge.bases.note_files import NoteFiles
    from bridge.vault.obsidian_settings import read_obsidian_settings

    types = read_obsidian_settings(vault.root).property_types
    return NoteFiles(notes, vault.names, vault.root, types, datetime.now().astimezone())
