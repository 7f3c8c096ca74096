"""Sums up notes by what they say themselves: no model is needed, and nothing is said that is not there."""

import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from heapq import nlargest, nsmallest
from itertools import accumulate, chain, groupby, islice, pairwise
from operator import attrgetter
from types import MappingProxyType

from msgspec.structs import replace

from bridge.markdown.note import Heading, Note
from bridge.markdown.sections import heading_paths
from bridge.records import Record
from bridge.search.calibrate import stand_out
from bridge.search.content import (
    ASIDE_KINDS,
    LABEL,
    LEAD_SENTENCES,
    LONG_NOTE_WORDS,
    MAX_LEAD_WORDS,
    MAX_LINE_CHARS,
    MAX_NAMES_CHARS,
    MIN_SECTIONS,
    MIN_TOLD,
    QUESTION,
    SHORT_LIST_CHARS,
    SHORT_SENTENCES,
    are_names,
    head_of,
    is_index,
    is_list,
    is_paired,
    is_weak,
    list_links,
    read_content,
    tell_list,
)
from bridge.search.model import SearchHit
from bridge.search.sentences import COLONS, Sentence
from bridge.search.snippet import clean_text
from bridge.text.budget import share_room
from bridge.text.content_terms import question_words, said_terms, terms_of
from bridge.text.cues import DEFINES, DENIES, GOES_ON, is_summary, split_subjects
from bridge.text.fold import fold_case
from bridge.text.function_words import function_words
from bridge.text.lines import LineIndex, lines_overlap
from bridge.text.sentence import negates
from bridge.text.stems import language_of
from bridge.text.words import RUN, count_words, words_of

_EMPHASIS = re.compile(r"(\*\*|==)(?=[^\s*=])([^\n]{1,1000}?)(?<=\S)\1")
"""What an author made bold or highlighted."""

_BRACKETS = tuple(zip("(（«「『【", ")）»」』】", strict=True))

_STOPS = ".:。："
"""What a heading may end with before a colon follows it."""

BEGIN_TERMS, MARKED_SHARE, MAX_MARKS = 3, 0.4, 20
"""Terms that are the beginning of a sentence, share of it that is bold where it is marked, and marks read a line."""

MAX_SUBJECT_WORDS, NEGATED_WORDS, MAX_LATENESS = 8, 3, 1
"""Words of what a definition defines, those after it of which one denies that, and how late it counts at most, as the
logarithm of its place."""

MARK_WEIGHT, DEFINITION_WEIGHT, LATE_WEIGHT, CONTINUATION_WEIGHT = 1.3, 2.1, 0.5, 0.8
"""What a marked sentence and a definition gain, one that begins with the subject 1, and what the second one loses in a
long summary, and one that goes on from others."""

NAMES_SHARE, ORIGIN_WEIGHT = 0.3, 2
"""Share of names from which a sentence says where something is from, and what it loses by that."""

EXCLAMATION, EXCLAMATION_WEIGHT = ("!", "！"), 1.2
"""What ends a sentence that praises or calls rather than says something, and what it loses by that."""

Sections = Sequence[tuple[Heading | None, Sequence[Sentence]]]
"""Headings, none for what precedes the first, each with the sentences below it."""


def choose_sentences_of(notes: Sequence[Note], most: int, focus: str = "") -> list[Sentence]:
    """Return what each of some notes says best, or the sentences about a focus, in the order of their lines."""
    if focus and (about := FocusLines(notes, focus).choose(most)):
        return about
    said = list(_distinct(read_content(note, most) for note in notes))
    if len(notes) != 1:
        return _choose_spread([(_weigh(note, own, 1), own) for note, own in zip(notes, said, strict=True)], most)
    [note], [own] = notes, said
    stated = _find_summary(note, own)
    if most == 1:
        stated = sorted(stated, key=_weigh(note, stated, most).__getitem__, reverse=True)
    summary = [one for one in stated if not one.text.endswith(QUESTION)][:most]
    told = [*summary, *_tell(note, [one for one in own if one not in summary], most - len(summary))]
    links = list_links(note) if told and is_index(note, told[0]) else None
    return [links] if links and (most == 1 or len(links.text) > sum(len(one.text) for one in told)) else told


