"""Says where the setting `deny` is why a command finds nothing; only its user, who owns that setting, reads this."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bridge.data_folder import Folders

LISTS = ("hits", "notes", "tasks", "tags", "folders")
"""Fields of results that list what was found."""


def explain_missing(data_dir: Path, root: Path, arguments: Mapping[str, Any]) -> str:
    """Say which file or folder that the arguments name is hidden; empty if none is."""
    if not (globs := denied_globs(data_dir)):
        return ""
    from bridge.vault.rules import GlobSet

    denied = GlobSet(globs)
    for typed in texts(arguments):
        for path in (typed, f"{typed}.md"):
            if denied.covers(path) and (root / path).exists():
                return f"`{path}` exists; the setting `deny` hides it from every client: {quote_globs(globs)}."
    return ""


def explain_empty(data_dir: Path, root: Path, arguments: Mapping[str, Any], result: Mapping[str, Any]) -> str:
    """Say that notes are hidden where nothing was found; empty if something was, or nothing is hidden."""
    lists = [result[name] for name in LISTS if isinstance(result.get(name), list)]
    if not lists or any(lists):
        return ""
    globs = denied_globs(data_dir)
    which = explain_missing(data_dir, root, arguments)
    return which or (f"Notes that the setting `deny` hides are never found: {quote_globs(globs)}." if globs else "")


def texts(value: Any) -> Iterator[str]:
    """Yield the texts among arguments that may be paths."""
    match value:
        case str():
            yield value.strip("/")
        case list():
            for one in value:
                yield from texts(one)
        case Mapping():
            for name in ("path", "paths", "folder", "links_to", "linked_from", "source", "target", "edits"):
                yield from texts(value.get(name))


def denied_globs(data_dir: Path) -> tuple[str, ...]:
    path = Folders(data_dir).settings
    # Most users hide nothing, and reading settings takes longer than most commands.
    if not path.exists() or b"deny" not in path.read_bytes():
        return ()
    from bridge.settings.file import load_settings

    return tuple(load_settings(path)[0].deny)


def quote_globs(globs: tuple[str, ...]) -> str:
    return ", ".join(f"`{glob}`" for glob in globs)
