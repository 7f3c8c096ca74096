"""Chooses the sentences of relevant notes that answer a question best: an answer without a language model."""

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from bridge.answers.properties import asked_properties
from bridge.markdown.note import Note
from bridge.markdown.sections import heading_paths
from bridge.records import dataclass
from bridge.search.sentences import Sentence, iter_sentences
from bridge.text.extract import terms_of
from bridge.text.lines import lines_overlap
from bridge.text.stems import language_of
from bridge.types import Lines

_ABOVE = 0.5
"""Weight of a word of the question that the title or a heading says, beside one that the sentence says."""

_BESIDE = 0.4
"""Weight of one that only a neighbouring sentence says."""

_RANK = 0.8
"""How much less a sentence of the least relevant note counts."""

_SAID = 0.3
"""What a word still weighs after a chosen sentence has said it."""


@dataclass(frozen=True, slots=True)
class RelevantNote:
    """A note that may answer a question.

    Attributes:
        note: The note.
        score: How relevant it is.
        lines: First and last lines of its relevant passages; empty for the whole note.
    """

    note: Note
    score: float
    lines: Sequence[Lines] = ()


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence that may answer a question; `score` is 1 if it says all words of the question."""

    sentence: Sentence
    score: float


@dataclass(frozen=True, slots=True)
class _Candidate:
    sentence: Sentence
    own: frozenset[str]
    beside: frozenset[str]
    above: frozenset[str]
    share: float
    """Relevance of its note, as a share of the best."""


def choose_quotes(question: str, notes: Sequence[RelevantNote], most: int = 3) -> list[Quote]:
    """Return the sentences that answer a question best, the best first.

    Args:
        question: The question.
        notes: The notes that may answer it, the best first.
        most: Maximum number of sentences.
    """
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
        chosen.append(Quote(found.sentence, min(1.0, scores[place] / whole)))
        weights = {term: weight * (_SAID if term in found.own else 1) for term, weight in weights.items()}
    return chosen


def _properties(
    relevant: RelevantNote, share: float, language: str | None, question: str, asked: Collection[str]
) -> Iterator[_Candidate]:
    above = frozenset(terms_of(relevant.note.title, language))
    for sentence in asked_properties(relevant.note, question, asked, language):
        yield _Candidate(sentence, frozenset(terms_of(sentence.text, language)), frozenset(), above, share)


def _candidates(relevant: RelevantNote, share: float, language: str | None) -> Iterator[_Candidate]:
    note = relevant.note
    sentences = list(iter_sentences(note, relevant.lines))
    terms = [frozenset(terms_of(one.text, language)) for one in sentences]
    starts, paths = [heading.line for heading in note.headings], ("", *heading_paths(note.headings))
    for at, sentence in enumerate(sentences):
        if relevant.lines and not any(lines_overlap(sentence.lines, lines_) for lines_ in relevant.lines):
            continue
        beside = frozenset[str]().union(*terms[max(0, at - 1) : at], *terms[at + 1 : at + 2])
        heading = f"{note.title} {paths[bisect_right(starts, sentence.lines[0])]}"
        yield _Candidate(sentence, terms[at], beside, frozenset(terms_of(heading, language)), share)


def _rarity(asked: Iterable[str], candidates: Sequence[_Candidate]) -> Mapping[str, float]:
    frequency = Counter(term for one in candidates for term in one.own)
    return {
        term: math.log(1 + len(candidates) / frequency[term]) if frequency[term] else math.log(1 + len(candidates))
        for term in asked
    }


def _score(candidate: _Candidate, weights: Mapping[str, float]) -> float:
    """Return the weight of the question's words that a sentence, its headings and its neighbours say."""
    total = 0.0
    for term, weight in weights.items():
        if term in candidate.own:
            total += weight
        elif term in candidate.above:
            total += _ABOVE * weight
        elif term in candidate.beside:
            total += _BESIDE * weight
    return total * (1 - _RANK + _RANK * candidate.share)
