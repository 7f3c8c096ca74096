"""Names that a text says almost: joined or parted otherwise, in the plural, or mistyped."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

from bridge.linking.folding import UNSPACED, bare

LEAST: Final = 4
"""Letters of the shortest name that may be said almost."""

MOST_WORDS: Final = 4
ALIKE: Final = 0.799
"""Share of a word's letters that must be right: four fifths, but for how numbers are rounded."""

LEAST_MISTYPED: Final = 5
"""Letters from which on one may be wrong and the share still be reached."""

SLACK: Final = 0.25
"""Share of a word's letters by which the lengths of two that are alike can differ."""

MOST_KNOWN: Final = 100_000
"""Words that are remembered with what they are like."""

_WORD: Final = re.compile(r"[^\W_]+")
_JOINS: Final = re.compile(r"[ \-_'’/]")
_UNSPACED: Final = re.compile(f"[{UNSPACED}]")
_SYMBOL: Final = re.compile(r"(?<=\w)[*+#&@%^~]|[*+#&@$%^~](?=\w)")
"""A sign of a word without which it is another: `A*`, `C++`, `C#`."""

_LETTER_WORD: Final = re.compile(r"[aeiouy] ")
"""A letter that is a word of some language, such as an article: “a team” does not say `A-Team`."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a folded text."""

    text: str
    start: int
    end: int


Found = tuple[int, int, str]
"""Where in a folded text a name is said almost, and the folded name."""


class Almost:
    """Finds what is almost one of some names; a mistyped word must begin with the right letter."""

    def __init__(self, forms: Iterable[str]) -> None:
        """Prepare to look for folded names."""
        self._joined: dict[str, str] = {}
        self._phrases: dict[tuple[str, ...], str] = {}
        words: set[str] = set()
        for form in forms:
            said = tuple(_WORD.findall(form))
            if len(bare(form)) < LEAST or len(said) > MOST_WORDS or _UNSPACED.search(form) or _SYMBOL.search(form):
                continue
            self._joined.setdefault("".join(said), form)
            self._phrases.setdefault(said, form)
            words.update(said)
        self._words = frozenset(words)
        self._beginnings = {said[:count] for said in self._phrases for count in range(1, len(said) + 1)}
        self._near = by_shape(words)
        self._known: dict[str, Sequence[str]] = {}

    def find(self, text: str) -> Iterator[Found]:
        """Yield where a folded text almost says a name, and not the name itself."""
        words = [Word(found[0], *found.span()) for found in _WORD.finditer(text)]
        alike = self._all_alike({word.text for word in words})
        for at, word in enumerate(words):
            run = [word, *following(text, words, at)]
            for form, count in (*self._parted(run), *self._mistyped(run, alike)):
                start, end = word.start, run[count - 1].end
                letter = _LETTER_WORD.match(text, start)
                if text[start:end] != form and (letter is None or form.startswith(letter[0])):
                    yield start, end, form

    def _parted(self, run: Sequence[Word]) -> Iterator[tuple[str, int]]:
        """Yield names that are the first words of a run but for what joins them, and for a plural's ending."""
        key = ""
        for count, word in enumerate(run, start=1):
            key += word.text
            if len(key) < LEAST:
                continue
            for said in (key, f"{key}s", key.removesuffix("s")):
                if (form := self._joined.get(said)) is not None:
                    yield form, count
                    break

    def _mistyped(self, run: Sequence[Word], alike: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, int]]:
        """Yield names whose words are like the first words of a run."""
        begun: list[tuple[str, ...]] = [()]
        for count, word in enumerate(run, start=1):
            begun = [
                longer for said in begun for other in alike[word.text] if (longer := (*said, other)) in self._beginnings
            ]
            if not begun:
                return
            yield from ((self._phrases[said], count) for said in begun if said in self._phrases)

    def _all_alike(self, words: AbstractSet[str]) -> Mapping[str, Sequence[str]]:
        """Return the words of names that each word may stand for; the notes of a vault share most of their words."""
        if len(self._known) > MOST_KNOWN:
            self._known = {}
        known = self._known
        for word in words - known.keys():
            known[word] = self._alike(word)
        return known

    def _alike(self, word: str) -> Sequence[str]:
        """Return the words of names that a word may stand for."""
        if word in self._words:
            return (word,)
        if len(word) < LEAST_MISTYPED or not word.isalpha():
            return ()
        from rapidfuzz import process
        from rapidfuzz.distance import Levenshtein

        near = self._near.get((word[0], len(word)), ())
        similarity = Levenshtein.normalized_similarity
        return [other for other, *_ in process.extract(word, near, scorer=similarity, score_cutoff=ALIKE, limit=3)]


def by_shape(words: Iterable[str]) -> Mapping[tuple[str, int], Sequence[str]]:
    """Sort words by their first letter and by how long a word like them can be."""
    near: dict[tuple[str, int], list[str]] = defaultdict(list)
    for word in sorted(words):
        if word.isalpha() and len(word) >= LEAST_MISTYPED - 1:
            slack = int(SLACK * len(word))
            for length in range(max(LEAST_MISTYPED, len(word) - slack), len(word) + slack + 1):
                near[word[0], length].append(word)
    return near


def following(text: str, words: Sequence[Word], at: int) -> Iterator[Word]:
    """Yield the next words of the same run: those with no more than a space or a hyphen between them."""
    for before, word in zip(words[at : at + MOST_WORDS - 1], words[at + 1 : at + MOST_WORDS], strict=False):
        if word.start != before.end + 1 or not _JOINS.match(text, before.end):
            return
        yield word
