"""What two memories have in common, and whether the later one says otherwise."""

import hashlib
import re
from collections import Counter
from collections.abc import Mapping
from functools import cache
from itertools import filterfalse
from pathlib import Path
from typing import Final

from bridge.features.memory.memory_note import Memory, name_key
from bridge.records import Record
from bridge.text.content_terms import terms_of
from bridge.text.cues import read_cues
from bridge.text.fold import fold_case
from bridge.text.function_words import function_words, spoken_languages
from bridge.text.overlap import find_overlaps
from bridge.text.scripts import UNSPACED_CHARACTER
from bridge.text.sentence import names_in, negates, numbers_of, split_clauses, split_sentences
from bridge.text.stems import OTHER_LANGUAGE, language_of
from bridge.text.words import words_of
from bridge.types import VaultPath

NEARLY_SAME: Final = 0.8
"""The share from which two memories say nearly the same."""

STATEMENTS: Final = frozenset({"fact", "decision", "plan", "preference", "instruction", "persona"})
"""Kinds of which two with one title contradict each other: a decision may revoke a plan."""

MAX_COMPARED_CHARS: Final = 2_000
"""Characters of a memory whose statements are compared."""

MIN_TERMS: Final = 3
"""Terms of the shortest clause that says something by itself, and that two statements share if no title has one."""

REVOKED_SHARE, RUN_REVOKED_SHARE, DENIED_SHARE, RUN_NUMBER_SHARE = 0.6, 0.45, 0.8, 0.85
"""The shares of the shorter statement's terms that the other has, if it revokes or denies it, or has another number;
in scripts without spaces, where a word is several terms, fewer or more."""

_CUES: Final = read_cues(Path(__file__).with_suffix(".tsv"))
"""By kind: `revocation` says that something else held before; `change` that something changed, and what was before is
named as well, or a number; `reason` begins a clause that says why; `filler` is what memories say of any subject."""

_FROM: Final = (
    r"(?:\b(?:from|left|von|vom|de|du|quitté|da|dal|dalla|dallo|lasciato|del|do|desde|van|с|со|из|з|із|зі)\s+"
    r"(?:(?:the|dem|der|le|la|les|el|il|lo|o|a)\s+)?|\b(?:d|dall)['’]|从|從|由)"
)
_WAS: Final = re.compile(
    rf"{_FROM}((?:(?!{_FROM}).){{2,40}}?)"
    r"(?:\s(?:to|for|zu|zum|zur|nach|auf|à|au|vers|pour|a|ad|al|alla|per|para|naar|на|в|к|до)\s|\s?(?:→|->)"
    r"|[换換改迁遷移转轉搬切升降更]\S{0,2}[成到为為至])",
    re.IGNORECASE,
)
"""What was before, up to what is now."""

_OPPOSITES: Final = (("short", "long"), ("plural", "singular"), ("dark", "light"), ("formal", "informal"))
"""The cues with the beginnings of words that say the opposite of each other."""

_UKRAINIAN: Final = re.compile("[іїєґ]")
"""The letters of a language of whose verbs the Russian stemmer leaves the endings."""

_ADDRESS: Final = re.compile(r"\]\([^)]*\)|https?://\S+|<[^>]*>")

_PARTICLES: Final = frozenset(
    {"on", "off", "an", "aus", "auf", "zu", "ab", "på", "av", "til", "fra", "aan", "uit", "op", "dicht"}
)
"""What says how something is where it ends a sentence, as in `the heating is on`."""

_FILLER: Final = re.compile("|".join(_CUES[kind].pattern for kind in ("revocation", "change", "filler")), re.IGNORECASE)
"""What memories say of any subject, and what was said of it before; none is the value of something."""


class Comparison(Record):
    """How a text relates to that of a memory."""

    share: float
    """How much they have in common, from 0 to 1."""
    contrary: bool
    """Whether they say different things of the same."""


