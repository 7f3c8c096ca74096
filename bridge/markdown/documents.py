"""Reads any searchable file, by the kind that its name says."""

from pathlib import PurePosixPath

from bridge.markdown.canvas import read_canvas
from bridge.markdown.excalidraw import is_drawing, read_drawing, read_drawing_file
from bridge.markdown.note import Note
from bridge.markdown.parse import parse
from bridge.markdown.pdf import read_pdf
from bridge.types import VaultPath


def read_document(path: VaultPath, data: bytes, *, max_pdf_pages: int = 300) -> Note:
    """Read any searchable file, whatever its bytes; a file of unknown kind is read as Markdown."""
    match PurePosixPath(path).suffix.lower():
        case ".canvas":
            return read_canvas(path, data)
        case ".excalidraw":
            return read_drawing_file(path, data)
        case ".pdf":
            return read_pdf(path, data, max_pages=max_pdf_pages)
        case _:
            note = parse(path, data)
            return read_drawing(note) if is_drawing(path, note.properties) else note
