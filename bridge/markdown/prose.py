"""The spans of a note that are not prose, and its definitions of footnotes and reference links."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from bridge.markdown.links import WIKI
from bridge.markdown.note import Note
from bridge.markdown.parse import parse_structure
from bridge.markdown.structure import Structure, html_comments
from bridge.markdown.tasks import fact_spans
from bridge.records import Record
from bridge.text.invisible import find_hidden_elements, may_hide_elements
from bridge.types import Span

MAX_LINE_CHARS: Final = 10_000
"""Characters after the offset to stop at in which the end of its line is looked for."""

_NOT_PROSE: Final = frozenset({"heading", "fence", "html", "math", "footnote"})
# Every repetition is bounded or ends at a character outside it, because a note may be one line of a megabyte.
_OUTER_LINK: Final = re.compile(
    r"""
      \b[a-z][a-z0-9+.-]{1,30}://[^\s<>]+ | www\.[^\s<>]+
    | (?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{1,64}                # addresses
    | \[\^[^\[\]\s]+\] | \[[^\[\]\n]*\]\[[^\[\]\n]*\]                     # footnotes, reference links
    | (?<!\w)\#[^\s\#,.;:!?()\[\]{}'"`]+                             # tags
    | ^[ \t]*\[[^\]\n]+\]:[ \t].*$                                   # where reference links lead
    | </?[A-Za-z][^<>\n]*> | <%[^<>]*>                                 # HTML, Templater
    | \{\{[^{}\n]*\}\} | \[-?@[^\[\]\n]*\] | \[![^\[\]\n]+\]                # variables, citations, kinds of callouts
    | @\w{0,20}[({]{0,2}\d[\d:T -]*                                     # dates of Kanban and Reminder
    | (?<![^\s(])[\w.~-]{0,64}(?:[/\\][\w.-]{1,64})+\.[a-z]{2,5}\b       # paths of files
    | (?:^|[ \t])\^[A-Za-z0-9-]+[ \t]*$                              # block ids
    """,
    re.VERBOSE | re.MULTILINE,
)
_DATE: Final = r"\d{4}-\d{2}-\d{2}[\d:T]*"
_BETWEEN_DATES: Final = r"[ \t]*+(?:[-–—,;/]|[^\W\d_]{1,5}(?:[ \t]++[^\W\d_]{1,5})?)[ \t]*+"
_FIELD_NAME: Final = re.compile(
    r"(?:^[ \t>]*+(?:(?:[-*+]|\d{1,9}[.)])[ \t]*+(?:\[.\][ \t]+)?)?[*_~=]{0,3}|[\[(])"
    rf"[^\W_][^\n:\[\]()`|#]{{0,60}}::(?!:)(?:[ \t]*{_DATE}(?:{_BETWEEN_DATES}{_DATE})*)?",
    re.MULTILINE,
)
"""The name of an inline field, and the dates behind it, which would be none as links."""


def protected_spans(note: Note, end: int | None = None) -> tuple[Span, ...]:
    """Return the spans of a note that are not prose, in order and not touching.

    These are the property block, links and embeds, code, math, HTML, comments, footnote definitions, addresses, tags
    and headings, names of inline fields, facts of tasks, and text that is not read as Markdown because the note is
    too long.
    """
    if note.kind != "note":
        return ((0, len(note.text)),) if note.text else ()
    text = note.text
    shown = text if end is None else text[: text.find("\n", end, end + MAX_LINE_CHARS) + 1 or end + MAX_LINE_CHARS]
    structure, comments = parse_structure(shown, note.body)
    parts = ((part.start, part.end) for part in structure.parts if part.kind in _NOT_PROSE)
    links = ((link.start, link.end) for link in structure.links)
    end = min(structure.end, len(shown))
    wiki = (found.span() for found in WIKI.finditer(text, note.body, end))
    elsewhere = (found.span() for found in _OUTER_LINK.finditer(text, note.body, end))
    fields = field_spans(text, note.body, end)
    html = [*html_comments(text, note.body, end), *(find_hidden_elements(shown) if may_hide_elements(shown) else ())]
    front = ((0, note.body),) if note.body else ()
    unread = ((end, len(text)),) if end < len(text) else ()
    return merge_spans(
        [
            *front,
            *structure.holes,
            *comments,
            *structure.hidden,
            *parts,
            *links,
            *wiki,
            *elsewhere,
            *fields,
            *html,
            *unread,
        ]
    )


def field_spans(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the names of inline fields with their dates, and the facts of tasks."""
    if "::" in text:
        yield from (found.span() for found in _FIELD_NAME.finditer(text, start, end))
    yield from fact_spans(text, start, end)


def merge_spans(spans: Iterable[Span]) -> tuple[Span, ...]:
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(joined)


DEFINITION: Final = re.compile(
    r"""^[ ]{0,3}\[(?!\^)[^\[\]\r\n]+\]:[ \t]+
    (<[^<>\r\n]*>|[^<\s]\S*)
    (?:[ \t]+(?:"[^"\r\n]*"|'[^'\r\n]*'|\([^()\r\n]*\)))?[ \t]*\r?$""",
    re.MULTILINE | re.VERBOSE,
)
"""The definition of a reference link, alone on a line."""

_QUERY: Final = re.compile(
    r"^[ \t>]*(`{3,}|~{3,})[ \t]*(?:dataview|dataviewjs|tasks|query|base)\b.*?(?:^[ \t>]*\1|\Z)|`\$?=[^`\r\n]+`",
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)


def find_queries(text: str) -> Iterator[str]:
    """Yield the queries of a note: code blocks in a query language, and Dataview's inline queries."""
    return (found[0] for found in _QUERY.finditer(text))


def has_asides(text: str) -> bool:
    """Return whether a note has a query, or the definition of a reference link."""
    return DEFINITION.search(text) is not None or _QUERY.search(text) is not None


_FOOTNOTE: Final = re.compile(r"\[(\^[^\]\s]+)\]:")
_LABEL: Final = re.compile(r"[ ]{0,3}\[([^\[\]\r\n]+)\]:")
_USED_LABEL: Final = re.compile(r"\[([^\[\]\r\n]+)\]")
_END_OF_LINE: Final = re.compile(r"\r\n?|\n|\Z")


class ReferenceDefinition(Record):
    """A definition of a footnote or of a reference link."""

    label: str
    """In lower case; that of a footnote begins with `^`."""
    span: Span
    """Whole lines, the last line break included."""


def read_definitions(text: str, body: int, structure: Structure) -> tuple[ReferenceDefinition, ...]:
    """Return the definitions at the top level of a note, in order."""
    footnotes = (
        ReferenceDefinition(label[1].casefold(), _whole_lines(text, (part.start, part.end)))
        for part in structure.parts
        if part.kind == "footnote" and part.depth == 0 and (label := _FOOTNOTE.match(text, part.start))
    )
    links = (
        ReferenceDefinition(" ".join(label[1].casefold().split()), _whole_lines(text, one.span()))
        for one in DEFINITION.finditer(text, body)
        if not structure.covers(one.start()) and (label := _LABEL.match(text, one.start()))
    )
    return tuple(sorted((*footnotes, *links), key=lambda one: one.span))


def labels_needed(prose: str, text: str, definitions: Sequence[ReferenceDefinition]) -> frozenset[str]:
    """Return the labels that a part of a note uses, directly or inside of the definitions that it uses."""
    needed: set[str] = set()
    new = _labels_in(prose)
    while new:
        needed |= new
        inside = (text[one.span[0] : one.span[1]].partition("]:")[2] for one in definitions if one.label in new)
        new = {label for each in inside for label in _labels_in(each)} - needed
    return frozenset(needed)


def _labels_in(text: str) -> set[str]:
    return {" ".join(label.casefold().split()) for label in _USED_LABEL.findall(text)}


def _whole_lines(text: str, span: Span) -> Span:
    end = _END_OF_LINE.search(text, span[1])
    return text.rfind("\n", 0, span[0]) + 1, end.end() if end else len(text)
