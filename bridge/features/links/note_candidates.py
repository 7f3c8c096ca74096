"""Link candidates without a note: names that several notes mention and that no note has."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from typing import Final, Literal

from bridge.features.links.mentions import NameFinder
from bridge.markdown.names import note_name
from bridge.records import Record
from bridge.text.closest import find_mistyped
from bridge.text.fold import fold_case, fold_letters
from bridge.text.series import DATE, step_between
from bridge.text.words import ALPHABETIC, words_of
from bridge.types import Span, VaultPath

NameKind = Literal["name", "camel case", "acronym", "quoted", "ticket"]

GARBLED_CAPITALS: Final = 2
"""Capitals in one word above which it is not a name, unless all its letters are capitals."""

LABEL_WORDS: Final = 4
"""Maximum number of words in a heading or label that notes of one template may share."""

_CALLOUT: Final = r"^[ \t]*>[ \t>]*\[![^\]\n]*\][^\n]*$"
_HEADING: Final = r"^[ \t>]*(?:[-*+][ \t]+)?\#{1,6}[ \t]+([^\n]*)$"
_BOLD_LINE: Final = r"^[ \t>]*(?:[-*+][ \t]+)?(?:\*\*|__)([^*_\n]+)(?:\*\*|__):?[ \t]*$"
# The content of a piece of markup is bounded; otherwise a line of only `[` is read again from each of them.
_MARKUP: Final = re.compile(
    r"\A---[ \t]*\n.*?^---[ \t]*$|```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]*`"
    r"|!?\[\[[^\]\n]{0,1000}+\]\]|!?\[[^\]\n]{0,1000}+\]\([^)\n]{0,1000}+\)|<[^>\n]{0,1000}+>"
    r"|https?://\S+|\$\$.*?\$\$|%%.*?%%|(?<!\w)\#[^\s\#,.;:!?()\[\]{}'\"`]+"
    rf"|{_CALLOUT}|{_HEADING}|{_BOLD_LINE}|^[ \t>]*(?:[-*+][ \t]+)?[\w ]{{1,40}}::.*?$|\|",
    re.DOTALL | re.MULTILINE,
)
_TABLE_ROW: Final = re.compile(r"^[ \t>]*\|[^\n]*$", re.MULTILINE)
_LABEL: Final = re.compile(r"(?:^|[\n(\[])[ \t>*_+-]*([^\W\d_][\w &/-]{0,39})[*_ ]*(?::(?!\w)|：)[*_]*", re.MULTILINE)

_CAPITALS: Final = r"A-Z\u00c0-\u00de\u0410-\u042f"

# The patterns begin with a character set instead of `\b`, which makes them three times as fast.
_PATTERNS: Final[tuple[tuple[NameKind, re.Pattern[str]], ...]] = (
    ("ticket", re.compile(r"[A-Z][A-Z]{1,9}-\d{1,6}\b")),
    ("camel case", re.compile(r"[A-Z][a-z]+(?:[A-Z][a-z]+){1,4}\b")),
    ("acronym", re.compile(r"[A-Z][A-Z]{2,5}\b")),
    ("quoted", re.compile(r"[“「『《]([^\W_][^“”「」『』《》\n]{1,40}[^\W_])[”」』》]")),
    ("name", re.compile(rf"[{_CAPITALS}][^\W\d_]+(?:[ -][{_CAPITALS}][^\W\d_]+){{0,3}}\b")),
)
BESIDE: Final = 60
"""Characters of a line before and after a name in which the words beside it are looked for."""

_BEFORE: Final = re.compile(r"(?<!\w)(\w+(?:[^\w\n]+\w+)?)[^\w\n]*\Z")
_AFTER: Final = re.compile(r"[^\w\n]*(\w+(?:[^\w\n]+\w+)?)")
_SMALL_WORD: Final = rf"(?:[^\W\d_{_CAPITALS}]+[ ])?"
_NAME_BEFORE: Final = re.compile(rf"\b([{_CAPITALS}]\w*)[^\w\n.!?]*{_SMALL_WORD}\Z")
_NAME_AFTER: Final = re.compile(rf"(?:['’](\w+)|\.?[ ]*(\d)|[,;/]?[ ]{_SMALL_WORD}([{_CAPITALS}]\w*))")
"""The name beside a name, with at most one small word between; also a number after it, or the rest of its last word."""

_WITHIN: Final = re.compile(r"\w{2,}")
_SENTENCE_START: Final = re.compile(r"(?:^|[.!?:…>*_\-–—\d)\]\"“”(\[→]|\n)\s*$")


class CapitalisedName(Record):
    """A place of a text that looks like a name."""

    kind: NameKind
    text: str
    begins: bool
    """Whether every word has a capital in this place."""
    beside: tuple[str, str] = ("", "")
    """The two words of its line before it, and those after it, folded."""
    joined: tuple[str, str] = ("", "")
    """The names before and after it, with which it may be one; a number is `0`."""


def markup_spans(text: str) -> list[Span]:
    """Return the spans of a text that are not prose; faster and rougher than `protected_spans`, for whole vaults."""
    return [match.span() for match in _MARKUP.finditer(text)]


def strip_markup(text: str) -> str:
    """Return the prose of a text, without tables, a line for each piece."""
    text = _TABLE_ROW.sub("", text)
    # Match by match, because other threads are blocked while one pattern runs over a whole text.
    parts: list[str] = []
    at = 0
    for start, end in markup_spans(text):
        parts.append(text[at:start])
        at = end
    return "\n".join([*parts, text[at:]])


def label_words(text: str, prose: str) -> set[str]:
    """Return the words of a note's short headings, bold lines and labels, which notes of one template share."""
    headings = (found[1] or found[2] for found in _MARKUP.finditer(text) if found[1] or found[2])
    short = (words for heading in headings if len(words := ALPHABETIC.findall(heading)) <= LABEL_WORDS)
    labels = (ALPHABETIC.findall(found[1]) for found in _LABEL.finditer(prose))
    said: set[str] = set()
    for words in (*short, *labels):
        said.update((*words, " ".join(words)))
    return said


