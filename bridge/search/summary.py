"""Sums up notes by what they say themselves: no model is needed, and nothing is said that is not there."""

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from heapq import nlargest
from itertools import accumulate, chain, groupby, pairwise, takewhile
from operator import attrgetter
from types import MappingProxyType

from msgspec.structs import replace

from bridge.markdown.links import WIKI
from bridge.markdown.note import Heading, Note, Piece, PieceKind
from bridge.markdown.sections import heading_paths
from bridge.records import Record
from bridge.search.model import SearchHit
from bridge.search.sentences import (
    COLONS,
    ITEM_QUOTED,
    LINES_BELOW,
    LIST_MARK,
    PAUSE,
    Sentence,
    iter_asides,
    iter_rows,
    iter_sentences,
    join_introduced,
)
from bridge.search.snippet import clean_text
from bridge.text.budget import share_room
from bridge.text.content_terms import question_words, said_terms, terms_of
from bridge.text.fold import fold_case, fold_word, letters_and_digits
from bridge.text.lines import LineIndex, lines_overlap
from bridge.text.stems import language_of
from bridge.text.words import RUN, count_words
from bridge.types import Lines

_PAIRS = (("[[", "]]"), ("\\begin{", "\\end{"), ("<!--", "-->"))
_COUNTS = re.compile(r"(?:(?:, )?(?:searched|read|changed) [\d,]+ (?:time|note)s?)+\.?", re.IGNORECASE)
"""What the journal of a session says of how much was done, which sums up nothing."""

_TEMPLATE = re.compile(r"<%|%>|\{\{.*\}\}|\[[A-Z][A-Z -]{2,}\]|_{4,}")
"""A field that nobody filled, as in `{{title}}`, `[YEAR]` or `Name: ____`."""

_LABELS = re.compile(
    r"(?:#\S++\s*+)++|\[[^\]\n]{1,30}\]:.*|[\w -]{1,30}::.*|[\W\d_]+|[-–—]{2,}.*|(?:TODO|FIXME|WIP)\b.*"
    r"|(?i:lorem ipsum|dolor sit amet|consectetur)\W*"
)
"""Tags, a footnote, a field for Dataview, no word at all, whom a quotation is from, or what is still to do."""

_DONE_TASK = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[[xX]\][ \t]")
_ADDRESS = re.compile(r"!?\[[^\[\]\n]*+\]\([^)\n]{0,1000}\)|<?https?://[^\s>]+>?")
_HOST = re.compile(r"(?<![\w.-])(?:[\w-]{1,63}\.){1,8}(?:com|org|net|io|dev|[a-z]{2})\b(?::\d+)?\S*")
"""The name of a host, as the address of a link reads."""

_UNDERLINED = re.compile(r"(?<![\w{])_(\w[^_\n]*)_(?!\w)|\^[\w-]+\Z")
"""Emphasis, or the name of a block, as clean text still has them."""

_LONE_MARKS = re.compile(
    r"\s?= =(?=[.,;:])|(?<![^\s(])= =(?=\S)|(?<=\S)= =(?!\w)|(?<=[^\x00-\x7f])= =|= =(?=[^\x00-\x7f])"
)
"""Half of a highlight whose other half is in another sentence, as clean text still has it."""

_SUMMARY = re.compile(
    r"\b(?:summary|abstract|synopsis|in (?:short|brief|a nutshell)|(?:key )?takeaways?|descri(?:ption|zione|pción|ção)"
    r"|riassunto|(?:in )?sintesi|in breve|résumé|en bref|synthèse|zusammenfassung|kurzfassung|beschreibung|resumen"
    r"|resumo|samenvatting|podsumowanie|streszczenie|sammanfattning|sammendrag|özet|резюме|кратко|описание)\b"
    r"|in (?:one|a) sentence|in una frase|en une phrase|in einem satz|en una frase|em uma frase|tl;?dr"
    "|摘要|总结|總結|概要|简介|簡介|要約|まとめ|요약|सारांश|ملخص|תקציר|סיכום|一句话|一句話|一言で|한 ?줄",
    re.IGNORECASE,
)
"""A heading, label or property below which an author sums up."""

MAX_SUMMARY_CHARS = 24
"""Characters of such a heading: a longer one has it as its subject."""

_MARKED = re.compile(r"(\*\*|==)(?=[^\s*=])([^\n]{1,1000}?)(?<=\S)\1")
"""What an author made bold or highlighted."""

