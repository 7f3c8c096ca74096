"""Finds the files whose links a rename affects, and rewrites those links."""

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from bridge.changes.effect import Reference
from bridge.changes.relink import relink_file, verify_links
from bridge.changes.renames import Shift
from bridge.changes.view import VaultView
from bridge.errors import NoteNotFound, NoteUnreadable, TooLarge
from bridge.markdown.kinds import is_document, kind_of, title_of
from bridge.markdown.link_targets import name_key, target_file
from bridge.markdown.note import LinkKind
from bridge.markdown.prose import find_queries
from bridge.types import VaultPath

LinkFilter = Callable[[str, LinkKind, VaultPath], bool]
"""Returns whether the change affects a link, given by its target, its kind and the file that contains it."""


def files_to_check(
    known: VaultView, keys: frozenset[str], turns: LinkFilter, always: Collection[VaultPath] = ()
) -> Iterator[VaultPath]:
    """Yield the documents and bases to read, in the order of the vault.

    Args:
        known: The vault.
        keys: Names of files, as `name_key` returns them; links to other names are skipped.
        turns: Called with each link to one of the names.
        always: Files to read regardless of the index.
    """
    seen: dict[tuple[str, LinkKind], bool] = {}

    def asks(link: tuple[str, LinkKind]) -> bool:
        """Return whether a link names one of the files; most links occur many times."""
        found = seen.get(link)
        if found is None:
            found = seen[link] = name_key(target_file(*link)) in keys
        return found

    for path in known.names:
        if known.rules.denies(path):
            continue
        note = known.notes.get(path)
        if path in always or note is None or note.asides:
            # Text that is not indexed has links too, and bases and queries contain names.
            if _has_names(path):
                yield path
        elif any(asks(link) and turns(*link, path) for link in note.targets):
            yield path


def _has_names(path: VaultPath) -> bool:
    return path.lower().endswith(".base") or (is_document(path) and kind_of(path) != "pdf")


_BEFORE: Final = r"(?<![^\s\"'\[(/=,:`])"
_BEHIND: Final = r"(?![^\s\"'\])#|^/,:`.]|\.(?!md\b))"


def name_pattern(moved: Mapping[VaultPath, VaultPath | None], folder: VaultPath | None = None) -> re.Pattern[str]:
    """Return a pattern for the names of files, or the path of a folder, in a query.

    Args:
        moved: The files, with their paths afterwards; None for a deleted one.
        folder: The folder that contains them, when all of it is moved.
    """
    names = {folder} if folder else {name for path, to in moved.items() for name in _query_names(path, to)}
    either = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.compile(f"{_BEFORE}(?:{either}){_BEHIND}", re.IGNORECASE)


def _query_names(path: VaultPath, to: VaultPath | None) -> tuple[str, ...]:
    """Return the names by which a query may refer to a renamed file."""
    title = title_of(path)
    whole = (path, path.removesuffix(".md"))
    return whole if to is not None and title_of(to) == title else (*whole, title)


def is_named_in_queries(text: str, names: re.Pattern[str]) -> bool:
    """Return whether a query in a note contains a name."""
    return any(names.search(query) for query in find_queries(text))


def is_named_in_base(data: bytes, names: re.Pattern[str]) -> bool:
    """Return whether a base contains a name."""
    return names.search(data.decode("utf-8", "replace")) is not None


def is_bookmarked(data: bytes, moved: Collection[VaultPath], folder: VaultPath | None = None) -> bool:
    """Return whether Obsidian's bookmarks contain a file or folder."""
    try:
        held = set(_paths(json.loads(data))) if data else set()
    except (ValueError, RecursionError):
        return False
    return any(path in held for path in moved) or folder in held


def _paths(value: object) -> Iterator[str]:
    match value:
        case dict():
            path = value.get("path")
            if isinstance(path, str):
                yield path
            for each in value.values():
                yield from _paths(each)
        case list():
            for each in value:
                yield from _paths(each)
        case _:
            return


@dataclass(frozen=True, slots=True)
class LinkUpdates:
    """What a rename does to the content of files, which are listed by their paths before it."""

    changed: Mapping[VaultPath, bytes]
    read: Mapping[VaultPath, bytes]
    rewritten: tuple[Reference, ...]
    mended: tuple[Reference, ...]
    naming: tuple[VaultPath, ...]
    warnings: tuple[str, ...]


def update_links(known: VaultView, shift: Shift, names: re.Pattern[str]) -> LinkUpdates:
    """Rewrite every link that would break or resolve to another file.

    Args:
        known: The vault.
        shift: How names change.
        names: A pattern for the old names in a query.

    Raises:
        ProtectedPath: A protected note has such a link.
        InvalidArguments: No way of writing a link resolves to its file.
    """
    changed: dict[VaultPath, bytes] = {}
    read: dict[VaultPath, bytes] = {}
    rewritten: list[Reference] = []
    mended: list[Reference] = []
    named: list[VaultPath] = []
    warnings: list[str] = []
    for path in files_to_check(known, shift.keys(), partial(_is_link_affected, shift), shift.moved):
        try:
            data = read[path] = known.read(path)
        except (NoteNotFound, NoteUnreadable, TooLarge) as error:
            if path in shift.moved or (path in known.notes and not isinstance(error, NoteNotFound)):
                raise
            warnings.append(f"Links were not looked for: {error.message}")
            continue
        if path.lower().endswith(".base"):
            named += [path] if is_named_in_base(data, names) else []
            continue
        after = relink_file(path, data, shift)
        rewritten += after.rewritten
        mended += after.mended
        if after.rewritten:
            known.require_changeable(path)
            verify_links(path, after.before, after.data, shift)
            changed[path] = after.data
        if kind_of(path) == "note" and is_named_in_queries(after.before.text, names):
            named.append(path)
    return LinkUpdates(changed, read, tuple(rewritten), tuple(mended), tuple(named), tuple(warnings))


def _is_link_affected(shift: Shift, target: str, kind: LinkKind, source: VaultPath) -> bool:
    fate = shift.fate(target, kind, source)
    return fate.mended or not fate.stays