def find_capitalised(prose: str) -> Iterator[CapitalisedName]:
    """Yield what looks like a name in a text; a single word at the start of a sentence does not."""
    taken: list[tuple[int, int]] = []
    for kind, pattern in _PATTERNS:
        for match in _match_word_starts(pattern, prose):
            start, end = match.span()
            if any(start < last and first < end for first, last in taken[-50:]):
                continue
            begins = kind == "name" and begins_sentence(prose, start)
            if kind == "name" and " " not in match[0] and (begins or is_garbled(match[0])):
                continue
            taken.append((start, end))
            before, after = prose[max(0, start - BESIDE) : start], prose[end : end + BESIDE]
            beside = _first(_BEFORE.search(before)), _first(_AFTER.match(after))
            joined = _first(_NAME_BEFORE.search(before)), _first(_NAME_AFTER.match(after))
            yield CapitalisedName(kind, match[match.lastindex or 0], begins, beside, joined)


def _first(found: re.Match[str] | None) -> str:
    text = "" if found is None else found[found.lastindex or 0]
    return "0" if text.isdigit() else fold_case(text)


def _match_word_starts(pattern: re.Pattern[str], prose: str) -> Iterator[re.Match[str]]:
    at = 0
    while (match := pattern.search(prose, at)) is not None:
        start, at = match.span()
        word = _WITHIN.match(prose, start - 1) if start else None
        if word is not None:
            # Continue after the word, because another match may begin inside this one.
            at = word.end()
        else:
            yield match


def begins_sentence(prose: str, start: int) -> bool:
    return _SENTENCE_START.search(prose, max(0, start - 12), start) is not None


def is_garbled(word: str) -> bool:
    return not word[1:].islower() and sum(map(str.isupper, word)) > GARBLED_CAPITALS and not word.isupper()


CandidateKind = Literal["stub"] | NameKind

MIN_NOTES: Final = 2
EXAMPLES: Final = 3
"""Number of example notes given for each candidate."""

BASE: Final[Mapping[CandidateKind, float]] = {
    "stub": 0.6,
    "ticket": 0.5,
    "camel case": 0.45,
    "name": 0.4,
    "quoted": 0.35,
    "acronym": 0.3,
}
"""Confidence in a candidate from two notes; each doubling of the notes halves the distance to 1."""

PIECE: Final = 0.7
"""Share of the words around a name with the same name or number among them, from which it is a piece of it."""

ORDINARY: Final = 0.2
"""Minimum lower-case share of a word's uses for it to be an ordinary word."""

