"""The kind of searchable file that a path names."""

from bridge.text.fold import fold_case
from bridge.types import NoteKind

SUFFIXES: dict[str, NoteKind] = {
    ".excalidraw.md": "excalidraw",
    ".excalidraw": "excalidraw",
    ".md": "note",
    ".canvas": "canvas",
    ".pdf": "pdf",
}

DOCUMENTS = tuple(SUFFIXES)


def kind_of(path: str) -> NoteKind | None:
    """Return the kind of document that a path names, or None for other files."""
    lower = path.lower()
    for suffix, kind in SUFFIXES.items():
        if lower.endswith(suffix):
            return kind
    return None


def is_document(path: str) -> bool:
    """Return whether the file at a path can be read for search."""
    return path.lower().endswith(DOCUMENTS)


def title_of(path: str) -> str:
    """Return the name that Obsidian shows for a file: its last part without the extension."""
    name = path.rpartition("/")[2]
    return name.rpartition(".")[0] or name


def is_index_note(path: str) -> bool:
    """Return whether a note is named like its folder."""
    return fold_case(path.rpartition("/")[0].rpartition("/")[2]) == fold_case(title_of(path))
