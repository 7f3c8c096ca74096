"""Reads any searchable file, by the kind that its name says."""

import re
import time
import zlib
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import PurePosixPath
from threading import Lock
from typing import Any, Final

from msgspec.structs import replace

from bridge.markdown.decode import DecodedText, blank, decode, digest_of
from bridge.markdown.embedded_text import get_number, get_objects, get_text, read_json
from bridge.markdown.kinds import title_of
from bridge.markdown.note import CanvasEdge, Heading, Link, Markdown, Note, Piece, PieceKind, Tag, Task, Value
from bridge.markdown.parse import parse, parse_decoded, read_markdown
from bridge.text.lines import LineIndex
from bridge.types import Digest, VaultPath

_DRAWING: Final = re.compile(r"^#{1,6} Drawing[ \t]*\r?\n+(?:`{3,}|~{3,})(?:compressed-)?json\b", re.MULTILINE)
_FENCE_END: Final = re.compile(r"^(?:`{3,}|~{3,})[ \t]*\r?$", re.MULTILINE)
# Lines that the plugin writes into every drawing, the ids it appends to texts, the digests before embedded files.
_MACHINERY: Final = re.compile(
    r"^(?:==⚠.*==|%%|#{1,6} (?:Excalidraw Data|Text Elements|Element Links|Embedded [Ff]iles))[ \t]*\r?$"
    r"|(?<![ \t])[ \t]+\^[A-Za-z0-9_-]{8}[ \t]*\r?$"
    r"|^[0-9a-f]{16,64}:[ \t]+",
    re.MULTILINE,
)


_ELEMENT_LINKS: Final = re.compile(r"^#{1,6} Element Links[ \t]*\r?$(?:\n(?!#{1,6} |%%)[^\n]*)*", re.MULTILINE)
_ELEMENT: Final = re.compile(r"^[A-Za-z0-9_-]{8,24}:[ \t]+", re.MULTILINE)


def is_drawing(path: VaultPath, properties: Mapping[str, Value]) -> bool:
    """Return whether a Markdown note is a drawing of the Excalidraw plugin."""
    return path.lower().endswith(".excalidraw.md") or "excalidraw-plugin" in properties


def blank_plugin_text(text: str, body: int) -> str:
    """Return a drawing's note with the plugin's own text blanked out, so that all offsets stay."""
    return text[:body] + _MACHINERY.sub(_blank_match, text[body:])


def read_drawing(note: Note) -> Note:
    """Parse a drawing's note again without the drawing; the lines of its texts stay those of the file."""
    text, problems = note.text, note.problems
    if drawing := _DRAWING.search(text, note.body):
        closing = _FENCE_END.search(text, drawing.end())
        end = closing.end() if closing else len(text)
        text = text[: drawing.start()] + "\n" * text.count("\n", drawing.start(), end) + text[end:]
    body = _ELEMENT_LINKS.sub(lambda found: _ELEMENT.sub("", found[0]), text[note.body :])
    body = _MACHINERY.sub(lambda found: "\r" if found[0].endswith("\r") else "", body)
    decoded = DecodedText(text[: note.body] + body, note.digest, ())
    read = parse_decoded(note.path, decoded, "excalidraw")
    return _retitle(read, problems)


def read_drawing_file(path: VaultPath, data: bytes) -> Note:
    """Read the texts of an `.excalidraw` file; line numbers refer to the texts, not to the JSON."""
    decoded = decode(data)
    drawing, problems = read_json(decoded.text, "drawing")
    elements = [
        each for each in get_objects(drawing, "elements") if each.get("type") == "text" and not each.get("isDeleted")
    ]
    elements.sort(key=lambda each: (get_number(each, "y"), get_number(each, "x")))
    texts = (get_text(each, "rawText") or get_text(each, "originalText") or get_text(each, "text") for each in elements)
    text = "\n\n".join(each for each in texts if each.strip())
    return _retitle(
        parse_decoded(path, DecodedText(text, decoded.digest, ()), "excalidraw"), decoded.problems + problems
    )