EVERYWHERE: Final = 0.04
"""Share of all notes from which a name is probably part of a template."""

TEMPLATED: Final = 0.5
AS_LABEL: Final = 0.5
"""Share of a name's notes that have it as a heading or label, from which it belongs to a template."""

CAPITALISING: Final = frozenset({"german"})
"""Languages that capitalise every noun, so that the capital of a single word means nothing."""

NOUNS: Final = 0.08
"""Share of capitalised words within sentences from which a text counts as capitalising all nouns, in any language."""

MIN_NOUNS: Final = 3
MAX_WORD_CHARS: Final = 24

_EVERYDAY: Final = re.compile(
    "(mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october"
    "|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|english|i|x{0,3}(?:ix|iv|v?i{1,3}|v)|x{2,3}"
    # Names of callouts, and words often written in capitals.
    "|notes?|abstract|summary|tl;?dr|info|todo|tips?|hints?|important|success|check|done|question|help|faq|warnings?"
    "|caution|attention|failure|fail|missing|danger|error|bug|examples?|quote|cite|and|not|or|yes|no"
)


class NameProspect(Record):
    """A name that several notes mention and no note has.

    Attributes:
        name: The name in its most common spelling.
        kind: What makes it a name; a `stub` is already linked to.
        notes: Notes that mention or link to it.
        confidence: Confidence that it deserves a note, 0–1.
        examples: The first of those notes.
    """

    name: str
    kind: CandidateKind
    notes: int
    confidence: float
    examples: tuple[VaultPath, ...]


class Usage:
    """How the notes of a vault write their words."""

    def __init__(self) -> None:
        self.small: Counter[str] = Counter()
        """Number of notes with a word in lower case."""
        self.capital: Counter[str] = Counter()
        """Number of notes with a word with an initial capital, by the word in lower case."""
        self.labels: Counter[str] = Counter()
        """Number of notes with a folded name in a heading or label."""
        self.nouns: Counter[str] = Counter()
        """Number of notes, in languages that capitalise nouns, with a folded word with a capital."""

    def read(self, text: str, prose: str) -> int:
        """Count the words of a note, and return their number."""
        words = ALPHABETIC.findall(prose)
        several = set(words)
        self.small.update(word for word in several if word.islower())
        self.capital.update(word.lower() for word in several if word[0].isupper())
        self.labels.update(set(map(fold_case, label_words(text, prose))))
        return len(words)

    def is_ordinary(self, word: str) -> bool:
        return self.small[word] > ORDINARY * self.capital[word]

    def is_label(self, form: str, notes: int) -> bool:
        """Return whether a folded name, contained in so many notes, is rather a heading or label of a template."""
        return self.labels[form] >= max(MIN_NOTES, AS_LABEL * notes)


def find_candidates(
    texts: Mapping[VaultPath, str],
    existing: Container[str],
    stubs: Mapping[str, Collection[VaultPath]],
    languages: Mapping[VaultPath, str | None] | None = None,
) -> list[NameProspect]:
    """Return the candidates for new notes: those that notes link to, then others, most confident first.

    What stands only in the titles of notes, in tables, or between the same words is no name that notes speak of.
    """
    usage = Usage()
    looking: dict[VaultPath, Sequence[CapitalisedName]] = {}
    for path, text in texts.items():
        prose = strip_markup(text)
        count = usage.read(text, prose)
        capitalises = (languages or {}).get(path) in CAPITALISING
        looking[path] = list(filter_nouns(list(find_capitalised(prose)), count, usage, capitalises=capitalises))
    notes_of_form: dict[str, dict[VaultPath, None]] = defaultdict(dict)
    # Notes that say a name between the same words share a quotation or a reference, and count once.
    said: dict[str, set[tuple[str, str] | VaultPath]] = defaultdict(set)
    joined: dict[str, dict[tuple[str, str], tuple[str, str]]] = defaultdict(dict)
    written: dict[str, Counter[str]] = defaultdict(Counter)
    kinds: dict[str, CandidateKind] = {}
    for target, paths in stubs.items():
        form = fold_case(target)
        kinds[form] = "stub"
        written[form][target] += 1
        notes_of_form[form] |= dict.fromkeys(paths)
        said[form].update(paths)
    within = {fold_case(place.text) for found in looking.values() for place in found if not place.begins}
    for path, found in looking.items():
        title = " ".join(["", *words_of(note_name(path)), ""])
        for place in found:
            name = place.text if fold_case(place.text) in within else drop_first_word(place, usage)
            form = fold_case(name)
            joined[form][place.beside] = place.joined
            if " ".join(["", *words_of(name), ""]) in title:
                continue
            kinds.setdefault(form, place.kind)
            written[form][name] += 1
            notes_of_form[form][path] = None
            said[form].add(place.beside)

    def times(form: str) -> int:
        return min(len(said[form]), len(notes_of_form[form]))

    def is_piece(form: str) -> bool:
        names = Counter(name for pair in joined[form].values() for name in enumerate(pair) if name[1])
        most = max(names.values(), default=0)
        return kinds[form] not in {"stub", "ticket"} and most >= max(MIN_NOTES, PIECE * len(joined[form]))

    likely = [
        NameProspect(
            name=written[form].most_common(1)[0][0],
            kind=kinds[form],
            notes=len(paths),
            confidence=round(confidence(kinds[form], times(form), len(texts)), 3),
            examples=tuple(sorted(paths)[:EXAMPLES]),
        )
        for form, paths in notes_of_form.items()
        if times(form) >= MIN_NOTES
        and not is_piece(form)
        and form not in existing
        and is_candidate(form, len(paths), kinds[form], usage)
    ]
    return sorted(likely, key=lambda one: (one.kind != "stub", -one.confidence, -one.notes, one.name))


