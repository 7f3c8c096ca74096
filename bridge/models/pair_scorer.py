"""Scores passages for a query with a reranker; runs in the worker process."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bridge.models.frames import Frame

if TYPE_CHECKING:
    from bridge.models.llama import Llama

_QUERY, _DOCUMENT = "{query}", "{document}"


class PairScorer:
    """Builds the pairs of a query and a passage as llama.cpp's own server does, and scores them."""

    def __init__(self, model: "Llama") -> None:
        self._model = model
        self._before, self._between, self._after = model.borders()
        template = model.rerank_template()
        before, query, rest = template.partition(_QUERY)
        between, document, after = rest.partition(_DOCUMENT)
        if query and document:
            self._before, self._between, self._after = (
                model.parse(part.encode(), special=True) for part in (before, between, after)
            )

    def answer(self, texts: Sequence[bytes]) -> Frame:
        """Return the frame with a float32 score for each passage."""
        query, *passages = texts
        cut = self._pairs(query, passages)
        pairs = [pair for pair, _ in cut]
        scores: list[bytes] = []
        while len(scores) < len(pairs):
            left = pairs[len(scores) :]
            scores += self._model.embed(left[: self._model.together([len(pair) for pair in left])])
        head = {"truncated": [truncated for _, truncated in cut], "tokens": sum(map(len, pairs))}
        return Frame(head, b"".join(scores))

    def _pairs(self, query: bytes, passages: Sequence[bytes]) -> list[tuple[list[int], bool]]:
        room = self._model.limit - len(self._before) - len(self._between) - len(self._after)
        asked = self._model.parse(query)[: max(1, room // 2)]
        most = max(0, room - len(asked))
        pairs = []
        for passage in passages:
            tokens = self._model.parse(passage)
            pair = [*self._before, *asked, *self._between, *tokens[:most], *self._after]
            pairs.append((pair, len(tokens) > most))
        return pairs
