"""Not-found errors that suggest what the caller may have meant."""

from collections.abc import Collection, Sequence

from bridge.api.hints import Properties
from bridge.engine.missing_note import missing_note
from bridge.engine.open_vault import OpenVault
from bridge.errors import FolderNotFound, NoteNotFound
from bridge.index.note import Notes
from bridge.search.filters import MAX_LOOKED_UP, folder_spelling, no_such_folder, no_such_property, no_such_tag
from bridge.text.fold import fold_case
from bridge.types import VaultPath


def folder_of(notes: Collection[VaultPath], folder: str | None) -> str:
    """Return a folder as the vault spells it; empty for the whole vault."""
    found = folder_spelling(notes, folder)
    if found is None:
        raise FolderNotFound(no_such_folder(notes, folder))
    return found


def unknown_names(
    notes: Notes, folder: str | None = None, tags: Sequence[str] = (), properties: Properties | None = None
) -> tuple[str, ...]:
    """Return a sentence for each folder, tag, property and value that no note has, with the closest existing one."""
    notices = [no_such_folder(notes, folder), *(no_such_tag(notes, tag) for tag in tags[:MAX_LOOKED_UP])]
    for name, value in [*(properties or {}).items()][:MAX_LOOKED_UP]:
        notices.append(no_such_property(notes, name, *(value if isinstance(value, list | tuple) else (value,))))
    return tuple(filter(None, notices))


def unknown_properties(notes: Notes, names: Sequence[str]) -> tuple[str, ...]:
    """Return a sentence for each of the first properties that no note has, with the closest existing one."""
    known = {fold_case(key) for key in set[str]().union(*(note.properties for note in notes.values()))}
    unknown = [name for name in names if fold_case(name) not in known][:MAX_LOOKED_UP]
    return tuple(filter(None, (no_such_property(notes, name) for name in unknown)))


def no_such_note(vault: OpenVault, path: VaultPath) -> NoteNotFound:
    """Return the error for a missing note, with the closest ones or the reason why the index lacks an existing one."""
    found = None if path in vault.index.notes else vault.inspect(path)
    if found is not None and (path in vault.names or found.state == "skipped"):
        why = found.reason
        return NoteNotFound(
            f"`{path}` is not in the index{f': {why}' if why else '.'}",
            hint="See `index_status`.",
            path=path,
            closest=[],
        )
    return missing_note(vault.files, vault.names, vault.store.journal, path)