def filter_nouns(
    places: Sequence[CapitalisedName], words: int, usage: Usage, *, capitalises: bool
) -> Iterator[CapitalisedName]:
    single = [place for place in places if place.kind == "name" and " " not in place.text]
    if not capitalises and len(single) <= max(MIN_NOUNS, NOUNS * words):
        yield from places
        return
    if capitalises:
        usage.nouns.update({fold_case(place.text) for place in single})
    for place in places:
        if place.kind != "name":
            yield place
        elif capitalises and place.begins:
            # The first word begins the sentence; the word after it is a noun.
            rest = place.text.partition(" ")[2]
            if " " in rest:
                yield CapitalisedName("name", rest, begins=False, beside=place.beside, joined=place.joined)
        elif " " in place.text:
            yield place


def drop_first_word(place: CapitalisedName, usage: Usage) -> str:
    first, _, rest = place.text.partition(" ")
    return rest if rest and usage.is_ordinary(first.lower()) else place.text


def confidence(kind: CandidateKind, notes: int, everything: int) -> float:
    """Return the confidence in a name found in so many notes, given the number of all notes."""
    confidence = 1 - (1 - BASE[kind]) * MIN_NOTES / notes
    return confidence * TEMPLATED if notes > max(10, EVERYWHERE * everything) and kind != "stub" else confidence


def is_candidate(form: str, notes: int, kind: CandidateKind, usage: Usage) -> bool:
    """Return whether a folded name is more than an ordinary word, a noun, or a template's heading."""
    if kind in {"stub", "ticket"}:
        # A note of a day is written on that day.
        return not DATE.fullmatch(form)
    if max(map(len, form.split())) > MAX_WORD_CHARS or _EVERYDAY.fullmatch(form) or usage.is_label(form, notes):
        return False
    return " " in form or (usage.small[form] <= ORDINARY * notes and usage.nouns[form] < notes)


ALIKE: Final = 88.0
"""Likeness (0-100) of letters and digits from which on another name may be meant."""

ALIKE_WORD: Final = 75.0
"""Likeness (0-100) from which on a word may be another one misspelt."""

LITTLE: Final = 3
"""Letters up to which a word may be missing, such as an article."""

SLIP: Final = 90.0
"""Likeness (0-100) from which on another name is surely meant, if no other is as like."""

AHEAD: Final = 8.0
"""How much less like the next name must be."""

MIN_SLIP_CHARS: Final = 6
DOUBTFUL: Final = 0.5
"""Confidence where several notes may be meant, or only a person can tell."""


class MeantNote(Record):
    """A note that a name may mean, and the evidence."""

    path: VaultPath
    why: str
    confidence: float = DOUBTFUL
    by_alias: bool = False