class _Statement(Record):
    first: str
    terms: frozenset[str]
    numbers: frozenset[str]
    denied: frozenset[str]
    """The terms of its clauses that deny something."""
    named: frozenset[str]
    """Its last term, and those of its names."""
    was: frozenset[str]
    """What it says that was before."""
    subject: frozenset[str]
    """Of what it says so."""
    revokes: bool
    changes: bool


class _MemoryTerms(Record):
    """A memory's terms in a language, and whether its title names something that another does not speak of."""

    title: frozenset[str]
    content: Counter[str]

    def is_apart(self, other: "_MemoryTerms") -> bool:
        return not (self.title & self.content.keys()) <= other.title.union(other.content)


def text_digest(text: str) -> str:
    """Return a digest that two texts share when they differ in case and spaces only."""
    return hashlib.sha256(" ".join(fold_case(text).split()).encode("utf-8", "replace")).hexdigest()[:16]


def compare_statements(new: Memory, text: str, others: Mapping[VaultPath, tuple[Memory, str]]) -> list[Comparison]:
    digest = text_digest(text)
    overlaps = dict(find_overlaps(text, {path: other for path, (_, other) in others.items()}))

    @cache
    def read_new(language: str | None) -> tuple[_MemoryTerms, list[_Statement]]:
        return _read(new.title, text, language), _statements(text, language, is_new=True)

    def compare(old: Memory, old_text: str, overlap: float) -> Comparison:
        said = f"{old.title}\n{old_text}\n{new.title}\n{text}"
        language = OTHER_LANGUAGE if _UKRAINIAN.search(said) else language_of(said)
        (own, statements), other = read_new(language), _read(old.title, old_text, language)
        common = own.content & other.content
        share = max(2 * common.total() / max(1, own.content.total() + other.content.total()), overlap)
        shared = new.is_global or old.is_within(tuple(map(str.casefold, new.scope)))
        if not shared or "open_question" in {new.kind, old.kind}:
            return Comparison(share, contrary=False)
        if name_key(new.title) == name_key(old.title) != "" and STATEMENTS.issuperset((new.kind, old.kind)):
            return Comparison(share, contrary=digest != text_digest(old_text))
        if (own.is_apart(other) and other.is_apart(own)) or not common:
            return Comparison(share, contrary=False)
        is_named = bool(_names(new) & _names(old))
        pairs = ((one, before) for before in _statements(old_text, language, is_new=False) for one in statements)
        return Comparison(share, contrary=any(_contradicts(*pair, own, other, is_named=is_named) for pair in pairs))

    return [compare(old, old_text, overlaps.get(path, 0.0)) for path, (old, old_text) in others.items()]


def says_no_more(text: str, other: str) -> bool:
    """Return whether a text has no word that another lacks, and denies what the other denies."""
    language = language_of(f"{text}\n{other}")
    return not _content(text, language) - _content(other, language) and negates(text) == negates(other)


def _contradicts(one: _Statement, before: _Statement, new: _MemoryTerms, old: _MemoryTerms, *, is_named: bool) -> bool:
    """Return whether a statement denies or revokes an earlier one, or has another value for the same."""
    shared = one.terms & before.terms
    if _leaves(one, before, old) or (shared and _are_opposite(one.terms - shared, before.terms - shared)):
        return True
    if len(shared) < MIN_TERMS - 1:
        return False
    share = len(shared) / min(len(one.terms), len(before.terms))
    is_run = any(map(UNSPACED_CHARACTER.search, shared))
    is_other = not shared.isdisjoint(before.named - old.title) or all(_other_numbers(one, before))
    if (one.revokes or (one.changes and is_other)) and share >= (RUN_REVOKED_SHARE if is_run else REVOKED_SHARE):
        return True
    if not (is_named or len(shared) >= MIN_TERMS or shared & (new.title | old.title)):
        return False
    if shared.isdisjoint(one.denied) != shared.isdisjoint(before.denied) and share >= DENIED_SHARE:
        return True
    is_same = (shared & new.title or not old.is_apart(new)) and (shared & old.title or not new.is_apart(old))
    return bool(is_named or is_same) and _differ(one, before, shared, share, is_run=is_run)


