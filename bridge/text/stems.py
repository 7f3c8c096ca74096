"""The languages of a vault, and the stems of its words."""

import re
import threading
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache, partial
from heapq import nlargest
from itertools import chain
from typing import Any, TypeVar

import Stemmer

from bridge.text.fold import fold_word
from bridge.text.scripts import CYRILLIC, GREEK, has_latin, latin_share
from bridge.text.word_lists import words_by_language
from bridge.text.words import SPACED_WORD

T = TypeVar("T")

FREQUENT_WORDS = words_by_language("frequent")
"""Frequent short words that distinguish the languages, most distinctive first."""

MIN_STOP_WORDS = 3
MIN_STOP_WORD_SHARE = 0.08
"""Share of a text's words that must be stop words of its language."""

UNTOLD_WORDS, MAX_ENGLISH_SHARE = 12, 0.03
"""Words of sentences from which a text in no known language is not taken for English, and the share that are English
stop words."""

_CLAUSE = re.compile(r"(?:[^\W\d_]+['’-]?[ \t]+){3,}[^\W\d_]+")
"""Four words and more in a row."""

MIN_FOREIGN_WORDS = 2
"""Stop words of another language from which a question counts as written in it."""

OTHER_LANGUAGE = "other"
"""What stands for a language of which no stemmer knows the rules: words with the same beginning are forms of one."""

DECLINING_LANGUAGES = {
    *("polish", "czech", "serbian", "russian", "hungarian", "finnish", "estonian", "lithuanian", "turkish", "romanian"),
    *("greek", "armenian", "arabic", "hebrew"),
}
"""Languages whose names have other forms beside other words."""

JOINING_LANGUAGES = {
    *("german", "dutch", "swedish", "norwegian", "danish", "hungarian", "finnish", "estonian", "indonesian"),
}
"""Known languages that write words together, as in *Liebesbrief*, or small ones with the next, as in *berenang*."""

SCRIPTS_ONLY = "greek"
"""A language whose stemmer leaves words in the Latin script as they are; those of other scripts have their own."""

TWO_SCRIPTS = "serbian"
"""The language whose stemmer writes words of either script in one."""

PREFIX_LETTERS = 5
"""Letters of this beginning."""

_AFFIXES = {
    "amharic": "^(?:[የበለከ]|ስለ|እንደ)(?=..)|(?<=..)(?:ዎች|ቹ|[ውዋንምና])+$",
    "arabic": "^(?:[وف]?(?:[بك]?ال|لل)|و)(?=.{3})|(?<=..)(?:ها|ان|ات|ون|ين|يه|[هةي])$",
    "hebrew": "^(?:[ושכ]?[הבלמ]|[ושכ])(?=.{3})|(?<=..)(?:י*(?:ים|ות|ה)|י+)$",
}
"""Small words that are written together with the next one, and endings (Larkey et al., 2007, for Arabic)."""

MIN_STEM_LETTERS = 2
"""Letters of which a stem needs more."""

SAMPLE_CHARS = 4_000
DEFAULT = "english"
"""For notes in the Latin script that are too short to tell."""

_LANGUAGES_OF = {
    word: tuple(language for language, words in FREQUENT_WORDS.items() if word in words.split())
    for word in " ".join(FREQUENT_WORDS.values()).split()
    if len(word) > 1
}
_PLAIN_WORD = re.compile(r"[^\W_]+")
"""A word as languages are told by it: texts in scripts with combining marks fall into many, and are not English."""

_APOSTROPHE = re.compile("['’ʻʼ׳]|[+#]+$")
_ACCENTED_LETTER = re.compile("[\u00c0-\u024f\u1e00-\u1eff]")
_ASCII_WORDS = {code: chr(code).lower() if chr(code).isalnum() else " " for code in range(128)}
_SCRIPTS = {
    "russian": CYRILLIC,
    "greek": GREEK,
    "arabic": "\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufefc",
    "hebrew": "\u0590-\u05ff",
    "armenian": "\u0530-\u058f",
    "amharic": "\u1200-\u139f",
    "hindi": "\u0900-\u0963\u0966-\u097f",
    "tamil": "\u0b80-\u0bff",
    OTHER_LANGUAGE: "\u0700-\u074f\u0780-\u08ff\u0980-\u0b7f\u0c00-\u0dff\u0f00-\u0fff\u10a0-\u10ff\u1400-\u177f"
    "\u1800-\u1cff\ua800-\uabff",
}
"""The language by whose rules all words of a script are stemmed."""

