"""The parsed contents of a file of the vault, as frozen values; those of which a note has thousands are tuples."""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from msgspec import field

from bridge.records import Record
from bridge.text.fold import fold_case
from bridge.types import Digest, Lines, NoteKind, Span, VaultPath

Value = None | bool | int | float | str | Sequence["Value"] | Mapping[str, "Value"]
"""A property's value as in YAML 1.2; dates stay strings."""


def property_of(properties: Mapping[str, Value], name: str) -> Value:
    """Return a property, whose name Obsidian reads in any case; None without one."""
    if name in properties:
        return properties[name]
    fold = str.lower if name.isascii() else fold_case
    folded = fold(name)
    return next((value for own, value in properties.items() if fold(own) == folded), None)


def field_of(properties: Mapping[str, Value], name: str) -> Value:
    """Return a property; of a list with one item that item, as Obsidian may have been told that it is a list."""
    return sole_item(property_of(properties, name))


def sole_item(value: Value) -> Value:
    """Return the item of a list that has one; other values as they are."""
    return value[0] if isinstance(value, list | tuple) and len(value) == 1 else value


def texts_of(value: Value) -> tuple[str, ...]:
    values = value if isinstance(value, list | tuple) else (value,)
    plain = (one for one in values if not (one is None or isinstance(one, list | tuple | Mapping)))
    return tuple(text for one in plain if (text := str(one).strip()))


def type_of(properties: Mapping[str, Value]) -> str:
    """Return the kind of note that the property `type` names, folded, such as `decision`; empty without one."""
    value = property_of(properties, "type")
    first = next(iter(value), None) if isinstance(value, list | tuple) else value
    if not isinstance(first, str):
        return ""
    return fold_case(first.strip().removeprefix("[[").removesuffix("]]").partition("|")[0].strip())


LinkKind = Literal["wiki", "embed", "markdown", "property", "canvas"]
PieceKind = Literal[
    "heading", "paragraph", "list_item", "fence", "table", "callout", "quote", "html", "math", "rule", "card", "page"
]


class Heading(NamedTuple):
    """A heading; its section runs to the next heading of the same or a higher level."""

    text: str
    level: int
    line: int
    span: Span


class Link(NamedTuple):
    """A link as written: `target` keeps `#heading` and `^block`, `span` covers the whole markup."""

    target: str
    shown: str | None
    kind: LinkKind
    line: int
    span: Span
    embed: bool = False


class Tag(NamedTuple):
    """A tag without `#`, as written."""

    name: str
    line: int


class Task(NamedTuple):
    """A list item with a box; `status` is the one character inside it."""

    status: str
    text: str
    line: int
    parent: int | None = None
    """The line of the task that contains it."""


class BlockId(Record):
    """A block id (without `^`) and the lines it names."""

    id: str
    lines: Lines


class InlineField(Record):
    """A Dataview field: `key:: value`."""

    key: str
    value: str
    line: int


class Callout(Record):
    """A callout: its type in lower case, title, and lines."""

    type: str
    title: str
    lines: Lines


class Piece(NamedTuple):
    """A top-level part that a passage should not split; headings are pieces too, comments and frontmatter are not."""

    kind: PieceKind
    span: Span
    lines: Lines


class CanvasEdge(Record):
    """An arrow of a canvas; its ends are a file's path, a URL, or the first line of a card or label."""

    source: str
    target: str
    label: str = ""


class Markdown(Record):
    """The parts of a Markdown text."""

    headings: tuple[Heading, ...] = ()
    links: tuple[Link, ...] = ()
    tags: tuple[Tag, ...] = ()
    tasks: tuple[Task, ...] = ()
    blocks: tuple[BlockId, ...] = ()
    fields: tuple[InlineField, ...] = ()
    callouts: tuple[Callout, ...] = ()
    comments: tuple[Span, ...] = ()
    pieces: tuple[Piece, ...] = ()
    end: int = 0
    """Offset at which reading ended; the rest is plain text."""


class Note(Markdown, kw_only=True):
    """One parsed file of the vault.

    `text` is the decoded file without BOM; offsets and lines refer to it. For a canvas, an Excalidraw drawing and a PDF
    it is the extracted text; only an Excalidraw note keeps the lines of its file.
    """

    path: VaultPath
    title: str
    kind: NoteKind
    digest: Digest
    text: str
    body: int = 0
    """Offset in `text` where the frontmatter ends."""
    aliases: tuple[str, ...] = ()
    properties: Mapping[str, Value] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    """What could not be read, as sentences: a property block that does not parse, bytes that are not UTF-8."""
    edges: tuple[CanvasEdge, ...] = ()
    """The arrows of a canvas."""