_EXAMPLE = (
    r"(?:(?:for|by way of) (?:example|instance)|e\.g\.|(?:ad|per) esempio|par exemple|zum beispiel|z\. ?b\.|p(?:or|er)"
    r" ejemplo|por exemplo|bijvoorbeeld|na przykład|например|例如|比如|譬如|举例|例えば|たとえば|예를 들)"
)
_POINTS = re.compile(
    r"\b(?:(?:see|listed|shown|table|list|image|figure|diagram) below|below (?:is|are)|as follows|the following"
    r"|qui sotto|qui sopra|di seguito|ci-dessous|a continuación|siehe unten|im folgenden|abaixo|hieronder|poniżej|ниже"
    r"|(?:libera|parziale) traduzione|(?:free|partial) translation)\b"
    "|下面|上面的|以下(?!的?人)|如下|上图|下图|如图|下表|下記|다음과"
    rf"|^\W*{_EXAMPLE}|{_EXAMPLE}\W*$",
    re.IGNORECASE,
)
"""What points at something that a summary does not show, says that a text is translated, or is an example."""

_GOES_ON = re.compile(
    r"\W*(?:it|its|this|these|those|they|their|he|she|such|however|but|also|then|so|thus|therefore|moreover|instead"
    r"|quest[oaie]|quell[oaie]|ciò|ess[oaie]|tal[ei]|così|quindi|inoltre|però|ma|invece|infatti|altrimenti|anche"
    r"|dies(?:e[rsmn]?)?|es|er|damit|dabei|daher|aber|jedoch|auch|ce(?:la|ci|tte|s)?|c['’]est|mais|donc|ainsi"
    r"|est[eao]s?|es[eao]s?|ello|pero|además|así|isso|isto|mas|também|dit|deze|maar|dus|ook|это|эт[аио]|он[аои]?|но)\b"
    r"|\W*(?:它|他|她|这|那|其|此|该|但|不过|而|所以|因此|另外|再者|同时|也|又|上述|これ|それ|この|その|しかし|また|이것|그)",
    re.IGNORECASE,
)
"""A sentence that begins with what was said before it."""

_DEFINES = re.compile(r"[^\s,，。:：]{0,20}是指|指|[也又亦][称名叫]")
"""The beginning of a definition of what a note is called, as in scripts without spaces."""

_BRACKETS = tuple(zip("(（«「『【", ")）»」』】", strict=True))
_ASIDE: frozenset[PieceKind] = frozenset({"quote", "callout", "table"})
"""What comes after running text, wherever it stands."""

_BETWEEN: frozenset[PieceKind] = frozenset({"fence", "html", "math"})
"""What may stand between the items of a list."""

MIN_ITEMS, MAX_ITEM_WORDS = 3, 5
"""Items from which a list is told by its first ones, and words of each, on average, which only name something."""

MAX_LIST_CHARS, MAX_LINE_CHARS, MAX_NAMES_CHARS, SHORT_LIST_CHARS = 300, 200, 80, 130
"""Characters of a list, of one that alone stands for a note, of the names of sections, and of one as a sentence."""

ITEM_CHARS = 60
"""Characters to which the items of a longer list are cut, each to its label, sentences or clauses."""

MAX_LABEL_CHARS = 40
"""Characters before a colon that name what comes after it."""

_LABEL = re.compile(rf"([^:：]{{1,{MAX_LABEL_CHARS}}})[:：](?!//)\s*(?=\S)")
_PART_END = re.compile(r"[.!?;,:](?=\s)|[。！？；，、：]|\s[-–—](?=\s)")

MAX_LEAD_WORDS = 8
"""Words without a full stop right above a list that introduce it."""

_CUT = ("…", "...", ",", "，", "、")
"""Ends of a sentence that its author leaves open, or a page that shows the beginning of a text."""

_STOPPED = ".:。："
"""What a heading may end with before a colon follows it."""

STOPS = (".", "!", "?", "。", "！", "？", "।", "۔")
_ASKS = ("?", "？", "؟")

LONG_NOTE_WORDS, MIN_SECTIONS, MIN_TOLD = 250, 3, 5
"""Words and sections of a note, and sentences of its summary, from which all sections are told, not only named."""

LEAD_SENTENCES, LEAD_WORDS = 4, 4
"""Sentences at the beginning of a note in which its author may sum it up, and words below which one says little."""

BEGIN_TERMS, MARKED, MAX_MARKS = 3, 0.4, 20
"""Terms that are the beginning of a sentence, share of it that is bold where it is marked, and marks read a line."""

