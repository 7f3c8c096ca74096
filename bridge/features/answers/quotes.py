"""Chooses the sentences of relevant notes that answer a question best: an answer without a language model."""

import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, islice
from operator import mul
from typing import Final

from bridge.features.answers.question_kind import (
    Kind,
    asked_senses,
    asks_for_several,
    asks_whether,
    can_answer,
    counts_asked,
    kind_of,
    kind_phrases,
    names_answer,
)
from bridge.markdown.edit.yaml_write import read_entries
from bridge.markdown.frontmatter import cut_frontmatter
from bridge.markdown.note import Note, Value
from bridge.markdown.sections import heading_paths
from bridge.records import Record
from bridge.search.answerability import asked_stems
from bridge.search.calibrate import log_odds, stand_out
from bridge.search.sentences import (
    BLANK,
    COLONS,
    LINES_BELOW,
    Sentence,
    find_leads,
    iter_asides,
    iter_sentences,
    iter_short_leads,
    join_introduced,
)
from bridge.search.snippet import clean_text
from bridge.text.closest import are_alike
from bridge.text.content_terms import question_words, said_terms, terms_of
from bridge.text.days import asked_days, cut_days, days_in, full_days
from bridge.text.fold import fold_case
from bridge.text.function_words import question_languages
from bridge.text.lines import LineIndex, lines_overlap
from bridge.text.sentence import asks
from bridge.text.stems import DEFAULT, FREQUENT_WORDS, OTHER_LANGUAGE, language_of
from bridge.text.words import RUN, count_words, words_of
from bridge.types import Lines

MAX_PROPERTY_CHARS: Final = 300
"""Characters of a property that is quoted."""

MAX_NAME_CHARS: Final = 60
"""Characters of a property up to which it names what each line of its note is about, such as who wrote it."""

MAX_LIST_CHARS: Final = 400
"""Characters of a sentence that is quoted with the list, code or table that it introduces."""

_DAY: Final = re.compile(r"\d{4}-\d\d(?:-\d\d)?\b")

OF_THE_FILE: Final = re.compile(r"(?:\w+ )?(?:created|updated|modified)")
"""Properties that tell when a note was written, not when what it is about happened."""

OF_THE_NOTE: Final = re.compile(rf"{OF_THE_FILE.pattern}|title|aliases|tags|(?:sub)?type|category|categories")
"""These, and properties that tell what a note is, not what is asked of it, unless by their names."""


MIN_RELATED_CHARS, MIN_RELATED_LIKENESS = 5, 80
"""Letters of a word, and likeness (0-100), from which another is related, as `autor` is to `author`."""


MIN_LEAD = 0.05
"""How much nearer in meaning to what is asked of its note a property that says it is than all else there."""

NAMED_SHARE = 0.5
"""Share of a name that a question says which names the note."""


def list_properties(note: Note) -> dict[str, str]:
    """Return what properties say that can be quoted, by their names."""
    return {name: text for name, value in note.properties.items() if (text := say_value(value))}


def find_nearest(properties: Mapping[str, float], least: float, others: Sequence[float] = ()) -> str:
    """Return the property that is clearly nearer to what is asked than others and lines of its note; "" if none is."""
    nearest = max(properties, key=properties.__getitem__, default="")
    rivals = (*others, *(each for name, each in properties.items() if name != nearest))
    return nearest if properties.get(nearest, 0.0) >= max(least, MIN_LEAD + max(rivals, default=0.0)) else ""


