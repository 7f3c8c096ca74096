"""What the definition of a topic says of a note: which things it names that the note is, or is filed under."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Final

from bridge.markdown.parse import parse
from bridge.records import Record
from bridge.search.sentences import iter_sentences
from bridge.text.budget import shorten
from bridge.text.cues import CONJUNCTION, EXAMPLE, split_subjects
from bridge.text.fold import fold_word
from bridge.text.function_words import content_runs, function_words
from bridge.text.invisible import inline
from bridge.text.stems import OTHER_LANGUAGE, language_of, stem_words
from bridge.text.words import RUN, TOKEN
from bridge.types import VaultPath

MAX_DEFINITION_CHARS: Final = 300
"""Characters of a definition."""

PREFIX_LETTERS: Final = 7
"""Letters with which a longer word begins that may be another form of one."""

HALF_SAID_WEIGHT: Final = 0.8
"""What such a word counts."""

MIN_LATIN_CHARS: Final = 3
"""Letters of a word of a script with spaces, unless it is a name."""

MIN_RARITY: Final = 0.3
"""How few notes must say what is all of a title, 0-1."""

UNLISTED_WEIGHT: Final = 0.6
"""What a word counts that says of which kind things are, beside those that the definition lists."""

HEAD_WEIGHT: Final = 0.85
"""What a word counts that is the noun of a title, as in *Brown butter tart* or *Difesa siciliana*."""

FILED_WEIGHT: Final = 0.67
"""What a folder, tag or value of a property counts that the definition lists."""

KIND_WEIGHT: Final = 0.2
"""The same of one that only says of which kind things are."""

TEXT_WEIGHT: Final = 0.4
"""What it counts that a text says all of a definition."""

MIN_TEXT: Final = 2.0
"""Rare words of a definition that a text must say for it to say all, if the definition has fewer."""

MAX_NAME_WORDS: Final = 3
"""Words in a row that are one thing of a list."""

_MARK: Final = re.compile(
    rf"[,，、]?\s*(?:{EXAMPLE}|(?<=[,，、] )(?:like|come|wie|etwa|comme|como|zoals)\b|[,，]\s*如)|[:：]", re.IGNORECASE
)
_BREAK: Final = re.compile(r"[,;.!?()/，、；。！？（）《》〈〉「」『』“”\"|]|\s[—–-]\s")
_LIST_WORDS: Final = re.compile(r"等等?|之类|以及|或者?|などの?|や|등|및")
_HEAD_FIRST: Final = frozenset(("italian", "french", "spanish", "portuguese", "catalan", "romanian", "indonesian"))
_PARTS: Final = re.compile(r"\s+[—–|∕-]+\s+|(?<=[^\W\da-zA-Z])[-—]|[:：([（【\])）】]")


def first_sentence(path: VaultPath, text: str) -> str:
    """Return the first sentence of a note as it reads; empty if it has none."""
    sentence = next(iter_sentences(parse(path, text.encode("utf-8", "replace"))), None)
    return "" if sentence is None else shorten(inline(sentence.text), MAX_DEFINITION_CHARS)


class DefinedName(Record):
    """Words of a definition that belong together: a name of several, or a single word."""

    words: tuple[str, ...]
    """Folded; a run of a script without spaces is one."""
    is_listed: bool
    """Whether they are an example or a name, and do not only say of which kind these are."""
    rarity: float
    """How few notes say the rarest of them, 0-1."""


class Phrase(Record, eq=False):
    """The words of a title or of what a note is filed under."""

    words: tuple[str, ...]
    forms: tuple[str, ...]
    """Their stems."""
    weight: float
    """How much it counts, 0-1: of what a note is filed under, how few notes have it."""


class DescribedNote(Record, eq=False):
    """What a definition is compared with."""

    titles: Sequence[Phrase]
    """Its title, and the parts of that."""
    filed: Sequence[Phrase]
    """Its folders, tags and values of properties."""
    text: str
    """Folded."""
    forms: frozenset[str]
    """The stems of the words of the text."""
    language: str

    @classmethod
    def describe(cls, title: str, text: str, filed: Mapping[str, float], language: str) -> "DescribedNote":
        """Read what definitions are compared with."""
        small, words = function_words(language), _words(text)
        parts = [part for part in _PARTS.split(title) if part.strip()]
        titles = dict.fromkeys((title, *parts) if len(parts) > 1 else (title,))
        return cls(
            [phrase for one in titles if (phrase := _phrase(one, 1.0, language, small)).words],
            [phrase for one, weight in filed.items() if (phrase := _phrase(one, weight, language)).words],
            fold_word(text),
            frozenset(stem_words(language, words)),
            language,
        )


class Definition:
    """The names and words of a definition."""

    def __init__(self, name: str, text: str, rarity: Callable[[str], float]) -> None:
        """Split a definition and the name of its topic."""
        self._names = tuple(_split(name, text, rarity))
        self._stems: dict[str, list[tuple[str, ...]]] = {}

    def likeness(self, note: DescribedNote) -> float:
        """Return how surely a note is of what the definition names, 0-1."""
        if note.language not in self._stems:
            self._stems[note.language] = [tuple(stem_words(note.language, one.words)) for one in self._names]
        stems = self._stems[note.language]
        named = max((self._in_title(title, stems, note.language) for title in note.titles), default=0.0)
        filed = max((self._in_filed(one, stems) for one in note.filed), default=0.0)
        return min(1.0, max(named, filed) + TEXT_WEIGHT * self._in_text(note, stems))

    def _in_title(self, title: Phrase, stems: Sequence[tuple[str, ...]], language: str) -> float:
        said, best, kind, is_head = [0.0] * len(title.words), 0.0, UNLISTED_WEIGHT, False
        head = 0 if language in _HEAD_FIRST else len(title.words) - 1
        for name, own in zip(self._names, stems, strict=True):
            places = list(filter(None, (_find(word, stem, title) for word, stem in zip(name.words, own, strict=True))))
            if len(places) < len(name.words):
                continue
            least = 1.0
            for word, (at, share) in zip(name.words, places, strict=True):
                said[at] = min(1.0, said[at] + share)
                is_run, other = RUN.match(word) is not None, title.words[at]
                is_head |= other.startswith(word) or other.endswith(word) if is_run else at == head
                least = min(least, 1.0 if is_run else share)
            best = max(best, name.rarity * least * (1.0 if name.is_listed else UNLISTED_WEIGHT))
            kind = max(kind, 1.0 if name.is_listed else UNLISTED_WEIGHT)
        share = sum(said) / len(said)
        if share >= HALF_SAID_WEIGHT and best >= MIN_RARITY:
            return share * kind
        return best * (HEAD_WEIGHT if is_head else 0.5 + share / 2)

    def _in_filed(self, filed: Phrase, stems: Sequence[tuple[str, ...]]) -> float:
        found = (one for one, own in zip(self._names, stems, strict=True) if own == filed.forms)
        weights = ((FILED_WEIGHT if one.is_listed else KIND_WEIGHT) * min(1, one.rarity / MIN_RARITY) for one in found)
        return max(weights, default=0.0) * min(1.0, filed.weight / MIN_RARITY)

    def _in_text(self, note: DescribedNote, stems: Sequence[tuple[str, ...]]) -> float:
        said = [
            one.rarity
            for one, own in zip(self._names, stems, strict=True)
            if note.forms.issuperset(own) or (RUN.match(one.words[0]) and one.words[0] in note.text)
        ]
        return sum(said) / max(MIN_TEXT, sum(one.rarity for one in self._names))


def _phrase(text: str, weight: float, language: str, small: Collection[str] = ()) -> Phrase:
    words = tuple(word for word in _words(text) if word not in small)
    return Phrase(words, tuple(stem_words(language, words)), weight)


def _find(word: str, stem: str, title: Phrase) -> tuple[int, float] | None:
    """Return where a word of a definition is in a title, and how much of the word there it says."""
    for at, (other, form) in enumerate(zip(title.words, title.forms, strict=True)):
        if form == stem:
            return at, 1.0
        if RUN.match(word) and word in other:
            return at, len(word) / len(other)
        if len(word) > PREFIX_LETTERS and word[:PREFIX_LETTERS] == other[:PREFIX_LETTERS]:
            return at, HALF_SAID_WEIGHT
    return None


def _words(text: str) -> list[str]:
    return [fold_word(token) for token in TOKEN.findall(text) if token[0].isalnum()]


def _split(name: str, text: str, rarity: Callable[[str], float]) -> Iterator[DefinedName]:
    language = language_of(text) or OTHER_LANGUAGE
    small = function_words(language)
    mark = _MARK.search(text)
    joined = all(map(CONJUNCTION.fullmatch, small.intersection(_words(text))))
    segments = [(part, True) for part in _BREAK.split(text[mark.end() :])] if mark else []
    before = [part for part in _BREAK.split(text[: mark.start()] if mark else text) if part.strip()]
    segments += [(part, not mark and (len(before) > 1 or joined)) for part in before]
    conjuncts = split_subjects(name, language)
    segments += [(part, True) for part in conjuncts if len(conjuncts) > 1]
    are_names = RUN.search(text) is not None or language == "german"
    for segment, is_listed in segments:
        for words, is_name in _gather(segment, small, may_begin=are_names, is_listed=is_listed):
            if is_name or len(words[0]) >= MIN_LATIN_CHARS or RUN.match(words[0]):
                yield DefinedName(words, is_listed or is_name, max(map(rarity, words)))


def _gather(
    segment: str, small: frozenset[str], *, may_begin: bool, is_listed: bool
) -> Iterator[tuple[tuple[str, ...], bool]]:
    """Yield the words of a segment, and whether they are a name; what follows each other in a list is one, too.

    A capital at its beginning need not be that of a name.
    """
    tokens = [token for token in TOKEN.findall(segment) if token[0].isalnum()]
    capitals = [not RUN.match(token) and (token[0].isupper() or not token.isalpha()) for token in tokens]
    if tokens and not may_begin and capitals[1:2] != [True]:
        capitals[0] = False
    kinds = [
        "run" if RUN.match(token) else "name" if capital else "small" if fold_word(token) in small else "word"
        for capital, token in zip(capitals, tokens, strict=True)
    ]
    for kind, group in groupby(zip(kinds, tokens, strict=True), key=itemgetter(0)):
        words = [fold_word(token) for _, token in group]
        if kind == "run":
            runs = (run for word in words for part in _LIST_WORDS.split(word) for run in content_runs(part))
            yield from (((run,), False) for run in runs)
        elif kind == "name":
            yield from [(named, True)] if (named := tuple(word for word in words if word not in small)) else []
        elif kind == "word" and is_listed and len(words) <= MAX_NAME_WORDS:
            yield tuple(words), False
        elif kind == "word":
            yield from (((word,), False) for word in words)
