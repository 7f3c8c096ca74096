"""Canvases: the text of their cards, their links and their arrows."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from bridge.markdown.decode import decode
from bridge.markdown.json_object import get_number, get_objects, get_text, read_json
from bridge.markdown.kinds import title_of
from bridge.markdown.note import CanvasEdge, Link, Note, Piece, PieceKind, Tag, Task
from bridge.markdown.parse import Markdown, read_markdown
from bridge.text.lines import LineIndex
from bridge.types import VaultPath

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
