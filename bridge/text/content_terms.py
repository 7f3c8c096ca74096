"""The terms by which sentences are compared: stems of content words, whatever their form."""

import re
from collections.abc import Collection
from itertools import chain

from bridge.text.function_words import ELISION, content_runs, function_words
from bridge.text.stems import DEFAULT, TWO_SCRIPTS, has_prefixes, stem_words
from bridge.text.word_lists import every_word
from bridge.text.words import RUN, character_pairs, words_of

_FORMS = every_word("verb form")

_INITIAL = re.compile(r"\b([^\W\d_])-([^\W\d_]{3,})")
"""A word with an initial, which some write as one, as `e-mail` is `email`, and others without it."""

PAIR_CHARS = 2
"""Characters of a term in a script without spaces."""

_START_STEMMED = {TWO_SCRIPTS, "indonesian"}
"""Languages in which the stem of any word may begin otherwise than the word."""

_BASES = dict(zip(_FORMS[::2], _FORMS[1::2], strict=True))
"""English forms of verbs that no ending tells."""


def terms_of(
    text: str, language: str | None, initials: Collection[str] | None = None, *, numbers: bool = False
) -> list[str]:
    """Return the terms by which sentences are compared: stems of content words, and pairs of unspaced characters."""
    words = words_of(_INITIAL.sub(r"\1\2 \2", ELISION.sub(" ", text)))
    if initials is not None and language not in _START_STEMMED:
        words = [word for word in words if word[0] in initials or _may_lose_start(word)]
    runs = [word for word in words if not word.isascii() and RUN.fullmatch(word)]
    left_out = function_words(language).union(runs)
    spaced = [word for word in words if word not in left_out and (numbers or not word.isdigit())]
    bases = [_BASES.get(word, word) for word in spaced] if language == "english" else spaced
    stems = stem_words(language or DEFAULT, bases) if spaced else []
    return [*stems, *chain.from_iterable(map(character_pairs, runs))]


def question_words(question: str) -> list[str]:
    """Return a question's words, of scripts without spaces without function words, unless nothing would be left."""
    found = words_of(question)
    return [part for word in found for part in (content_runs(word) if RUN.fullmatch(word) else (word,))] or found


def said_terms(asked: Collection[str], own: Collection[str]) -> frozenset[str]:
    """Return which terms of a question are said; of two characters of one word each also those that join the words."""
    said = frozenset(asked).intersection(own)
    if pairs := [one for one in said if len(one) == PAIR_CHARS and RUN.fullmatch(one)]:
        starts, ends = {one[0] for one in pairs}, {one[1] for one in pairs}
        said |= {one for one in asked if len(one) == PAIR_CHARS and one[0] in ends and one[1] in starts}
    return said


def _may_lose_start(word: str) -> bool:
    # Dutch `ge-`, what Arabic and Hebrew join, and pairs of characters.
    return (
        not word.isalnum()
        or word.startswith("ge")
        or (not word.isascii() and (RUN.match(word) is not None or has_prefixes(word)))
    )