_CYRILLIC_LETTER = re.compile(f"[{CYRILLIC}]")
_OWN_LETTERS = {
    TWO_SCRIPTS: re.compile("[\u0402\u0403\u0408-\u040c\u040f\u0452\u0453\u0458-\u045c\u045f]"),
    OTHER_LANGUAGE: re.compile("[\u0460-\u048f\u0492-\u04ff]"),
}
"""Cyrillic letters of languages that are not stemmed as Russian is: Serbian and Macedonian, and those of Asia."""

MIN_OWN_LETTERS = 0.02
"""Share of a text's Cyrillic letters that must be such letters."""

_SCRIPT_LANGUAGES = tuple((language, re.compile(f"[{letters}]")) for language, letters in _SCRIPTS.items())
CACHE_SIZE = 30_000
"""Cached words: nearly every word of a text has occurred before."""

MAX_CACHED_CHARS = 64

CACHED_ALONE = 2_000
"""Cached stems of words that are stemmed alone: a search asks for those of its words in all languages, repeatedly."""


class _ThreadCaches(threading.local):
    def __init__(self) -> None:
        self.stems: dict[tuple[str, bool], BoundedCache[str]] = {}
        self.stemmers: dict[str, Any] = {}


_caches = _ThreadCaches()


def language_of(text: str) -> str | None:
    """Detect the language of a text's Latin words by its frequent words, or else that of its script."""
    sample = text[:SAMPLE_CHARS]
    if (own := _own_language(sample)) is not None:
        return own
    if not has_latin(sample):
        return next((language for language, letter in _SCRIPT_LANGUAGES if letter.search(sample)), None)
    counts, words = _count_frequent_words(sample)
    best, next_best = nlargest(2, FREQUENT_WORDS, key=counts.__getitem__)
    least = MIN_STOP_WORDS
    if counts[best] > counts[next_best]:
        # A short text has few of them, but of other languages fewer.
        least = MIN_FOREIGN_WORDS - (_ACCENTED_LETTER.search(sample) is not None)
    if counts[best] >= max(least, MIN_STOP_WORD_SHARE * words):
        return best
    is_english = counts[DEFAULT] > MAX_ENGLISH_SHARE * words or latin_share(sample) <= 0.5
    return DEFAULT if is_english or _count_prose_words(sample) < UNTOLD_WORDS else OTHER_LANGUAGE


def _count_prose_words(sample: str) -> int:
    """Return the number of words in sentences: lists, titles and code have no stop words in English, either."""
    clauses = (match[0].split() for match in _CLAUSE.finditer(sample))
    return sum(len(words) for words in clauses if 2 * sum(word[0].islower() for word in words) > len(words))


def _own_language(sample: str) -> str | None:
    """Return the language of a text in Cyrillic whose letters tell that it is not Russian or close to it."""
    letters = 0 if sample.isascii() else len(_CYRILLIC_LETTER.findall(sample))
    if not letters:
        return None
    least = max(1, MIN_OWN_LETTERS * letters)
    found = (language for language, letter in _OWN_LETTERS.items() if len(letter.findall(sample)) >= least)
    return next(found, None)


def foreign_language(question: str) -> str | None:
    """Return the language of a question that is clearly not English: two of its stop words and none of English."""
    counts, _ = _count_frequent_words(question)
    best = max(FREQUENT_WORDS, key=counts.__getitem__)
    return best if best != DEFAULT and counts[best] >= MIN_FOREIGN_WORDS and not counts[DEFAULT] else None


def _count_frequent_words(text: str) -> tuple[dict[str, int], int]:
    words = _folded_words(text)
    counts = dict.fromkeys(FREQUENT_WORDS, 0)
    for language in chain.from_iterable(filter(None, map(_LANGUAGES_OF.get, words))):
        counts[language] += 1
    return counts, len(words)


def _folded_words(text: str) -> list[str]:
    # For ASCII, five times faster than a regular expression.
    return text.translate(_ASCII_WORDS).split() if text.isascii() else _PLAIN_WORD.findall(text.casefold())


def index_forms(text: str, language: str | None) -> str:
    """Return the forms by which a text's words are also found."""
    if language is None:
        return ""
    plain = text.isascii()
    words = _folded_words(text) if plain else _spaced_words(text)
    return " ".join(filter(None, map(_stem_cache(language, any_script=not plain).__getitem__, words)))