def asked_properties(
    asked_note: "AskedNote", question: str, kind: Kind | None
) -> Iterator[tuple[Sentence, frozenset[str], str]]:
    """Yield properties, as in `rating: 7`, of a note that a question names, with what of it each says and answers."""
    note, language, titled = asked_note.note, asked_note.language, asked_note.named
    cut = cut_frontmatter(note.text) if note.properties else None
    # Of a note that the question does not name, only the day answers on which it asks whether something was.
    days = full_days(question) if asks_whether(question) else frozenset[str]()
    # Who is an accountant is the person of whose note a property says just that.
    asks_who = kind == "person" and not titled and asked_note.asked
    if cut is None or not (titled or days or asks_who):
        return
    values, senses, asked_for = list_properties(note), asked_senses(question), dict[str, list[str]]()
    terms = {name: {*terms_of(value, language)} for name, value in values.items() if asks_who}
    whole = {name for name, own in terms.items() if own <= asked_note.asked and len(asked_note.asked) <= 2 * len(own)}
    for name, value in [*values.items()]:
        folded = fold_case(name)
        asked_for[name] = [word for word, names, _ in senses if folded in names]
        meant = " ".join((name, *asked_for[name]))
        is_name = kind in ("person", "place") and names_answer(kind, name)
        if name not in whole and kind and not (is_name or can_answer(kind, f": {value}", question, meant)):
            del values[name]
    # What another property says, such as that it is an album, tells of which note something is asked.
    every = " ".join(value for value in list_properties(note).values() if len(value) <= MAX_NAME_CHARS)
    left = asked_note.asked - titled
    unsaid = left.difference(terms_of(every, language))
    lines, (start, end) = LineIndex(note.text), cut[0]
    for entry in read_entries(note.text[start:end]) or ():
        if entry.name is None or entry.name not in values:
            continue
        folded, value = fold_case(entry.name), values[entry.name]
        meant = " ".join((entry.name, *asked_for[entry.name]))
        said = _find_related_terms(left, terms_of(meant, language))
        is_kind = (
            kind is not None
            and not OF_THE_FILE.fullmatch(folded)
            and (names_answer(kind, entry.name) or (kind == "moment" and not left and _DAY.match(value) is not None))
            # What is asked of it, such as who published it, has a name of its own.
            and titled
            and (said or len(unsaid) <= 1)
        )
        if entry.name == asked_note.nearest or entry.name in whole:
            said = left
            # Of a person, what the others are is another thing: who published it did not write it.
            meant = f"{meant} {asked_note.left}" if kind is None else meant
        dated = days_in(value) & asked_note.asked
        if not titled and entry.name not in whole:
            said = frozenset() if OF_THE_FILE.fullmatch(folded) else dated
        said |= dated if titled else frozenset()
        # Without spaces, pairs of characters that join a word to the next are no words.
        unspaced = [word for word in asked_for[entry.name] if RUN.fullmatch(word)]
        said |= {one for word in unspaced for one in left if one in word or one[-1] == word[0] or one[0] == word[-1]}
        if is_kind or said or (titled and counts_asked(question, value)):
            text = clean_text(f"{entry.name}: {value}")[:MAX_PROPERTY_CHARS]
            first, last = (start + offset for offset in entry.lines)
            sentence = Sentence(
                note.path, text, lines.over((first, max(first, last - 1))), "paragraph", count_words(text)
            )
            yield sentence, titled | said | left.intersection(terms_of(text, language)), meant


def _find_related_terms(some: Collection[str], others: Collection[str]) -> frozenset[str]:
    """Return those of some terms that are among others, or like one of them."""
    long = [one for one in others if len(one) >= MIN_RELATED_CHARS]
    return frozenset(
        one for one in some if one in others or any(are_alike(one, other, MIN_RELATED_LIKENESS) for other in long)
    )


def say_value(value: Value) -> str:
    """Return a value as text: of a list its items; "" for what says nothing alone, such as `mobile: true`."""
    match value:
        case int() | float() | str() if not isinstance(value, bool):
            return "" if BLANK.fullmatch(text := str(value).strip()) else text
        case [[*parts]]:
            # A link without quotes, as YAML reads it.
            return say_value(parts).rpartition("|")[2]
        case list() | tuple():
            return ", ".join(filter(None, map(say_value, value)))
        case _:
            return ""


_LABEL = re.compile(r"^[^:：]{1,20}[:：]\s*")
"""The name of a field such as `title: Levain`."""

MIN_SUBJECT_SHARE: Final = 0.4
"""Share of a question that the title of a note says which is about what is asked."""

LIST_ODDS: Final = 2.0
"""What a list in such a note, or below its introduction, gains where several things are asked for."""

DAY_ODDS: Final = 3.0
"""What a property gains that says a day that is asked about, and lines of the note that is called by it alone."""

LIST_LINES: Final = 3
"""Lines of such a list beside its introduction."""

_SAID_WEIGHT = 0.6
"""What a word still weighs after a chosen line has said it."""

MIN_CHANCE, MIN_SHARE = 0.02, 0.1
"""Probability below which a line is not quoted, and as a share of that of the best line."""


