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
from bridge.text.content_terms import terms_of
from bridge.text.statements import Clause, numbers_of, read_clause, read_clauses, split_sentences
from bridge.text.stems import language_of
from bridge.text.words import TOKEN
from bridge.types import VaultPath

MIN_WORD_SHARE = 0.6
"""Share of a statement's content words that the cited text must say."""

_CITATIONS = re.compile(r"((?:\s*\[\d{1,3}\])+)([.!?…。！？]?)")
_CITATION = re.compile(r"\[(\d{1,3})\]")


class Statement(Record):
    """A sentence of an answer, and the numbers of the notes that it cites."""

    text: str
    cites: tuple[int, ...]


def split_statements(answer: str) -> list[Statement]:
    """Split an answer into its sentences; numbers in brackets belong to the sentence before them."""
    found: list[Statement] = []
    at = 0
    for match in _CITATIONS.finditer(answer):
        *uncited, last = split_sentences(answer[at : match.start()]) or [""]
        cites = tuple(dict.fromkeys(int(number) for number in _CITATION.findall(match[1])))
        at = match.end()
        found += [Statement(text, ()) for text in uncited]
        if last:
            found.append(Statement(f"{last}{match[2]}", cites))
        elif found:
            found[-1] = Statement(found[-1].text, tuple(dict.fromkeys((*found[-1].cites, *cites))))
    return found + [Statement(text, ()) for text in split_sentences(answer[at:])]


def is_supported(statement: str, excerpts: Sequence[str]) -> bool:
    languages = {language_of(text) for text in excerpts}
    return any(_says(statement, excerpts, language) for language in languages)


def _says(statement: str, excerpts: Sequence[str], language: str | None) -> bool:
    sentences = [sentence for text in excerpts for sentence in split_sentences(text)]
    clauses = [clause for sentence in sentences for clause in read_clauses(sentence, language)]
    terms = frozenset(terms_of(statement, language))
    everything = frozenset[str]().union(*(one.terms for one in clauses))
    if not terms or len(terms & everything) < MIN_WORD_SHARE * len(terms):
        return False
    if not numbers_of(statement) <= frozenset(chain.from_iterable(map(numbers_of, excerpts))):
        return False
    if not frozenset(terms_of(" ".join(_names(statement)), language)) <= everything:
        return False
    parts = [one for one in read_clauses(statement, language) if len(one.terms) > 1]
    parts = parts or [read_clause(statement, language)]
    return all(_polarities(part.terms, clauses) == {part.negates} for part in parts)


def _names(statement: str) -> Iterator[str]:
    return (word for word in TOKEN.findall(statement) if word.lower() != word)


def _polarities(terms: frozenset[str], clauses: Sequence[Clause]) -> set[bool]:
    shared = [len(one.terms & terms) for one in clauses]
    most = max(shared, default=0)
    return {one.negates for one, count in zip(clauses, shared, strict=True) if count == most}


class SourceQuote(Record):
    """A sentence, and the excerpt in which it stands."""

    source: Source
    sentence: Sentence


class CheckedSentence(Record):
    """A sentence that a chat model wrote, the given excerpts that it cites, and the closest sentence of each."""

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
