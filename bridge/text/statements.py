"""What the statements of a text say: their clauses, terms and numbers, and whether they deny something."""

import re
from typing import Final

from bridge.records import Record
from bridge.text.content_terms import terms_of
from bridge.text.fold import fold_word
from bridge.text.sentence import sentence_ends
from bridge.text.words import TOKEN

_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")
_GROUPS: Final = re.compile(r"[.,](?=\d{3}(?!\d))")
_CLAUSE_END: Final = re.compile(r"[,;:()](?!\d)|\s[-–]\s|[—，；：、（）]")
_BULLET: Final = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+")
_NEGATION_WORDS: Final = """
not no never none nothing nobody without cannot nor neither
nicht kein keine keinen keinem keiner nie niemals ohne nichts
ne pas jamais aucun aucune sans rien
nunca sin ningún ninguna ninguno nada
non mai senza niente não nem sem
niet geen nooit zonder niets
не нет ни никогда без
"""
_NEGATIONS: Final = frozenset(map(fold_word, _NEGATION_WORDS.split()))
_CONTRACTED: Final = re.compile(r"n['’]t\b", re.IGNORECASE)
_UNSPACED_NEGATION: Final = re.compile("[不没沒無无非未]|ない|ません|なかった")


class Clause(Record):
    """A clause, or a whole sentence: the terms that it says, and whether it denies something."""

    terms: frozenset[str]
    negates: bool


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text, and the items of its lists."""
    found, at = [], 0
    for stop in (*sentence_ends(text, (0, len(text)), by_lines=True), len(text)):
        if sentence := _BULLET.sub("", text[at:stop]).strip():
            found.append(sentence)
        at = stop
    return found


def split_clauses(sentence: str) -> list[str]:
    return _CLAUSE_END.split(sentence)


def read_clauses(sentence: str, language: str | None) -> list[Clause]:
    return [read_clause(part, language) for part in split_clauses(sentence)]


def read_clause(text: str, language: str | None) -> Clause:
    return Clause(frozenset(terms_of(text, language)), negates(text))


def numbers_of(text: str) -> frozenset[str]:
    """Return the numbers of a text, without the marks that group their digits."""
    return frozenset(_GROUPS.sub("", number) for number in _NUMBER.findall(text))


def negates(text: str) -> bool:
    words = {fold_word(word) for word in TOKEN.findall(text)}
    return bool(not words.isdisjoint(_NEGATIONS) or _CONTRACTED.search(text) or _UNSPACED_NEGATION.search(text))
