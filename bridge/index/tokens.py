"""Terms of texts: the tokens by which full text search finds them, as 64-bit hashes."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain, islice
from struct import iter_unpack
from typing import TYPE_CHECKING, Literal, cast

import numpy as np

from bridge.index.library import load_compiled
from bridge.records import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

Tokenizer = Literal["icu/split", "whitespace"]
"""ICU finds words in every script, and `split` also cuts paths and names of code; forms need only be parted."""

WORDS: Tokenizer = "icu/split"
FORMS: Tokenizer = "whitespace"

LONGEST_TOKEN = 40
"""Bytes from which a token is left out, as LanceDB's tokenizer does."""

_ASCII_WORD = re.compile("[a-z0-9]+")
_BOUNDARY = "0boundary0"
_MIX = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)
_ALL = 2**64 - 1

FEW, CACHED = 16, 2_000
"""Tokens that are hashed one by one, and hashes that are cached: those of a query are needed several times."""


@dataclass(frozen=True, slots=True)
class Occurrences:
    """The terms of several texts, in order: for each occurrence, its place in `terms`; for each text, how many."""

    terms: "NDArray[np.uint64]"
    places: "NDArray[np.int64]"
    counts: "NDArray[np.int64]"

    def part(self, start: int, stop: int) -> "Occurrences":
        """Return the occurrences in some of the texts."""
        first, last = int(self.counts[:start].sum()), int(self.counts[:stop].sum())
        return Occurrences(self.terms, self.places[first:last], self.counts[start:stop])


class _Numbers(dict[str, int]):
    """Numbers pieces of text in the order in which they are first seen."""

    def __missing__(self, piece: str) -> int:
        self[piece] = number = len(self)
        return number


MOST_PIECES = 100_000
"""Pieces of text that a vocabulary remembers: some 15 MB."""


class Vocabulary:
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

    def find(self, texts: Sequence[str]) -> Occurrences:
        """Find the terms of texts."""
        if len(self._numbers) > MOST_PIECES:
            self._clear()
        runs = [np.fromiter(map(self._numbers.__getitem__, text.split()), np.int64) for text in texts]
        self._learn(list(islice(self._numbers, len(self._sizes), None)))
        pieces = np.concatenate([np.empty(0, np.int64), *runs])
        sizes = self._sizes[pieces]
        present = np.repeat(np.bincount(pieces, minlength=len(self._sizes)) > 0, self._sizes)
        place_of = np.empty(len(self._terms), np.int64)
        terms, place_of[present] = np.unique(self._terms[present], return_inverse=True)
        places = place_of[_ranges((np.cumsum(self._sizes) - self._sizes)[pieces], sizes)]
        ends = np.cumsum([0, *map(len, runs)])
        return Occurrences(terms, places, np.diff(np.concatenate([[0], np.cumsum(sizes)])[ends]))

    def _learn(self, pieces: Sequence[str]) -> None:
        """Split new pieces."""
        tokens = split_pieces(pieces, self._tokenizer)
        self._sizes = np.concatenate([self._sizes, np.fromiter(map(len, tokens), np.int64, len(tokens))])
        self._terms = np.concatenate([self._terms, hash_tokens([*chain.from_iterable(tokens)])])


def _ranges(starts: "NDArray[np.int64]", sizes: "NDArray[np.int64]") -> "NDArray[np.int64]":
    """Return the numbers of ranges, one range after another."""
    ends = np.cumsum(sizes)
    found: NDArray[np.int64] = np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - ends + sizes, sizes)
    return found


def split_pieces(pieces: Sequence[str], tokenizer: Tokenizer) -> list[list[str]]:
    """Split pieces without spaces as LanceDB's tokenizer does, which takes most of its time for text beyond ASCII."""
    found: list[list[str]] = [[]] * len(pieces)
    others: list[int] = []
    for at, piece in enumerate(pieces):
        if not piece.isascii():
            others.append(at)
        elif tokenizer == "whitespace" or piece.isalnum():
            found[at] = [piece.lower()] if len(piece) < LONGEST_TOKEN else []
        else:
            found[at] = [word for word in _ASCII_WORD.findall(piece.lower()) if len(word) < LONGEST_TOKEN]
    if others:
        # One call for all, because each call costs as much as five words.
        tokens = tokenize_text(f"\n{_BOUNDARY}\n".join(pieces[at] for at in others), tokenizer)
        remaining = iter(others)
        own = found[next(remaining)] = list[str]()
        for token in tokens:
            if token == _BOUNDARY:
                own = found[next(remaining)] = []
            else:
                own.append(token)
    return found


def tokenize_text(text: str, tokenizer: Tokenizer) -> list[str]:
    """Split a text with LanceDB's tokenizer: lower-case, accents folded."""
    tokenize = load_compiled().tokenize
    return [token.text for token in tokenize(text, base_tokenizer=tokenizer, stem=False, remove_stop_words=False)]


def query_terms(text: str, tokenizer: Tokenizer) -> "NDArray[np.uint64]":
    """Return the terms of a query; a repeated one counts each time."""
    return hash_tokens([token for own in split_pieces(text.split(), tokenizer) for token in own])


def hash_tokens(tokens: Sequence[str]) -> "NDArray[np.uint64]":
    """Hash tokens; among a million of them two are equal by chance in one of thirty million vaults."""
    if len(tokens) <= FEW:
        return np.array([_hash_token(token) for token in tokens], np.uint64)
    padded = np.array([token.encode("utf-8", "replace") for token in tokens], dtype=f"S{LONGEST_TOKEN}")
    parts = cast("NDArray[np.uint64]", padded.view("<u8").reshape(-1, LONGEST_TOKEN // 8))
    hashed = np.zeros(len(parts), np.uint64)
    for column in parts.T:
        hashed = (hashed ^ column) * _MIX
        hashed ^= hashed >> _HALF
    return hashed


@lru_cache(CACHED)
def _hash_token(token: str) -> int:
    """Hash one token, for which arrays cost more than they save."""
    encoded = token.encode("utf-8", "replace")[:LONGEST_TOKEN].ljust(LONGEST_TOKEN, b"\0")
    hashed = 0
    for (column,) in iter_unpack("<Q", encoded):
        hashed = (hashed ^ column) * int(_MIX) & _ALL
        hashed ^= hashed >> int(_HALF)
    return hashed