def _leaves(one: _Statement, before: _Statement, old: _MemoryTerms) -> bool:
    """Return whether a statement says that what an earlier one says was before."""
    known = (before.terms | before.numbers) - {before.first}
    is_value = bool(one.was) and one.was <= known and not one.was <= old.title
    return is_value and (not one.subject or not one.subject.isdisjoint(old.content.keys() | old.title))


def _other_numbers(one: _Statement, before: _Statement) -> tuple[frozenset[str], frozenset[str]]:
    return one.numbers - before.numbers, before.numbers - one.numbers


def _are_opposite(terms: frozenset[str], others: frozenset[str]) -> bool:
    """Return whether two statements differ in two opposites, and one of them in nothing else."""
    for pair in _OPPOSITES:
        for one, other in (pair, pair[::-1]):
            named = ((terms, one), (others, other))
            left, right = ({term for term in own if _CUES[kind].match(term)} for own, kind in named)
            if left and right and not (terms - left and others - right):
                return True
    return False


def _differ(one: _Statement, before: _Statement, shared: frozenset[str], share: float, *, is_run: bool) -> bool:
    """Return whether two statements differ in a number, or in nothing but a word."""
    numbers = _other_numbers(one, before)
    rest = one.terms - shared, before.terms - shared
    if all(numbers) and (not all(rest) or (is_run and share >= RUN_NUMBER_SHARE)):
        return True
    if is_run and one.first == before.first:
        # What is spoken of comes first, and a changed character is in two terms.
        return [*map(len, rest)] == [2, 2] and not any(numbers)
    values = sorted(len(words) + len(figures) for words, figures in zip(rest, numbers, strict=True))
    return values == [1, 1] or (values == [1, 2] and len(shared) >= MIN_TERMS)


def _read(title: str, text: str, language: str | None) -> _MemoryTerms:
    return _MemoryTerms(frozenset(_content(_FILLER.sub(" ", title), language)), _content(text, language))


def _statements(text: str, language: str | None, *, is_new: bool) -> list[_Statement]:
    """Return the statements of a text: its sentences, and of a new one also their clauses."""
    sentences = split_sentences(_ADDRESS.sub(" ", text[:MAX_COMPARED_CHARS]))
    parts = [part for one in sentences for clause in split_clauses(one) for part in _CUES["reason"].split(clause)]
    said = [_read_statement(part, language) for part in (*sentences, *(parts if is_new else ()))]
    return [
        one for place, one in enumerate(said) if place < len(sentences) or len(one.terms | one.numbers) >= MIN_TERMS
    ]


def _read_statement(text: str, language: str | None) -> _Statement:
    said, denied = (_terms(part, language) for part in (text, " ".join(filter(negates, split_clauses(text)))))
    revokes, changes = (_CUES[kind].search(text) is not None for kind in ("revocation", "change"))
    was = _WAS.search(text) if revokes or changes else None
    words = words_of(_CUES["revocation"].sub(" ", text))
    # Elsewhere in a sentence it does not say whether something is on or off.
    particle = [word for word in words[-1:] if word in _PARTICLES]
    return _Statement(
        next((term for word in words for term in terms_of(word, language) if term in said), ""),
        frozenset((*said, *particle)),
        numbers_of(text),
        frozenset(denied),
        frozenset((*_terms(names_in(text), language), *said[-1:])),
        frozenset((*_terms(was[1], language), *numbers_of(was[1]))) if was else frozenset(),
        frozenset(_terms(text[: was.start()], language)) if was else frozenset(),
        revokes,
        changes,
    )


def _terms(text: str, language: str | None) -> list[str]:
    words = words_of(_FILLER.sub(" ", text))
    left_out = frozenset[str]().union(*map(function_words, spoken_languages(words)))
    return terms_of(" ".join(filterfalse(left_out.__contains__, words)), language)


def _content(text: str, language: str | None) -> Counter[str]:
    return Counter((*terms_of(text, language), *numbers_of(text)))


def _names(memory: Memory) -> set[str]:
    return {key for key in map(name_key, (*memory.aliases, *memory.about)) if key}
