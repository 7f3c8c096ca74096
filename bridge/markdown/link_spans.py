"""Every link of a file with the spans of its parts, so that one part can be rewritten and nothing else."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from operator import itemgetter
from typing import Any, Final

from bridge.markdown.decode import decode
from bridge.markdown.documents import blank_plugin_text, is_drawing
from bridge.markdown.embedded_text import (
    EmbeddedText,
    Escape,
    escape_nothing,
    json_strings,
    read_json,
    read_json_string,
    read_quoted_text,
)
from bridge.markdown.frontmatter import read_frontmatter
from bridge.markdown.kinds import kind_of
from bridge.markdown.links import (
    ESCAPE,
    Parts,
    Syntax,
    destination_parts,
    is_outside,
    markdown_parts,
    read_links,
    wiki_parts,
)
from bridge.markdown.note import Link, LinkKind
from bridge.markdown.parse import parse_structure, read_markdown
from bridge.markdown.prose import DEFINITION, merge_spans
from bridge.records import Record
from bridge.text.lines import LineIndex
from bridge.types import Span, VaultPath

_WORDS: Final = ("rawText", "originalText", "text")


class LinkPart(Record):
    """A span of a file that holds one part of a link."""

    span: Span
    text: str
    """The text there, decoded if it is inside JSON or YAML."""
    ink: Escape
    pointed: bool = False
    """Whether it is between `<` and `>`."""


class LinkSpan(Record):
    """A link in its file; a part that is missing or cannot be located is None."""

    target: str
    """Its target, as `Names.resolve` takes it."""
    kind: LinkKind
    syntax: Syntax
    line: int
    file: LinkPart | None
    place: LinkPart | None
    shown: LinkPart | None
    counted: bool = True
    """Whether Obsidian counts it as a link; it does not count definitions of reference links."""


class LinkSpans(Record):
    """The links of a file, and the text that their spans refer to."""

    text: str
    links: tuple[LinkSpan, ...] = ()
    lossy: bool = False
    """Whether the text lacks bytes of the file, because they are not UTF-8."""


def read_link_spans(path: VaultPath, data: bytes) -> LinkSpans:
    """Find the links of a searchable file; PDFs and other files have none."""
    kind = kind_of(path)
    if kind is None or kind == "pdf":
        return LinkSpans("")
    decoded = decode(data)
    match path.lower().rpartition(".")[2]:
        case "canvas":
            found = _canvas_links(decoded.text)
        case "excalidraw":
            found = _drawing_links(decoded.text)
        case _:
            found = _note_links(path, decoded.text)
    return LinkSpans(decoded.text, tuple(found), lossy=bool(decoded.problems))


def _note_links(path: VaultPath, text: str) -> Iterator[LinkSpan]:
    lines = LineIndex(text)
    front = read_frontmatter(text, lines)
    shown = blank_plugin_text(text, front.body) if is_drawing(path, front.properties) else text
    structure, comments = parse_structure(shown, front.body)
    itself = _whole_text(text)
    for link in front.links:
        yield _property_link(text, link)
    for link in read_links(shown, front.body, structure, lines):
        yield _link_span(link, itself)
    # The parser sees no block in the definition of a reference.
    closed = merge_spans([*((part.start, part.end) for part in structure.parts if part.depth == 0), *comments])
    yield from _definitions(shown, (front.body, structure.end), closed, lines)


def _objects(text: str, what: str, name: str) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Span]]]:
    """Yield the objects of a list in a JSON file, each with the spans of its own strings."""
    found, problems = read_json(text, what)
    objects = found.get(name)
    if problems or not isinstance(objects, list):
        return
    strings = json_strings(text)
    for number, each in enumerate(objects):
        if isinstance(each, dict):
            yield each, {key: span for key in each if (span := strings.get((name, number, key)))}


def _canvas_links(text: str) -> Iterator[LinkSpan]:
    lines = LineIndex(text)
    for node, spans in _objects(text, "canvas", "nodes"):
        match node:
            case {"type": "text", "text": str(words)} if words.strip():
                yield from _card_links(read_json_string(text, spans["text"]), lines)
            case {"type": "file", "file": str(file)} if file:
                yield _file_node(node, text, spans["file"], spans.get("subpath"), lines)


def _drawing_links(text: str) -> Iterator[LinkSpan]:
    lines = LineIndex(text)
    for element, spans in _objects(text, "drawing", "elements"):
        for name in _WORDS if element.get("type") == "text" else ():
            if name in spans:
                yield from _card_links(read_json_string(text, spans[name]), lines)


def _file_node(node: Mapping[str, Any], text: str, file: Span, place: Span | None, lines: LineIndex) -> LinkSpan:
    below = read_json_string(text, place) if place else None
    named = read_json_string(text, file)
    return LinkSpan(
        target=named.text + (below.text if below else ""),
        kind="canvas",
        syntax="path",
        line=lines.at(file[0]),
        file=LinkPart(file, str(node["file"]), named.ink),
        place=LinkPart(place, below.text, below.ink) if place and below and below.text else None,
        shown=None,
    )


def _card_links(card: EmbeddedText, lines: LineIndex) -> Iterator[LinkSpan]:
    lead = len(card.text) - len(card.text.lstrip())
    text = card.text.strip()
    inside = EmbeddedText(text, card.starts[lead : lead + len(text) + 1], card.ink)
    for link in read_markdown(text, LineIndex(text)).links:
        yield _link_span(link, inside, lines.at(inside.starts[link.span[0]]))


def _property_link(text: str, link: Link) -> LinkSpan:
    start, end = link.span
    before = text[:start].rstrip(" ")[-1:]
    if "]" in text[start:end] and text[start] in "[!":
        # It contains no escapes, but a new text may need them.
        sample = read_quoted_text(f"{before}x{before}", (0, 3)) if before in {'"', "'"} else None
        return _link_span(link, _whole_text(text, sample.ink if sample else escape_nothing))
    passage = read_quoted_text(text, link.span)
    if passage is None:
        return LinkSpan(link.target, link.kind, "wiki", link.line, None, None, None)
    lead = len(passage.text) - len(passage.text.lstrip())
    moved = Link(
        link.target, link.shown, link.kind, link.line, (lead, lead + len(passage.text.strip())), embed=link.embed
    )
    return _link_span(moved, passage)


def _whole_text(text: str, ink: Escape = escape_nothing) -> EmbeddedText:
    return EmbeddedText(text, (), ink)


def _link_span(link: Link, passage: EmbeddedText, line: int | None = None) -> LinkSpan:
    start, end = link.span
    markup = passage.text[start:end]
    wiki = markup.startswith(("[[", "![[")) and markup.endswith("]]")
    parts = wiki_parts(markup) if wiki else markdown_parts(markup, len(link.shown or ""))

    def slot(part: Span | None) -> LinkPart | None:
        if part is None or part[0] == part[1]:
            return None
        inside = (part[0] + start, part[1] + start)
        where = passage.span(inside) if passage.starts else inside
        return LinkPart(where, markup[slice(*part)], passage.ink, pointed=markup[part[0] - 1] == "<")

    syntax: Syntax = "wiki" if wiki else "markdown"
    at = line if line is not None else link.line
    return LinkSpan(link.target, link.kind, syntax, at, slot(parts.file), slot(parts.place), slot(parts.shown))


def _definitions(text: str, within: Span, closed: Sequence[Span], lines: LineIndex) -> Iterator[LinkSpan]:
    for found in DEFINITION.finditer(text, *within):
        at = found.start()
        around = bisect_right(closed, at, key=itemgetter(0)) - 1
        parts: Parts = destination_parts(text, *found.span(1))
        target = unescape(ESCAPE.sub(r"\1", text[parts.file[0] : max(parts.file[1], parts.place[1])]))
        if parts.file[0] == parts.file[1] or is_outside(target) or (around >= 0 and at < closed[around][1]):
            continue
        place = (
            LinkPart(parts.place, text[slice(*parts.place)], escape_nothing)
            if parts.place[0] < parts.place[1]
            else None
        )
        file = LinkPart(parts.file, text[slice(*parts.file)], escape_nothing, pointed=text[parts.file[0] - 1] == "<")
        yield LinkSpan(target, "markdown", "markdown", lines.at(at), file, place, None, counted=False)