MARK, DEFINED, LATE, GOES_ON = 1.3, 2.1, 0.5, 0.8
"""What a marked sentence and a definition gain, one that begins with the subject 1, and what the second one loses in a
long summary, and one that goes on from others."""

MAX_LABEL_WORDS, MIN_VALUE_WORDS = 3, 3
"""Words with a colon that only say what a link is, and those of a field for Dataview from which it says something."""

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
    summary = [one for one in _find_summary(note, own) if not one.text.endswith(_ASKS)][:most]
    told = [*summary, *_tell(note, [one for one in own if one not in summary], most - len(summary))]
    return [_list_links(note)] if most == 1 and told and is_index(note, told[0]) else told


def _tell(note: Note, said: Sequence[Sentence], most: int) -> list[Sentence]:
    """Return the sentences that are worth most; of a long note, some of each section or the sections' names."""
    sections = _split_sections(note, said) if sum(one.words for one in said) >= LONG_NOTE_WORDS else []
    # In place of headings that recur in the vault there are spaces.
    headings = [one for one, _ in sections if one and not note.text[slice(*one.span)].isspace()]
    has_sections = len(headings) >= MIN_SECTIONS
    if most >= MIN_TOLD:
        parts = sections if has_sections else [(None, said)]
        return _with_headings(
            note, parts, _choose_spread([(_weigh(note, own, most, of), own) for of, own in parts], most)
        )
    names = has_sections and most > 1
    chosen = _choose(_weigh(note, said, most), said, most - names)
    if not names:
        return chosen
    lines, shown = (headings[0].line, headings[-1].line), [clean_text(one.text) for one in headings]
    return [*_with_headings(note, sections, chosen), _list(note, "Sections", shown, lines, MAX_NAMES_CHARS)]


