"""Refusals that name what the caller may have meant."""

from typing import TYPE_CHECKING

from bridge.errors import NoteNotFound
from bridge.types import VaultPath

if TYPE_CHECKING:
    from bridge.engine import VaultEngine


def no_such_note(engine: "VaultEngine", path: VaultPath) -> NoteNotFound:
    """Say that there is no such note and name the closest ones, or why the index lacks one that is there."""
    if path in engine.names and path not in engine.index.notes:
        why = engine.inspect(path).reason
        return NoteNotFound(
            f"`{path}` is not in the index{f': {why}' if why else '.'}",
            hint="See `index_status`.",
            path=path,
            closest=[],
        )
    closest = engine.names.closest(path)
    meant = "; the closest are " + ", ".join(f"`{near}`" for near in closest) if closest else ""
    hint = "Use one of `closest`, or `find_notes` to list notes." if closest else "`find_notes` lists notes."
    return NoteNotFound(f"There is no note `{path[:200]}`{meant}.", hint=hint, path=path, closest=closest)
