"""Answers a question by sentences of notes: always there, without a chat model."""

import asyncio
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import compress, islice

import numpy as np
from msgspec.structs import replace

from bridge.features.answers.prompt import Source
from bridge.features.answers.question_kind import (
    ask_of_choice,
    asked_senses,
    asks_for_several,
    can_answer,
    is_of_another_kind,
    kind_of,
    kind_phrases,
    kind_words,
)
from bridge.features.answers.quotes import (
    MAX_LIST_CHARS,
    MAX_PROPERTY_CHARS,
    OF_THE_FILE,
    OF_THE_NOTE,
    AskedNote,
    Quote,
    RankedLines,
    RelevantNote,
    find_nearest,
    first_quotes,
    iter_quotable,
    list_properties,
    say_value,
)
from bridge.features.answers.records import AnswerSentence, Citation
from bridge.features.answers.sources import FoundSources
from bridge.markdown.note import Note
from bridge.records import Record
from bridge.search.answerability import (
    Answerability,
    AskedWords,
    QuotedLine,
    assess_quotes,
    unquoted_words,
)
from bridge.search.calibrate import model_calibration, model_trust
from bridge.search.model import Sources
from bridge.search.read_query import read_question
from bridge.search.sentences import Sentence, join_introduced, widen
from bridge.text.closest import may_be_forms
from bridge.text.days import cut_days, full_days
from bridge.text.fold import fold_case, fold_word
from bridge.text.function_words import question_languages
from bridge.text.invisible import inline
from bridge.text.lines import lines_overlap
from bridge.text.stems import foreign_language
from bridge.text.words import TOKEN, is_letters, words_of
from bridge.types import VaultPath

MAX_QUOTES = 3
"""Maximum number of quoted sentences."""

MIN_QUOTE_SHARE = 0.3
"""Share of the chance of the best quote from which another is shown beside it."""

MAX_QUOTE_CHARS = 300
"""Characters up to which a quoted sentence is shown with those beside it: they often say who or what it is about."""


SUBJECT_SHARE = 0.2
"""Share of the name of a note that a question says from which the name counts as said by its lines."""

MAX_PROPERTIES, RIVAL_LINES = 20, 12
"""Properties of a note whose nearness to what is asked is measured, and lines than which one must be nearer."""

LINES_AT_ONCE, MEANING_S = 16, 2.0
"""Lines that a model is given at once, and seconds after which it is given no more."""

WHOLE_CHARS = 4_000
"""Characters up to which all of a note is read, not only its relevant passages: the answer often stands beside them."""


class QuotedAnswer(Record):
    """The quotes for a question, best first, and whether they answer it."""

    sources: tuple[Source, ...]
    """The excerpts, those first that are quoted."""
    citations: tuple[Citation, ...]
    answerability: Answerability | None
    notices: tuple[str, ...]
    """Where the best note says what no quote can say."""


async def quote_sources(searched: Sources, question: str, found: FoundSources) -> QuotedAnswer:
    best: dict[VaultPath, RelevantNote] = {}
    for one in found.sources:
        if one.path in found.notes:
            note = found.notes[one.path]
            known = best.get(one.path) or RelevantNote(note, found.scores[one.number])
            is_whole = one.path not in found.named and len(note.text) <= WHOLE_CHARS
            best[one.path] = known if is_whole else replace(known, lines=(*known.lines, one.lines))
    relevant = [*best.values()]
    read = cut_days(question)
    if not searched.reading:
        spelt = await asyncio.to_thread(read_question, read, searched.index)
        # A publisher is not what was published.
        read = spelt if kind_of(spelt) == kind_of(read) else read
    read = " ".join([read, *sorted(full_days(question))])
    asked = await asyncio.to_thread(lambda: [one.ask(read) for one in relevant])
    lines = await asyncio.to_thread(RankedLines, read, [await _read_properties(searched, one) for one in asked])
    nearness = await measure_nearness(searched, read, lines.texts())
    return await asyncio.to_thread(_cite, question, read, found, lines, nearness)


async def measure_nearness(searched: Sources, question: str, texts: Sequence[str]) -> list[float]:
    """Return how near lines are to a question in meaning, from 0 to 1; nothing where no model reads its language.

    On a slow machine only of the first lines.
    """
    curve = model_calibration(searched.index.answering_model).curve
    return [*map(curve, await _measure_cosines(searched, question, texts, MEANING_S))] if curve else []


