"""Answers a question by sentences of notes: always there, without a chat model."""

from collections.abc import Sequence

from msgspec.structs import replace

from bridge.features.answers.prompt import Source
from bridge.features.answers.quotes import Quote, RelevantNote, choose_quotes, first_quotes, say_value
from bridge.features.answers.records import AnswerSentence, Citation
from bridge.features.answers.sources import FoundSources
from bridge.markdown.note import Note
from bridge.records import Record
from bridge.search.answerability import Answerability, QuotedLine, assess_quotes, unquoted_words
from bridge.search.sentences import Sentence, iter_asides, iter_sentences
from bridge.text.invisible import inline
from bridge.text.lines import lines_overlap

QUOTES = 3
"""Maximum number of quoted sentences."""


class QuotedAnswer(Record):
    """The quotes for a question, and what they say.

    Attributes:
        sources: The excerpts, those first that are quoted.
        citations: The quotes, best first.
        answerability: Whether they answer the question; None where that is not judged.
        notices: Where the best note says what no quote can say.
    """

    sources: tuple[Source, ...]
    citations: tuple[Citation, ...]
    answerability: Answerability | None
    notices: tuple[str, ...]


def quote_sources(question: str, found: FoundSources, most: int = QUOTES) -> QuotedAnswer:
    relevant = [
        RelevantNote(found.notes[one.path], found.scores[one.number], [one.lines])
        for one in found.sources
        if one.path in found.notes
    ]
    quotes = _with_named(choose_quotes(question, relevant, most), found, most)
    places = [_source_of(one.sentence, found.sources) for one in quotes]
    ordered = [*dict.fromkeys(places), *(at for at in range(len(found.sources)) if at not in places)]
    sources = tuple(replace(found.sources[at], number=number) for number, at in enumerate(ordered, 1))
    citations = tuple(
        cite_sentence(one.sentence, sources[ordered.index(at)]) for one, at in zip(quotes, places, strict=True)
    )
    if found.answerability is None:
        return QuotedAnswer(sources, citations, None, ())
    lines = [QuotedLine(one.sentence.text, one.above) for one in quotes if not one.asks]
    read = [f"{found.notes[one.path].title} {one.heading}" for one in found.sources if one.path in found.notes]
    judged = assess_quotes(found.answerability, question, found.asked, lines, read)
    return QuotedAnswer(sources, citations, judged, _tell_unquoted(judged, found))


def _with_named(quotes: list[Quote], found: FoundSources, most: int) -> list[Quote]:
    said = {one.sentence.path for one in quotes}
    named = [
        quote
        for path in dict.fromkeys(one.path for one in found.sources if one.path in found.named)
        if path not in said and path in found.notes
        for quote in first_quotes(found.notes[path], most)
    ]
    return [*named, *quotes][:most]


def _source_of(sentence: Sentence, sources: Sequence[Source]) -> int:
    """Return the place of the excerpt in which a sentence stands; of a property any of its note."""
    own = [at for at, one in enumerate(sources) if one.path == sentence.path]
    return next((at for at in own if lines_overlap(sources[at].lines, sentence.lines)), own[0])


def _tell_unquoted(judged: Answerability, found: FoundSources) -> tuple[str, ...]:
    """Say which words the best note says where nothing can be quoted: in code, formulas, HTML."""
    if not (judged.missing and found.sources) or (note := found.notes.get(found.sources[0].path)) is None:
        return ()
    excerpts = [one for one in found.sources if one.path == note.path]
    properties = (f"{name} {value}" for name, own in note.properties.items() if (value := say_value(own)))
    read = " ".join([*properties, *(one.text for one in excerpts)])
    words = unquoted_words(judged.missing, read, _quotable(note))
    if not words:
        return ()
    said = ", ".join(f"\u201c{inline(word)}\u201d" for word in words[:3])
    return (f"*{inline(note.title)}* says {said} where nothing is quoted: in code, a formula, HTML or its properties.",)


def _quotable(note: Note) -> str:
    return " ".join(one.text for said in (iter_sentences, iter_asides) for one in said(note))


def cite_sentence(sentence: Sentence, source: Source) -> Citation:
    return Citation(source.number, source.path, source.heading, sentence.lines, inline(sentence.text), source.tool)


def join_quotes(citations: Sequence[Citation]) -> str:
    return "\n".join(f"{one.quote} [{one.number}]" for one in citations)


def quoted_sentences(citations: Sequence[Citation]) -> tuple[AnswerSentence, ...]:
    return tuple(AnswerSentence(one.quote, (one.number,), supported=True) for one in citations)
