"""Excalidraw drawings: their texts and links, not the drawing itself."""

import re
from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from bridge.markdown.decode import DecodedText, blank, decode
from bridge.markdown.json_object import get_number, get_objects, get_text, read_json
from bridge.markdown.note import Note, Value
from bridge.markdown.parse import parse_decoded
from bridge.types import VaultPath

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