async def _measure_cosines(
    searched: Sources, question: str, texts: Sequence[str], within_s: float = math.inf
) -> list[float]:
    meaning = model_calibration(searched.index.answering_model)
    if not texts or meaning.curve is None or model_trust(question, meaning, foreign_language(question)) < 1:
        return []
    read: list[np.ndarray | None] = []
    until, left = time.monotonic() + within_s, [question, *texts]
    while left and (not read or time.monotonic() < until):
        # A few at once, so that others need not wait for all.
        read += await asyncio.gather(*map(searched.embed_query, left[:LINES_AT_ONCE]))
        left = left[LINES_AT_ONCE:]
    vectors = [one for one in read if one is not None]
    return [float(one @ vectors[0]) for one in vectors[1:]] if len(vectors) == len(read) else []


async def _read_properties(searched: Sources, one: AskedNote) -> AskedNote:
    """Return a note that a question names with the property that alone says in other words what it asks of it."""
    said = {
        name: value for name, value in list_properties(one.note).items() if not OF_THE_NOTE.fullmatch(fold_case(name))
    }
    if not (one.is_named and one.left and said):
        return one
    names, lines = [*said][:MAX_PROPERTIES], [line.text for line in islice(iter_quotable(one.note), RIVAL_LINES)]
    texts = [*names, *(f"{name}: {said[name]}" for name in names)]
    found = await _measure_cosines(searched, one.left, [*texts, *lines])
    near = {name: sum(pair) / 2 for name, *pair in zip(names, found, found[len(names) :], strict=False)}
    least = model_calibration(searched.index.answering_model).near
    return replace(one, nearest=find_nearest(near, least, found[len(texts) :]))


def _cite(
    question: str, read: str, found: FoundSources, ranked: RankedLines, nearness: Sequence[float]
) -> QuotedAnswer:
    chosen = ranked.choose(MAX_QUOTES, nearness)
    least = 0.0 if asks_for_several(question) else MIN_QUOTE_SHARE * max((one.score for one in chosen), default=0.0)
    quotes = _with_named([one for one in chosen if one.score >= least], found, MAX_QUOTES)
    shown = _widen(quotes, found.notes)
    places = [_source_of(one, found.sources) for one in shown]
    ordered = [*dict.fromkeys(places), *(at for at in range(len(found.sources)) if at not in places)]
    sources = tuple(replace(found.sources[at], number=number) for number, at in enumerate(ordered, 1))
    citations = tuple(cite_sentence(one, sources[ordered.index(at)]) for one, at in zip(shown, places, strict=True))
    if found.answerability is None:
        return QuotedAnswer(sources, citations, None, ())
    lines = say_lines(quotes, shown, ranked, found, question)
    # Where a price is asked for and not told, that alone is missing.
    phrases, units = kind_phrases(ranked.kind, question), kind_phrases(None, question)
    asks_for = phrases[-1] if ranked.kind and lines else ask_of_choice(question, [one.text for one in shown])
    asked = AskedWords(question, found.asked, read, asks_for, bool(units))
    judged = assess_quotes(found.answerability, asked, lines, found.closest)
    unquoted = _find_unquoted(judged, found)
    if judged.verdict == "not_in_vault":
        # Beside the point, unless it is of the note that is named as the closest.
        citations = tuple(one for one in citations if found.notes[one.path].title == found.closest)[:1]
        if judged.missing[:1] and judged.missing[0] in unquoted:
            judged = replace(judged, verdict="partial")
    elif judged.verdict == "partial":
        # Further lines are seldom more than beside what is asked, but lists of the same note.
        lists = [one.kind == "heading" and one.path == shown[0].path for one in shown]
        citations = (*citations[:1], *compress(citations[1:], lists[1:] if asks_for_several(question) else ()))
    return QuotedAnswer(sources, citations, judged, _tell_unquoted(unquoted, found))


