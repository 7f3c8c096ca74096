"""Text views: a result as lines, tables and documents, which surfaces print plain, shortened or in colours."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeVar

from msgspec.structs import asdict

from bridge.api.signature import parse_docstring
from bridge.records import Record
from bridge.text.counts import more_pages
from bridge.text.invisible import EMPTY_VALUES, inline, quote_path

Role = Literal["", "title", "heading", "path", "muted", "tag", "snippet", "hint", "ok", "warning", "error"]
"""What a part of a line is; in a `hint`, names of operations and arguments become what a surface's user types."""

MAX_ENTRIES = 50
"""Most entries of a section that a model reads; the rest is counted."""

DIFF_LINES, DIFF_WIDTH = 60, 240
"""Most lines of a diff that a model reads, and their width: a paragraph is one line."""


class Segment(Record):
    """A part of a line.

    Attributes:
        text: Its text.
        role: What it is.
        short: What a model reads instead, to save tokens; nothing if empty.
    """

    text: str
    role: Role = ""
    short: str | None = None


class Line:
    """A line of a result, or a notice about it, which stands beside what programs read."""

    __slots__ = ("notice", "segments")

    def __init__(self, *parts: str | Segment, notice: bool = False) -> None:
        self.segments = [Segment(one) if isinstance(one, str) else one for one in parts]
        self.notice = notice

    def text(self, *, short: bool) -> str:
        return "".join(one.text if one.short is None or not short else one.short for one in self.segments)


class Column(Record):
    """A column of a table.

    Attributes:
        name: The field of the rows that it shows, and its heading.
        form: How a model reads a value: a format, or a function; with an empty format, not at all.
        role: What its values are.
        value: What it shows of a row, if not the field of its name.
        most: Most values of a list, or characters of a text, that a model reads.
        detail: Whether a terminal that is too narrow leaves it out.
        pipe: Whether a terminal leaves it out always, as it helps programs only.
        once: Whether a model reads it only in the first row of each `path`.
    """

    name: str
    form: str | Callable[[Any], str] = " · {}"
    role: Role = ""
    value: Callable[[Any], Any] | None = None
    most: int | None = None
    detail: bool = False
    pipe: bool = False
    once: bool = False

    def value_of(self, row: Any) -> Any:
        # Of the records that share a table, some lack a field.
        return getattr(row, self.name, None) if self.value is None else self.value(row)

    def format(self, value: Any) -> str:
        if value in EMPTY_VALUES:
            return ""
        if callable(self.form):
            return self.form(value)
        if isinstance(value, str):
            value = value[: self.most]
        elif isinstance(value, list | tuple):
            parts = ", ".join(self._name(one) for one in value[: self.most])
            return self.form.format(parts + (" …" if self.most is not None and len(value) > self.most else ""))
        return self.form.format(self._name(value) if isinstance(value, str | Mapping | bool | Record) else value)

    def _name(self, value: Any) -> str:
        return quote_path(value) if self.role == "path" else inline(value)


class Table(Record):
    """A list of records.

    Attributes:
        columns: The columns.
        rows: The records.
        most: Most rows that a model reads; all if null.
    """

    columns: Sequence[Column]
    rows: Sequence[Any]
    most: int | None = None

    def lines(self) -> Sequence[str]:
        found: list[str] = []
        seen: set[Any] = set()
        for row in self.rows:
            path = getattr(row, "path", None)
            again = path in seen
            seen.add(path)
            cells = (one.format(one.value_of(row)) for one in self.columns if not (one.once and again))
            found.append("".join(cells).lstrip(" ·"))
        return found


class RecordList(Record):
    """Records that a person and a model read as lines, and a pipe gets as a table.

    Attributes:
        table: The records.
        lines: What is read.
    """

    table: Table
    lines: Sequence[Line | str]


class Section(Record):
    """A heading, and the entries below it.

    Attributes:
        title: Its heading.
        entries: The entries.
        total: How many there are, if known.
        noun: What they are, if they come in pages.
        offset: How many precede this page.
        most: Most entries that a model reads.
    """

    title: str
    entries: Table | RecordList | Sequence[Line | str]
    total: int | None = None
    noun: str = ""
    offset: int = 0
    most: int = MAX_ENTRIES

    @property
    def size(self) -> int:
        match self.entries:
            case Table(rows=entries) | RecordList(lines=entries) | entries:
                return len(entries)

    def head(self, shown: int) -> Line:
        if not self.noun:
            detail = f" ({self.total:,})" if self.total else "" if self.size else " (none)"
        else:
            pages = more_pages(shown, self.total or shown, self.offset, self.noun)
            detail = f" ({pages})" if pages else ""
        return Line(Segment(self.title, "title"), Segment(detail, "hint"), ":")


class Document(Record):
    """Text that is passed on unchanged, such as that of a note.

    Attributes:
        text: The text.
        name: What it is.
        end: The line that marks its end where more follows.
    """

    text: str
    name: str
    end: str = ""

    @property
    def marker(self) -> str:
        """The line before it, which says where it ends."""
        return f"--- {self.name}, up to {f'`{self.end}`' if self.end else 'the end of this answer'} ---"


class Diff(Record):
    """A unified diff.

    Attributes:
        text: The diff.
        most: Most lines that a model reads.
        width: The width of these lines.
    """

    text: str
    most: int = DIFF_LINES
    width: int = DIFF_WIDTH


Element = str | Line | Table | RecordList | Section | Document | Diff
Result = TypeVar("Result")
View = Callable[[Result], Iterable[Element]]
"""Returns the elements of a result; a string is a line."""


def notice(*parts: str | Segment) -> Line:
    return Line(*parts, notice=True)


def aside(text: str, role: Role = "muted") -> Segment:
    """Return what a person likes to see and a model can do without."""
    return Segment(text, role, "")


def notices(texts: Iterable[str], before: str = "") -> Iterable[Line]:
    return (notice(f"{before}{inline(text)}") for text in texts)


def fields(result: Record) -> Iterable[Element]:
    """Show any record, field by field, without the empty ones: the view of a result that has none of its own.

    A person reads what a field means where a model reads its name.
    """
    meanings = parse_docstring(type(result)).section("Attributes")
    for name, value in asdict(result).items():
        meaning = meanings.get(name, "").rstrip(".").partition("; ")[0].removeprefix("Whether ")
        yield from field(name, value, meaning[:1].upper() + meaning[1:])


def field(name: str, value: Any, meaning: str = "") -> Iterable[Element]:
    """Show a field of a record, unless it is empty."""
    match value:
        case [Record(), *_]:
            columns = [Column(key, f" · {key}: {{}}") for key in value[0].__struct_fields__]
            yield Section(name, Table(columns, value).lines())
        case str() if "\n" in value:
            yield f"{name}:\n{value}"
        case _ if value not in EMPTY_VALUES:
            said = Segment("yes" if value else "no", short=inline(value)) if isinstance(value, bool) else inline(value)
            yield Line(Segment(meaning or name, "hint", name), ": ", said)


def path_of(path: str, place: str = "") -> Segment:
    return Segment(f"{quote_path(path)}{place}", "path")
