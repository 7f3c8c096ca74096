"""The languages of a vault, and the stems of its words."""

import re
import threading
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, TypeVar

from bridge.text.scripts import CYRILLIC, GREEK, HANGUL, STEMMED, has_stems, is_stemmed
from bridge.text.words import ALPHANUMERIC, character_pairs

T = TypeVar("T")

FREQUENT_WORDS = {
    "english": "the and of to in is that it for was on with as are this be by at from have not you which or an",
    "german": "der die und das ist nicht ein eine mit von zu den auf für im dem sich auch es als wird sind wie oder",
    "french": "le la les et des est une dans que pour pas qui sur du au avec ce il sont plus par ne nous vous",
    "spanish": "el la los las y que en es una por con para del se no como más su pero al lo está esta son",
    "italian": "il che di è la un una per non con sono le gli nel della dei alla come più anche questo ma si del",
    "portuguese": "o que e do da em um uma para com não os as dos por mais é no na se como são ao pelo",
    "dutch": "de het een en van is dat niet op te met voor zijn aan er ook als maar bij door naar om wordt deze",
    "swedish": "och att det som är en på för av med den till inte har ett om de var jag kan från men",
    "norwegian": "og det er som på en til for av med at ikke har den de et jeg om fra var men hva også",
    "danish": "og det er som på en til for af med at ikke har den de et jeg om fra var men hvad også",
    "polish": "nie się że jest na dla lub są oraz jak przez od które aby można jeśli który jako tylko czy tego być za",
    "czech": "je se na že pro jako jsou nebo ale tak které při jeho aby může pokud od za také si který ze podle být",
    "hungarian": "az és hogy nem egy ez csak mint azt már kell lehet vagy így ezt amely minden nincs ezek is van ha",
    "finnish": "ja on ei se että oli hän mutta kun ovat myös niin tai joka mukaan sitä kuin vain voi ole",
}
"""Frequent short words that distinguish the languages, most distinctive first."""

LEAST_STOP_WORDS = 3
LEAST_SHARE = 0.08
"""Share of a text's words that must be stop words of its language."""

LEAST_FOREIGN = 2
"""Stop words of another language from which a question counts as written in it."""

SAMPLE = 4_000
DEFAULT = "english"
"""For notes in the Latin script that are too short to tell."""

_LANGUAGES_OF = {
    word: tuple(language for language, words in FREQUENT_WORDS.items() if word in words.split())
    for word in " ".join(FREQUENT_WORDS.values()).split()
    if len(word) > 1
}
_ASCII_WORDS = {code: chr(code).lower() if chr(code).isalnum() else " " for code in range(128)}
_STEMMED = re.compile(
    # The lookbehind comes second, so that the search can skip to the characters that begin a word.
    f"[{STEMMED}\\d\u00b2\u00b3\u00b9\u2070-\u2089\u2460-\u2490\u24ea-\u24ff\u2776-\u2792](?<![^\\W_].)(?<!\\W)[^\\W_]*"
)
"""A word that begins with a digit, or a letter of a script whose words have stems."""

_SCRIPT_LANGUAGES = (("russian", re.compile(f"[{CYRILLIC}]")), ("greek", re.compile(f"[{GREEK}]")))
"""The language of words in each other script that has stems. Arabic has none: its stemmers find no more."""

_KOREAN = re.compile(f"[{HANGUL}]+")
CACHE_SIZE = 30_000
"""Cached words: nearly every word of a text has occurred before."""

LONGEST_CACHED = 64

CACHED_ALONE = 2_000
"""Cached stems of words that are stemmed alone: a search asks for those of its words in all languages, repeatedly."""


class _ThreadCaches(threading.local):
    def __init__(self) -> None:
        self.stems: dict[tuple[str, bool], BoundedCache[str]] = {}
        self.stemmers: dict[str, Any] = {}


_caches = _ThreadCaches()


def language_of(text: str) -> str | None:
    """Detect the language of a text's Latin words by its stop words; None where no word has a stem."""
    if not has_stems(text[:SAMPLE]):
        return None
    counts, words = _count_frequent_words(text[:SAMPLE])
    best = max(FREQUENT_WORDS, key=counts.__getitem__)
    return best if counts[best] >= max(LEAST_STOP_WORDS, LEAST_SHARE * words) else DEFAULT


def foreign_language(question: str) -> str | None:
    """Return the language of a question that is clearly not English: two of its stop words and none of English."""
    counts, _ = _count_frequent_words(question)
    best = max(FREQUENT_WORDS, key=counts.__getitem__)
    return best if best != DEFAULT and counts[best] >= LEAST_FOREIGN and not counts[DEFAULT] else None


