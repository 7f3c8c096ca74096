"""Tells whether the notes found answer a question, or nothing in the vault does; no language model is asked."""

import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from operator import mul
from typing import Literal

from msgspec.structs import replace

from bridge.records import Record
from bridge.search.calibrate import log_odds
from bridge.text.closest import find_closest
from bridge.text.content_terms import terms_of
from bridge.text.days import DAY, asked_days, cut_days, days_in
from bridge.text.fold import fold_word
from bridge.text.function_words import ELISION, content_runs, content_words
from bridge.text.scripts import latin_share
from bridge.text.stems import DEFAULT, foreign_language, language_of
from bridge.text.word_lists import every_word, words_by_language
from bridge.text.words import RUN, TOKEN, character_pairs, words_of

Verdict = Literal["answered", "partial", "not_in_vault", "unsure"]

MAX_PASSAGES = 3
"""Passages whose words count, those of the best notes."""

MIN_TERMS = 2
"""Content words from which a question can be judged."""

ANSWERED_CONFIDENCE, ABSENT_CONFIDENCE = 0.5, 0.15
"""Confidence from which a question counts as answered, and below which nothing in the vault answers it."""

QUOTE_ABSENT, QUOTE_ANSWERED = 0.35, 0.6
"""The same of quoted lines."""

MIN_CHANCE = 0.01
"""What the chance of a line is at least, and what it lacks of certainty."""

