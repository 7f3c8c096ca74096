"""Answers a question by sentences of notes: always there, without a chat model."""

from collections.abc import Sequence

from bridge.answers.prompt import Source
from bridge.answers.quotes import RelevantNote, choose_quotes
from bridge.features.answers.records import AnswerSentence, Citation
from bridge.features.answers.sources import FoundSources
from bridge.search.sentences import Sentence
from bridge.text.invisible import inline
from bridge.text.lines import lines_overlap

QUOTES = 3
"""Maximum number of quoted sentences."""


def quote_sources(question: str, found: FoundSources, most: int = QUOTES) -> list[Citation]:
    """Return the sentences of the excerpts that answer a question best, the best first."""
    relevant = [
        RelevantNote(found.notes[one.path], found.scores[one.number], [one.lines])
        for one in found.sources
        if one.path in found.notes
    ]
    return [_cite(quote.sentence, found.sources) for quote in choose_quotes(question, relevant, most)]


def _cite(sentence: Sentence, sources: Sequence[Source]) -> Citation:
    """Cite a sentence by the excerpt in which it stands; a property by any excerpt of its note."""
    own = [one for one in sources if one.path == sentence.path]
    return cite_sentence(sentence, next((one for one in own if lines_overlap(one.lines, sentence.lines)), own[0]))


def cite_sentence(sentence: Sentence, source: Source) -> Citation:
    """Cite a sentence of an excerpt."""
    return Citation(source.number, source.path, source.heading, sentence.lines, inline(sentence.text), source.tool)


def join_quotes(citations: Sequence[Citation]) -> str:
    """Return quotes as an answer, one a line."""
    return "\n".join(f"{one.quote} [{one.number}]" for one in citations)


def quoted_sentences(citations: Sequence[Citation]) -> tuple[AnswerSentence, ...]:
    """Return quotes as the sentences of an answer, which support themselves."""
    return tuple(AnswerSentence(one.quote, (one.number,), supported=True) for one in citations)