def _tell(note: Note, said: Sequence[Sentence], most: int) -> list[Sentence]:
    """Return the sentences that are worth most; of a long note, some of each section or the sections' names."""
    sections = _split_sections(note, said)
    # In place of headings that recur in the vault there are spaces.
    headings = [one for one, _ in sections if one and not note.text[slice(*one.span)].isspace()]
    has_sections = len(headings) >= MIN_SECTIONS and sum(one.words for one in said) >= LONG_NOTE_WORDS
    if most >= MIN_TOLD:
        parts = [(_weigh(note, own, most, of), own) for of, own in (sections if has_sections else [(None, said)])]
        first = _choose(_weigh(note, said, SHORT_SENTENCES), said, SHORT_SENTENCES - has_sections)
        told = _choose_spread(parts, most)
        part_of = {one: at for at, (_, own) in enumerate(parts) for one in own}
        for one in (each for each in first if each not in told):
            # What a shorter summary says takes the place of what is told beside it, if more of its section is told.
            begun = {part_of[each]: each for each in reversed(told)}.values()
            others = [each for each in told if each not in first and each not in begun]
            beside = [abs(each.lines[0] - one.lines[0]) for each in others]
            left_out = nsmallest(len(told) + 1 - most, range(len(others)), beside.__getitem__)
            kept = {*told, one}.difference(others[at] for at in left_out)
            told = [each for each in said if each in kept] if len(kept) <= most else told
        return _with_headings(note, sections, told)
    names = has_sections and most > 1
    worth = _weigh(note, said, most)
    chosen = _choose(worth, said, most - names)
    if most == 1 and chosen and worth[chosen[0]] <= 0 and (heads := _tell_headings(note, said)):
        return [heads]
    if most == 1 and chosen:
        return [_with_denial(chosen[0], said)]
    if not names:
        return chosen
    lines, shown = (headings[0].line, headings[-1].line), [clean_text(one.text) for one in headings]
    return [
        *_with_headings(note, sections, chosen),
        tell_list(note, note.title, shown, lines, MAX_NAMES_CHARS + len(note.title)),
    ]


def _with_denial(one: Sentence, said: Sequence[Sentence]) -> Sentence:
    """Return a sentence together with the next one if that takes it back, or says what it only calls for."""
    after = next(iter(said[said.index(one) + 1 :]), None)
    goes_on = GOES_ON if one.text.endswith(EXCLAMATION) else DENIES
    if after is None or after.lines[0] > one.lines[1] or is_weak(after) or not goes_on.match(after.text):
        return one
    text = f"{one.text}{' ' * (not RUN.match(after.text))}{after.text}"
    return replace(one, text=text) if len(text) <= MAX_LINE_CHARS else one


def _tell_headings(note: Note, said: Sequence[Sentence]) -> Sentence | None:
    """Return the headings of a note that begins with one, if they are sentences and say what their sections say."""
    headings = [one for one in note.headings if one.text != note.title]
    level = min((one.level for one in headings), default=0)
    own = [one for one in headings if one.level == level]
    names = [clean_text(one.text) for one in own]
    is_told = len(own) > 1 and said[0].lines[0] > own[0].line and not are_names(names)
    return tell_list(note, note.title, names, (own[0].line, own[-1].line), MAX_LINE_CHARS) if is_told else None