_NAMEABLE = re.compile("[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Chinese, Japanese and Korean, of which the words of a question can be told apart."""

_HIRAGANA = re.compile("[\u3041-\u309f]+")
_JAPANESE_WORD = re.compile("[ァ-ヺー]{2,}|[一-鿿々]{2,}[いきちみり]?|[一-鿿々][ぁ-ん]+(?:[一-鿿々]+[ぁ-ん]*)*")
"""A word that says something: what is in hiragana alone is an ending, or joins others."""

_QUESTION_END = re.compile("[?？؟]")

SURE_CONFIDENCE = 0.7
"""Confidence below which lines do not answer a question that only several of them say."""

WEAK_CONFIDENCE, CERTAIN_CONFIDENCE = 0.4, 0.85
"""Chance of the best line below which notes that a question does not name answer it only from a confidence."""

MIN_LINE_SHARE = 0.65
"""Share of a question that one line says, below which others that say the rest do not make an answer of it."""

MIN_APART, APART_CHANCE, SURE_APART = 1.75, 0.18, 1.3
"""Deviations by which a line stands out that may say what is asked in other words, its chance, and deviations below
which none answers that leaves a word out."""

HALF_SHARE = 0.5
"""Share of Latin letters below which a question is in another script, and of the worth of its rarest word above which
another is missed."""


Features = tuple[float, float, float]
"""The share of a question's content words, by rarity, that the best passages say together, the share that the one says
which says most, and the score of the best note."""

_QUESTION_WORDS = words_by_language("asking")
"""Words by which a question asks, such as for how often or how much, which no answer need say."""
_EVERY_ASKING = frozenset(every_word("asking"))

# Fitted by `scripts/eval --answerable` (docs/measurements.md).
_WITHOUT_MODEL, _WITH_MODEL = (1.69, -0.09, 6.37, -4.24), (0.93, 3.64, 3.58, -4.52)
_UNSPACED_WEIGHTS = 3.85, 7.3, 0.76, -4.63
"""For scripts without spaces, where chance says more pairs of characters than words."""

# Fitted on quotes with and without the sentences that answer, of six sets and questions on five vaults.
_QUOTE_WEIGHTS, _QUOTED_UNSPACED = (0.52, -0.05, 1.0, 2.04, -1.5), (0.72, 0.88, 0.24, -0.97, 0.77)


class Answerability(Record):
    """Whether the vault answers a question.

    Attributes:
        verdict: `partial` if it may be answered though words of it are missing; `unsure` if it has too few words, or is
            in a language that no note has.
        confidence: How likely the vault answers it, from 0 to 1.
        missing: Its words that the best passages, for an answer the quoted lines, do not say, the rarest first; before
            these how it asks for what no quoted line has, such as `which city`.
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
    of_passages = _find_terms(terms, best.texts[:MAX_PASSAGES])
    features = _measure_terms(terms, of_passages, best.score, worth)
    said = frozenset[str]().union(*of_passages)
    unspaced = any(RUN.fullmatch(term) for term in terms)
    weights = _UNSPACED_WEIGHTS if unspaced else _WITH_MODEL if best.has_model else _WITHOUT_MODEL
    confidence = 1 / (1 + math.exp(-sum(map(mul, (*features, 1.0), weights))))
    missing = _find_missing(AskedWords(question, {}), {term: worth(term) for term in terms}, said)
    if len(terms) < MIN_TERMS or (not best.has_words and is_foreign(question)):
        verdict: Verdict = "unsure"
    elif confidence >= ANSWERED_CONFIDENCE:
        verdict = "answered"
    elif confidence < ABSENT_CONFIDENCE:
        verdict = "not_in_vault"
    else:
        verdict = "partial" if missing else "unsure"
    return Answerability(verdict, round(confidence, 3), missing)


class QuotedLine(Record):
    """A line that is quoted for a question."""

    text: str
    """With what is above it, and what is true of its whole note."""
    chance: float
    """The probability that it answers."""
    fits: bool = True
    """Whether it is no question, nor of another kind than what is asked for."""
    is_named: bool = True
    """Whether the question names its note."""
    has_kind: bool = False
    """Whether it has what is asked for, such as a price."""
    shown: str = ""
    """The line as it is shown."""
    apart: float | None = None
    """How far its meaning stands out from the other lines of these notes, in deviations; None if no model reads it."""


class AskedWords(Record):
    """A question with the content words that an answer has to say, each with how rare it is in the vault."""

    question: str
    worths: Mapping[str, float]
    read: str = ""
    """The question with its words as the vault spells them; empty where these are the same."""
    asks_for: str = ""
    """How it asks for a kind of thing that a line has to have, such as `how much`."""
    is_alone: bool = False
    """Whether it asks for nothing else where no line has that, as `how much` is all that asks for a price."""

    def list_terms(self) -> Mapping[str, float]:
        """Return the terms without pairs of characters that lie between words, unless none is left; a day as one."""
        parts = [part for run in words_of(self.question) if RUN.fullmatch(run) for part in content_runs(run)]
        pairs = {pair for part in parts for pair in character_pairs(part)}
        own = {term: worth for term, worth in self.worths.items() if term in pairs or not RUN.fullmatch(term)}
        own = own or {**self.worths}
        if days := asked_days(self.question):
            others = asked_terms(words_of(cut_days(self.read or self.question, months=True)))
            own = {term: worth for term, worth in own.items() if term in others}
            own = dict.fromkeys(days, max(own.values(), default=1.0)) | own
        return own


def measure_quotes(
    judged: Answerability, worths: Mapping[str, float], quoted: Sequence[QuotedLine], said: Sequence[Collection[str]]
) -> tuple[float, ...]:
    """Return the log odds that the best line answers and that the notes do, and what share of words one and all say.

    `worths` has the question's words, each with how rare it is; `said` what of them each line says.
    """
    whole = sum(worths.values()) or 1.0
    own = [_weigh(worths.keys() & one, worths) / whole for one in said]
    together = _weigh(worths.keys() & frozenset[str]().union(*said), worths) / whole
    chance = max((one.chance for one in quoted if one.fits), default=0.0)
    chances = (log_odds(one, MIN_CHANCE) for one in (chance, judged.confidence))
    return *chances, max(own, default=0.0), together


def assess_quotes(
    judged: Answerability, asked: AskedWords, quoted: Sequence[QuotedLine], closest: str | None = None
) -> Answerability:
    """Return the verdict on the lines that are quoted for a question; `judged` is that on the notes that were found.

    What is missing begins with how the question asks for what no line has; no line that is shown says it, nor the
    title of the closest note.
    """
    worths = asked.list_terms()
    said = _find_terms([*worths], [one.text for one in quoted])
    is_unspaced = any(map(RUN.fullmatch, worths))
    # Pairs of characters of another note than the question names say it by chance.
    named = [one for one, line in zip(said, quoted, strict=True) if line.is_named and is_unspaced]
    every = frozenset[str]().union(*(named or said))
    # Of several questions at once, one may be answered.
    asks = [part for part in _find_terms([*worths], _QUESTION_END.split(asked.read or asked.question)) if part]
    parts = [{term: worths[term] for term in part} for part in asks] if len(asks) > 1 else [worths]
    weights = _QUOTED_UNSPACED if is_unspaced else _QUOTE_WEIGHTS
    lacking = (
        [asked.asks_for] if asked.asks_for and not any(_has_asked(asked, part, quoted, said) for part in parts) else []
    )
    missing = _find_missing(asked, worths, every) or tuple(lacking)
    lost = sum(worth for term, worth in worths.items() if term not in every)
    apart = max((one.apart for one in quoted if one.apart is not None), default=SURE_APART)
    is_decisive = bool(missing) and (lost > HALF_SHARE * max(worths.values()) or apart < SURE_APART)
    best = max(quoted, key=lambda one: one.chance, default=QuotedLine("", 0.0))
    # A line that says the words, but is less near in meaning than most, says them of something else.
    is_weak = (best.chance < WEAK_CONFIDENCE and not any(one.is_named for one in quoted)) or (best.apart or 0.0) < 0
    is_weak &= not any(line.fits and one.issuperset(worths) for line, one in zip(quoted, said, strict=True))
    confidence, is_torn = 0.0, False
    for part in parts:
        odds = sum(map(mul, (*measure_quotes(judged, part, quoted, said), 1.0), weights))
        confidence, is_torn = max((confidence, is_torn), (1 / (1 + math.exp(-odds)), _is_strewn(part, said)))
    least = MIN_LINE_SHARE * _weigh(worths, worths)
    # It says most of what is asked with what is asked for, or in other words.
    stands_out = any(
        line.fits
        and (
            (line.has_kind and _weigh(one, worths) >= least)
            or (line.chance >= APART_CHANCE and (line.apart or 0.0) >= MIN_APART)
        )
        for line, one in zip(quoted, said, strict=True)
    )
    verdict: Verdict = "partial" if missing else "unsure"
    if judged.verdict == "unsure" and not named and len(asked.worths) >= MIN_TERMS and is_foreign(asked.question):
        # No note has the language of the question: its words tell nothing.
        verdict = "partial" if lacking else "unsure"
    elif not asked_days(asked.question) <= every or (
        (confidence < QUOTE_ABSENT or (is_torn and confidence < SURE_CONFIDENCE)) and (lacking or not stands_out)
    ):
        # Nothing is said of the day, or too little of the rest.
        verdict = "not_in_vault"
    elif confidence >= (CERTAIN_CONFIDENCE if is_weak else QUOTE_ANSWERED) and not (lacking or is_decisive or is_torn):
        verdict = "answered"
    told = [one.shown for one in quoted[: 1 if verdict == "partial" else None]]
    judged = without_said(Answerability(verdict, round(confidence, 3), missing), [closest or "", *told])
    others = [one for one in judged.missing if not (lacking and (asked.is_alone or one in lacking[0]))]
    return replace(judged, missing=(*lacking, *others))


def _has_asked(
    asked: AskedWords, worths: Mapping[str, float], quoted: Sequence[QuotedLine], said: Sequence[Collection[str]]
) -> bool:
    """Return whether a line has what is asked for, and of that which is asked about and not of another thing."""
    own = worths.keys() - {*words_of(asked.asks_for)}
    least = HALF_SHARE * _weigh(own & frozenset[str]().union(*said), worths)
    weights = [_weigh(own.intersection(one), worths) for one in said]
    return any(line.has_kind and weight >= least for line, weight in zip(quoted, weights, strict=True))


def _weigh(terms: Collection[str], worths: Mapping[str, float]) -> float:
    # Of the same terms in any order the same.
    return math.fsum(map(worths.__getitem__, terms))


def _is_strewn(worths: Mapping[str, float], said: Sequence[Collection[str]]) -> bool:
    """Return whether lines say more of a question together than any of them, none of which says most of it."""
    if any(map(RUN.fullmatch, worths)):
        # Pairs are no words.
        return False
    together = _weigh(worths.keys() & frozenset[str]().union(*said), worths)
    best = max((_weigh(worths.keys() & one, worths) for one in said), default=0.0)
    return best < together and best < MIN_LINE_SHARE * sum(worths.values())


def _find_missing(asked: AskedWords, worths: Mapping[str, float], said: Collection[str]) -> tuple[str, ...]:
    """Return the words of a question that are not said, the rarest first, as it writes them, with their mistakes."""
    typed, read = (TOKEN.findall(ELISION.sub(" ", text)) for text in (asked.question, asked.read or asked.question))
    written = {fold_word(one): one.lower() for one in typed}
    if len(typed) == len(read):
        written |= {fold_word(one): other.lower() for one, other in zip(read, typed, strict=True)}
    spaced = [one for one in worths if one not in said and not RUN.fullmatch(one)]
    runs = (run for run in words_of(asked.question) if _NAMEABLE.match(run))
    return (
        *(
            written.get(word) or (None if DAY.fullmatch(word) else find_closest(word, written)) or word
            for word in sorted(spaced, key=worths.__getitem__, reverse=True)
        ),
        *(word for run in runs for word in _unsaid_parts(run, worths, said)),
    )


def _unsaid_parts(run: str, worths: Mapping[str, float], said: Collection[str]) -> Iterator[str]:
    """Yield the words of a run of characters of which no pair is said; a single character is no word."""
    if _HIRAGANA.search(run):
        for word in (word for part in content_runs(run) for word in _JAPANESE_WORD.findall(part)):
            if not any(pair in said for pair in character_pairs(word) if not _HIRAGANA.fullmatch(pair)):
                yield word.rstrip("の")
        return
    for part in content_runs(run):
        pairs = enumerate(character_pairs(part))
        said_at = {at + offset for at, pair in pairs if pair in said for offset in range(len(pair))}
        left = "".join(" " if at in said_at else character for at, character in enumerate(part))
        for unsaid in left.split():
            yield from _split_by_worth(unsaid, worths)


def _split_by_worth(unsaid: str, worths: Mapping[str, float]) -> list[str]:
    """Return the pairs of characters that notes have rather than those between them; all if none is told apart."""
    pairs = [*enumerate(character_pairs(unsaid))]
    rarity = {pair: worths.get(pair, math.inf) for _, pair in pairs}
    if len({*rarity.values()}) == 1:
        return [unsaid] if len(unsaid) > 1 else []
    words: dict[int, str] = {}
    for at, pair in sorted(pairs, key=lambda one: rarity[one[1]]):
        if words.keys().isdisjoint((at - 1, at + 1)):
            words[at] = pair
    return [words[at] for at in sorted(words)]


def without_said(judged: Answerability, texts: Sequence[str]) -> Answerability:
    """Return a verdict that calls no word missing which one of the texts that are shown says."""
    said = frozenset[str]().union(*_find_terms(judged.missing, texts))
    return replace(judged, missing=tuple(one for one in judged.missing if one not in said))


def unquoted_words(words: Sequence[str], text: str, quotable: str) -> list[str]:
    """Return those words that a text says, but nothing of it that can be quoted."""
    whole, part = _find_terms(words, [text, quotable])
    return [word for word in words if word in whole and word not in part]


def measure(terms: Sequence[str], best: BestPassages, worth: Callable[[str], float]) -> Features:
    """Return the features of passages; arguments as for `assess`."""
    return _measure_terms(terms, _find_terms(terms, best.texts[:MAX_PASSAGES]), best.score, worth)


def _measure_terms(
    terms: Sequence[str], said: Sequence[frozenset[str]], score: float, worth: Callable[[str], float]
) -> Features:
    worths = {term: worth(term) for term in terms}
    whole = sum(worths.values()) or 1.0
    shares = [sum(worths[term] for term in one) / whole for one in (frozenset[str]().union(*said), *said)]
    return shares[0], max(shares[1:], default=0.0), score


def question_terms(words: Sequence[str], language: str | None = None) -> tuple[str, ...]:
    """Return the content words of a question, in English unless told, that an answer has to say."""
    return asked_terms([word for word in words if not _asks(word, language)] or words)


def _asks(word: str, language: str | None) -> bool:
    return word in _EVERY_ASKING or _asking_stems(language).issuperset(terms_of(word, language or DEFAULT) or [word])


def asked_stems(words: Sequence[str], language: str | None) -> frozenset[str]:
    """Return the terms of a question that an answer in a language has to say."""
    return frozenset(terms_of(" ".join(word for word in words if not _asks(word, language)), language))


@lru_cache
def _asking_stems(language: str | None) -> frozenset[str]:
    return frozenset(terms_of(_QUESTION_WORDS.get(language or DEFAULT, ""), language or DEFAULT))


def asked_terms(words: Sequence[str]) -> tuple[str, ...]:
    """Return the content words of a question once each; of scripts without spaces, the pairs of their characters."""
    found: dict[str, None] = {}
    for word in content_words([part for one in words for part in words_of(ELISION.sub(" ", one))]):
        found.update(dict.fromkeys(character_pairs(word) if RUN.fullmatch(word) else (word,)))
    return tuple(found)


def _find_terms(terms: Sequence[str], texts: Sequence[str]) -> list[frozenset[str]]:
    said, days = [], frozenset(filter(DAY.fullmatch, terms))
    for text in texts:
        language = language_of(text)
        # Of a day that is written as another may be, either reading will do.
        day = days if days and not days.isdisjoint(days_in(text)) else frozenset[str]()
        parts = {term: _parts_of(term, language) for term in terms if term not in days}
        initials = {part[:1] for of_term in parts.values() for part in of_term}
        # No word has a space in it, and most of them repeat.
        own = frozenset(terms_of(" ".join(set(text.split())), language, initials, numbers=True))
        if not all(parts.values()):
            # What is a function word in the language of the text, but not in that of the question.
            parts = {term: of_term or words_of(term) for term, of_term in parts.items()}
            own = own.union(words_of(text))
        said.append(day.union(term for term, of_term in parts.items() if own.issuperset(of_term)))
    return said


@lru_cache(maxsize=1_000)
def _parts_of(term: str, language: str | None) -> Sequence[str]:
    return terms_of(term, language, numbers=True)


def is_foreign(question: str) -> bool:
    """Return whether a question is clearly not in English, or not in the Latin script."""
    return latin_share(question) < HALF_SHARE or foreign_language(question) is not None