def _count_frequent_words(text: str) -> tuple[dict[str, int], int]:
    """Count each language's frequent words in a text, and all its words."""
    words = _folded_words(text)
    counts = dict.fromkeys(FREQUENT_WORDS, 0)
    for language in chain.from_iterable(filter(None, map(_LANGUAGES_OF.get, words))):
        counts[language] += 1
    return counts, len(words)


def _folded_words(text: str) -> list[str]:
    """Return the runs of letters and digits of a text, folded."""
    # For ASCII, five times faster than a regular expression.
    return text.translate(_ASCII_WORDS).split() if text.isascii() else ALPHANUMERIC.findall(text.casefold())


def has_hangul(text: str) -> bool:
    """Return whether a text contains Korean."""
    return not text.isascii() and _KOREAN.search(text) is not None


def index_forms(text: str, language: str | None, *, hangul: bool = True) -> str:
    """Return the forms by which a text's words are also found: stems, and pairs of Korean syllables.

    Args:
        text: The text of a passage.
        language: The result of `language_of` for its note.
        hangul: Whether it may contain Korean, which need not be searched for if its note has none.
    """
    found: list[str] = []
    if language is not None:
        plain = text.isascii()
        words = _folded_words(text) if plain else _STEMMED.findall(text.casefold())
        found += filter(None, map(_stem_cache(language, any_script=not plain).__getitem__, words))
    if hangul and has_hangul(text):
        for run in _KOREAN.findall(text):
            found += character_pairs(run)
    return " ".join(found)


def query_forms(word: str, languages: Collection[str]) -> list[frozenset[str]]:
    """Return, for each part of a query's word or phrase, its possible forms in any of the languages."""
    parts: list[frozenset[str]] = []
    for part in ALPHANUMERIC.findall(word.casefold()):
        if _has_stem(part):
            parts.append(frozenset(stem_words(language, [part])[0] for language in languages or (DEFAULT,)))
        parts += [frozenset({pair}) for run in _KOREAN.findall(part) for pair in character_pairs(run)]
    return parts


def stem_words(language: str, words: Sequence[str]) -> list[str]:
    """Return the stem of each folded word, in this language or in that of its script."""
    return [_stem_alone(language, words[0])] if len(words) == 1 else _stem(language, words)


@lru_cache(CACHED_ALONE)
def _stem_alone(language: str, word: str) -> str:
    stem: str = _stemmer(language).stemWord(word) if word.isascii() else _stem(language, [word])[0]
    return stem


def _stem(language: str, words: Sequence[str]) -> list[str]:
    stems: list[str] = _stemmer(language).stemWords(words)
    if not all(map(str.isascii, words)):
        own = ((at, _script_language(word)) for at, word in enumerate(words) if not word.isascii())
        stems = [*stems]
        for at, other in own:
            if other is not None:
                stems[at] = _stemmer(other).stemWord(words[at])
    return stems


def _script_language(word: str) -> str | None:
    """Return the language in which every word of this script is stemmed; None for a script of several languages."""
    return next((language for language, letter in _SCRIPT_LANGUAGES if letter.match(word)), None)


class BoundedCache(dict[str, T]):
    """Cached results for words, limited in number."""

    def __init__(self, find: Callable[[str], T]) -> None:
        super().__init__()
        self._find = find

    def __missing__(self, word: str) -> T:
        found = self._find(word)
        if len(word) <= LONGEST_CACHED:
            if len(self) >= CACHE_SIZE:
                self.clear()
            self[word] = found
        return found


def _stem_cache(language: str, *, any_script: bool) -> BoundedCache[str]:
    """Return this thread's stem cache of a language; with `any_script`, words without stems have the stem ""."""
    mine = _caches.stems
    if (language, any_script) not in mine:
        mine[language, any_script] = (
            BoundedCache(lambda word: _stem(language, [word])[0] if _has_stem(word) else "")
            if any_script
            else BoundedCache(_stemmer(language).stemWord)
        )
    return mine[language, any_script]


def _has_stem(word: str) -> bool:
    return is_stemmed(word) or word.isdigit()


def _stemmer(language: str) -> Any:
    """Return this thread's stemmer of a language."""
    if language not in _caches.stemmers:
        import Stemmer

        # Without a cache of its own, which is slower than the stemmer.
        _caches.stemmers[language] = Stemmer.Stemmer(language, 0)
    return _caches.stemmers[language]
