"""Tells whether the notes found answer a question, or nothing in the vault does; no language model is asked."""

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Literal

from bridge.records import dataclass
from bridge.text.extract import terms_of
from bridge.text.scripts import latin_share
from bridge.text.stems import foreign_language, language_of
from bridge.text.words import RUN, character_pairs, words_of

Verdict = Literal["answered", "partial", "not_in_vault", "unsure"]

PASSAGES = 3
"""Passages whose words count, those of the best notes."""

LEAST_TERMS = 2
"""Content words from which a question can be judged."""

ANSWERED, ABSENT = 0.5, 0.15
"""Confidence from which a question counts as answered, and below which nothing in the vault answers it."""

HALF = 0.5
"""Share of Latin letters below which a question is in another script."""


@dataclass(frozen=True, slots=True)
class Features:
    """What is known of an answer.

    Attributes:
        covered: Share of the question's content words that the best passages say, rare ones counting most.
        covered_at_once: The same of the one passage that says most.
        score: Score of the best note.
    """

    covered: float
    covered_at_once: float
    score: float


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of a logistic regression."""

    covered: float
    covered_at_once: float
    score: float
    constant: float

    def confidence(self, features: Features) -> float:
        """Return the probability that the vault answers the question."""
        total = (
            self.covered * features.covered
            + self.covered_at_once * features.covered_at_once
            + self.score * features.score
            + self.constant
        )
        return 1 / (1 + math.exp(-total))


# Fitted by `scripts/eval --answerable` (docs/measurements.md).
_WITHOUT_MODEL, _WITH_MODEL = Weights(1.69, -0.09, 6.37, -4.24), Weights(0.93, 3.64, 3.58, -4.52)
_UNSPACED = Weights(3.85, 7.3, 0.76, -4.63)
"""For scripts without spaces, where chance says more pairs of characters than words."""


@dataclass(frozen=True, slots=True)
class Answerability:
    """Whether the vault answers a question.

    Attributes:
        verdict: `partial` if it may be answered though words of it are missing; `unsure` if it has too few words, or is
            in a language that no note has.
        confidence: Probability that the vault answers it, from 0 to 1.
        missing: Its words that the best passages do not say, the rarest first.
    """

    verdict: Verdict
    confidence: float
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BestPassages:
    """The best passages of a search, before irrelevant notes are dropped.

    Attributes:
        texts: The passages, best first, each with its heading and the name of its note.
        score: Score of the best note.
        has_model: Whether meaning counts in it.
        has_words: Whether any note was found by words.
    """

    texts: Sequence[str]
    score: float
    has_model: bool
    has_words: bool = True


def assess(question: str, terms: Sequence[str], best: BestPassages, worth: Callable[[str], float]) -> Answerability:
    """Return whether passages answer a question.

    Args:
        question: The question.
        terms: Its content words, from `asked_terms`.
        best: The passages.
        worth: How rare a word is in the vault.
    """
    of_passages = _find_terms(terms, best)
    features = _measure_terms(terms, of_passages, best.score, worth)
    said = frozenset[str]().union(*of_passages)
    unspaced = any(RUN.fullmatch(term) for term in terms)
    confidence = _choose_weights(question, best, unspaced=unspaced).confidence(features)
    # A pair of characters is no word that could be named.
    missing = () if unspaced else tuple(sorted((one for one in terms if one not in said), key=worth, reverse=True))
    if len(terms) < LEAST_TERMS or (not best.has_words and _is_foreign(question)):
        verdict: Verdict = "unsure"
    elif confidence >= ANSWERED:
        verdict = "answered"
    elif confidence < ABSENT:
        verdict = "not_in_vault"
    else:
        verdict = "partial" if missing else "unsure"
    return Answerability(verdict, round(confidence, 3), missing)


def measure(terms: Sequence[str], best: BestPassages, worth: Callable[[str], float]) -> Features:
    """Return the features of passages; arguments as for `assess`."""
    return _measure_terms(terms, _find_terms(terms, best), best.score, worth)


def _measure_terms(
    terms: Sequence[str], said: Sequence[frozenset[str]], score: float, worth: Callable[[str], float]
) -> Features:
    """Return the features, given the terms that each of the best passages says and the score of the best note."""
    worths = {term: worth(term) for term in terms}
    whole = sum(worths.values()) or 1.0
    return Features(
        covered=sum(worths[term] for term in frozenset[str]().union(*said)) / whole,
        covered_at_once=max((sum(worths[term] for term in one) / whole for one in said), default=0.0),
        score=score,
    )


def asked_terms(words: Sequence[str]) -> tuple[str, ...]:
    """Return the content words of a question once each; of scripts without spaces, the pairs of their characters."""
    found: dict[str, None] = {}
    for word in words:
        for part in words_of(word):
            found.update(dict.fromkeys(character_pairs(part) if RUN.fullmatch(part) else (part,)))
    return tuple(found)


def _find_terms(terms: Sequence[str], best: BestPassages) -> list[frozenset[str]]:
    """Return the terms that each of the best passages says, in any form."""
    said = []
    for text in best.texts[:PASSAGES]:
        language = language_of(text)
        parts = {term: _parts_of(term, language) for term in terms}
        initials = {part[:1] for of_term in parts.values() for part in of_term}
        # No word has a space in it, and most of them repeat.
        own = frozenset(terms_of(" ".join(set(text.split())), language, initials, numbers=True))
        said.append(frozenset(term for term, of_term in parts.items() if own.issuperset(of_term)))
    return said


@lru_cache(maxsize=1_000)
def _parts_of(term: str, language: str | None) -> Sequence[str]:
    """Return what a text in a language must contain if it says a term."""
    return terms_of(term, language, numbers=True) or [term]


def _choose_weights(question: str, best: BestPassages, *, unspaced: bool) -> Weights:
    if unspaced:
        return _UNSPACED
    return _WITH_MODEL if best.has_model and not _is_foreign(question) else _WITHOUT_MODEL


def _is_foreign(question: str) -> bool:
    """Return whether a question is clearly not in English, or not in the Latin script."""
    return latin_share(question) < HALF or foreign_language(question) is not None
