"""Chooses the sentences of relevant notes that answer a question best: an answer without a language model."""

import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Final

from bridge.markdown.edit.yaml_write import read_entries
from bridge.markdown.frontmatter import cut_frontmatter
from bridge.markdown.note import Note, Value
from bridge.markdown.sections import heading_paths
from bridge.records import Record
from bridge.search.sentences import Sentence, iter_asides, iter_sentences
from bridge.search.snippet import clean_text
from bridge.text.extract import terms_of
from bridge.text.fold import fold_case
from bridge.text.lines import LineIndex, lines_overlap
from bridge.text.stems import language_of
from bridge.text.words import count_words
from bridge.types import Lines

MAX_PROPERTY_CHARS: Final = 300
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
            text = clean_text(f"{entry.name}: {value}")[:MAX_PROPERTY_CHARS]
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


_ABOVE = 0.5
"""Weight of a word of the question that the title or a heading says, beside one that the sentence says."""

_BESIDE = 0.4
"""Weight of one that only a neighbouring sentence says."""

_RANK = 0.8
"""How much less a sentence of the least relevant note counts."""

_QUESTION = 0.3
"""How much less a sentence counts that asks something itself."""

_ASKS = re.compile(r"[?？؟;]\W*$")

_SAID = 0.3
"""What a word still weighs after a chosen sentence has said it."""


class RelevantNote(Record):
    """A note that may answer a question.

    Attributes:
        note: The note.
        score: How relevant it is.
        lines: First and last lines of its relevant passages; empty for the whole note.
    """

    note: Note
    score: float
    lines: Sequence[Lines] = ()


class Quote(Record):
    """A sentence that may answer a question, and the title and headings above it."""

    sentence: Sentence
    score: float
    """1 if it says all words of the question."""
    above: str = ""

    @property
    def asks(self) -> bool:
        return _ASKS.search(self.sentence.text) is not None


class _Candidate(Record):
    sentence: Sentence
    own: frozenset[str]
    beside: frozenset[str]
    above: frozenset[str]
    share: float
    """Relevance of its note, as a share of the best."""
    heading: str
    """The title of its note and the headings above it."""


def choose_quotes(question: str, notes: Sequence[RelevantNote], most: int = 3) -> list[Quote]:
    """Return the sentences that answer a question best, the best first."""
    best = max((one.score for one in notes), default=0.0) or 1.0
    languages = [language_of(one.note.text[one.note.body :]) for one in notes]
    asked = {term for language in set(languages) for term in terms_of(question, language)}
    candidates = [
        candidate
        for one, language in zip(notes, languages, strict=True)
        for candidate in (
            *_properties(one, one.score / best, language, question, asked),
            *_candidates(one, one.score / best, language),
        )
    ]
    weights = _rarity(asked, candidates)
    chosen: list[Quote] = []
    whole = sum(weights.values()) or 1.0
    while candidates and len(chosen) < most:
        scores = [_score(one, weights) for one in candidates]
        place = max(range(len(candidates)), key=lambda at: (scores[at], -at))
        if scores[place] <= 0:
            break
        found = candidates.pop(place)
        chosen.append(Quote(found.sentence, min(1.0, scores[place] / whole), found.heading))
        weights = {term: weight * (_SAID if term in found.own else 1) for term, weight in weights.items()}
    return sorted(chosen, key=lambda one: one.asks)


def first_quotes(note: Note, most: int) -> list[Quote]:
    """Return the first sentences of a note, then its footnotes and rows of tables, as quotes."""
    sentences = islice(chain(iter_sentences(note), iter_asides(note)), most)
    return [Quote(one, 0.0, note.title) for one in sentences]


def _properties(
    relevant: RelevantNote, share: float, language: str | None, question: str, asked: Collection[str]
) -> Iterator[_Candidate]:
    note = relevant.note
    heading = " ".join((note.title, *note.aliases, *(one.text for one in note.headings[:1])))
    above = frozenset(terms_of(heading, language))
    for sentence in asked_properties(note, question, asked, language):
        own = frozenset(terms_of(sentence.text, language))
        yield _Candidate(sentence, own, frozenset(), above, share, heading)


def _candidates(relevant: RelevantNote, share: float, language: str | None) -> Iterator[_Candidate]:
    note = relevant.note
    sentences = list(iter_sentences(note, relevant.lines))
    terms = [frozenset(terms_of(one.text, language)) for one in sentences]
    said = [
        (one, own, frozenset[str]().union(*terms[max(0, at - 1) : at], *terms[at + 1 : at + 2]))
        for at, (one, own) in enumerate(zip(sentences, terms, strict=True))
    ]
    said += [(one, frozenset(terms_of(one.text, language)), frozenset[str]()) for one in iter_asides(note)]
    starts, paths = [heading.line for heading in note.headings], ("", *heading_paths(note.headings))
    for sentence, own, beside in said:
        if relevant.lines and not any(lines_overlap(sentence.lines, lines_) for lines_ in relevant.lines):
            continue
        heading = f"{note.title} {paths[bisect_right(starts, sentence.lines[0])]}"
        yield _Candidate(sentence, own, beside, frozenset(terms_of(heading, language)), share, heading)


def _rarity(asked: Iterable[str], candidates: Sequence[_Candidate]) -> Mapping[str, float]:
    frequency = Counter(term for one in candidates for term in one.own)
    return {
        term: math.log(1 + len(candidates) / frequency[term]) if frequency[term] else math.log(1 + len(candidates))
        for term in asked
    }


def _score(candidate: _Candidate, weights: Mapping[str, float]) -> float:
    total = 0.0
    for term, weight in weights.items():
        if term in candidate.own:
            total += weight
        elif term in candidate.above:
            total += _ABOVE * weight
        elif term in candidate.beside:
            total += _BESIDE * weight
    asks = _QUESTION if _ASKS.search(candidate.sentence.text) else 1
    return asks * total * (1 - _RANK + _RANK * candidate.share)
