"""Rewrites the links that a rename affects, and finds queries and bookmarks with the old names."""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from functools import partial
from typing import Final

from bridge.changes.effect import Reference
from bridge.changes.heading import follow_headings
from bridge.changes.relink import Shift, relink_file, verify_links
from bridge.changes.view import VaultView
from bridge.errors import NoteNotFound, NoteUnreadable, TooLarge
from bridge.markdown.kinds import title_of
from bridge.markdown.note import LinkKind
from bridge.records import Record
from bridge.types import VaultPath

_BEFORE: Final = r"(?<![^\s\"'\[(/=,:`])"
_BEHIND: Final = r"(?![^\s\"'\])#|^/,:`.]|\.(?!md\b))"


def name_pattern(moved: Mapping[VaultPath, VaultPath | None], folder: VaultPath | None = None) -> re.Pattern[str]:
    names = {folder} if folder else {name for path, to in moved.items() for name in _query_names(path, to)}
    either = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.compile(f"{_BEFORE}(?:{either}){_BEHIND}", re.IGNORECASE)


def _query_names(path: VaultPath, to: VaultPath | None) -> tuple[str, ...]:
    title = title_of(path)
    whole = (path, path.removesuffix(".md"))
    return whole if to is not None and title_of(to) == title else (*whole, title)


def is_bookmarked(data: bytes, moved: Collection[VaultPath], folder: VaultPath | None = None) -> bool:
    try:
        bookmark_paths = set(_paths(json.loads(data))) if data else set()
    except (ValueError, RecursionError):
        return False
    return any(path in bookmark_paths for path in moved) or folder in bookmark_paths


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


class LinkUpdates(Record):
    """What a rename does to the content of files, which are listed by their paths before it."""

    changed: Mapping[VaultPath, bytes]
    read: Mapping[VaultPath, bytes]
    rewritten: tuple[Reference, ...]
    mended: tuple[Reference, ...]
    naming: tuple[VaultPath, ...]
    warnings: tuple[str, ...]


def update_links(view: VaultView, shift: Shift, names: re.Pattern[str]) -> LinkUpdates:
    """Rewrite every link that would break or resolve to another file, or to a heading in which such a link stands."""
    changed: dict[VaultPath, bytes] = {}
    read: dict[VaultPath, bytes] = {}
    rewritten: list[Reference] = []
    mended: list[Reference] = []
    warnings: list[str] = []
    for path in view.links.find_affected(shift.keys(), partial(_is_link_affected, shift), shift.moved):
        try:
            data = read[path] = view.read(path)
        except (NoteNotFound, NoteUnreadable, TooLarge) as error:
            if path in shift.moved or (path in view.notes and not isinstance(error, NoteNotFound)):
                raise
            warnings.append(f"Links were not looked for: {error.message}")
            continue
        after = relink_file(path, data, shift, view.links.spans)
        rewritten += after.rewritten
        mended += after.mended
        if after.rewritten:
            view.require_changeable(path)
            verify_links(path, after.before, after.data, shift, view.links.spans)
            changed[path] = after.data
    files = {path: (read[path], data) for path, data in changed.items()}
    rewritten += follow_headings(view, shift, files)
    for path, (before, now) in files.items():
        read[path], changed[path] = before, now
    named = tuple(view.links.find_queries_with(names))
    return LinkUpdates(changed, read, tuple(rewritten), tuple(mended), named, tuple(warnings))


def _is_link_affected(shift: Shift, target: str, kind: LinkKind, source: VaultPath) -> bool:
    fate = shift.fate(target, kind, source)
    return fate.is_mended or not fate.stays
