"""The notes of a vault, and which of them a caller names without its full path: by its name, or by a link to it."""

import re
from collections.abc import Collection, Sequence

from bridge.api.hints import Properties
from bridge.engine.link_graph import ResolvedLinks
from bridge.engine.open_vault import OpenVault
from bridge.engine.transactions import missing_note
from bridge.errors import FolderNotFound, InvalidArguments, NoteNotFound
from bridge.index.note import Notes
from bridge.markdown.kinds import is_document
from bridge.markdown.links import fold_name, inside_wiki, name_key, target_file
from bridge.markdown.names import Names
from bridge.search.filters import MAX_LOOKED_UP, folder_spelling, no_such_folder, no_such_property, no_such_tag
from bridge.text.counts import join_some
from bridge.text.fold import fold_case
from bridge.types import Among, VaultPath
from bridge.vault.vault import Vault

LINK = re.compile(rf"\s*!?\[\[(?P<target>{inside_wiki('|')}+)(\|{inside_wiki()}*)?\]\]\s*")

MAX_NAMED_CANDIDATES = 10
"""Most candidates named in a message."""


def find_file(
    vault: Vault, names: Names, written: str, made: Collection[VaultPath] = (), *, folders: bool = False
) -> VaultPath:
    """Return the path of the file that is meant; an unknown path is returned as it is, for the operation to refuse."""
    path, place = find_place(vault, names, written, made, folders=folders)
    if place is not None:
        raise InvalidArguments(
            f"`{written[:200]}` names a place in `{path}`.",
            hint="Give the path alone, and the heading in an argument of its own, such as `section` or `heading`.",
        )
    return path


def find_place(
    vault: Vault, names: Names, written: str, made: Collection[VaultPath] = (), *, folders: bool = False
) -> tuple[VaultPath, str | None]:
    """Return the path of the file that is meant, and the heading or block in it; arguments as for `find_file`."""
    link = LINK.fullmatch(written)
    target = link["target"].strip() if link else written
    path = vault.locate(target)
    is_file = vault.has(path) and (folders or not vault.place(path).is_dir())
    if path in made or is_file:
        return path, None
    if is_document(path) and not link:
        spelled = [one for one in names.find_path(path) if not vault.rules.denies(one)]
        return spelled[0] if len(spelled) == 1 else path, None

    def unique(name: str) -> VaultPath | None:
        found = notes_named(names, VaultPath(name), made)
        return unique_note([note for note in found if not vault.rules.denies(note)], name)

    if found := unique(path):
        return found, None
    file = target_file(target)
    if file not in {"", target} and (found := unique(file)):
        resolution = names.resolve(target, found)
        return found, resolution.heading or f"^{resolution.block}"
    return path, None


def unique_note(notes: Sequence[VaultPath], name: str) -> VaultPath | None:
    if len(notes) > 1:
        shown = join_some([f"`{path}`" for path in notes], MAX_NAMED_CANDIDATES)
        raise NoteNotFound(
            f"{len(notes)} notes are named `{name[:200]}`: {shown}.",
            hint="Give the path of the one you mean.",
            path=name,
            closest=notes[:MAX_NAMED_CANDIDATES],
        )
    return notes[0] if notes else None


def notes_named(names: Names, name: VaultPath, made: Collection[VaultPath]) -> list[VaultPath]:
    folded = fold_name(name if name.lower().endswith(".md") else f"{name}.md")
    candidates = dict.fromkeys((*names.with_name(folded), *made))
    whole = [path for path in candidates if fold_name(path) == folded]
    return whole[:1] or [path for path in candidates if fold_name(path).endswith(f"/{folded}")]


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


def snapshot(vault: OpenVault, among: Among = "all") -> Notes:
    """Copy the note table, so that a thread can iterate over it while the index changes."""
    return dict(vault.index.view(among).notes)


def sources_of(vault: OpenVault, resolved_links: ResolvedLinks, notes: Notes, path: VaultPath) -> set[VaultPath]:
    """Return the notes that link to a file, or to a name that no file has."""
    if path in vault.names or path in notes:
        return notes.keys() & resolved_links.sources(path)
    name = name_key(path, whole=True)
    wanting = {
        note.path
        for note in notes.values()
        for target, kind in note.targets
        if name_key(target_file(target, kind), whole=True) == name
        and vault.names.resolve(target, note.path, kind).path is None
    }
    if not wanting:
        raise no_such_note(vault, path)
    return wanting