def _choose_spread(parts: Sequence[tuple[Mapping[Sentence, float], Sequence[Sentence]]], most: int) -> list[Sentence]:
    """Return what is worth most all over each part of a text, or over some of them where there are many."""
    kept = [parts[at * len(parts) // most] for at in range(most)] if len(parts) > most else parts
    usable = [_find_usable(said, math.ceil(most / len(kept))) for _, said in kept]
    chosen = list[Sentence]()
    sizes = [len(said) * (not all(map(is_weak, said))) for said in usable]
    shares = share_room(sizes if any(sizes) else [*map(len, usable)], most)
    for (worth, _), said, share in zip(kept, usable, shares, strict=True):
        ends = [at * len(said) // share for at in range(share + 1)] if share else []
        chosen += [max(said[first:end], key=worth.__getitem__) for first, end in pairwise(ends)]
    return chosen


def _choose(worth: Mapping[Sentence, float], said: Sequence[Sentence], room: int) -> list[Sentence]:
    """Return the sentences that are worth most."""
    usable = _find_usable(said, min(room, 2))
    best = set[Sentence]()
    for one in sorted(usable, key=worth.__getitem__, reverse=True):
        # A long list says as much as two sentences, unless it is what a note consists of.
        size = 1 + (is_list(one) and len(one.text) > SHORT_LIST_CHARS and not _is_most(one, said))
        if room < (size if best else 1):
            # What is left is for the next item of a list of which some are told.
            ends = {each.lines[1] for each in best if each.kind == "list_item"}
            after = (each for each in usable if each.kind == "list_item" and each.lines[0] - 1 in ends)
            best.update(islice((each for each in after if each not in best), max(0, room)))
            break
        best.add(one)
        room -= size
    return [one for one in usable if one in best]


def _find_usable(said: Sequence[Sentence], most: int = 1) -> Sequence[Sentence]:
    """Leave out what says little by itself, and quotes and callouts, where there is enough else."""
    strong = [one for one in said if not is_weak(one)] or said
    plain = [one for one in strong if one.kind not in ASIDE_KINDS]
    return plain if len(plain) >= most else strong


def _weigh(note: Note, said: Sequence[Sentence], most: int, of: Heading | None = None) -> dict[Sentence, float]:
    """Return what each sentence is worth: by its subject, its marks and its place."""
    language = language_of(note.text[note.body :])
    terms = {one: terms_of(one.text, language) for one in said}
    often = Counter(chain.from_iterable(map(set, terms.values())))
    subject = set(terms_of(of.text if of else note.title, language))
    marks, late = _find_marks(note), LATE_WEIGHT if most >= MIN_TOLD else 1
    starts, piece, rows = [piece.lines[0] for piece in note.pieces], 0, note.text.split("\n")
    worth, is_named, named = dict[Sentence, float](), False, 0.0
    for at, one in enumerate(said):
        own = said_terms(subject, terms[one])
        begins = not is_list(one) and not subject.isdisjoint(terms[one][:BEGIN_TERMS])
        share = sum(map(often.__getitem__, own)) / sum(map(often.__getitem__, subject)) if begins else 0
        marks_below = chain.from_iterable(marks.get(line, ()) for line in range(one.lines[0], one.lines[1] + 1))
        chars = sum(len(mark) for mark in marks_below if mark in one.text or one.text in mark)
        is_most = most > 1 and _is_most(one, said)
        is_marked = is_most or chars >= MARKED_SHARE * len(one.text)
        defines = not is_list(one) and defines_subject(one.text, subject, language, is_named=is_named)
        # What an author highlights of a whole subject that no sentence has named yet says what that is.
        defines |= is_marked and share == 1 > named and "==" in "".join(rows[one.lines[0] - 1 : one.lines[1]])
        named = max(named, share)
        gain = max(share, MARK_WEIGHT * is_marked, DEFINITION_WEIGHT * defines)
        # Where an idea is from says less than what comes next, if that is its subject.
        after = terms[said[1]][:BEGIN_TERMS] if most == 1 and not at and len(said) > 1 else []
        is_origin = not (begins or defines or subject.isdisjoint(after)) and _names_others(one.text, subject, language)
        gain -= ORIGIN_WEIGHT * is_origin + EXCLAMATION_WEIGHT * (most == 1 and one.text.endswith(EXCLAMATION))
        is_named |= begins
        piece, before = bisect_right(starts, one.lines[0]), piece
        is_inner = most >= MIN_TOLD and piece == before
        is_bound = is_inner or (
            at > (most > 1) and (GOES_ON.match(one.text) is not None or not is_paired(one.text, _BRACKETS))
        )
        worth[one] = (
            gain
            - late * min(math.log2(1 + at), MAX_LATENESS if defines else math.inf)
            - CONTINUATION_WEIGHT * (is_bound and not is_list(one))
        )
    return worth


def _names_others(text: str, subject: set[str], language: str | None) -> bool:
    """Return whether a good part of a sentence are names that are not of its subject, as where an idea is from."""
    words = re.findall(r"[^\W\d_]+", text)
    names = [word for word in words[1:] if word[0].isupper() and subject.isdisjoint(terms_of(word, language))]
    is_spaced = language != "german" and not RUN.search(text)
    return is_spaced and len(names) >= max(2, NAMES_SHARE * len(words))


def defines_subject(text: str, subject: Collection[str], language: str | None, *, is_named: bool = False) -> bool:
    """Return whether a sentence is the first to say what some terms name: they stand before the words for it."""
    found = DEFINES.match(text)
    if is_named or (found and not found["subject"]):
        return found is not None and not found["subject"]
    words, small = words_of(text), function_words(language)
    ends = (at for at in range(1, min(len(words) - 1, MAX_SUBJECT_WORDS)) if small.issuperset(words[at : at + 2]))
    end = next(ends, 0)
    if not found and negates(" ".join(words[end : end + NEGATED_WORDS])):
        return False
    head = {*terms_of(found["subject"] if found else " ".join(words[:end]), language)}
    own = said_terms(subject, head)
    if found:
        return len(own) >= max(len(subject) / (1 if found["label"] else 2), len(head) / 2, 1)
    return len(own) == len(subject) >= max(1, len(head) - 1)


def _find_summary(note: Note, said: Sequence[Sentence]) -> list[Sentence]:
    """Return the sentences in which the author sums up a note: in a callout, below a heading or behind a label."""
    ends = (*(one.line for one in note.headings[1:]), note.text.count("\n") + 2)
    named = [
        *((one.title, one.lines, is_summary(one.type)) for one in note.callouts),
        *((one.text, (one.line, end - 1), False) for one, end in zip(note.headings, ends, strict=False)),
    ]
    for name, (first, last), sums_up in named:
        found = [one for one in said if first <= one.lines[0] <= last]
        if found and found[0] in said[:LEAD_SENTENCES] and (sums_up or is_summary(name)):
            return found
    labels = ((one, LABEL.match(one.text)) for one in said[:LEAD_SENTENCES])
    line = next((one.lines for one, label in labels if label and is_summary(label[1])), None)
    return [one for one in said if one.lines == line]


def _is_most(one: Sentence, said: Sequence[Sentence]) -> bool:
    """Return whether a list has as many rows as there are other sentences."""
    return is_list(one) and one.lines[1] - one.lines[0] >= len(said)


def names_subject(note: Note, said: Iterable[Sentence]) -> bool:
    """Return whether sentences say a word of the title."""
    language = language_of(note.text[note.body :])
    title = frozenset(terms_of(note.title, language))
    return any(said_terms(title, terms_of(one.text, language)) for one in said)


def _split_sections(note: Note, said: Sequence[Sentence]) -> list[tuple[Heading | None, list[Sentence]]]:
    """Return the sections of a note by the highest levels of its headings that make some; what precedes them first."""
    counts = Counter(one.level for one in note.headings)
    levels = sorted(level for level, count in counts.items() if count > 1)
    too_few = sum(count < MIN_SECTIONS for count in accumulate(map(counts.__getitem__, levels)))
    headings = [None, *(one for one in note.headings if one.level in levels[: too_few + 1])]
    starts = [one.line for one in headings if one is not None]
    split = groupby(said, key=lambda one: bisect_right(starts, one.lines[0]))
    return [(headings[at], list(found)) for at, found in split]


def _with_headings(note: Note, sections: Sections, chosen: Sequence[Sentence]) -> list[Sentence]:
    """Return chosen sentences, of each section the first with its heading; the very first may say the subject."""
    found, told = list[Sentence](), list[Heading]()
    for heading, said in sections:
        for one in filter(chosen.__contains__, said):
            own = next((each for each in reversed(note.headings) if each.line <= one.lines[0]), None)
            # A few words below a heading of a lower level may say nothing of what it names.
            above = own if one.words <= MAX_LEAD_WORDS and not is_list(one) else heading
            name = clean_text(above.text).rstrip(_STOPS) if above and above not in told else ""
            is_named = name and not one.text.startswith(name) and (found or not names_subject(note, [one]))
            found.append(replace(one, text=f"{name}: {one.text}") if is_named else one)
            told += [above] if above else []
    return found


def _find_marks(note: Note) -> dict[int, list[str]]:
    """Return what is bold or highlighted in each line."""
    marks = dict[int, list[str]]()
    if "**" in note.text or "==" in note.text:
        lines = LineIndex(note.text)
        for found in _EMPHASIS.finditer(note.text, note.body):
            marks.setdefault(lines.over(found.span())[0], []).append(clean_text(found[2]))
    return {line: own[:MAX_MARKS] for line, own in marks.items()}


FOCUS_SHARE = 0.65
"""Share of the best line about a focus from which another is about it, too."""

MIN_NEARNESS = 0.35
"""Nearness in meaning, from 0 to 1, from which a line of a note may be about a focus whose words it does not say."""

ABOVE_WEIGHT = 0.5
"""What a word of a focus is worth in the title or a heading above a line, beside one in the line."""

JOINED_WORTH = 0.8
"""What a line is worth that says one of two subjects which a focus joins."""

WEAK_WORTH = 0.85
"""What a line about a focus is worth that says little by itself."""

PASSAGE_BONUS = 0.1
"""What it is worth for a line to stand in the best passage of its note."""

SLACK, FULL_WORDS = 0.1, 20
"""What a line that a model read may be worth less than the best and be as good, and words that are enough for one."""

MIN_ALIKE, MIN_ALIKE_WORDS = 0.5, 6
"""Nearness in meaning and words of a line that says a focus in other words: a few words are near to many things."""

MIN_APART, MIN_APART_ALONE, ALIKE_SHARE, SAID_SHARE = 2.0, 3.0, 0.8, 0.5
"""Deviations by which such a line stands out from others, where some say the focus and where none does; its nearness as
a share of that of the nearest which says it; and how much of the focus that says."""

FIRST_LINES, LINES_OF_NOTE = 2, 8
"""Lines that begin one of several notes, and best lines of it, whose meaning is compared with a focus."""


class FocusLine(Record):
    """A line of a note that may be about a focus."""

    sentence: Sentence
    text: str
    """What is compared with the focus: of a list what stands above it."""
    is_weak: bool
    """Whether it says little by itself."""
    is_named: bool
    """Whether the title of its note says the whole focus."""
    said: frozenset[str]
    """The terms of the focus that it says, or what stands above it."""
    own: float
    """How much of the focus it says, rare words most."""
    cover: float
    """How much it says together with what stands above it."""
    above: str = ""
    """The heading above it, where it goes on with what that names."""
    block: int = 0
    """The line of the heading or label above it that says the whole focus, if one does."""
    share: float = 0.0
    """Relevance of its note as a share of the best, and of its passage."""
    near: float = 0.0
    """How near it is in meaning, from 0 to 1; 0 where that is not known."""
    apart: float = 0.0
    """How far it stands out from others by that, in deviations."""

    @property
    def worth(self) -> float:
        said = self.own + ABOVE_WEIGHT * (self.cover - self.own)
        return (said + self.near + self.share) * (WEAK_WORTH if self.is_weak else 1)

    @property
    def note_worth(self) -> float:
        """What its note is worth that is named so, else it."""
        return 2 + self.share if self.is_named else self.worth


class FocusLines:
    """The lines of some notes that may be about a focus, by its words, by meaning and by the notes' relevance."""

    def __init__(
        self,
        notes: Sequence[Note],
        focus: str,
        asked: Mapping[str, float] = MappingProxyType({}),
        facts: Callable[[Note], Iterable[Sentence]] = lambda _: (),
        hits: Sequence[SearchHit] = (),
    ) -> None:
        """Read notes; `asked` says how rare words are, `facts` are sentences besides those of the text."""
        languages = {note.path: language_of(note.text[note.body :]) for note in notes}
        # What the search took for mistyped is not meant by all the notes that say another word.
        is_read = asked and all(word in fold_case(focus) for word in asked)
        words = _leave_out_joints(asked) if is_read else dict.fromkeys(question_words(focus), 1.0)
        wanted = {one: _weigh_words(words, one) for one in {*languages.values()}}
        parts = {one: [frozenset(terms_of(part, one)) for part in split_subjects(focus, one)] for one in wanted}
        names = frozenset(fold_case(note.title) for note in notes)
        best = max((hit.score for hit in hits), default=0.0) or 1.0
        known = {hit.path: hit for hit in hits}

        def share(one: Sentence) -> float:
            if (hit := known.get(one.path)) is None:
                return 0.0
            return (len(notes) > 1) * hit.score / best + PASSAGE_BONUS * lines_overlap(one.lines, hit.lines)

        self.lines = {
            note.path: [replace(one, share=share(one.sentence)) for one in said]
            for note in notes
            if (own := wanted[languages[note.path]])
            and (
                said := [*_read_about(note, facts(note), languages[note.path], own, parts[languages[note.path]], names)]
            )
        }
        told = frozenset[str]().union(*(one.said for one in chain.from_iterable(self.lines.values())))
        self.is_said = any(told.issuperset(own) for own in wanted.values())
        for path, said in self.lines.items():
            own = wanted[languages[path]]
            # What no line says tells none of them apart.
            if len(own) > len(own.keys() & told) > len(own) / 2:
                scale = math.fsum(own.values()) / math.fsum(own[one] for one in own.keys() & told)
                self.lines[path] = [
                    replace(one, own=min(1.0, one.own * scale), cover=min(1.0, one.cover * scale)) for one in said
                ]

    def add_meaning(self, near: Mapping[Sentence, float]) -> None:
        """Add how near some lines are; of the others nothing is known."""
        apart = dict(zip(near, stand_out([*near.values()]), strict=True))
        for path, said in self.lines.items():
            self.lines[path] = [
                replace(one, near=near.get(one.sentence, 0.0), apart=apart.get(one.sentence, 0.0)) for one in said
            ]

    def best_of(self, said: Sequence[FocusLine]) -> FocusLine:
        """Return the line that is worth most; of those that are about as near in meaning, one that says more."""
        best = max(said, key=attrgetter("worth"))
        alike = [one for one in said if one.near and one.worth >= best.worth - SLACK]
        return max(alike, key=lambda one: (min(one.sentence.words, FULL_WORDS), one.worth)) if best.near else best

    def find_alike(self, best: Sequence[FocusLine]) -> list[FocusLine]:
        """Return those of some lines that say the focus in other words, as far as their meaning tells."""
        says = (one.near for one in chain.from_iterable(self.lines.values()) if one.own >= SAID_SHARE)
        said = max(says, default=0.0)
        near, apart = max(MIN_ALIKE, ALIKE_SHARE * said), MIN_APART if said else MIN_APART_ALONE
        return [
            one for one in best if one.near >= near and one.apart >= apart and count_words(one.text) >= MIN_ALIKE_WORDS
        ]

    def list_likely(self, most: int) -> list[FocusLine]:
        """Return the lines that are likely about the focus, as far as is known without their meaning."""
        own = max(LINES_OF_NOTE, most // max(1, len(self.lines)))
        best = [one for said in self.lines.values() for one in nlargest(own, said, attrgetter("worth"))]
        begins = [one for said in self.lines.values() for one in said[:FIRST_LINES] if one not in best]
        return nlargest(most, [*best, *begins], attrgetter("worth"))

    def choose(self, most: int) -> list[Sentence]:
        """Return the lines that are most about the focus, in order."""
        found = [one for said in self.lines.values() for one in said if one.cover or one.near >= MIN_NEARNESS]
        least = FOCUS_SHARE * max((one.worth for one in found), default=0.0)
        chosen = list[Sentence]()
        for one in sorted(found, key=attrgetter("worth"), reverse=True):
            is_told = any(lines_overlap(other.lines, one.sentence.lines) and is_list(other) for other in chosen)
            if one.worth >= least and len(chosen) < most and not is_told:
                chosen.append(one.sentence)
        return [one.sentence for one in found if one.sentence in chosen]


def _leave_out_joints(worths: Mapping[str, float]) -> Mapping[str, float]:
    """Leave out pairs of characters rarer than both beside them: they join the end of a word to the next one."""
    beside = zip(worths, [*worths][1:], [*worths][2:], strict=False)
    joints = {
        one
        for before, one, after in beside
        if RUN.fullmatch(one)
        and (before[-1], one[-1]) == (one[0], after[0])
        and worths[one] > max(worths[before], worths[after])
    }
    return {word: worth for word, worth in worths.items() if word not in joints}


def _weigh_words(worths: Mapping[str, float], language: str | None) -> dict[str, float]:
    """Return the terms of words, of which each is worth as much as the rarest of these."""
    found = dict[str, float]()
    for word, worth in worths.items():
        found |= {term: max(worth, found.get(term, 0.0)) for term in terms_of(word, language)}
    # A single character is part of many words.
    return {term: worth for term, worth in found.items() if len(term) > 1 or not RUN.match(term)} or found


def _read_about(
    note: Note,
    facts: Iterable[Sentence],
    language: str | None,
    wanted: Mapping[str, float],
    parts: Sequence[frozenset[str]],
    names: Collection[str],
) -> Iterator[FocusLine]:
    """Yield what a note says besides names, with what of some words it says, a list in its head."""
    joined = [part & wanted.keys() for part in (frozenset(wanted), *parts) if part & wanted.keys()]

    def weigh(terms: Collection[str]) -> float:
        shares = [
            math.fsum(wanted[one] * (one in terms) for one in own) / math.fsum(map(wanted.__getitem__, own))
            for own in joined
        ]
        return max(shares[0], JOINED_WORTH * max(shares))

    blocks = [(0, ""), *sorted(_find_blocks(note))]
    paths = ("", *heading_paths(note.headings))
    starts, items = [one.line for one in note.headings], {piece.lines for piece in note.pieces}
    is_named = said_terms(wanted, terms_of(note.title, language)) == wanted.keys()
    named = {*names, *(fold_case(clean_text(one.shown or one.target)) for one in note.links)}
    for one in chain(facts, (one for one in read_content(note, apart=True) if not is_index(note, one))):
        path = paths[bisect_right(starts, one.lines[0])].removeprefix(note.title)
        block, head = blocks[bisect_right(blocks, (one.lines[0], "")) - 1]
        is_headed = weigh(said_terms(wanted, terms_of(head, language))) == 1
        text = f"{path} {head_of(one)}" if is_list(one) and one.lines not in items else one.text
        terms = terms_of(text.removeprefix(f"{note.title}: "), language)
        own, around = (said_terms(wanted, each) for each in (terms, terms_of(f"{note.title} {path} {head}", language)))
        is_name = not is_list(one) and (own.issuperset(terms) or fold_case(one.text).rstrip(_STOPS) in named)
        if not is_name or is_headed:
            said = own | around
            worth = weigh(said if is_headed else own), weigh(said)
            above = path.rpartition(" > ")[2] if GOES_ON.match(one.text) else ""
            yield FocusLine(one, text, is_weak(one), is_named, said, *worth, above, block * is_headed)


def _find_blocks(note: Note) -> Iterator[tuple[int, str]]:
    """Yield the lines of what stands above other blocks, headings and labels of a few words, with its text."""
    for piece in note.pieces:
        text = clean_text(note.text[slice(*piece.span)]) if piece.lines[0] == piece.lines[1] else ""
        if piece.kind == "heading" or (piece.kind == "paragraph" and text.endswith(COLONS)):
            yield piece.lines[0], text * (count_words(text) <= MAX_LEAD_WORDS)


def _distinct(found: Iterable[Sequence[Sentence]]) -> Iterator[list[Sentence]]:
    seen = set[str]()
    for sentences in found:
        keyed = {key: one for one in reversed(sentences) if (key := fold_case(one.text)) not in seen}
        yield [one for one in sentences if keyed.get(fold_case(one.text)) is one]
        seen.update(keyed)