def _blank_match(found: re.Match[str]) -> str:
    # Blanks in place of a digest would turn its line into code.
    return found[0] if found[0][0] in "0123456789abcdef" else blank(found[0], 0, len(found[0]))


def _retitle(note: Note, problems: tuple[str, ...]) -> Note:
    """Remove `.excalidraw` from a drawing's title, and put the problems of its file first."""
    return replace(note, title=note.title.removesuffix(".excalidraw"), problems=problems + note.problems)


_NAME_LENGTH: Final = 80

_Node = Mapping[str, Any]


def read_canvas(path: VaultPath, data: bytes) -> Note:
    """Read a canvas from top to bottom; line numbers refer to the extracted text, not to the JSON."""
    decoded = decode(data)
    canvas, problems = read_json(decoded.text, "canvas")
    nodes = sorted(get_objects(canvas, "nodes"), key=lambda node: (get_number(node, "y"), get_number(node, "x")))
    edges = tuple(_edges(get_objects(canvas, "edges"), nodes))
    sheet = _Sheet()
    for node in nodes:
        sheet.add_node(node)
    for label in dict.fromkeys(edge.label for edge in edges if edge.label):
        sheet.add("paragraph", label)
    return Note(
        path=path,
        title=title_of(path),
        kind="canvas",
        digest=decoded.digest,
        text="\n\n".join(sheet.texts),
        links=tuple(sheet.links),
        tags=tuple(sheet.tags),
        tasks=tuple(sheet.tasks),
        pieces=tuple(sheet.pieces),
        problems=decoded.problems + problems,
        edges=edges,
    )


class _Sheet:
    """Collects the text of a canvas, with a blank line between parts."""

    __slots__ = ("length", "line", "links", "pieces", "tags", "tasks", "texts")

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.length = 0
        self.line = 1
        self.pieces: list[Piece] = []
        self.links: list[Link] = []
        self.tags: list[Tag] = []
        self.tasks: list[Task] = []

    def add_node(self, node: _Node) -> None:
        match node.get("type"):
            case "text":
                text = get_text(node, "text").strip()
                # Each card is parsed separately, so that an unclosed fence in one does not swallow the next.
                self.take(read_markdown(text, LineIndex(text)))
                self.add("card", text)
            case "file" if file := get_text(node, "file"):
                name = title_of(file)
                target = file + get_text(node, "subpath")
                self.links.append(Link(target, None, "canvas", self.line, (self.length, self.length + len(name))))
                self.add("paragraph", name)
            case "group":
                self.add("paragraph", get_text(node, "label").strip())
            case "link":
                self.add("paragraph", get_text(node, "url").strip())

    def add(self, kind: PieceKind, text: str) -> None:
        if not text:
            return
        last = self.line + text.count("\n")
        self.pieces.append(Piece(kind, (self.length, self.length + len(text)), (self.line, last)))
        self.texts.append(text)
        self.length += len(text) + 2
        self.line = last + 2

    def take(self, card: Markdown) -> None:
        down, along = self.line - 1, self.length
        for link in card.links:
            start, end = link.span
            self.links.append(link._replace(line=link.line + down, span=(start + along, end + along)))
        self.tags += [tag._replace(line=tag.line + down) for tag in card.tags]
        self.tasks += [task._replace(line=task.line + down) for task in card.tasks]


def _edges(edges: Sequence[_Node], nodes: Sequence[_Node]) -> Iterator[CanvasEdge]:
    names = {get_text(node, "id"): _name(node) for node in nodes}
    for edge in edges:
        source, target = names.get(get_text(edge, "fromNode")), names.get(get_text(edge, "toNode"))
        if source and target:
            yield CanvasEdge(source, target, get_text(edge, "label").strip())


def _name(node: _Node) -> str:
    words = get_text(node, "text").strip() or get_text(node, "label").strip()
    return (
        get_text(node, "file") or get_text(node, "url") or words.partition("\n")[0].lstrip("# ")[:_NAME_LENGTH].rstrip()
    )


MAX_CHARACTERS: Final = 4_000_000
MAX_UNPACKED: Final = 16 * 2**20
"""Bytes that a stream of a page may decompress to; PDFium reads a whole page and cannot be interrupted."""