class RelevantNote(Record):
    """A note that may answer a question, with the lines of its relevant passages; none for the whole note."""

    note: Note
    score: float
    lines: Sequence[Lines] = ()

    def ask(self, question: str) -> "AskedNote":
        """Return the note with what a question asks of it."""
        days, undated = asked_days(question), cut_days(question)
        language = language_of(self.note.text[self.note.body :])
        if language == DEFAULT and (spoken := question_languages(words_of(question))):
            # It has too few words to tell.
            language = spoken[0] if spoken[0] in FREQUENT_WORDS else OTHER_LANGUAGE
        asked = asked_stems(question_words(undated), language) | full_days(question)
        names = (self.note.title, *self.note.aliases, *(heading.text for heading in self.note.headings[:1]))
        shares = {}
        for name in names:
            terms = _terms_in(name, language)
            named = terms & asked
            # A day or a month alone names the note of it.
            shares[name] = (1.0 if terms & days else len(named) / max(1, len(terms))), named
        name = max(shares, key=lambda one: shares[one][0])
        share, named = shares[name]
        words = undated.replace(name, " ").split()
        left = " ".join(word for word in words if named.isdisjoint(terms_of(word, language)))
        return AskedNote(self.note, self.score, self.lines, language, asked, named, left if named else "", share)


class AskedNote(RelevantNote):
    """A relevant note, with what a question asks of it."""

    language: str | None = None
    asked: frozenset[str] = frozenset()
    """The terms of the question in the language of the note, and the days that it says."""
    named: frozenset[str] = frozenset()
    """Those that name the note."""
    left: str = ""
    """The words of the question that do not."""
    share: float = 0.0
    """What share of its name these are."""
    nearest: str = ""
    """The property that says what is asked in other words."""

    @property
    def is_named(self) -> bool:
        return self.share >= NAMED_SHARE


def _terms_in(text: str, language: str | None) -> frozenset[str]:
    return frozenset(terms_of(text, language)) | days_in(text)


def _asks(sentence: Sentence) -> bool:
    """Return whether a sentence is a question; a list is none whose last item is."""
    return sentence.kind != "heading" and asks(sentence.text)


class Quote(Record):
    """A line that may answer a question, and the title and headings above it."""

    sentence: Sentence
    score: float
    """The probability that it answers the question."""
    above: str = ""
    lacks: bool = False
    """Whether it has nothing of the kind that the question asks for."""
    apart: float | None = None
    """How far its meaning stands out from the other lines, in deviations; None if no model read enough of them."""

    @property
    def asks(self) -> bool:
        return _asks(self.sentence)


class Candidate(Record):
    """A line that may be quoted; of the terms in it, only those that the question has."""

    sentence: Sentence
    asked: frozenset[str]
    """The terms of the question in the language of its note."""
    own: frozenset[str]
    under: frozenset[str]
    """What the headings above it say."""
    title: frozenset[str]
    before: frozenset[str]
    """What the line before it says."""
    share: float
    """Relevance of its note, as a share of the best."""
    score: float
    """Relevance of its note."""
    lacks: bool
    """Whether it has nothing of the kind that the question asks for: no number, no name."""
    above: str
    """The title of its note and the headings above it."""
    is_date: bool = False
    """Whether it says the day that is asked about as a property, or is of the note of that day alone."""

    def features(self, weights: Mapping[str, float], whole: float) -> tuple[float, ...]:
        def worth(terms: Collection[str]) -> float:
            return sum(weights[term] for term in terms) / whole

        title = self.title - self.own
        above = self.under - self.own - title
        said = worth(self.own), worth(above), worth(title), worth(self.before - self.own - self.under - title)
        return *said, self.share, self.score, self.lacks, _asks(self.sentence), 1.0

    @property
    def text(self) -> str:
        """The line below what is above it, as a model reads it."""
        return f"{self.above.strip()}: {self.sentence.text}"


_BY_WORDS: Final = (6.57, 3.5, 4.8, 2.0, 4.64, 1.54, -1.36, -2.0, -9.49)
_BY_MEANING: Final = (4.93, 1.68, 4.27, 2.91, 4.76, 1.5, -1.75, -4.23, -9.1, 0.64)
"""In the order of the features, the log odds of the nearness in meaning last. That by meaning is fitted so that of all
lines the right one is first, constant and scale then set by the verdicts; that by words is only adjusted by hand."""

MIN_RIVALS: Final = 4
"""Lines from which it is told how far one stands out from the others by its meaning."""

READ_LINES: Final = 24
"""Lines that a model reads: the best by words, then others of the best notes."""


