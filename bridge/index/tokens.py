"""Terms of texts: the tokens by which full text search finds them, as 64-bit hashes."""

import re
from collections.abc import Sequence
from hashlib import blake2b
from itertools import chain, islice
from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from bridge.records import Record
from bridge.text.fold import fold_words
from bridge.text.words import RUN, TOKEN, character_pairs

Tokenizer = Literal["words", "forms"]
"""Words are cut and folded as everywhere (`bridge.text.words`); forms need only be parted."""

WORDS: Tokenizer = "words"
FORMS: Tokenizer = "forms"

MAX_TOKEN_CHARS = 100
"""Characters from which a token is left out: keys and encoded files."""

MAX_HASHED_BYTES = 40
"""Bytes of a token that are hashed; a digest stands for a longer one."""

_ASCII_WORD = re.compile("[a-z0-9]+")
_UNUSUAL_SIGN = re.compile("[+#*]")
_EMPHASIS = re.compile(r"(?<=\w)\*+(?=\w)")
_SUFFIX = re.compile(r"[+#]+$")
_MIX = np.uint64(0x9E3779B97F4A7C15)
_HALF_BITS = np.uint64(32)


class Occurrences(Record):
    """The terms of several texts, in order: for each occurrence, its place in `terms`; for each text, how many."""

    terms: NDArray[np.uint64]
    words: Sequence[str]
    """The token of each term."""
    places: NDArray[np.int64]
    counts: NDArray[np.int64]


class _Numbers(dict[str, int]):
    """Numbers pieces of text in the order in which they are first seen."""

    def __missing__(self, piece: str) -> int:
        self[piece] = number = len(self)
        return number


MAX_PIECES = 100_000
"""Pieces of text that a vocabulary remembers: some 15 MB."""


class TermFinder:
    """Finds the terms of texts, and remembers those of each piece of text; used by one thread at a time.

    No token has a space in it, so a piece between spaces is split once, however often it occurs.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer: Tokenizer = tokenizer
        self._clear()

    def _clear(self) -> None:
        self._numbers = _Numbers()
        self._sizes: NDArray[np.int64] = np.empty(0, np.int64)
        """By the number of a piece: how many tokens it has."""
        self._terms: NDArray[np.uint64] = np.empty(0, np.uint64)
        """The tokens of one piece after the other."""
        self._tokens: list[str] = []

    def find(self, texts: Sequence[str]) -> Occurrences:
        if len(self._numbers) > MAX_PIECES:
            self._clear()
        runs = [np.fromiter(map(self._numbers.__getitem__, text.split()), np.int64) for text in texts]
        self._learn(list(islice(self._numbers, len(self._sizes), None)))
        pieces = np.concatenate([np.empty(0, np.int64), *runs])
        sizes = self._sizes[pieces]
        present = np.repeat(np.bincount(pieces, minlength=len(self._sizes)) > 0, self._sizes)
        place_of = np.empty(len(self._terms), np.int64)
        terms, first, place_of[present] = np.unique(self._terms[present], return_index=True, return_inverse=True)
        words = [self._tokens[at] for at in np.flatnonzero(present)[first].tolist()]
        places = place_of[_ranges((np.cumsum(self._sizes) - self._sizes)[pieces], sizes)]
        ends = np.cumsum([0, *map(len, runs)])
        return Occurrences(terms, words, places, np.diff(np.concatenate([[0], np.cumsum(sizes)])[ends]))

    def _learn(self, pieces: Sequence[str]) -> None:
        tokens = split_pieces(pieces, self._tokenizer)
        learnt = [*chain.from_iterable(tokens)]
        self._sizes = np.concatenate([self._sizes, np.fromiter(map(len, tokens), np.int64, len(tokens))])
        self._terms = np.concatenate([self._terms, hash_tokens(learnt)])
        self._tokens += learnt


def _ranges(starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    ends = np.cumsum(sizes)
    found: NDArray[np.int64] = np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - ends + sizes, sizes)
    return found


def split_pieces(pieces: Sequence[str], tokenizer: Tokenizer) -> list[list[str]]:
    if tokenizer == FORMS:
        return [[form] if len(form) < MAX_TOKEN_CHARS else [] for form in fold_words(pieces)]
    found: list[list[str]] = []
    for piece in pieces:
        # Most pieces are one English word with a punctuation mark.
        if piece.isascii() and not _UNUSUAL_SIGN.search(piece):
            tokens = [piece.lower()] if piece.isalnum() else _ASCII_WORD.findall(piece.lower())
        else:
            whole = _EMPHASIS.sub("", piece)
            words = [*TOKEN.findall(piece), *(TOKEN.findall(whole) if whole != piece else ())]
            if "\u200c" in piece:
                # Persian joins endings so that are else written apart.
                words += TOKEN.findall(piece.replace("\u200c", " "))
            tokens = [*chain.from_iterable(map(_index_tokens, fold_words(words)))]
        found.append([token for token in tokens if len(token) < MAX_TOKEN_CHARS])
    return found


def _index_tokens(word: str) -> list[str]:
    if RUN.match(word):
        return [*word, *character_pairs(word)] if len(word) > 1 else [word]
    if word[-1] in "+#":
        return [word, *_SUFFIX.sub("", word).split("'")]
    return [part for part in word.split("'") if part]


def query_tokens(word: str, *, exact: bool = False) -> list[str]:
    """Return the tokens that ask for a word or phrase of a query, each once."""
    found: list[str] = []
    for folded in fold_words(TOKEN.findall(word)):
        if RUN.match(folded):
            found += character_pairs(folded)
        elif exact and folded[-1] in "+#":
            found.append(folded)
        else:
            found += _index_tokens(folded)
    return [token for token in dict.fromkeys(found) if len(token) < MAX_TOKEN_CHARS]


def hash_tokens(tokens: Sequence[str]) -> NDArray[np.uint64]:
    """Hash tokens; among a million of them two are equal by chance in one of thirty million vaults."""
    padded = np.array([*map(_encode, tokens)], dtype=f"S{MAX_HASHED_BYTES}")
    parts = cast("NDArray[np.uint64]", padded.view("<u8").reshape(-1, MAX_HASHED_BYTES // 8))
    hashed = np.zeros(len(parts), np.uint64)
    for column in parts.T:
        hashed = (hashed ^ column) * _MIX
        hashed ^= hashed >> _HALF_BITS
    return hashed


def _encode(token: str) -> bytes:
    """Return a token's bytes; of a long one, a digest of them."""
    encoded = token.encode("utf-8", "surrogatepass")
    return (
        encoded
        if len(encoded) <= MAX_HASHED_BYTES
        else blake2b(encoded, digest_size=MAX_HASHED_BYTES // 2).hexdigest().encode()
    )