MAX_SECONDS: Final = 20.0
"""Seconds after which no further page of a PDF is started."""

_MAX_CACHED_CHARS: Final = 8_000_000
"""Characters of recently read PDFs that are cached: a long one is read in many slices."""

_PASSWORD_ERROR: Final = 4
_PDFIUM: Final = Lock()
"""PDFium may be called by one thread at a time."""
# PDFium writes a word hyphenated at the end of a line with one of these in place of the hyphen.
_HYPHENATION: Final = re.compile("[\ufffe\x02]\\s*")
_STREAM: Final = re.compile(rb"\bstream\r?\n")
_PACKED_AT_MOST: Final = 1_032
"""The best compression ratio that PDF streams can reach."""

_UNPACKED_AT_ONCE: Final = 2**20
_Pages = tuple[list[tuple[int, str]], tuple[str, ...]]
_page_cache: OrderedDict[tuple[Digest, int, int], _Pages] = OrderedDict()
_NEWLINE: Final = re.compile(r"\r\n?")
_UNREADABLE_CHAR: Final = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\ufffe\uffff\ud800-\udfff]")


def read_pdf(path: VaultPath, data: bytes, *, max_pages: int, max_characters: int = MAX_CHARACTERS) -> Note:
    """Read a PDF; each page with text is a section `Page N`, and line numbers refer to the extracted text."""
    digest = digest_of(data)
    key = digest, max_pages, max_characters
    with _PDFIUM:
        if key not in _page_cache:
            _page_cache[key] = _read_pages(data, max_pages, max_characters)
        _page_cache.move_to_end(key)
        pages, problems = _page_cache[key]
        while (
            len(_page_cache) > 1
            and sum(len(text) for kept, _ in _page_cache.values() for _, text in kept) > _MAX_CACHED_CHARS
        ):
            _page_cache.popitem(last=False)
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
        digest=digest,
        text=text,
        headings=headings,
        pieces=tuple(pieces),
        problems=problems,
    )


def _read_pages(data: bytes, max_pages: int, max_characters: int) -> _Pages:
    import pypdfium2

    if _unpacks_too_far(data):
        return [], (f"The PDF cannot be read: a page of it unpacks to more than {MAX_UNPACKED // 2**20} MiB.",)
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        why = "it is protected by a password" if error.err_code == _PASSWORD_ERROR else "it is damaged or no PDF"
        return [], (f"The PDF cannot be read: {why}.",)
    pages: list[tuple[int, str]] = []
    problems: list[str] = []
    unreadable: list[int] = []
    room = max_characters
    ends = time.monotonic() + MAX_SECONDS
    with document:
        count = len(document)
        if count > max_pages:
            problems.append(f"Only the first {max_pages} of {count} pages were read.")
        for index in range(min(count, max_pages)):
            if time.monotonic() > ends:
                problems.append(f"The pages take too long to read; those from page {index + 1} on were not read.")
                break
            try:
                content = _NEWLINE.sub("\n", _HYPHENATION.sub("", _page_text(document, index)))
                content = _UNREADABLE_CHAR.sub("", content).strip()
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


def _unpacks_too_far(data: bytes) -> bool:
    """Return whether a stream other than an image decompresses to more than a page may hold."""
    for found in _STREAM.finditer(data):
        start = found.end()
        end = data.find(b"endstream", start)
        if end - start < MAX_UNPACKED // _PACKED_AT_MOST:
            continue
        described = data[max(0, data.rfind(b" obj", 0, start)) : start]
        if b"/FlateDecode" not in described or b"/Image" in described:
            continue
        with suppress(zlib.error):
            unpacking = zlib.decompressobj()
            room, rest = MAX_UNPACKED, data[start:end]
            while room > 0 and not unpacking.eof:
                unpacked, rest = unpacking.decompress(rest, _UNPACKED_AT_ONCE), unpacking.unconsumed_tail
                if not unpacked:
                    break
                room -= len(unpacked)
            if room <= 0:
                return True
    return False


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
