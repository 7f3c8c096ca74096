"""The definitions of footnotes and reference links in a note, and which parts of the note use them."""

import re
from collections.abc import Sequence
from typing import Final

from bridge.markdown.prose import DEFINITION
from bridge.markdown.structure import Structure
from bridge.records import Record
from bridge.types import Span

_FOOTNOTE: Final = re.compile(r"\[(\^[^\]\s]+)\]:")
_LABEL: Final = re.compile(r"[ ]{0,3}\[([^\[\]\r\n]+)\]:")
_USED: Final = re.compile(r"\[([^\[\]\r\n]+)\]")
_END_OF_LINE: Final = re.compile(r"\r\n?|\n|\Z")


class Definition(Record):
    """A definition of a footnote or of a reference link."""

    label: str
    """In lower case; that of a footnote begins with `^`."""
    span: Span
    """Whole lines, the last line break included."""


def read_definitions(text: str, body: int, structure: Structure) -> tuple[Definition, ...]:
    """Return the definitions at the top level of a note, in order."""
    footnotes = (
        Definition(label[1].casefold(), _whole_lines(text, (part.start, part.end)))
        for part in structure.parts
        if part.kind == "footnote" and part.depth == 0 and (label := _FOOTNOTE.match(text, part.start))
    )
    links = (
        Definition(" ".join(label[1].casefold().split()), _whole_lines(text, one.span()))
        for one in DEFINITION.finditer(text, body)
        if not structure.covers(one.start()) and (label := _LABEL.match(text, one.start()))
    )
    return tuple(sorted((*footnotes, *links), key=lambda one: one.span))


def labels_needed(prose: str, text: str, definitions: Sequence[Definition]) -> frozenset[str]:
    """Return the labels that a part of a note uses, directly or inside of the definitions that it uses."""
    needed: set[str] = set()
    new = _labels_in(prose)
    while new:
        needed |= new
        inside = (text[one.span[0] : one.span[1]].partition("]:")[2] for one in definitions if one.label in new)
        new = {label for each in inside for label in _labels_in(each)} - needed
    return frozenset(needed)


def _labels_in(text: str) -> set[str]:
    return {" ".join(label.casefold().split()) for label in _USED.findall(text)}


def _whole_lines(text: str, span: Span) -> Span:
    end = _END_OF_LINE.search(text, span[1])
    return text.rfind("\n", 0, span[0]) + 1, end.end() if end else len(text)
