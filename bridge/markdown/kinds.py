"""What kind of searchable file a path names."""

from bridge.types import NoteKind

SUFFIXES: dict[str, NoteKind] = {
    ".excalidraw.md": "excalidraw",
    ".excalidraw": "excalidraw",
    ".md": "note",
    ".canvas": "canvas",
    ".pdf": "pdf",
}


def kind_of(path: str) -> NoteKind | None:
    """Return what kind of document a path names, or None when it is some other file."""
    lower = path.lower()
    return next((kind for suffix, kind in SUFFIXES.items() if lower.endswith(suffix)), None)


def is_document(path: str) -> bool:
    """Say whether the file at a path can be read for search."""
    return kind_of(path) is not None


def title_of(path: str) -> str:
    """Return the name that Obsidian shows for a file."""
    name = path.rpartition("/")[2]
    return name.rpartition(".")[0] or name