def say_lines(
    quotes: Sequence[Quote], shown: Sequence[Sentence], ranked: RankedLines, found: FoundSources, question: str
) -> list[QuotedLine]:
    """Return what quotes say, each as it is shown, with what is above it and the properties of its note."""
    kind = ranked.kind
    asked = " ".join(kind_words(kind, question)) if kind else ""
    lines = []
    for one in quotes:
        own, note = one.sentence.text, found.notes[one.sentence.path]
        fits = not (one.asks or (kind and is_of_another_kind(kind, own, question)))
        wide = next((each.text for each in shown if each.path == note.path and own in each.text), own)
        asked_note = ranked.named[note.path]
        above = one.above if asked_note.share >= SUBJECT_SHARE else one.above.removeprefix(note.title)
        text = " ".join((wide, above, *_say_properties(note), "" if one.lacks else asked))
        senses = (word for word, _, says in asked_senses(question) if says.search(text))
        every = " ".join((text, *_find_forms(question, text), *senses))
        # Of somebody or a place, what is above and beside names others; of a date or an amount it may be the answer.
        whole = wide if kind in ("person", "place") else text
        has_kind = kind is not None and (not one.lacks or can_answer(kind, whole, question))
        lines.append(QuotedLine(every, one.score, fits, asked_note.is_named, has_kind, wide, one.apart))
    if kind in ("person", "place") and lines and not lines[0].has_kind:
        # Other lines name others; the names in a question such as "Who is Ada Quill?" are all that it asks.
        others = {fold_word(word) for word in TOKEN.findall(question) if word[0].islower()}
        lines = [replace(one, has_kind=others.isdisjoint(found.asked)) for one in lines]
    return lines


def _find_forms(question: str, text: str) -> Iterator[str]:
    """Yield the words of a question of which a text has another form, in languages whose stems may not tell."""
    asked = words_of(question)
    if question_languages(asked):
        others = [*filter(is_letters, {*words_of(text)})]
        yield from (one for one in filter(is_letters, asked) if any(may_be_forms(one, other) for other in others))


def _widen(quotes: Sequence[Quote], notes: Mapping[VaultPath, Note]) -> list[Sentence]:
    """Return the sentences to show, each with those beside it; what one shows already is not shown again."""
    shown = list[Sentence]()
    for one in (one.sentence for one in quotes):
        if not any(one.path == other.path and one.text in other.text for other in shown):
            note = notes[one.path]
            [wide] = join_introduced(
                note, [widen(note, one, MAX_QUOTE_CHARS)], 2 * MAX_LIST_CHARS, code=True, leads=True
            )
            is_told = any(one.path == other.path and lines_overlap(wide.lines, other.lines) for other in shown)
            shown.append(one if is_told else wide)
    return shown


def _say_properties(note: Note) -> list[str]:
    """Return the values of a note's properties, which are true of each of its lines, such as who wrote it."""
    return [
        value[:MAX_PROPERTY_CHARS]
        for name, value in list_properties(note).items()
        if not (name in ("title", "aliases") or OF_THE_FILE.fullmatch(fold_case(name)))
    ]


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


def _find_unquoted(judged: Answerability, found: FoundSources) -> list[str]:
    """Return the missing words that the best note says where nothing can be quoted."""
    if not (judged.missing and found.sources) or (note := found.notes.get(found.sources[0].path)) is None:
        return []
    excerpts = [one for one in found.sources if one.path == note.path]
    properties = (f"{name} {value}" for name, own in note.properties.items() if (value := say_value(own)))
    read = " ".join([*properties, *(one.text for one in excerpts)])
    quotable = " ".join([note.title, *note.aliases, *(one.text for one in iter_quotable(note))])
    return unquoted_words(judged.missing, read, quotable)


def _tell_unquoted(words: Sequence[str], found: FoundSources) -> tuple[str, ...]:
    if not words:
        return ()
    said = ", ".join(f"\u201c{inline(word)}\u201d" for word in words[:3])
    title = inline(found.notes[found.sources[0].path].title)
    return (f"*{title}* says {said} where nothing is quoted, such as in code or a formula.",)


def cite_sentence(sentence: Sentence, source: Source) -> Citation:
    return Citation(source.number, source.path, source.heading, sentence.lines, inline(sentence.text), source.tool)


def join_quotes(citations: Sequence[Citation]) -> str:
    return "\n".join(f"{one.quote} [{one.number}]" for one in citations)


def quoted_sentences(citations: Sequence[Citation]) -> tuple[AnswerSentence, ...]:
    return tuple(AnswerSentence(one.quote, (one.number,), supported=True) for one in citations)
