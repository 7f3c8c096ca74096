"""What two memories have in common, and whether the later one says otherwise."""

import hashlib
import re
from collections import Counter
from collections.abc import Mapping
from functools import cache
from typing import Final

from bridge.features.memory.memory_note import Memory, name_key
from bridge.records import Record
from bridge.text.content_terms import terms_of
from bridge.text.fold import fold_case
from bridge.text.overlap import find_overlaps
from bridge.text.scripts import UNSPACED_CHARACTER
from bridge.text.sentence import negates, numbers_of, split_clauses, split_sentences
from bridge.text.stems import language_of
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

_REVOCATION: Final = re.compile(
    r"""
    no\ longer | \bnot\b(?=.*\bany\ ?more\b) | instead\ of | rather\ than | changed\ \w+\ minds? | cancel | called\ off
    | dropped | postponed | moved\ (?:to|from) | revoked | reversed | abandoned | replaced\ by
    | removed | obsolete | deprecated | changed\ (?:to|from)
    | nicht\ mehr | \bkein\w*\b(?=.*\bmehr\b) | \b(?:an)?statt\ (?!und\b) | anstelle
    | abgesagt | verschoben | verlegt | umgezogen | verworfen | aufgehoben | gestrichen | veraltet
    | \bn(?:e\ |['’])\w+\ plus\b | non\ plus | au\ lieu | annulé | reporté
    | \bya\ no\b | \ben\ (?:lugar|vez)\ de\b | cancelad | aplazad
    | \bnon\ (?:\w+\ ){1,3}più\b | invece\ di | al\ posto\ di | annullat | rimandat
    | já\ não | \bnão\b(?=.*\bmais\b) | \bem\ vez\ de\b | adiad
    | niet\ meer | \bgeen\b(?=.*\bmeer\b) | in\ plaats\ van | uitgesteld
    | больше\ не | вместо | отмен | перенес
    | 不再 | 改[为成到用由] | 代替 | 取消 | 推迟 | 延期 | 而不是 | 変更 | 中止 | 代わり
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""Says that something else held before."""

_REASON: Final = re.compile(
    r"\b(?:because|since|so that|after|weil|damit|seit|parce que|perché|porque)\b", re.IGNORECASE
)
"""Begins a clause that says why."""

_ADDRESS: Final = re.compile(r"\]\([^)]*\)|https?://\S+|<[^>]*>")

_PARTICLES: Final = frozenset(
    {"on", "off", "an", "aus", "auf", "zu", "ab", "på", "av", "til", "fra", "aan", "uit", "op", "dicht"}
)
"""What says how something is where it ends a sentence, as in `the heating is on`."""

_FILLER: Final = re.compile(
    r"""\b(?:user|prefers?|likes?|wants?|may|can|should|must|now|only|all|still|uses?|mind|mrs?|frau|herr
    |jetzt|ab|darf|dürfen|kann|soll|sollen|muss|müssen|nur|alle|mehr|mag|immer|unser\w*
    |désormais|seulement|tous|toujours|ahora|solo|todos|ya|ora|tutti|più|теперь|только|больше|все|nu)\b""",
    re.VERBOSE | re.IGNORECASE,
)
"""What memories say of any subject; none is the value of something."""


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
    revokes: bool


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
        language = language_of(f"{old.title}\n{old_text}\n{new.title}\n{text}")
        (own, statements), other = read_new(language), _read(old.title, old_text, language)
        common = own.content & other.content
        share = max(2 * common.total() / max(1, own.content.total() + other.content.total()), overlap)
        shared = new.is_global or old.is_within(tuple(map(str.casefold, new.scope)))
        if not shared or "open_question" in {new.kind, old.kind}:
            return Comparison(share, contrary=False)
        if name_key(new.title) == name_key(old.title) != "" and STATEMENTS.issuperset((new.kind, old.kind)):
            return Comparison(share, contrary=digest != text_digest(old_text))
        if (own.is_apart(other) and other.is_apart(own)) or len(common) < MIN_TERMS - 1:
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
    if len(shared) < MIN_TERMS - 1:
        return False
    share = len(shared) / min(len(one.terms), len(before.terms))
    is_run = any(map(UNSPACED_CHARACTER.search, shared))
    if one.revokes and share >= (RUN_REVOKED_SHARE if is_run else REVOKED_SHARE):
        return True
    if not (is_named or len(shared) >= MIN_TERMS or shared & (new.title | old.title)):
        return False
    if shared.isdisjoint(one.denied) != shared.isdisjoint(before.denied) and share >= DENIED_SHARE:
        return True
    is_same = (shared & new.title or not old.is_apart(new)) and (shared & old.title or not new.is_apart(old))
    return bool(is_named or is_same) and _differ(one, before, shared, share, is_run=is_run)


def _differ(one: _Statement, before: _Statement, shared: frozenset[str], share: float, *, is_run: bool) -> bool:
    """Return whether two statements differ in a number, or in nothing but a word."""
    numbers = one.numbers - before.numbers, before.numbers - one.numbers
    rest = one.terms - shared, before.terms - shared
    if all(numbers) and (not all(rest) or (is_run and share >= RUN_NUMBER_SHARE)):
        return True
    if is_run and one.first == before.first:
        # What is spoken of comes first, and a changed character is in two terms.
        return [*map(len, rest)] == [2, 2] and not any(numbers)
    values = sorted(len(words) + len(figures) for words, figures in zip(rest, numbers, strict=True))
    return values == [1, 1] or (values == [1, 2] and len(shared) >= MIN_TERMS)


def _read(title: str, text: str, language: str | None) -> _MemoryTerms:
    return _MemoryTerms(frozenset(_content(title, language)), _content(text, language))


def _statements(text: str, language: str | None, *, is_new: bool) -> list[_Statement]:
    """Return the statements of a text: its sentences, and of a new one also their clauses."""
    sentences = split_sentences(_ADDRESS.sub(" ", text[:MAX_COMPARED_CHARS]))
    parts = [part for one in sentences for clause in split_clauses(one) for part in _REASON.split(clause)]
    said = [_read_statement(part, language) for part in (*sentences, *(parts if is_new else ()))]
    return [
        one for place, one in enumerate(said) if place < len(sentences) or len(one.terms | one.numbers) >= MIN_TERMS
    ]


def _read_statement(text: str, language: str | None) -> _Statement:
    said, denied = (
        terms_of(_FILLER.sub(" ", _REVOCATION.sub(" ", part)), language)
        for part in (text, " ".join(filter(negates, split_clauses(text))))
    )
    revokes = _REVOCATION.search(text) is not None
    # Elsewhere in a sentence it does not say whether something is on or off.
    particle = [word for word in words_of(text)[-1:] if word in _PARTICLES]
    terms = frozenset((*said, *particle))
    return _Statement("".join(said[:1]), terms, numbers_of(text), frozenset(denied), revokes)


def _content(text: str, language: str | None) -> Counter[str]:
    return Counter((*terms_of(text, language), *numbers_of(text)))


def _names(memory: Memory) -> set[str]:
    return {key for key in map(name_key, (*memory.aliases, *memory.about)) if key}
