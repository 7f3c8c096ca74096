"""Tells whether the notes found answer a question, or nothing in the vault does; no language model is asked."""

import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from operator import mul
from typing import Literal

from bridge.records import Record
from bridge.text.closest import find_closest
from bridge.text.content_terms import terms_of
from bridge.text.fold import fold_word
from bridge.text.function_words import ELISION, content_runs, content_words
from bridge.text.scripts import latin_share
from bridge.text.stems import foreign_language, language_of
from bridge.text.words import RUN, TOKEN, character_pairs, words_of

Verdict = Literal["answered", "partial", "not_in_vault", "unsure"]

PASSAGES = 3
"""Passages whose words count, those of the best notes."""

MIN_TERMS = 2
"""Content words from which a question can be judged."""

ANSWERED, ABSENT = 0.5, 0.15
"""Confidence from which a question counts as answered, and below which nothing in the vault answers it."""

QUOTE_ABSENT = 0.2
"""Confidence below which quoted lines, none of which says a whole question, do not answer it, nor does the vault."""

_NAMEABLE = re.compile("[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Chinese, Japanese and Korean, of which the words of a question can be told apart."""

BESIDE_BY_ONE_WORD = 0.3
"""Confidence below which lines do not answer a question, each of which says one word and less than half of it."""

_QUESTION_END = re.compile("[?？؟]")

HALF = 0.5
"""Share of Latin letters below which a question is in another script, and of a question that a line says."""


Features = tuple[float, float, float]
"""The share of a question's content words, by rarity, that the best passages say together, the share that the one says
which says most, and the score of the best note."""

MEASURES = frozenset(
    """
    often many much long oft viel viele vielen lange souvent combien longtemps cuánto cuántos cuántas cuanto cuantos
    cuantas quanto quanta quanti quante quantos quantas spesso vaak vaker hoeveel сколько часто
    """.split()  # noqa: SIM905 - a list of words reads best as text
)
"""Words by which a question asks how often or how much, which no answer says."""

# Fitted by `scripts/eval --answerable` (docs/measurements.md).
_WITHOUT_MODEL, _WITH_MODEL = (1.69, -0.09, 6.37, -4.24), (0.93, 3.64, 3.58, -4.52)
_UNSPACED = 3.85, 7.3, 0.76, -4.63
"""For scripts without spaces, where chance says more pairs of characters than words."""


class Answerability(Record):
    """Whether the vault answers a question.

    Attributes:
        verdict: `partial` if it may be answered though words of it are missing; `unsure` if it has too few words, or is
            in a language that no note has.
        confidence: How likely the vault answers it, from 0 to 1.
        missing: Its words that the best passages, for an answer the quoted lines, do not say, the rarest first.
    """

    verdict: Verdict
    confidence: float
    missing: tuple[str, ...]


class BestPassages(Record):
    """The best passages of a search, each with its heading and the name of its note, before any is dropped."""

    texts: Sequence[str]
    score: float
    has_model: bool
    """Whether meaning counts in full in the score of the best note, as the model reads the question."""
    has_words: bool = True
    """Whether any note was found by words."""


def assess(question: str, terms: Sequence[str], best: BestPassages, worth: Callable[[str], float]) -> Answerability:
    of_passages = _find_terms(terms, best.texts[:PASSAGES])
    features = _measure_terms(terms, of_passages, best.score, worth)
    said = frozenset[str]().union(*of_passages)
    unspaced = any(RUN.fullmatch(term) for term in terms)
    weights = _UNSPACED if unspaced else _WITH_MODEL if best.has_model else _WITHOUT_MODEL
    confidence = 1 / (1 + math.exp(-sum(map(mul, (*features, 1.0), weights))))
    missing = _find_missing(question, terms, said, worth)
    if len(terms) < MIN_TERMS or (not best.has_words and is_foreign(question)):
        verdict: Verdict = "unsure"
    elif confidence >= ANSWERED:
        verdict = "answered"
    elif confidence < ABSENT:
        verdict = "not_in_vault"
    else:
        verdict = "partial" if missing else "unsure"
    return Answerability(verdict, round(confidence, 3), missing)


def assess_quotes(
    judged: Answerability,
    question: str,
    worths: Mapping[str, float],
    chance: float,
    quoted: Sequence[str],
    unheard: Collection[str] = (),
) -> Answerability:
    """Return the verdict on the lines that are quoted for a question: words strewn over notes answer nothing.

    `judged` is the verdict on the notes that were found, `chance` the probability that the best line answers; each line
    comes with what is above it. No note has the words `unheard`.
    """
    each = _find_terms([*worths], quoted)
    said = frozenset[str]().union(*each)
    missing = _find_missing(question, [*worths], said, worths.__getitem__)
    confidence = math.cbrt(chance**2 * judged.confidence)
    verdict: Verdict = "partial" if missing else "unsure"
    half = HALF * sum(worths.values())
    # Of several questions at once, one may be answered.
    parts = [part for part in _find_terms([*worths], _QUESTION_END.split(question)) if part]
    parts = parts if len(parts) > 1 else [frozenset(worths)]
    # Pairs of characters can all be said without the words.
    is_said = any(one.issuperset(part) for one in each for part in parts)
    may_lack = not is_said or any(RUN.fullmatch(term) for term in worths)
    is_beside = confidence < BESIDE_BY_ONE_WORD and all(len(one) < 2 and _weigh(one, worths) < half for one in each)
    is_unheard = bool(unheard) and _weigh(unheard, worths) >= half
    nowhere = judged.verdict == "not_in_vault" or (judged.verdict != "unsure" and {*missing} <= {*judged.missing})
    if confidence >= ANSWERED:
        verdict = "answered"
    elif may_lack and (quoted or nowhere) and (confidence < QUOTE_ABSENT or is_beside or is_unheard):
        verdict = "not_in_vault"
    return Answerability(verdict, round(confidence, 3), missing)


def _weigh(terms: Collection[str], worths: Mapping[str, float]) -> float:
    return sum(map(worths.__getitem__, terms))


def _find_missing(
    question: str, terms: Sequence[str], said: Collection[str], worth: Callable[[str], float]
) -> tuple[str, ...]:
    """Return the words of a question that are not said, the rarest first, as it writes them, with their mistakes."""
    written = {fold_word(one): one.lower() for one in TOKEN.findall(ELISION.sub(" ", question))}
    unsaid = sorted((one for one in terms if one not in said and not RUN.fullmatch(one)), key=worth, reverse=True)
    runs = (run for run in words_of(question) if _NAMEABLE.match(run))
    return (
        *(written.get(word) or find_closest(word, written) or word for word in unsaid),
        *(word for run in runs for word in _unsaid_parts(run, said)),
    )


def _unsaid_parts(run: str, said: Collection[str]) -> Iterator[str]:
    """Yield the parts of a run of characters of which no pair is said; a single character is no word."""
    for part in content_runs(run):
        pairs = enumerate(character_pairs(part))
        said_at = {at + offset for at, pair in pairs if pair in said for offset in range(len(pair))}
        left = "".join(" " if at in said_at else character for at, character in enumerate(part))
        yield from (word for word in left.split() if len(word) > 1)


def without_said(judged: Answerability, texts: Sequence[str]) -> Answerability:
    """Return a verdict that calls no word missing which one of the texts that are shown says."""
    said = frozenset[str]().union(*_find_terms(judged.missing, texts))
    return Answerability(judged.verdict, judged.confidence, tuple(one for one in judged.missing if one not in said))


def unquoted_words(words: Sequence[str], text: str, quotable: str) -> list[str]:
    """Return those words that a text says, but nothing of it that can be quoted."""
    whole, part = _find_terms(words, [text, quotable])
    return [word for word in words if word in whole and word not in part]


def measure(terms: Sequence[str], best: BestPassages, worth: Callable[[str], float]) -> Features:
    """Return the features of passages; arguments as for `assess`."""
    return _measure_terms(terms, _find_terms(terms, best.texts[:PASSAGES]), best.score, worth)


def _measure_terms(
    terms: Sequence[str], said: Sequence[frozenset[str]], score: float, worth: Callable[[str], float]
) -> Features:
    worths = {term: worth(term) for term in terms}
    whole = sum(worths.values()) or 1.0
    shares = [sum(worths[term] for term in one) / whole for one in (frozenset[str]().union(*said), *said)]
    return shares[0], max(shares[1:], default=0.0), score


def question_terms(words: Sequence[str]) -> tuple[str, ...]:
    """Return the content words of a question that an answer has to say."""
    return asked_terms([word for word in words if word not in MEASURES] or words)


def asked_terms(words: Sequence[str]) -> tuple[str, ...]:
    """Return the content words of a question once each; of scripts without spaces, the pairs of their characters."""
    found: dict[str, None] = {}
    for word in content_words([part for one in words for part in words_of(ELISION.sub(" ", one))]):
        found.update(dict.fromkeys(character_pairs(word) if RUN.fullmatch(word) else (word,)))
    return tuple(found)


def _find_terms(terms: Sequence[str], texts: Sequence[str]) -> list[frozenset[str]]:
    said = []
    for text in texts:
        language = language_of(text)
        parts = {term: _parts_of(term, language) for term in terms}
        initials = {part[:1] for of_term in parts.values() for part in of_term}
        # No word has a space in it, and most of them repeat.
        own = frozenset(terms_of(" ".join(set(text.split())), language, initials, numbers=True))
        said.append(frozenset(term for term, of_term in parts.items() if own.issuperset(of_term)))
    return said


@lru_cache(maxsize=1_000)
def _parts_of(term: str, language: str | None) -> Sequence[str]:
    return terms_of(term, language, numbers=True) or [term]


def is_foreign(question: str) -> bool:
    """Return whether a question is clearly not in English, or not in the Latin script."""
    return latin_share(question) < HALF or foreign_language(question) is not None
