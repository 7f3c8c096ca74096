"""Plans one edit to many notes: those that cannot be edited on their own are skipped by name."""

import re
from collections.abc import Callable, Iterable

from bridge.changes.draft import plan_replacements
from bridge.changes.effect import Effect, PlanAndEffect, SkippedFile
from bridge.changes.view import BOOKMARKS, VaultView
from bridge.errors import InvalidArguments, InvalidProperties, NoteNotFound, NoteUnreadable, TooLarge
from bridge.types import VaultPath

NoteEdit = Callable[[VaultPath, bytes], tuple[bytes, int]]
"""Returns the new bytes of a file, and how many places in it changed."""


def edit_many(paths: Iterable[VaultPath], view: VaultView, edit: NoteEdit) -> PlanAndEffect:
    files: dict[VaultPath, tuple[bytes, bytes]] = {}
    skipped: list[SkippedFile] = []
    occurrences: dict[VaultPath, int] = {}
    for path in sorted(paths):
        try:
            before = view.read(path)
            after, count = edit(path, before)
        except NoteNotFound:
            continue
        except (InvalidProperties, InvalidArguments, NoteUnreadable, TooLarge) as error:
            skipped.append(SkippedFile(path, error.message))
            continue
        if after != before:
            view.require_changeable(path)
            files[path] = before, after
            occurrences[path] = count
    effect = Effect(files=tuple(files), occurrences=occurrences, skipped=tuple(skipped))
    return PlanAndEffect(plan_replacements(files), effect)


def files_with_queries(view: VaultView, pattern: str) -> tuple[str, ...]:
    """Return the notes with queries, the bases and the bookmarks that contain a name, in which nothing is changed."""
    names = re.compile(pattern, re.IGNORECASE)
    bookmarks = (BOOKMARKS,) if names.search(view.bookmarks.decode("utf-8", "replace")) else ()
    return (*view.links.naming(names), *bookmarks)


def unread_properties(view: VaultView) -> list[VaultPath]:
    """Return the Markdown notes of which the index does not know all properties."""
    return [path for path, note in view.notes.items() if note.problems and path.lower().endswith(".md")]
