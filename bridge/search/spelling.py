"""Corrects words of a query that no note contains to words of the vault."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from bridge.search.query import Query
from bridge.search.terms import leaves
from bridge.search.vault_words import VaultWords
from bridge.text.fold import fold_word
from bridge.text.stopwords import STOP_WORDS, content_words

SHORTEST = 5
"""Minimum length of a corrected word: shorter words have too many similar ones."""

TWO_ERRORS = 9
"""Length from which two letters may be wrong."""

FEW_WORDS = 2
"""Content words up to which a query has no others by which notes are found."""

FEW_LETTERS = 4
"""Letters in a row that most words of a language share with others."""

ENDING = 3
"""Letters at the end of a word that may differ between its forms."""


def find_corrections(query: Query, words: VaultWords, languages: Collection[str]) -> Mapping[str, str]:
    read_as: dict[str, str] = {}
    # A required word is taken as typed.
    # In a question, a word of the same language that no note says is far more often right than mistyped.
    is_short = len(content_words(query.words)) <= FEW_WORDS
    demanded = {leaf.text for leaf in leaves(query.condition)} if query.condition is not None else set[str]()
    for place, word in enumerate(query.words):
        if word in demanded:
            continue
        unfinished = query.open_ended and place == len(query.words) - 1
        meant = _correct_word(word, words, languages, unfinished=unfinished)
        if meant is not None and (is_short or words.is_strange(word, _piece(fold_word(word), meant))):
            read_as[word] = meant
    return read_as


def correct_spelling(query: Query, read_as: Mapping[str, str]) -> Query:
    """Replace words of a query by others, and add a notice."""
    text = query.text
    for word, meant in read_as.items():
        text = text.replace(word, meant)
    notices = (f"`{word}` is read as `{meant}`; `+{word}` asks for it as typed." for word, meant in read_as.items())
    return replace(
        query,
        text=text,
        words=tuple(dict.fromkeys(read_as.get(word, word) for word in query.words)),
        notices=(*query.notices, *notices),
    )


def _correct_word(word: str, words: VaultWords, languages: Collection[str], *, unfinished: bool) -> str | None:
    folded = fold_word(word)
    if len(folded) < SHORTEST or not folded.isalpha() or folded in STOP_WORDS or words.says(folded, languages):
        return None
    if unfinished and words.begins(folded):
        return None
    near = [
        (distance, meant)
        for meant, distance in words.alike(folded, 1 if len(folded) < TWO_ERRORS else 2)
        if meant.isalpha() and _is_slip(folded, meant, distance)
    ]
    return _closest_word(near, words) if near else None


def _piece(word: str, meant: str) -> int:
    """Return the letters in a row of which the vault must lack some of a word, so that it is not one of its own.

    Two errors, or a letter too many, are hardly ever right where all rows of four letters are known.
    """
    from rapidfuzz.distance import OSA

    return FEW_LETTERS if len(word) > len(meant) or OSA.distance(word, meant) > 1 else FEW_LETTERS + 1


def _closest_word(near: Sequence[tuple[int, str]], words: VaultWords) -> str:
    return min(near, key=lambda one: (one[0], -words.count(one[1]), one[1]))[1]


def _is_slip(word: str, other: str, errors: int) -> bool:
    """Return whether one word is likely the other mistyped, and not a word of its own.

    Words that differ only in their endings are forms or derivations of each other: `starter` and `started`,
    `attendance` and `attendant`.
    """
    from rapidfuzz.distance import Prefix

    same_start = Prefix.similarity(word, other)
    return same_start < len(word) - 1 if errors == 1 else same_start < len(word) - ENDING
