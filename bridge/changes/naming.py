"""Where a file's name stands without being a link: bases, queries, bookmarks. They are told of, never changed."""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from bridge.types import VaultPath
from bridge.vault import queries, title_of

_BEFORE: Final = r"(?<![^\s\"'\[(/=,:`])"
_BEHIND: Final = r"(?![^\s\"'\])#|^/,:`.]|\.(?!md\b))"


def naming(moved: Mapping[VaultPath, VaultPath | None], folder: VaultPath | None = None) -> re.Pattern[str]:
    """Return what finds the names of files, or the path of a folder, in a query.

    Args:
        moved: The files, with their paths afterwards; None for one that is taken away.
        folder: The folder that they are in, when all of it is meant.
    """
    names = {folder} if folder else {name for path, to in moved.items() for name in _said(path, to)}
    either = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.compile(f"{_BEFORE}(?:{either}){_BEHIND}", re.IGNORECASE)


def _said(path: VaultPath, to: VaultPath | None) -> tuple[str, ...]:
    """Return what a query may call a file that is called otherwise afterwards."""
    title = title_of(path)
    whole = (path, path.removesuffix(".md"))
    return whole if to is not None and title_of(to) == title else (*whole, title)


def in_queries(text: str, names: re.Pattern[str]) -> bool:
    """Tell whether a query of a note says a name."""
    return any(names.search(query) for query in queries(text))


def in_base(data: bytes, names: re.Pattern[str]) -> bool:
    """Tell whether a base says a name."""
    return names.search(data.decode("utf-8", "replace")) is not None


def in_bookmarks(data: bytes, moved: Collection[VaultPath], folder: VaultPath | None = None) -> bool:
    """Tell whether Obsidian's bookmarks hold a file or a folder."""
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
