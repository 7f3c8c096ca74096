"""The properties of a note as sentences, of which some answer a question."""

import re
from collections.abc import Collection, Iterator
from typing import Final

from bridge.markdown.edit.yaml_nodes import read_entries
from bridge.markdown.frontmatter import cut_frontmatter
from bridge.markdown.note import Note, Value
from bridge.search.sentences import Sentence
from bridge.search.snippet import clean_text
from bridge.text.extract import terms_of
from bridge.text.fold import fold_case
from bridge.text.lines import LineIndex
from bridge.text.words import count_words

LONGEST: Final = 300
"""Characters of a property that is quoted."""

_ASKS_WHEN: Final = re.compile(r"\b(?:when|since|wann|quand|cuándo|quando)\b|什么时候|何时|いつ", re.IGNORECASE)
_DAY: Final = re.compile(r"\d{4}-\d\d(?:-\d\d)?\b")

_OF_THE_FILE: Final = frozenset({"created", "date created", "updated", "modified", "date modified"})
"""Properties that tell when a note was written, not when what it is about happened."""


def asked_properties(note: Note, question: str, asked: Collection[str], language: str | None) -> Iterator[Sentence]:
    cut = cut_frontmatter(note.text) if note.properties else None
    names = (note.title, *note.aliases, *(heading.text for heading in note.headings[:1]))
    named = (frozenset(terms_of(name, language)).intersection(asked) for name in names)
    titled = next(filter(None, named), None)
    if cut is None or titled is None:
        return
    start, end = cut[0]
    lines, left = LineIndex(note.text), frozenset(asked) - titled
    asks_when = not left and _ASKS_WHEN.search(question) is not None
    for entry in read_entries(note.text[start:end]) or ():
        value = None if entry.name is None else say_value(note.properties.get(entry.name))
        if entry.name is None or not value:
            continue
        is_moment = asks_when and _DAY.match(value) is not None and fold_case(entry.name) not in _OF_THE_FILE
        if is_moment or left & frozenset(terms_of(entry.name, language)):
            text = clean_text(f"{entry.name}: {value}")[:LONGEST]
            first, last = (start + offset for offset in entry.lines)
            yield Sentence(note.path, text, lines.over((first, max(first, last - 1))), "paragraph", count_words(text))


def say_value(value: Value) -> str:
    """Return a value as text: of a list its items; "" for what says nothing alone, such as `mobile: true`."""
    match value:
        case int() | float() | str() if not isinstance(value, bool):
            return str(value).strip()
        case list() | tuple():
            return ", ".join(filter(None, map(say_value, value)))
        case _:
            return ""