class RankedLines:
    """The lines that may answer a question, as far as its words tell."""

    def __init__(self, question: str, notes: Sequence[AskedNote]) -> None:
        best = max((one.score for one in notes), default=0.0) or 1.0
        self.named = {one.note.path: one for one in notes}
        kind = self.kind = kind_of(question)
        self._days = full_days(question) if kind is None else frozenset[str]()
        """The days that an answer has to say."""
        self._asks_list = kind is None and asks_for_several(question)
        titles = frozenset(fold_case(one.note.title).strip() for one in notes)
        found = [candidate for one in notes for candidate in _candidates(one, one.score / best, question, kind, titles)]
        frequency = Counter(term for one in found for term in one.own)
        self._weights = {
            term: math.log(1 + len(found) / max(1, frequency[term])) for one in notes for term in one.asked
        }
        """What each term of the question weighs."""
        self._wholes = {one.asked: sum(map(self._weights.__getitem__, one.asked)) or 1.0 for one in notes}
        ranked = sorted(found, key=lambda one: -self._chance(one, self._weights, None))
        self._candidates = [one for one in ranked if one.own or one.under or one.title or one.is_date]
        self._read = ranked[:READ_LINES]

    def _is_subject(self, candidate: Candidate) -> bool:
        """Return whether the title of its note says much of the question."""
        return sum(map(self._weights.__getitem__, candidate.title)) > MIN_SUBJECT_SHARE * self._wholes[candidate.asked]

    def texts(self) -> list[str]:
        """Return the best lines, each with what is above it."""
        return [one.text for one in self._read]

    def choose(self, most: int, nearness: Sequence[float] = ()) -> list[Quote]:
        """Return the lines that answer best, the best first; with the nearness of each of `texts`, only of these."""
        pairs = list(zip(self._read, nearness, strict=False)) if nearness else [(one, None) for one in self._candidates]
        apart = stand_out(nearness) if len(nearness) >= MIN_RIVALS else [None] * len(pairs)
        weights = self._weights
        left = [
            (one, near, self._chance(one, weights, near), far) for (one, near), far in zip(pairs, apart, strict=True)
        ]
        least = max(MIN_CHANCE, MIN_SHARE * max((chance for _, _, chance, _ in left), default=0.0))
        left = [one for one in left if one[2] >= least]
        chosen: list[Quote] = []
        while left and len(chosen) < most:
            scores = [self._chance(one, weights, near) for one, near, *_ in left]
            found, _, chance, far = left.pop(max(range(len(left)), key=lambda at: (scores[at], -at)))
            if found.sentence.kind == "heading" and any(_contains(found.sentence, one.sentence) for one in chosen):
                # The item that was asked for is told already.
                continue
            chosen = [one for one in chosen if not _contains(found.sentence, one.sentence)]
            chosen.append(Quote(found.sentence, chance, found.above, found.lacks, far))
            left = [one for one in left if not _contains(found.sentence, one[0].sentence)]
            weights = {term: weight * (_SAID_WEIGHT if term in found.own else 1) for term, weight in weights.items()}
        return sorted(chosen, key=lambda one: (one.asks, self._days.isdisjoint(days_in(one.sentence.text))))

    def _chance(self, candidate: Candidate, weights: Mapping[str, float], nearness: float | None) -> float:
        features = candidate.features(weights, self._wholes[candidate.asked])
        by = _BY_WORDS if nearness is None else _BY_MEANING
        odds = sum(map(mul, (*features, log_odds(nearness or 0.5)), by))
        if candidate.is_date:
            odds += DAY_ODDS
        one = candidate.sentence
        if self._asks_list and (
            self._is_subject(candidate) or self.named[one.path].is_named
            if one.kind == "heading"
            else one.lines[1] - one.lines[0] >= LIST_LINES and any(colon in one.text for colon in COLONS)
        ):
            odds += LIST_ODDS
        return 1 / (1 + math.exp(-odds))


def _contains(one: Sentence, other: Sentence) -> bool:
    """Return whether a sentence is another one, repeats it, or introduces it."""
    within = one.lines[0] <= other.lines[0] and other.lines[1] <= one.lines[1]
    return one.path == other.path and (other.text == one.text or (within and other.text in one.text))


def choose_quotes(question: str, notes: Sequence[RelevantNote], most: int = 3) -> list[Quote]:
    """Return the lines that answer a question best by its words, the best first."""
    return RankedLines(question, [one.ask(question) for one in notes]).choose(most)