def _choose_spread(parts: Sequence[tuple[Mapping[Sentence, float], Sequence[Sentence]]], most: int) -> list[Sentence]:
    """Return what is worth most all over each part of a text, or over some of them where there are many."""
    kept = [parts[at * len(parts) // most] for at in range(most)] if len(parts) > most else parts
    usable = [_find_usable(said) for _, said in kept]
    chosen = list[Sentence]()
    sizes = [len(said) * (not all(map(_is_weak, said))) for said in usable]
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
        size = 1 + (_is_list(one) and len(one.text) > SHORT_LIST_CHARS and not _is_most(one, said))
        if room < (size if best else 1):
            break
        best.add(one)
        room -= size
    return [one for one in usable if one in best]


def _find_usable(said: Sequence[Sentence], most: int = 1) -> Sequence[Sentence]:
    """Leave out what says little by itself, and quotes and callouts, where there is enough else."""
    strong = [one for one in said if not _is_weak(one)] or said
    plain = [one for one in strong if one.kind not in _ASIDE]
    return plain if len(plain) >= most else strong


def _weigh(note: Note, said: Sequence[Sentence], most: int, of: Heading | None = None) -> dict[Sentence, float]:
    """Return what each sentence is worth: by its subject, its marks and its place."""
    language = language_of(note.text[note.body :])
    terms = {one: terms_of(one.text, language) for one in said}
    often = Counter(chain.from_iterable(map(set, terms.values())))
    subject = set(terms_of(of.text if of else note.title, language))
    marks, late = _find_marks(note), LATE if most >= MIN_TOLD else 1
    starts, piece = [piece.lines[0] for piece in note.pieces], 0
    worth = dict[Sentence, float]()
    for at, one in enumerate(said):
        own = said_terms(subject, terms[one])
        begins = not _is_list(one) and not subject.isdisjoint(terms[one][:BEGIN_TERMS])
        share = sum(map(often.__getitem__, own)) / sum(map(often.__getitem__, subject)) if begins else 0
        marks_below = chain.from_iterable(marks.get(line, ()) for line in range(one.lines[0], one.lines[1] + 1))
        chars = sum(len(mark) for mark in marks_below if mark in one.text or one.text in mark)
        is_most = most > 1 and _is_most(one, said)
        is_marked = is_most or chars >= MARKED * len(one.text)
        gain = max(share, MARK * is_marked, DEFINED * (_DEFINES.match(one.text) is not None))
        piece, before = bisect_right(starts, one.lines[0]), piece
        is_inner = most >= MIN_TOLD and piece == before
        is_bound = is_inner or (
            at > 1 and (_GOES_ON.match(one.text) is not None or not _is_paired(one.text, _BRACKETS))
        )
        worth[one] = gain - late * math.log2(1 + at) - GOES_ON * (is_bound and not _is_list(one))
    return worth


def is_summary(name: str) -> bool:
    """Return whether a heading, label or property says that what follows sums up."""
    return len(name) <= MAX_SUMMARY_CHARS and _SUMMARY.search(name) is not None


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
    labels = ((one, _LABEL.match(one.text)) for one in said[:LEAD_SENTENCES])
    line = next((one.lines for one, label in labels if label and is_summary(label[1])), None)
    return [one for one in said if one.lines == line]


def _is_paired(text: str, pairs: Iterable[tuple[str, str]]) -> bool:
    return all(text.count(start) == text.count(end) for start, end in pairs)


def _is_weak(one: Sentence) -> bool:
    """Return whether a sentence says little by itself, asks, goes on or points at what is not shown."""
    return one.kind == "table" or (
        not _is_list(one)
        and (
            (one.kind in _ASIDE and one.lines[0] < one.lines[1])
            or count_words(re.sub(r"\d+", "", one.text)) < LEAD_WORDS
            or (one.text[:1].islower() and not RUN.search(one.text))
            or one.text.endswith((";", "；"))
            or (one.text.endswith(_ASKS) and not _LABEL.search(one.text))
            or _POINTS.search(one.text) is not None
        )
    )


def _is_list(one: Sentence) -> bool:
    return one.kind == "list_item" and one.lines[0] < one.lines[1]


def _is_most(one: Sentence, said: Sequence[Sentence]) -> bool:
    """Return whether a list has as many rows as there are other sentences."""
    return _is_list(one) and one.lines[1] - one.lines[0] >= len(said)


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
    found = list[Sentence]()
    for heading, said in sections:
        name = clean_text(heading.text).rstrip(_STOPPED) if heading else ""
        for one in filter(chosen.__contains__, said):
            is_named = name and not one.text.startswith(name) and (found or not names_subject(note, [one]))
            found.append(replace(one, text=f"{name}: {one.text}") if is_named else one)
            name = ""
    return found


def _find_marks(note: Note) -> dict[int, list[str]]:
    """Return what is bold or highlighted in each line."""
    marks = dict[int, list[str]]()
    if "**" in note.text or "==" in note.text:
        lines = LineIndex(note.text)
        for found in _MARKED.finditer(note.text, note.body):
            marks.setdefault(lines.over(found.span())[0], []).append(clean_text(found[2]))
    return {line: own[:MAX_MARKS] for line, own in marks.items()}


FOCUS_SHARE = 0.65
"""Share of the best line about a focus from which another is about it, too."""

NEAR = 0.35
"""Nearness in meaning, from 0 to 1, from which a line of a note may be about a focus whose words it does not say."""

ABOVE = 0.5
"""What a word of a focus is worth in the title or a heading above a line, beside one in the line."""

WEAK_WORTH = 0.85
"""What a line about a focus is worth that says little by itself."""

IN_PASSAGE = 0.1
"""What it is worth for a line to stand in the best passage of its note."""

LINES_OF_NOTE = 3
"""Lines of one of several notes whose meaning is compared with a focus."""


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
    share: float = 0.0
    """Relevance of its note as a share of the best, and of its passage."""
    near: float = 0.0
    """How near it is in meaning, from 0 to 1; 0 where that is not known."""

    @property
    def worth(self) -> float:
        said = self.own + ABOVE * (self.cover - self.own)
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
        names = frozenset(fold_case(note.title) for note in notes)
        best = max((hit.score for hit in hits), default=0.0) or 1.0
        known = {hit.path: hit for hit in hits}

        def share(one: Sentence) -> float:
            if (hit := known.get(one.path)) is None:
                return 0.0
            return (len(notes) > 1) * hit.score / best + IN_PASSAGE * lines_overlap(one.lines, hit.lines)

        self.lines = {
            note.path: [replace(one, share=share(one.sentence)) for one in said]
            for note in notes
            if (own := wanted[languages[note.path]])
            and (said := [*_read_about(note, facts(note), languages[note.path], own, names)])
        }

    def add_meaning(self, near: Mapping[Sentence, float]) -> None:
        """Add how near some lines are; of the others nothing is known."""
        for path, said in self.lines.items():
            self.lines[path] = [replace(one, near=near.get(one.sentence, 0.0)) for one in said]

    def list_likely(self, most: int) -> list[FocusLine]:
        """Return the lines that are likely about the focus, as far as is known without their meaning."""
        own = most if len(self.lines) == 1 else LINES_OF_NOTE
        best = chain.from_iterable(nlargest(own, said, attrgetter("worth")) for said in self.lines.values())
        return nlargest(most, best, attrgetter("worth"))

    def choose(self, most: int) -> list[Sentence]:
        """Return the lines that are most about the focus, in order."""
        found = [one for said in self.lines.values() for one in said if one.cover or one.near >= NEAR]
        least = FOCUS_SHARE * max((one.worth for one in found), default=0.0)
        chosen = list[Sentence]()
        for one in sorted(found, key=attrgetter("worth"), reverse=True):
            is_told = any(lines_overlap(other.lines, one.sentence.lines) and _is_list(other) for other in chosen)
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
    note: Note, facts: Iterable[Sentence], language: str | None, wanted: Mapping[str, float], names: Collection[str]
) -> Iterator[FocusLine]:
    """Yield what a note says besides names, with what of some words it says, a list in its head."""

    def weigh(terms: Iterable[str]) -> float:
        return math.fsum(map(wanted.__getitem__, terms)) / math.fsum(wanted.values())

    starts, paths = [one.line for one in note.headings], ("", *heading_paths(note.headings))
    is_named = said_terms(wanted, terms_of(note.title, language)) == wanted.keys()
    for one in chain(facts, (one for one in read_content(note, apart=True) if not is_index(note, one))):
        path = paths[bisect_right(starts, one.lines[0])].removeprefix(note.title)
        text = f"{path} {_head_of(one)}" if _is_list(one) else one.text
        terms = terms_of(text.removeprefix(f"{note.title}: "), language)
        own, around = (said_terms(wanted, each) for each in (terms, terms_of(f"{note.title} {path}", language)))
        is_name = not _is_list(one) and (own.issuperset(terms) or fold_case(one.text) in names)
        if not is_name:
            yield FocusLine(one, text, _is_weak(one), is_named, own | around, weigh(own), weigh(own | around))


def is_unfilled(note: Note) -> bool:
    """Return whether a paragraph of a note is blank, as boilerplate is, or has fields that nobody filled."""
    texts = (note.text[slice(*piece.span)] for piece in note.pieces if piece.kind == "paragraph")
    return any(text.isspace() or _TEMPLATE.search(text) for text in texts)


def _list_links(note: Note) -> Sentence:
    """Return the names of what an index links to."""
    links = [one for one in note.links if one.kind in {"wiki", "markdown"} and not one.embed]
    names = dict.fromkeys(clean_text(one.shown or one.target.rpartition("/")[2]) for one in links)
    lines = (links[0].line, links[-1].line) if links else (1, 1)
    return _list(note, "Links", [*filter(None, names)], lines, MAX_LINE_CHARS)


def is_index(note: Note, told: Sentence) -> bool:
    """Return whether a note, and a sentence of it, say less than their links to others do."""
    rows = note.text.split("\n")[told.lines[0] - 1 : told.lines[1]]
    body = (note.text[slice(*piece.span)] for piece in note.pieces if piece.kind != "heading")
    return all(
        2 * sum(map(str.isalpha, _ADDRESS.sub("", WIKI.sub("", text)))) < sum(map(str.isalpha, text))
        for text in ("\n".join(rows), "".join(body))
    )


def read_content(note: Note, most: int = 1, *, apart: bool = False) -> list[Sentence]:
    """Return what a note says in its order: sentences, lists, tables and bare headings; else its footnotes and rows.

    For a summary of several sentences, a list stands together below the heading or the few words that introduce it,
    unless it is too long for that where there is room for its items; apart, each item is a sentence as well.
    """
    gathers = most > 1
    title = letters_and_digits(fold_word(note.title))
    whole = [each for one in iter_sentences(note) if (each := _tidy(note, one, title)) is not None]
    said = _leave_out_asides(note, whole)
    said = _gather_quotes(note, said) if gathers and not apart else said
    room = MAX_LIST_CHARS if gathers else MAX_LINE_CHARS
    starts = [one.lines[0] for one in said]
    content, at = list[Sentence](), 0
    for items in _find_lists(note, all_kinds=not apart):
        names = [name for one in items for name in _read_items(note, one) if name and _is_whole(name)]
        lines = items[0].lines[0], items[-1].lines[1]
        below, after = bisect_left(starts, lines[0]), bisect_right(starts, lines[1])
        content += said[at:below]
        at = after
        lead = _lead_above(note, items[0], content[-1] if content else None)
        is_introduced = lead is not None and lead.kind != "heading"
        is_told = len(names) >= MIN_ITEMS - is_introduced and (items[0].kind == "table" or _are_names(names))
        own = said[below:at]
        if names:
            head, first = (lead.text, lead.lines[0]) if lead else (_heading_above(note, lines[0]), lines[0])
            told = _list(note, head, names, (first, lines[1]), MAX_LIST_CHARS if apart else room)
            if items[0].kind == "table" and not gathers:
                told = replace(told, kind="table")
            stands_together = len(names) > 1 and (lead is not None or any(one.lines[0] < one.lines[1] for one in items))
            is_told |= is_introduced or (gathers and stands_together)
            is_told &= most < MIN_TOLD or 2 * len(own) < len(said) or _are_names(names) or not told.text.endswith("…")
        if names and (apart or is_told):
            if is_introduced and content and lead and content[-1].lines == lead.lines:
                content.pop()
            own = list(dict.fromkeys(_tell_apart(note, items, own, told))) if apart else [told]
        content += own
    joined = list(_join(note, [*content, *said[at:]]))
    end = next((one.line for one in note.headings if one.text != note.title), math.inf)
    # What stands above the sections, if anything does, says more than fields there do.
    fields = [] if joined and joined[0].lines[0] < end else [one for one in _read_fields(note) if one.lines[0] < end]
    return [*fields, *joined] or list(iter_asides(note))


def _read_fields(note: Note) -> Iterator[Sentence]:
    """Yield the fields for Dataview that say something to a reader."""
    rows = note.text.split("\n") if note.fields else ()
    for one in note.fields:
        own = _ADDRESS.sub("", WIKI.sub("", one.value))
        row = rows[one.line - 1]
        is_said = one.value in row and "%%" not in row and not row.lstrip().startswith(">")
        if is_said and count_words(re.sub(r"\d+", "", own)) >= MIN_VALUE_WORDS:
            text = f"{clean_text(one.key)}: {clean_text(one.value)}"
            yield Sentence(note.path, text, (one.line, one.line), "paragraph", count_words(text))


def _tidy(note: Note, one: Sentence, title: str) -> Sentence | None:
    """Return a sentence without lone marks and the title of its callout; None if it is cut or says the title."""
    text = _LONE_MARKS.sub("", one.text) if "= =" in one.text else one.text
    if ("_" in text or "^" in text) and "$" not in text:
        text = _UNDERLINED.sub(lambda found: found[1] or "", text)
    if one.kind == "callout":
        head = next((clean_text(each.title) for each in note.callouts if each.lines[0] == one.lines[0]), "")
        text = text.removeprefix(head).lstrip() or text
    value = text[label.end() :] if (label := _LABEL.match(text)) else text
    if not _is_whole(text) or (len(value) <= 2 * len(note.title) and letters_and_digits(fold_word(value)) in title):
        return None
    return one if text == one.text else replace(one, text=text, words=count_words(text))


def _find_lists(note: Note, *, all_kinds: bool) -> Iterator[list[Piece]]:
    """Yield the items of each list, between which code may stand; also tables, and headings alone."""
    kept = [piece for piece in note.pieces if piece.kind not in _BETWEEN]
    titles = {one.line for one in note.headings if one.text == note.title}
    # A heading above a text is none of a list.
    above_text = {one.lines[0] for one, below in pairwise(note.pieces) if one.kind == "heading" != below.kind}
    for kind, found in groupby(kept, key=lambda one: "" if one.lines[0] in above_text else one.kind):
        items = list(found)
        if kind == "list_item":
            yield items
        elif all_kinds and kind == "table":
            yield from ([piece] for piece in items)
        elif all_kinds and kind == "heading":
            items = [one for one in items if one.lines[0] not in titles]
            if len(items) >= MIN_ITEMS:
                yield items


def _read_items(note: Note, item: Piece) -> list[str]:
    """Return what an item says, or each row of a table with a header."""
    if item.kind != "table":
        return [_read_item(note, item)]
    rows = note.text[slice(*item.span)].rstrip().split("\n")
    return [row.text for row in iter_rows(note.path, rows, item.lines[0])] if any(map(str.isalpha, rows[0])) else []


def _read_item(note: Note, item: Piece) -> str:
    """Return what an item says above its own items; a label together with what they say, if that is not many names."""
    first, *rows = note.text[slice(*item.span)].strip("\n").split("\n")
    running = list(takewhile(lambda row: row.strip() and not LIST_MARK.match(row), rows))
    text = clean_text("\n".join((first, *map(str.strip, running))))
    text = f"✓ {text}" if _DONE_TASK.match(first) else text
    below = [clean_text(row) for row in rows[len(running) :] if LIST_MARK.match(row)]
    label = text.rstrip("".join(COLONS))
    is_label = label != text or (count_words(text) <= MAX_ITEM_WORDS and not text.endswith(STOPS))
    if not (is_label and below and label and _is_whole(below[0])):
        return label
    if label == text and len(below) > 1 and count_words(below[0]) < MAX_ITEM_WORDS:
        return label
    return f"{label}: {', '.join(below) if _are_names(below) else below[0]}"


def _tell_apart(note: Note, items: Sequence[Piece], said: Sequence[Sentence], whole: Sentence) -> Iterator[Sentence]:
    """Yield a list, then its items one by one, those of few words with what is above them."""
    yield whole
    for item in items:
        own = [one for one in said if item.lines[0] <= one.lines[0] <= item.lines[1]]
        text = _read_item(note, item)
        if text and _is_whole(text) and (not own or own[0].words <= LEAD_WORDS or own[0].text.endswith(COLONS)):
            told = f"{_head_of(whole)}: {text}"
            yield Sentence(note.path, told, item.lines, "list_item", count_words(told))
            own = [one for one in own[1:] if one.text not in text]
        yield from own


def _head_of(whole: Sentence) -> str:
    """Return what a list is told below, without the number of its items."""
    return re.sub(r" \(\d+\)\Z", "", whole.text.partition(":")[0])


def _gather_quotes(note: Note, said: Sequence[Sentence]) -> list[Sentence]:
    """Return sentences, the items of a quote together below its title."""
    found = list[Sentence]()
    starts = [piece.lines[0] for piece in note.pieces]
    for at, group in groupby(said, key=lambda one: bisect_right(starts, one.lines[0]) - 1):
        own = list(group)
        piece = note.pieces[at]
        sums_up = any((label := _LABEL.match(one.text)) and is_summary(label[1]) for one in own)
        if (
            sums_up
            or piece.kind not in {"quote", "callout"}
            or len(ITEM_QUOTED.findall(note.text, *piece.span)) < MIN_ITEMS
        ):
            found += own
        else:
            title = next((one.title for one in note.callouts if one.lines[0] == piece.lines[0]), "")
            head = title or _heading_above(note, piece.lines[0])
            items = [one.text for one in own if one.text != clean_text(head)]
            found.append(_list(note, head, items, piece.lines, MAX_LIST_CHARS))
    return found


def _leave_out_asides(note: Note, said: Sequence[Sentence]) -> Sequence[Sentence]:
    """Leave out what only goes with a picture, and paragraphs of nothing but links, unless there is nothing else."""
    starts = [piece.lines[0] for piece in note.pieces]
    at = [bisect_right(starts, one.lines[0]) - 1 for one in said]
    often = Counter(at)

    def tells(piece: Piece, sentences: int) -> bool:
        text = note.text[slice(*piece.span)]
        rest = _ADDRESS.sub("", text)
        if piece.kind == "list_item":
            # The notes that a list names are what it says.
            return any(map(str.isalpha, rest))
        is_caption = piece.kind == "paragraph" and text.startswith("![") and sentences == 1
        left = WIKI.sub("", rest).strip()
        is_label = left != text.strip() and left.endswith(COLONS) and count_words(left) <= MAX_LABEL_WORDS
        return not (is_caption or is_label) and any(map(str.isalpha, left))

    told = {number for number, sentences in often.items() if tells(note.pieces[number], sentences)}
    kept = [one for number, one in zip(at, said, strict=True) if number in told]
    return said if not kept and not is_unfilled(note) else kept


def _are_names(items: Sequence[str]) -> bool:
    are_sentences = 2 * sum(one.endswith(STOPS) for one in items) > len(items)
    return not are_sentences and count_words(" ".join(items)) <= MAX_ITEM_WORDS * len(items)


def _heading_above(note: Note, line: int) -> str:
    return next((one.text for one in reversed(note.headings) if one.line < line), note.title)


def _lead_above(note: Note, item: Piece, before: Sentence | None) -> Sentence | None:
    """Return what stands right above a list: a heading, a last sentence with a colon, or a few words without a stop."""
    at = bisect_left(note.pieces, item.lines[0], key=lambda piece: piece.lines[0]) - 1
    own = note.pieces[at] if at >= 0 and item.lines[0] - note.pieces[at].lines[1] <= LINES_BELOW else None
    if own is None or own.kind not in {"heading", "paragraph"}:
        return None
    text, lines, kind = clean_text(note.text[slice(*own.span)]), own.lines, own.kind
    if own.lines[1] in {one.line for one in note.fields}:
        text, kind = "", "heading"
    if kind == "heading":
        text = text or _heading_above(note, item.lines[0])
    else:
        if before and own.lines[0] <= before.lines[1] <= own.lines[1] and before.text in text:
            last = text.rpartition(before.text)[2].strip()
            text, lines = (last, (lines[1], lines[1])) if last else (before.text, before.lines)
        is_short = count_words(text) <= MAX_LEAD_WORDS or item.lines[0] == own.lines[1] + 1
        if not text.endswith(COLONS) and (not is_short or PAUSE.search(text)):
            return None
    return Sentence(note.path, text, lines, kind, count_words(text)) if any(map(str.isalpha, text)) else None


def _list(note: Note, head: str, items: Sequence[str], lines: Lines, room: int) -> Sentence:
    """Return a list as one sentence: as much of each item as lets all of them be told."""
    told = [_shorten(one, room) for one in items]
    if sum(map(len, told)) + 2 * len(told) > room:
        told = [_shorten(one, ITEM_CHARS) for one in items]
    gap = ", " if _are_names(items) and 2 * sum(", " in one for one in items) < len(items) else "; "
    shown, size = list[str](), 0
    for one in told:
        size += len(one) + len(gap)
        if shown and size > room:
            break
        shown.append(one)
    head = clean_text(head).rstrip(f"{''.join(COLONS)} ")
    count = f" ({len(told)})" if len(shown) < len(told) else ""
    text = f"{head}{count}:"
    for one in shown:
        is_apart = text.endswith(":") or (gap == "; " and PAUSE.search(text))
        text += f"{' ' if is_apart else gap}{one}"
    text += f"{gap.rstrip()} …" if count else ""
    return Sentence(note.path, text, lines, "list_item", count_words(text))


def _shorten(text: str, chars: int) -> str:
    """Return the label of a text, or its first sentences or clauses, in so many characters."""
    if len(text) <= chars:
        return text
    if (label := _LABEL.match(text)) and len(label[1]) <= chars:
        return label[1]
    ends = [found.start() for found in _PART_END.finditer(text, 0, chars)]
    stops = [at for at in ends if text[at] in "".join(STOPS)]
    if stops and 2 * stops[-1] > chars:
        return text[: stops[-1] + 1]
    return f"{text[: ends[-1]]}…" if ends and 2 * ends[-1] > chars else text


def _join(note: Note, said: Sequence[Sentence]) -> Iterator[Sentence]:
    """Yield sentences; one that ends with a colon together with what it introduces, or not at all."""
    end = 0
    for lead, whole in zip(said, join_introduced(note, said, MAX_LIST_CHARS, code=False), strict=True):
        if lead.lines[0] > end and not whole.text.endswith(COLONS):
            end = whole.lines[1] if whole is not lead else end
            yield whole if whole is lead else replace(whole, kind="list_item")


def _distinct(found: Iterable[Sequence[Sentence]]) -> Iterator[list[Sentence]]:
    seen = set[str]()
    for sentences in found:
        keyed = {key: one for one in reversed(sentences) if (key := fold_case(one.text)) not in seen}
        yield [one for one in sentences if keyed.get(fold_case(one.text)) is one]
        seen.update(keyed)


def _is_whole(text: str) -> bool:
    """Return whether a sentence can stand in another note: it says something, and nothing in it is cut open."""
    paired = all(text.count(mark) % 2 == 0 for mark in ("$$", "`", "%%"))
    has_math = "$" not in text or text.count("$") % 2 == 0 or "\\" not in text
    return (
        paired
        and _is_paired(text, _PAIRS)
        and has_math
        and not _TEMPLATE.search(text)
        and not _COUNTS.fullmatch(text)
        and not _LABELS.fullmatch(text)
        and not text.rstrip(")]）").endswith(_CUT)
        and not (_HOST.search(text) and count_words(_HOST.sub("", text)) <= 1)
    )
