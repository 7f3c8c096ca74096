"""Every kind of document, by its name."""

import subprocess
import sys

import pytest

from bridge.markdown.documents import read_document
from bridge.markdown.kinds import is_document
from bridge.types import NoteKind, VaultPath
from tests.markdown.pdfs import pdf


@pytest.mark.parametrize(
    ("path", "data", "kind"),
    [
        ("a/B.md", b"x", "note"),
        ("a/B.MD", b"x", "note"),
        ("a/B.canvas", b"{}", "canvas"),
        ("a/B.Canvas", b"{}", "canvas"),
        ("a/B.excalidraw", b"{}", "excalidraw"),
        ("a/B.excalidraw.md", b"x", "excalidraw"),
        ("a/B.md", b"---\nexcalidraw-plugin: raw\n---\n", "excalidraw"),
        ("a/B.pdf", pdf("x"), "pdf"),
        ("a/B.PDF", b"", "pdf"),
    ],
)
def test_a_document_is_read_by_its_name(path: str, data: bytes, kind: NoteKind) -> None:
    assert is_document(path)
    note = read_document(VaultPath(path), data)
    assert (note.kind, note.title, note.path) == (kind, "B", path)


@pytest.mark.process(brief=True)
def test_reading_documents_does_not_load_pdfium_before_a_pdf() -> None:
    code = "import sys, bridge.vault; sys.exit('pypdfium2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
