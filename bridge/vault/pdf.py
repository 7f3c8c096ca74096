"""The text of a PDF, page by page and bounded."""

import re
from threading import Lock
from typing import Any, Final

from bridge.types import VaultPath
from bridge.vault.decode import digest_of
from bridge.vault.lines import LineIndex
from bridge.vault.note import Heading, Note, Piece
from bridge.vault.title import title_of

MAX_CHARACTERS: Final = 4_000_000

_PASSWORD_ERROR: Final = 4
_PDFIUM: Final = Lock()
"""PDFium may be called by one thread at a time."""
# PDFium writes a word divided at the end of a line with one of these instead of the hyphen.
_DIVIDED: Final = re.compile("[\ufffe\x02]\\s*")
_NEWLINE: Final = re.compile(r"\r\n?")
_UNREADABLE: Final = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\ufffe\uffff\ud800-\udfff]")


def read_pdf(path: VaultPath, data: bytes, *, max_pages: int, max_characters: int = MAX_CHARACTERS) -> Note:
    """Read a PDF; each page with text is a section `Page N`, and lines are those of the text.

    Args:
        path: Where it lies in the vault.
        data: The whole file.
        max_pages: How many pages to read.
        max_characters: How much text to keep.
    """
    with _PDFIUM:
        pages, problems = _read_pages(data, max_pages, max_characters)
    chunks: list[str] = []
    spans: list[tuple[int, int, int]] = []
    length = 0
    for page, content in pages:
        title = f"Page {page}"
        chunks.append(f"{title}\n\n{content}\n\n")
        spans.append((length, length + len(title), length + len(title) + 2 + len(content)))
        length += len(chunks[-1])
    text = "".join(chunks)
    lines = LineIndex(text)
    headings = tuple(Heading(text[start:end], 1, lines.at(start), (start, end)) for start, end, _ in spans)
    pieces: list[Piece] = []
    for start, end, last in spans:
        pieces.append(Piece("heading", (start, end), lines.over((start, end))))
        pieces.append(Piece("page", (end + 2, last), lines.over((end + 2, last))))
    return Note(
        path=path,
        title=title_of(path),
        kind="pdf",
        digest=digest_of(data),
        text=text,
        headings=headings,
        pieces=tuple(pieces),
        problems=problems,
    )


def _read_pages(data: bytes, max_pages: int, max_characters: int) -> tuple[list[tuple[int, str]], tuple[str, ...]]:
    """Return the pages that have text, with their numbers, and what could not be read."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        why = "it is protected by a password" if error.err_code == _PASSWORD_ERROR else "it is damaged or no PDF"
        return [], (f"The PDF cannot be read: {why}.",)
    pages: list[tuple[int, str]] = []
    problems: list[str] = []
    unreadable: list[int] = []
    room = max_characters
    with document:
        count = len(document)
        if count > max_pages:
            problems.append(f"Only the first {max_pages} of {count} pages were read.")
        for index in range(min(count, max_pages)):
            try:
                content = _clean(_page_text(document, index))
            except pypdfium2.PdfiumError:
                unreadable.append(index + 1)
                continue
            if content:
                pages.append((index + 1, content[:room]))
            room -= len(content)
            if room < 0:
                problems.append(f"The text is longer than {max_characters:,} characters; the rest was not read.")
                break
    if unreadable:
        problems.append(f"{len(unreadable)} of the pages cannot be read, the first is page {unreadable[0]}.")
    return pages, tuple(problems)


def _page_text(document: Any, index: int) -> str:
    page = document[index]
    try:
        text_page = page.get_textpage()
        try:
            text: str = text_page.get_text_bounded()
            return text
        finally:
            text_page.close()
    finally:
        page.close()


def _clean(text: str) -> str:
    return _UNREADABLE.sub("", _NEWLINE.sub("\n", _DIVIDED.sub("", text))).strip()
