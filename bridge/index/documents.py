"""Documents of the inverted indexes: the passages and whole texts of notes, and the segments built from them."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import starmap
from typing import NamedTuple

import numpy as np

from bridge.index.inverted_index import InvertedIndex, TextQuery, exact_query
from bridge.index.segment import MAX_DOCUMENTS, IndexSegment, build_segment, merge_segments
from bridge.index.tokens import FORMS, WORDS, Occurrences, TermFinder
from bridge.records import Record
from bridge.text.words import RUN
from bridge.types import VaultPath

DOCUMENTS_AT_ONCE = 2_048
"""Documents whose terms are found at once."""

Ids = Mapping[int, tuple[int, int]]
"""By the place of a note among those read together: its number in the index, and its checksum."""


class IndexDocument(Record):
    """A passage or a whole note to index."""

    number: int
    ordinal: int
    mark: int
    text: str


class Vocabularies(NamedTuple):
    """The terms of the pieces of text seen so far; used by one thread at a time."""

    words: TermFinder
    forms: TermFinder

    @classmethod
    def empty(cls) -> "Vocabularies":
        return cls(TermFinder(WORDS), TermFinder(FORMS))


class NoteSegments(Record):
    """Segments of some notes: of the words of their passages, of the forms of these, and of their whole texts."""

    words: Sequence[IndexSegment]
    forms: Sequence[IndexSegment]
    whole: Sequence[IndexSegment]
    distinct_words: Collection[str] = ()
    """The words of the whole texts."""


def index_documents(
    words: Sequence[IndexDocument],
    forms: Sequence[IndexDocument],
    whole: Sequence[IndexDocument],
    vocabularies: Vocabularies,
) -> NoteSegments:
    wholes = [*find_terms(whole, vocabularies.words)]
    return NoteSegments(
        [*build_segments(words, vocabularies.words)],
        [*build_segments(forms, vocabularies.forms)],
        [build_segment(ids, found) for ids, found in wholes],
        set[str]().union(*(list_words(found) for _, found in wholes)),
    )


def build_segments(documents: Sequence[IndexDocument], vocabulary: TermFinder) -> Iterator[IndexSegment]:
    return starmap(build_segment, find_terms(documents, vocabulary))


def find_terms(
    documents: Sequence[IndexDocument], vocabulary: TermFinder
) -> Iterator[tuple[Sequence[tuple[int, int, int]], Occurrences]]:
    ordered = sorted(documents, key=lambda document: (document.number, document.ordinal))
    for start in range(0, len(ordered), DOCUMENTS_AT_ONCE):
        own = ordered[start : start + DOCUMENTS_AT_ONCE]
        yield [(one.number, one.ordinal, one.mark) for one in own], vocabulary.find([one.text for one in own])


def list_words(found: Occurrences) -> set[str]:
    """Return the terms that are words; in scripts without spaces, none is."""
    return {word for word in found.words if word[0].isalnum() and not RUN.match(word)}


def number_segments(segments: Iterable[tuple[IndexSegment, Ids]]) -> list[IndexSegment]:
    groups: list[list[IndexSegment]] = [[]]
    for segment, ids in segments:
        if sum(map(len, groups[-1])) + len(segment) > MAX_DOCUMENTS:
            groups.append([])
        groups[-1].append(_number(segment, ids))
    return [merge_segments(group) for group in groups if group]


def _number(segment: IndexSegment, ids: Ids) -> IndexSegment:
    """Give the documents of a segment their numbers; those that have none do not count."""
    size = 1 + max((*ids, int(segment.numbers.max(initial=0))))
    numbers, marks = np.zeros(size, np.int64), np.zeros(size, np.uint32)
    known = np.zeros(size, np.bool_)
    places = list(ids)
    numbers[places] = [number for number, _ in ids.values()]
    marks[places] = [mark for _, mark in ids.values()]
    known[places] = True
    numbered = IndexSegment(
        numbers[segment.numbers],
        segment.ordinals,
        marks[segment.numbers],
        segment.lengths,
        segment.terms,
        segment.starts,
        segment.documents,
        segment.frequencies,
    )
    numbered.keep(known[segment.numbers])
    return numbered


NAME_WEIGHT = 4
"""Times that the name of a file counts among its words."""


class FileWords:
    """Tells which files of a vault a query probably asks for; not which passages, and not by their properties."""

    def __init__(self, paths: Sequence[VaultPath]) -> None:
        self._paths = paths
        self._index = InvertedIndex()

    def add(self, segments: Sequence[IndexSegment]) -> None:
        """Add the words of some files, as `index_file_words` returns them."""
        for segment in segments:
            self._index.add(segment)

    def find(self, words: Sequence[str], limit: int) -> list[VaultPath]:
        """Return the files that say the words, the best match first."""
        query = exact_query(TextQuery(should=tuple(words)))
        hits = [] if query is None else self._index.search(query, limit, None)
        return [self._paths[number] for number, *_ in hits[:limit]]


def index_file_words(texts: Sequence[tuple[int, str, str]], vocabularies: Vocabularies) -> list[IndexSegment]:
    """Index the words of files, each given by its number, path and text."""
    documents = [
        IndexDocument(number, 0, 0, "\n".join((*[path.rpartition("/")[2]] * NAME_WEIGHT, text)))
        for number, path, text in texts
    ]
    return list(build_segments(documents, vocabularies.words))