def query_forms(word: str, languages: Collection[str]) -> list[frozenset[str]]:
    """Return, for each part of a query's word or phrase, its possible forms in any of the languages."""
    return [
        frozenset(stem_words(language, [part])[0] for language in languages or (DEFAULT,))
        for part in _spaced_words(word)
    ]


def _spaced_words(text: str) -> list[str]:
    # The lower case of the Turkish İ has a dot of its own.
    words = SPACED_WORD.findall(text.casefold().replace("i\u0307", "i"))
    return [part for word in words for part in _APOSTROPHE.split(word) if part]


def stem_words(language: str, words: Sequence[str]) -> list[str]:
    return [_stem_alone(language, words[0])] if len(words) == 1 else _stem(language, words)


@lru_cache(CACHED_ALONE)
def _stem_alone(language: str, word: str) -> str:
    return _stem(language, [word])[0]


def _stem(language: str, words: Sequence[str]) -> list[str]:
    stems: list[str] = _stemmer(language).stemWords(words)
    if not all(map(str.isascii, words)):
        own = ((at, script_language(word)) for at, word in enumerate(words) if not word.isascii())
        stems = [*stems]
        for at, other in own:
            if other is not None and not (other == "russian" and language in _OWN_LETTERS):
                stems[at] = _stemmer(other).stemWord(words[at])
    return stems


def script_language(word: str) -> str | None:
    """Return the language in which every word of this script is stemmed; None for a script of several languages."""
    return None if word.isascii() else next((each for each, letter in _SCRIPT_LANGUAGES if letter.match(word)), None)


def has_prefixes(word: str) -> bool:
    """Return whether a stem may be another part of a word than its beginning."""
    return script_language(word) in _AFFIXES


class _OwnStemmer:
    """Stems words one by one, with the methods of the stemmers of Snowball."""

    def __init__(self, stem: Callable[[str], str]) -> None:
        self.stemWord = stem

    def stemWords(self, words: Sequence[str]) -> list[str]:  # noqa: N802 - as the stemmers of Snowball
        return [*map(self.stemWord, words)]


def _take_beginning(word: str) -> str:
    # Of a number or a name with digits, such as `edit24`, each one counts.
    return word if any(map(str.isdigit, word)) else word[:PREFIX_LETTERS]


def _fold_stem(stem: Callable[[str], str], word: str) -> str:
    """Return a stem in Latin letters, whatever the word was written in: *кочница* is *kocnica*."""
    return fold_word(stem(word))


def _keep_short(stem: Callable[[str], str], word: str) -> str:
    """Return a word whole of which a stemmer leaves two letters: `insan` (human) would be `in`."""
    stemmed = stem(word)
    return stemmed if len(stemmed) > MIN_STEM_LETTERS else word


class BoundedCache(dict[str, T]):
    """Cached results for words, limited in number."""

    def __init__(self, find: Callable[[str], T]) -> None:
        super().__init__()
        self._find = find

    def __missing__(self, word: str) -> T:
        found = self._find(word)
        if len(word) <= MAX_CACHED_CHARS:
            if len(self) >= CACHE_SIZE:
                self.clear()
            self[word] = found
        return found


def _stem_cache(language: str, *, any_script: bool) -> BoundedCache[str]:
    mine = _caches.stems
    if (language, any_script) not in mine:
        mine[language, any_script] = BoundedCache(
            (lambda word: _stem(language, [word])[0]) if any_script else _stemmer(language).stemWord
        )
    return mine[language, any_script]


def _stemmer(language: str) -> Any:
    if language not in _caches.stemmers:
        _caches.stemmers[language] = _make_stemmer(language)
    return _caches.stemmers[language]


def _make_stemmer(language: str) -> Any:
    if language == OTHER_LANGUAGE:
        return _OwnStemmer(_take_beginning)
    if language in _AFFIXES:
        return _OwnStemmer(partial(re.compile(_AFFIXES[language]).sub, ""))
    # Without a cache of its own, which is slower than the stemmer.
    found = Stemmer.Stemmer(language, 0)
    mend = {"turkish": _keep_short, TWO_SCRIPTS: _fold_stem}.get(language)
    return found if mend is None else _OwnStemmer(partial(mend, found.stemWord))
