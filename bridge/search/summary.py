"""Chooses the sentences that stand for some notes: no model is needed, and nothing is said that is not there."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from bridge.markdown.note import Note, PieceKind
from bridge.search.sentences import Sentence, iter_asides, iter_sentences
from bridge.text.extract import choose_sentences, terms_of
from bridge.text.fold import fold_case
from bridge.text.stems import language_of

_LEAD = 10.0
"""How much more the first sentence of a note counts than one far below it."""

_LEAD_FALLS = 1.5
"""Sentences after which that has fallen to a third."""

_PAIRS = (("[[", "]]"), ("\\begin{", "\\end{"), ("<!--", "-->"))
_COUNTS = re.compile(r"(?:(?:, )?(?:searched|read|changed) [\d,]+ (?:time|note)s?)+\.?", re.IGNORECASE)
"""What the journal of a session says of how much was done, which sums up nothing."""

_TEMPLATE = re.compile(r"<%|%>|\{\{.*\}\}")

_GOOD_WORDS = range(6, 61)
_FRAGMENT = 0.4
_KIND: Mapping[PieceKind, float] = {"list_item": 0.9, "quote": 0.5, "callout": 0.5}
"""How much a sentence counts that is no running text: captions are often callouts."""


def choose_sentences_of(notes: Sequence[Note], most: int, focus: str = "") -> list[Sentence]:
    """Return the sentences that stand for some notes, in the order of their lines; else rows and footnotes."""
    found = list(_distinct([one for one in iter_sentences(note) if _is_whole(one.text)] for note in notes))
    if not any(found):
        found = [list(iter_asides(note)) for note in notes]
    languages = [language_of(note.text[note.body :]) for note in notes]
    terms = [
        terms_of(sentence.text, language)
        for sentences, language in zip(found, languages, strict=True)
        for sentence in sentences
    ]
    priors = [
        _prior(place, sentence, leads=not focus) for sentences in found for place, sentence in enumerate(sentences)
    ]
    wanted = {term for language in set(languages) for term in terms_of(focus, language)}
    everything = list(chain.from_iterable(found))
    return [everything[place] for place in sorted(choose_sentences(terms, priors, most, wanted))]


def _distinct(found: Iterable[Sequence[Sentence]]) -> Iterator[list[Sentence]]:
    seen = set[str]()
    for sentences in found:
        keys = [fold_case(sentence.text) for sentence in sentences]
        yield [one for at, one in enumerate(sentences) if keys[at] not in seen and keys[at] not in keys[:at]]
        seen.update(keys)


def _is_whole(text: str) -> bool:
    """Return whether a sentence can stand in another note: nothing in it is cut open, a template or a mere count."""
    paired = all(text.count(mark) % 2 == 0 for mark in ("$$", "`", "%%"))
    nested = all(text.count(start) == text.count(end) for start, end in _PAIRS)
    has_math = "$" not in text or text.count("$") % 2 == 0 or "\\" not in text
    return paired and nested and has_math and not _TEMPLATE.search(text) and not _COUNTS.fullmatch(text)


def _prior(place: int, sentence: Sentence, *, leads: bool) -> float:
    lead = 1 + _LEAD * math.exp(-place / _LEAD_FALLS) if leads else 1
    return lead * (1 if sentence.words in _GOOD_WORDS else _FRAGMENT) * _KIND.get(sentence.kind, 1)
