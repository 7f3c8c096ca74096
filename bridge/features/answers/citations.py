"""Checks each sentence that a chat model wrote against the excerpts that it cites, and quotes what supports it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from bridge.features.answers.prompt import Source
from bridge.features.answers.quotes import RelevantNote, choose_quotes
from bridge.markdown.note import Note
from bridge.markdown.parse import parse
from bridge.records import Record
from bridge.search.sentences import Sentence
from bridge.text.extract import terms_of
from bridge.text.fold import fold_word
from bridge.text.sentence import sentence_ends
from bridge.text.stems import language_of
from bridge.text.words import TOKEN
from bridge.types import VaultPath

MIN_WORD_SHARE = 0.6
"""Share of a statement's content words that the cited text must say."""

_CITATIONS = re.compile(r"((?:\s*\[\d{1,3}\])+)([.!?…。！？]?)")
_CITATION = re.compile(r"\[(\d{1,3})\]")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_GROUPS = re.compile(r"[.,](?=\d{3}(?!\d))")
_CLAUSE_END = re.compile(r"[,;:()](?!\d)|\s[-–]\s|[—，；：、（）]")
_BULLET = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+")
_NEGATION_WORDS = """
not no never none nothing nobody without cannot nor neither
nicht kein keine keinen keinem keiner nie niemals ohne nichts
ne pas jamais aucun aucune sans rien
nunca sin ningún ninguna ninguno nada
non mai senza niente não nem sem
niet geen nooit zonder niets
не нет ни никогда без
"""
_NEGATIONS = frozenset(map(fold_word, _NEGATION_WORDS.split()))
_CONTRACTED = re.compile(r"n['’]t\b", re.IGNORECASE)
_UNSPACED_NEGATION = re.compile("[不没沒無无非未]|ない|ません|なかった")


class Statement(Record):
    """A sentence of an answer, and the numbers of the notes that it cites."""

    text: str
    cites: tuple[int, ...]


class _Clause(Record):
    terms: frozenset[str]
    negates: bool


def split_statements(answer: str) -> list[Statement]:
    """Split an answer into its sentences; numbers in brackets belong to the sentence before them."""
    found: list[Statement] = []
    at = 0
    for match in _CITATIONS.finditer(answer):
        *uncited, last = _sentences(answer[at : match.start()]) or [""]
        cites = tuple(dict.fromkeys(int(number) for number in _CITATION.findall(match[1])))
        at = match.end()
        found += [Statement(text, ()) for text in uncited]
        if last:
            found.append(Statement(f"{last}{match[2]}", cites))
        elif found:
            found[-1] = Statement(found[-1].text, tuple(dict.fromkeys((*found[-1].cites, *cites))))
    return found + [Statement(text, ()) for text in _sentences(answer[at:])]


def is_supported(statement: str, excerpts: Sequence[str]) -> bool:
    languages = {language_of(text) for text in excerpts}
    return any(_says(statement, excerpts, language) for language in languages)


def _says(statement: str, excerpts: Sequence[str], language: str | None) -> bool:
    clauses = [clause for text in excerpts for sentence in _sentences(text) for clause in _clauses(sentence, language)]
    terms = frozenset(terms_of(statement, language))
    everything = frozenset[str]().union(*(one.terms for one in clauses))
    if not terms or len(terms & everything) < MIN_WORD_SHARE * len(terms):
        return False
    if not _numbers(statement) <= frozenset(chain.from_iterable(map(_numbers, excerpts))):
        return False
    if not frozenset(terms_of(" ".join(_names(statement)), language)) <= everything:
        return False
    parts = [one for one in _clauses(statement, language) if len(one.terms) > 1] or [_clause(statement, language)]
    return all(_polarities(part.terms, clauses) == {part.negates} for part in parts)


def _sentences(text: str) -> list[str]:
    found, at = [], 0
    for stop in (*sentence_ends(text, (0, len(text)), by_lines=True), len(text)):
        if sentence := _BULLET.sub("", text[at:stop]).strip():
            found.append(sentence)
        at = stop
    return found


def _numbers(text: str) -> frozenset[str]:
    return frozenset(_GROUPS.sub("", number) for number in _NUMBER.findall(text))


def _names(statement: str) -> Iterator[str]:
    return (word for word in TOKEN.findall(statement) if word.lower() != word)


def _clauses(sentence: str, language: str | None) -> list[_Clause]:
    return [_clause(part, language) for part in _CLAUSE_END.split(sentence)]


def _clause(text: str, language: str | None) -> _Clause:
    return _Clause(frozenset(terms_of(text, language)), _negates(text))


def _polarities(terms: frozenset[str], clauses: Sequence[_Clause]) -> set[bool]:
    shared = [len(one.terms & terms) for one in clauses]
    most = max(shared, default=0)
    return {one.negates for one, count in zip(clauses, shared, strict=True) if count == most}


def _negates(sentence: str) -> bool:
    words = {fold_word(word) for word in TOKEN.findall(sentence)}
    return bool(not words.isdisjoint(_NEGATIONS) or _CONTRACTED.search(sentence) or _UNSPACED_NEGATION.search(sentence))


class SourceQuote(Record):
    """A sentence, and the excerpt in which it stands."""

    source: Source
    sentence: Sentence


class CheckedSentence(Record):
    """A sentence that a chat model wrote.

    Attributes:
        text: The sentence, without the numbers of what it cites.
        cites: The excerpts that it cites, as far as they were given.
        supported: Whether these say what it says, as far as words can tell.
        quotes: The closest sentence of each.
    """

    text: str
    cites: tuple[Source, ...]
    supported: bool
    quotes: tuple[SourceQuote, ...]


def check_sentences(text: str, sources: Sequence[Source], notes: Mapping[VaultPath, Note]) -> list[CheckedSentence]:
    """Check what a chat model wrote."""
    given = {source.number: source for source in sources}
    found = []
    for statement in split_statements(text):
        cited = tuple(given[number] for number in statement.cites if number in given)
        quotes = tuple(
            SourceQuote(source, quote.sentence)
            for source in cited
            if (note := _note_of(source, notes)) is not None
            for quote in choose_quotes(statement.text, [RelevantNote(note, 1.0, [source.lines])], 1)
        )
        supported = is_supported(statement.text, [source.text for source in cited])
        found.append(CheckedSentence(statement.text, cited, supported, quotes))
    return found


def _note_of(source: Source, notes: Mapping[VaultPath, Note]) -> Note | None:
    """Return the note in which an excerpt stands; what a tool answered is read as if it were one."""
    return parse(source.path, source.text.encode()) if source.tool else notes.get(source.path)
