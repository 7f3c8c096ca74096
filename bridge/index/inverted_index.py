"""An inverted index in memory: its segments, and BM25 over the documents that count."""

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from math import log1p

import numpy as np
from numpy.typing import NDArray

from bridge.index.apart import HiddenRows
from bridge.index.hits import MAX_EQUAL_HITS
from bridge.index.segment import FREQUENCIES, MAX_DOCUMENTS, IndexSegment, merge_segments
from bridge.index.tokens import hash_tokens, query_tokens
from bridge.records import Record
from bridge.text.fold import fold_words
from bridge.text.invisible import strip_break_hints
from bridge.text.stems import query_forms
from bridge.text.words import TOKEN

K1, B = 1.2, 0.75
"""The constants of BM25, as in LanceDB and Lucene."""

MAX_SEGMENTS = 8
"""Segments above which small ones are merged: each costs a search some 30 µs."""

DEAD_SHARE = 0.25
"""Share of a segment's documents that may be dead."""

CACHED_MATCHES, CACHED_WORDS = 32, 1_000
"""Words of which the documents and the terms are cached: those of a query are asked for several times."""

Hit = tuple[int, int, float]
"""The number, ordinal and score of a document."""


class TermQuery(Record):
    """Terms that should and must occur; each of `must` is satisfied by any of its terms."""

    should: NDArray[np.uint64]
    must: Sequence[NDArray[np.uint64]]


class KnownCounts:
    """What was computed of an index as it was at one time; threads that still compute keep it after a change."""

    def __init__(self) -> None:
        self.norms: dict[tuple[IndexSegment, HiddenRows | None], NDArray[np.float32]] = {}
        self.counts: dict[HiddenRows | None, tuple[int, int]] = {}
        self.shown: dict[tuple[IndexSegment, HiddenRows], NDArray[np.bool_]] = {}
        self.matches: dict[tuple[HiddenRows | bytes | None, ...], NDArray[np.int64]] = {}
        self.sizes: dict[HiddenRows | None, tuple[NDArray[np.int64], NDArray[np.int64]]] = {}


