"""The vocabulary of a SentencePiece model and the vectors of its pieces, which follow the GGUF in a model's file.

llama.cpp could read both, but takes three times the memory for 250,000 pieces, and a megabyte for each token of a text.
"""

import re
import struct
from array import array
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

_GAPS = re.compile(r"[\s\u2581\u200b-\u200f\ufeff\ufffd]+")
"""What the training took for spaces."""

_UNKNOWN = -10.0
"""Score of an unknown character above that of the least probable piece."""

_STEP = 1 / 1340
"""What one stands for in the centre, which is stored in bytes."""

_CACHED_WORDS, _LONGEST_CACHED = 20_000, 40


class Pieces:
    """Cuts texts into the most probable pieces."""

    def __init__(self, path: Path, size: int, width: int) -> None:
        """Read a vocabulary."""
        raw = np.memmap(path, np.uint8, "r", path.stat().st_size - size)
        count, self._begin, self._end, _, self._unknown, letters = struct.unpack_from("<5iQ", raw[:28].tobytes())
        starts = raw[28 : 32 + 4 * count].view("<u4").tolist()
        self._scores = array("f", raw[32 + 4 * count : 32 + 8 * count].tobytes())
        at = 32 + 8 * count
        text = raw[at : at + letters].tobytes()
        self._ids = {text[a:b].decode(): id_ for id_, (a, b) in enumerate(pairwise(starts))}
        # The special ones are never parsed from the text: a note that says `<mask>` means the letters.
        for special in ("<s>", "<pad>", "</s>", "<unk>", "<mask>"):
            self._ids.pop(special, None)
        self._longest = max(map(len, self._ids))
        self._alone = min(self._scores) + _UNKNOWN
        self._vectors = raw[at + letters : -width].reshape(-1, width // 32, 18)
        self._centre = raw[-width:].view(np.int8) * np.float32(_STEP)
        self._cut_cached = lru_cache(_CACHED_WORDS)(self._cut)

    def tokens(self, text: str, limit: int) -> tuple[list[int], bool]:
        """Return the pieces of a text between the marks of its ends, and whether it was truncated to `limit`."""
        found = [self._begin]
        for word in _GAPS.sub(" ", normalize("NFKC", text)).split():
            cut = self._cut_cached if len(word) < _LONGEST_CACHED else self._cut
            found += cut("\u2581" + word)
            if len(found) >= limit:
                return [*found[: limit - 1], self._end], True
        return [*found, self._end], False

    def centred(self, vector: bytes) -> bytes:
        """Return the vector of a text without what all have in common, so that unrelated texts are far apart."""
        values = np.frombuffer(vector, np.float32)
        found: bytes = (values / np.linalg.norm(values) - self._centre).astype(np.float32).tobytes()
        return found

    def vectors(self, ids: Sequence[int]) -> NDArray[np.float32]:
        """Return the vectors of some pieces, which are stored as ggml's Q4_0."""
        blocks = self._vectors[ids]
        scales = blocks[..., :2].copy().view("<f2").astype(np.float32)
        halves = np.concatenate([blocks[..., 2:] & 15, blocks[..., 2:] >> 4], axis=-1)
        return ((halves.astype(np.float32) - 8) * scales).reshape(len(ids), -1)

    def _cut(self, word: str) -> list[int]:
        best, ways = [0.0], [(0, self._unknown)]
        for end in range(1, len(word) + 1):
            # An unknown character is the last resort, and always possible.
            score, way = best[end - 1] + self._alone, (end - 1, self._unknown)
            for start in range(max(0, end - self._longest), end):
                piece = self._ids.get(word[start:end])
                if piece is not None and best[start] + self._scores[piece] > score:
                    score, way = best[start] + self._scores[piece], (start, piece)
            best.append(score)
            ways.append(way)
        found: list[int] = []
        end = len(word)
        while end:
            end, piece = ways[end]
            # Unknown characters in a row are one piece.
            if piece != self._unknown or found[-1:] != [piece]:
                found.append(piece)
        return found[::-1]
