"""Finds the files whose links a change concerns, without reading the others."""

from collections.abc import Callable, Collection, Iterator

from bridge.changes.known import Known
from bridge.types import VaultPath
from bridge.vault import LinkKind, asked_file, is_document, kind_of, name_key

Turns = Callable[[str, LinkKind, VaultPath], bool]
"""Tells whether a link, by its target, its kind and the file that has it, is one that the change concerns."""


def concerned(
    known: Known, keys: frozenset[str], turns: Turns, always: Collection[VaultPath] = ()
) -> Iterator[VaultPath]:
    """Yield the documents and bases to read, in the order of the vault.

    Args:
        known: The vault.
        keys: Names of files, as `name_key` makes them: links that ask for no such name are passed over.
        turns: Asked about the links that do.
        always: Files to read whatever the index knows of them.
    """
    seen: dict[tuple[str, LinkKind], bool] = {}

    def asks(link: tuple[str, LinkKind]) -> bool:
        """Tell whether a link asks for one of the names; most links are met many times."""
        found = seen.get(link)
        if found is None:
            found = seen[link] = name_key(asked_file(*link)) in keys
        return found

    for path in known.names:
        if known.rules.denies(path):
            continue
        note = known.notes.get(path)
        if path in always or note is None or note.asides:
            # What the index leaves out has links too, and bases and queries say names.
            if _has_names(path):
                yield path
        elif any(asks(link) and turns(*link, path) for link in note.targets):
            yield path


def _has_names(path: VaultPath) -> bool:
    return path.lower().endswith(".base") or (is_document(path) and kind_of(path) != "pdf")