class InvertedIndex:
    """The documents of one retriever."""

    def __init__(self) -> None:
        self.segments: tuple[IndexSegment, ...] = ()
        """Always replaced, never changed."""
        self._known = KnownCounts()
        self._late: list[int] | None = None
        """Numbers dropped while segments are merged."""

    def add(self, segment: IndexSegment) -> None:
        if len(segment):
            self.segments = (*self.segments, segment)
            self._forget_counts()

    def drop(self, number: int) -> None:
        """Let the documents of a number count no more."""
        before = self._dead()
        for segment in self.segments:
            segment.drop(number)
        if self._dead() > before:
            self._forget_counts()
            if self._late is not None:
                self._late.append(number)

    def replace_documents(self, numbers: Sequence[int], segments: Sequence[IndexSegment]) -> None:
        """Let the documents of many numbers count no more, and add those that take their place."""
        for segment in self.segments:
            segment.keep(~np.isin(segment.numbers, numbers))
        if self._late is not None:
            self._late += numbers
        self.segments = (*self.segments, *(segment for segment in segments if len(segment)))
        self._forget_counts()

    def _dead(self) -> int:
        return sum(segment.dead for segment in self.segments)

    def _forget_counts(self) -> None:
        self._known = KnownCounts()

    def _count(self, hidden: HiddenRows | None) -> tuple[int, int]:
        known = self._known
        if hidden not in known.counts:
            lengths = [segment.lengths[self._live(segment, hidden)] for segment in self.segments]
            known.counts[hidden] = (
                sum(int(np.count_nonzero(own)) for own in lengths),
                sum(int(own.sum()) for own in lengths),
            )
        return known.counts[hidden]

    def _live(self, segment: IndexSegment, hidden: HiddenRows | None) -> NDArray[np.bool_]:
        if hidden is None:
            return segment.live
        known = self._known
        if (shown := known.shown.get((segment, hidden))) is None:
            known.shown[segment, hidden] = shown = segment.live & ~np.isin(segment.numbers, hidden.numbers)
        return shown

    # -- merging ------------------------------------------------------------------------------------------------------

    def due(self, *, everything: bool = False) -> list[list[IndexSegment]]:
        """Return the segments to merge, in groups: small ones, and those of which much is dead."""
        groups: list[list[IndexSegment]] = []
        waste = 0 if everything else DEAD_SHARE
        small: list[IndexSegment] = []
        total = 0
        for segment in sorted(self.segments, key=lambda segment: len(segment) - segment.dead):
            alive = len(segment) - segment.dead
            wasteful = segment.dead > waste * len(segment)
            if total + alive > MAX_DOCUMENTS or not (wasteful or alive <= 2 * total):
                groups.append(small)
                small, total = [], 0
            small.append(segment)
            total += alive
        groups.append(small)
        return [group for group in groups if len(group) > 1 or any(each.dead > waste * len(each) for each in group)]

    def merge(self, group: Sequence[IndexSegment]) -> IndexSegment:
        """Merge segments of this index, in any thread; `replace` shows the result."""
        self._late = []
        return merge_segments(group)

    def replace(self, group: Sequence[IndexSegment], merged: IndexSegment) -> None:
        for number in self._late or ():
            merged.drop(number)
        self._late = None
        others = [segment for segment in self.segments if segment not in group]
        self.segments = (*others, merged) if len(merged) else tuple(others)
        self._forget_counts()

    # -- searching ----------------------------------------------------------------------------------------------------

    def search(
        self, query: TermQuery, limit: int, allowed: Collection[int] | None, hidden: HiddenRows | None = None
    ) -> list[Hit]:
        """Return the best documents, by number where scores are equal."""
        documents, total = self._count(hidden)
        if not documents:
            return []
        clauses = (query.should, *query.must)
        terms = np.concatenate(clauses)
        ends = [*accumulate(map(len, clauses), initial=0)]
        # Taken once: while this is asked in another thread, segments may be merged.
        segments = self.segments
        places = [segment.find(terms) for segment in segments]
        weights = self._weights(segments, places, documents, hidden)
        numbers = None if allowed is None else np.fromiter(allowed, np.int64, len(allowed))
        best = []
        for segment, own in zip(segments, places, strict=True):
            if not any(place.start < place.stop for place in own):
                continue
            norms = self._norms_of(segment, total / documents, hidden)
            scores = [_scores(segment, norms, own[first:last], weights[first:last]) for first, last in pairwise(ends)]
            total_of = sum(scores[1:], scores[0])
            found = (total_of > 0).nonzero()[0]
            for required in scores[1:]:
                found = found[required[found] > 0]
            if segment.dead or hidden is not None:
                found = found[self._live(segment, hidden)[found]]
            if numbers is not None:
                found = found[np.isin(segment.numbers[found], numbers)]
            best.append(_best(segment, found, total_of[found], limit))
        return _list_hits(best, limit) if best else []

    def _weights(
        self,
        segments: Sequence[IndexSegment],
        places: Sequence[Sequence[slice]],
        documents: int,
        hidden: HiddenRows | None,
    ) -> list[float]:
        counts = self._frequencies(segments, places, hidden)
        return [log1p((max(documents, count) - count + 0.5) / (count + 0.5)) for count in counts]

    def _frequencies(
        self, segments: Sequence[IndexSegment], places: Sequence[Sequence[slice]], hidden: HiddenRows | None
    ) -> list[int]:
        """Return how many documents contain each of the terms that are at some places in each segment."""
        return [
            sum(
                segment.count(place, self._live(segment, hidden))
                for segment, place in zip(segments, of_term, strict=True)
            )
            for of_term in zip(*places, strict=True)
        ]

    def _norms_of(self, segment: IndexSegment, average: float, hidden: HiddenRows | None) -> NDArray[np.float32]:
        norms = self._known.norms
        if (segment, hidden) not in norms:
            norms[segment, hidden] = (K1 * (1 - B + B * segment.lengths / max(average, 1))).astype(np.float32)
        return norms[segment, hidden]

    # -- counting -----------------------------------------------------------------------------------------------------

    def document_frequencies(self, terms: NDArray[np.uint64], hidden: HiddenRows | None) -> list[int]:
        segments = self.segments
        return self._frequencies(segments, [one.find(terms) for one in segments], hidden) or [0] * len(terms)

    def find_numbers(self, required: Sequence[NDArray[np.uint64]], hidden: HiddenRows | None) -> NDArray[np.int64]:
        """Return the numbers of which a document contains one term of each group, in order; none without groups."""
        key = (hidden, *(terms.tobytes() for terms in required))
        matching = self._known.matches
        if (known := matching.get(key)) is not None:
            return known
        found = [np.empty(0, np.int64)]
        for segment in self.segments if required else ():
            matches = self._live(segment, hidden)
            for terms in required:
                contains = np.zeros(len(segment), np.bool_)
                for place in segment.find(terms):
                    contains[segment.documents[place]] = True
                matches = matches & contains
            # All documents of a number are in one segment.
            numbers = segment.numbers[matches]
            found.append(numbers[np.diff(numbers, prepend=-1) > 0])
        if len(matching) >= CACHED_MATCHES:
            matching.clear()
        matching[key] = known = np.sort(np.concatenate(found))
        return known

    def distinct_terms(self, hidden: HiddenRows | None) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the numbers of all documents, in order, and how many different terms each contains."""
        known_sizes = self._known.sizes
        if (known := known_sizes.get(hidden)) is not None:
            return known
        none, live = np.empty(0, np.int64), [(segment, self._live(segment, hidden)) for segment in self.segments]
        numbers = np.concatenate([none, *(segment.numbers[own] for segment, own in live)])
        sizes = np.concatenate([none, *(segment.distinct_terms[own] for segment, own in live)])
        order = np.argsort(numbers)
        known_sizes[hidden] = found = numbers[order], sizes[order]
        return found


def _scores(
    segment: IndexSegment, norms: NDArray[np.float32], places: Sequence[slice], weights: Sequence[float]
) -> NDArray[np.float64]:
    documents = np.concatenate([segment.documents[place] for place in places] or [segment.documents[:0]])
    frequencies = FREQUENCIES[
        np.concatenate([segment.frequencies[place] for place in places] or [segment.frequencies[:0]])
    ]
    worth = np.array(weights, np.float32).repeat([place.stop - place.start for place in places])
    worth *= (K1 + 1) * frequencies / (frequencies + norms[documents])
    return np.bincount(documents, worth, len(segment)).astype(np.float64, copy=False)


def _list_hits(
    found: Sequence[tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]], limit: int
) -> list[Hit]:
    numbers, ordinals, scores = (np.concatenate(column) for column in zip(*found, strict=True))
    order = np.lexsort((ordinals, numbers, -scores))
    if len(order) > limit:
        order = order[: min(np.count_nonzero(scores >= scores[order[limit - 1]]), limit + MAX_EQUAL_HITS)]
    return list(zip(*(column[order].tolist() for column in (numbers, ordinals, scores)), strict=True))


def _best(
    segment: IndexSegment, found: NDArray[np.int64], scores: NDArray[np.float64], limit: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
    if len(found) > limit:
        best = scores >= np.partition(scores, -limit)[-limit]
        found, scores = found[best], scores[best]
    return segment.numbers[found], segment.ordinals[found], scores


MAX_QUERY_WORDS = 48
"""Words of a query that are searched for; a pasted page is identified by its first ones."""

MAX_WORD_CHARS = 200


class TextQuery(Record):
    """Words and phrases (with spaces) that should and must occur.

    Positions are not indexed, so a phrase is searched as all of its words: the caller compares phrases with the text.
    """

    should: tuple[str, ...] = ()
    must: tuple[str, ...] = ()


def exact_query(words: TextQuery) -> TermQuery | None:
    should = [token for word in searchable_words(words.should) for token in query_tokens(word)]
    must = [token for word in searchable_words(words.must) for token in query_tokens(word, exact=True)]
    return _term_query(should, [[token] for token in dict.fromkeys(must)])


def stemmed_query(words: TextQuery, languages: Collection[str]) -> TermQuery | None:
    should = {form for word in searchable_words(words.should) for part in query_forms(word, languages) for form in part}
    must = [part for word in searchable_words(words.must) for part in query_forms(word, languages)]
    return _term_query(fold_words(sorted(should)), [fold_words(sorted(part)) for part in dict.fromkeys(must)])


def _term_query(should: Sequence[str], must: Iterable[Sequence[str]]) -> TermQuery | None:
    """Build the query for tokens; each of `must` names several of which one will do."""
    query = TermQuery(hash_tokens(should), [hash_tokens(each) for each in must if each])
    return query if len(query.should) or query.must else None


class WordTerms(Record):
    """The terms of the parts of a word: of each part, itself or its stem, and its forms."""

    whole: Sequence[NDArray[np.uint64]]
    forms: Sequence[NDArray[np.uint64]]


@lru_cache(CACHED_WORDS)
def word_terms(word: str, languages: tuple[str, ...]) -> WordTerms:
    words = TextQuery(must=(word,))
    exact = query.must if (query := exact_query(words)) else ()
    # `C++` and `C#` have no forms; that of `C` is another word.
    query = None if word.endswith(("+", "#")) else stemmed_query(words, languages)
    forms = query.must if query else ()
    whole = [*map(np.concatenate, zip(exact, forms, strict=True))] if len(exact) == len(forms) else exact
    return WordTerms(whole, forms)


def contains(numbers: NDArray[np.int64], asked: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which numbers are among others, which are in order; for few numbers, faster than `np.isin`."""
    found: NDArray[np.bool_] = np.append(numbers, -1)[np.searchsorted(numbers, asked)] == asked
    return found


def searchable_words(words: Iterable[str]) -> list[str]:
    kept = dict.fromkeys(strip_break_hints(word)[:MAX_WORD_CHARS].replace("\x00", " ") for word in words)
    return [word for word in kept if TOKEN.search(word)][:MAX_QUERY_WORDS]
