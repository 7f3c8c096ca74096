"""The languages of a vault that use the Latin script, and the stems of their words."""

import re
import threading
from collections.abc import Callable, Collection, Iterable
from itertools import chain
from typing import TypeVar

from bridge.text.scripts import HANGUL

T = TypeVar("T")

STOP_WORDS = {
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
    word: tuple(language for language, words in STOP_WORDS.items() if word in words.split())
    for word in " ".join(STOP_WORDS.values()).split()
    if len(word) > 1
}
_WORD = re.compile(r"[^\W_]+")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_SYLLABLE = re.compile(f"[{HANGUL}]")
_KOREAN = re.compile(f"[{HANGUL}]+")
CACHE_SIZE = 30_000
"""Cached pieces of text between spaces: most of a text has occurred before."""

LONGEST_CACHED = 64

_local = threading.local()


def language_of(text: str) -> str | None:
    """Detect the language of a text by its stop words; None where there are no Latin letters."""
    if not _LATIN.search(text[:SAMPLE]):
        return None
    told = list(chain.from_iterable(map(_language_cache.__getitem__, text[:SAMPLE].split())))
    counts = dict.fromkeys(STOP_WORDS, 0)
    for languages in filter(None, told):
        for language in languages:
            counts[language] += 1
    best = max(counts, key=lambda language: counts[language])
    return best if counts[best] >= max(LEAST_STOP_WORDS, LEAST_SHARE * len(told)) else DEFAULT


def foreign_language(question: str) -> str | None:
    """Return the language of a question that is clearly not English: two of its stop words and none of English."""
    told = list(chain.from_iterable(map(_language_cache.__getitem__, question.split())))
    counts = dict.fromkeys(STOP_WORDS, 0)
    for languages in told:
        for language in languages:
            counts[language] += 1
    best = max(counts, key=lambda language: counts[language])
    return best if best != DEFAULT and counts[best] >= LEAST_FOREIGN and not counts[DEFAULT] else None


def index_forms(text: str, language: str | None) -> str:
    """Return the forms by which a text's words are also found: stems, and pairs of Korean syllables.

    Args:
        text: The text of a passage.
        language: The result of `language_of` for its note.
    """
    found: list[str] = []
    if language is not None:
        found += filter(None, map(stem_cache(language, latin_only=not text.isascii()).__getitem__, text.split()))
    if not text.isascii() and _SYLLABLE.search(text):
        for run in _KOREAN.findall(text):
            found += syllable_pairs(run)
    return " ".join(found)


def query_forms(word: str, languages: Collection[str]) -> list[frozenset[str]]:
    """Return, for each part of a query's word or phrase, its possible forms in any of the languages."""
    parts: list[frozenset[str]] = []
    for part in _WORD.findall(word.casefold()):
        if _is_latin(part):
            parts.append(frozenset(stem for language in languages or (DEFAULT,) for stem in stem_all([part], language)))
        parts += [frozenset({pair}) for run in _KOREAN.findall(part) for pair in syllable_pairs(run)]
    return parts


def syllable_pairs(run: str) -> list[str]:
    """Cut a run of syllables into overlapping pairs."""
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]


def stem_all(words: Iterable[str], language: str) -> list[str]:
    """Return the stems of folded words."""
    return list(map(stem_cache(language, latin_only=False).__getitem__, words))


class BoundedCache(dict[str, T]):
    """Cached results for short pieces of text, limited in number."""

    def __init__(self, find: Callable[[str], T]) -> None:
        super().__init__()
        self._find = find

    def __missing__(self, piece: str) -> T:
        found = self._find(piece)
        if len(piece) <= LONGEST_CACHED:
            if len(self) >= CACHE_SIZE:
                self.clear()
            self[piece] = found
        return found


_language_cache = BoundedCache(
    lambda piece: tuple(_LANGUAGES_OF.get(word, ()) for word in _WORD.findall(piece.casefold()))
)
"""The candidate languages of each word in a piece of text."""


def stem_cache(language: str, *, latin_only: bool) -> BoundedCache[str]:
    """Return this thread's stem cache of a language, for all words in a piece of text or only the Latin ones."""
    mine: dict[tuple[str, bool], BoundedCache[str]] | None = getattr(_local, "stems", None)
    if mine is None:
        mine = _local.stems = {}
    if (language, latin_only) not in mine:
        import Stemmer

        stemmer = Stemmer.Stemmer(language, 0)

        def stemmed(piece: str) -> str:
            words = _WORD.findall(piece.casefold())
            return " ".join(stemmer.stemWords([w for w in words if _is_latin(w)] if latin_only else words))

        mine[language, latin_only] = BoundedCache(stemmed)
    return mine[language, latin_only]


def _is_latin(word: str) -> bool:
    return _LATIN.match(word) is not None or word.isdigit()