def first_quotes(note: Note, most: int) -> list[Quote]:
    """Return the first sentences of a note, then its footnotes and rows of tables, as quotes."""
    return [Quote(one, 0.0, note.title) for one in islice(iter_quotable(note), most)]


def iter_quotable(note: Note, near: Sequence[Lines] = ()) -> Iterator[Sentence]:
    """Yield what can be quoted of a note, or of it near some lines: sentences, rows of tables, footnotes."""
    said = chain(iter_sentences(note, near), iter_short_leads(note, near))
    found = chain(join_introduced(note, said, MAX_LIST_CHARS, code=True), iter_asides(note))
    if (first := next(found, None)) is not None:
        yield from chain([first], found)
    elif all(piece.kind in {"paragraph", "list_item", "heading"} for piece in note.pieces):
        end = min(len(note.text), note.body + MAX_LIST_CHARS)
        if (text := clean_text(note.text[note.body : end])) and not text.endswith(COLONS):
            yield Sentence(note.path, text, LineIndex(note.text).over((note.body, end)), "paragraph", count_words(text))


def _candidates(
    relevant: AskedNote, share: float, question: str, kind: Kind | None, titles: frozenset[str]
) -> Iterator[Candidate]:
    note, language, asked = relevant.note, relevant.language, relevant.asked
    # What repeats a name, such as the head of a table, says nothing of it.
    names = titles.union(fold_case(name).strip() for name in (*note.aliases, *(one.text for one in note.headings)))
    starts, paths = [heading.line for heading in note.headings], ("", *heading_paths(note.headings))
    values = (value for one in note.properties.values() if len(value := say_value(one)) <= MAX_NAME_CHARS)
    title = asked & _terms_in(" ".join((note.title, *note.aliases, *values)), language)
    units = kind_phrases(None, question) if kind == "amount" else ()
    unit_terms = asked.intersection(terms_of(" ".join(units), language))
    leads = find_leads(note)
    # The title leads to the list that begins its note where several things of that are asked for.
    name = "" if kind is None and relevant.is_named and asks_for_several(question) else f"{note.title}:"
    quotable = [
        one
        for one in iter_quotable(note, relevant.lines)
        if not (name and one.kind == "heading" and one.text.startswith(name))
    ]
    listed = [one.lines for one in quotable if one.kind == "heading"]
    days = full_days(question)
    is_of_day = not (days.isdisjoint(days_in(note.title)) or cut_days(note.title).strip())
    senses = [(asked.intersection(terms_of(word, language)), says) for word, _, says in asked_senses(question)]
    last, before = (0, 0), frozenset[str]()
    for one in quotable:
        if _LABEL.sub("", fold_case(one.text).strip(" :.")).strip() in names or (
            relevant.lines and not any(lines_overlap(one.lines, near) for near in relevant.lines)
        ):
            continue
        section, lead = bisect_right(starts, one.lines[0]), leads(one.lines[0])
        above = f"{note.title} {paths[section]}"
        own = said_terms(asked, _terms_in(one.text, language))
        own = own.union(*(terms for terms, says in senses if says.search(one.text)))
        if days and (others := days_in(f"{one.text} {note.title}")) and days.isdisjoint(others):
            # It is said of another day.
            continue
        lacks = kind is not None and not can_answer(kind, one.text, question, f"{above} {lead}")
        own = own if lacks else own | unit_terms
        if not own and one.kind != "heading" and any(lines_overlap(one.lines, lines) for lines in listed):
            # It is quoted with its heading.
            continue
        if own:
            # Else what introduces a list says more, with all of it.
            above = f"{above} {lead}"
        under = asked & _terms_in(above, language) - title
        if last[0] != section or one.lines[0] - last[1] > LINES_BELOW:
            before = frozenset()
        said = (one, asked, own, under, title, before, share, relevant.score)
        yield Candidate(*said, lacks, above, is_of_day)
        last, before = (section, one.lines[1]), own
    for one, own, meant in asked_properties(relevant, question, kind):
        is_date = asks_whether(question) and not days.isdisjoint(own)
        said = (one, asked, own | unit_terms, frozenset[str](), title, frozenset[str](), share, relevant.score)
        yield Candidate(*said, lacks=False, above=f"{note.title} {meant}", is_date=is_date)