class MeantNotes:
    """Finds the notes that names may mean by title or alias."""

    def __init__(self, finder: NameFinder) -> None:
        self._finder = finder
        self._forms: defaultdict[str, list[str]] = defaultdict(list)
        """By letters and digits: the names."""
        for form in finder:
            self._forms[fold_letters(form)].append(form)
        self._initials = {fold_case(initials): form for form in finder if (initials := abbreviation_of(form))}

    def has_letters(self, name: str) -> bool:
        """Return whether a note has a name with these letters, or one of which they are the initials."""
        key = fold_letters(name)
        return key in self._forms or key in map(fold_letters, self._initials)

    def find(self, name: str) -> MeantNote | None:
        form = fold_case(name.rpartition("/")[2]).strip()
        if named := self._finder.of(form):
            if named[0].alias:
                return self._mean([form], "“{}” is an alias of it", DOUBTFUL if "/" in name else 0.95)
            return self._mean([form], "it has this name in another folder", 0.93)
        if form in self._initials:
            return self._mean([self._initials[form]], "these are the initials of “{}”", DOUBTFUL)
        key = fold_letters(form)
        confidence = 0.92 if len(key) > LITTLE - 1 else DOUBTFUL
        if key not in self._forms:
            key, confidence = self._find_misspelt(form, key)
        return self._mean(self._forms[key], "its name is almost the same: “{}”", confidence) if key else None

    def _find_misspelt(self, form: str, key: str) -> tuple[str, float]:
        from rapidfuzz import fuzz, process

        alike = process.extract(key, self._forms.keys(), scorer=fuzz.ratio, score_cutoff=ALIKE - AHEAD)
        for other, score, _ in alike:
            if score >= ALIKE and _is_misspelt(form, self._forms[other][0]):
                is_slip = (
                    score >= SLIP
                    and len(key) >= MIN_SLIP_CHARS
                    and all(score - next_ >= AHEAD for name, next_, _ in alike if name != other)
                    # Another ending makes another word.
                    and key[-2:] == other[-2:]
                    and bool(find_mistyped(key, [other], 1))
                )
                return other, round(0.8 + (score - SLIP) / 100, 2) if is_slip else DOUBTFUL
        return "", 0.0

    def _mean(self, forms: Sequence[str], why: str, confidence: float) -> MeantNote:
        found = [name for form in forms for name in self._finder.of(form)]
        if len({name.path for name in found}) > 1:
            confidence = DOUBTFUL
        return MeantNote(found[0].path, why.format(found[0].text), confidence, found[0].alias)


def drop_meant(finder: NameFinder, candidates: Sequence[NameProspect]) -> list[NameProspect]:
    """Return the candidates for new notes without other spellings and pieces of the names of notes."""
    meant = MeantNotes(finder)
    pieces = frozenset(piece for form in finder for piece in pieces_of(words_of(form)))
    return [
        one
        for one in candidates
        if not meant.has_letters(one.name)
        and (one.kind in {"stub", "ticket"} or tuple(words_of(one.name)) not in pieces)
        and (one.kind != "stub" or meant.find(one.name) is None)
    ]


_ABBREVIATED: Final = re.compile(r"(.+)[(\uff08](\w{2,8})[)\uff09]")


def abbreviation_of(name: str) -> str | None:
    """Return the initials that a name has in brackets at its end, such as `PoS` of `Proof of Stake (PoS)`."""
    found = _ABBREVIATED.fullmatch(name.strip())
    if found is None:
        return None
    initials = "".join(word[0] for word in words_of(found[1]))
    return found[2] if fold_case(found[2]) == fold_case(initials) else None


def pieces_of(name: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield several words in a row of a name, but not all, and the last of two, by which people are called."""
    for count in range(2, len(name)):
        yield from (tuple(name[at : at + count]) for at in range(len(name) - count + 1))
    if len(name) == 2:
        yield (name[1],)


def _is_misspelt(one: str, other: str) -> bool:
    """Return whether names differ by slips: not by a number, nor by the beginning of a word, which makes it another."""
    from rapidfuzz import fuzz

    if step_between(one, other) is not None:
        return False
    words, others = words_of(one), words_of(other)
    left, right = [word for word in words if word not in others], [word for word in others if word not in words]
    if len(left) != len(right):
        return all(len(word) <= LITTLE for word in (*left, *right))
    pairs = zip(left, right, strict=True)
    return all(mine[0] == yours[0] and fuzz.ratio(mine, yours) >= ALIKE_WORD for mine, yours in pairs)
