"""The condition `where`: an expression of Obsidian's Bases over the notes of a vault."""

from collections.abc import Callable
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


def compile_where(where: str) -> "Callable[[OpenVault, Notes], Callable[[VaultPath], bool]]":
    """Return what makes the test of a note from a condition.

    Raises:
        InvalidArguments: The condition cannot be read, or has an unknown function.
    """
    from bridge.bases.evaluate import Evaluation, check_functions
    from bridge.bases.syntax import parse_expression

    node = parse_expression(where)
    check_functions([node])

    def test_of(vault: "OpenVault", notes: Notes) -> Callable[[VaultPath], bool]:
        query = Evaluation(note_files(vault, notes))
        return lambda path: query.passes(node, path)

    return test_of


def note_files(vault: "OpenVault", notes: Notes) -> "NoteFiles":
    """Return the files of a vault as expressions see them; blocks for a small file."""
    from bridge.bases.note_files import NoteFiles
    from bridge.vault.obsidian_settings import read_obsidian_settings

    types = read_obsidian_settings(vault.root).property_types
    return NoteFiles(notes, vault.names, vault.root, types, datetime.now().astimezone())
