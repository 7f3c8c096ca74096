"""The compared systems: each retriever by itself, the modes, and the floor."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bridge.index.hits import NameHit, NoteHit, PassageHit
from bridge.index.index import Index
from bridge.index.inverted_index import TextQuery
from bridge.models.embedder import Embedder
from bridge.search.model import SearchRequest, Sources
from bridge.search.pipeline import search
from bridge.search.query import parse_query
from bridge.text.function_words import content_words
from bridge.types import SearchMode, VaultPath
from scripts.lib.evaluation.floor import Fts5Baseline
from scripts.lib.evaluation.indexing import IndexedSet
from scripts.lib.evaluation.sets import JudgedSet, Question

if TYPE_CHECKING:
    import numpy as np

DEPTH = 10
_RETRIEVER_DEPTH = 100

Ranking = list[str]
RetrieverHits = Iterable[PassageHit | NoteHit | NameHit]
System = Callable[[Question], Awaitable[Ranking]]


@dataclass(frozen=True, slots=True)
class Bench:
    """One set, ready for queries."""

    judged: JudgedSet
    indexed: IndexedSet
    embedder: Embedder | None

    def sources(self) -> Sources:
        """Return the inputs of a search."""
        return Sources(
            index=self.indexed.index,
            embed_query=self.embed_query,
            known_words=self.embedder.known_words if self.embedder else None,
            graph=self.indexed.graph,
            vocabulary=self.indexed.vocabulary,
        )

    async def embed_query(self, text: str) -> "np.ndarray | None":
        """Return a query's vector."""
        if self.embedder is None:
            return None
        vector: np.ndarray = (await self.embedder.embed([text], query=True)).vectors[0]
        return vector

    def systems(self, retrievers: bool) -> dict[str, System]:
        """Return the compared systems, the floor first."""
        floor = Fts5Baseline(self.judged)

        async def fts5(question: Question) -> Ranking:
            return floor.rank(question, DEPTH)

        found: dict[str, System] = {"fts5": fts5}
        if retrievers:
            found |= {
                "passages": self._retriever(lambda index, words, _: index.passages(words, _RETRIEVER_DEPTH, None)),
                "stems": self._retriever(lambda index, words, _: index.stems(words, _RETRIEVER_DEPTH, None)),
                "whole": self._retriever(lambda index, words, _: index.search_notes(words, DEPTH, None)),
                "names": self._retriever(lambda index, _, text: index.search_names(text, DEPTH, None)),
            }
        found["keyword"] = self._mode("keyword")
        if self.embedder is not None:
            found["semantic"] = self._mode("semantic")
            found["hybrid"] = self._mode("hybrid")
        return found

    def _retriever(self, ask: Callable[[Index, TextQuery, str], Awaitable[RetrieverHits]]) -> System:
        async def rank(question: Question) -> Ranking:
            query = parse_query(question.text)
            words = TextQuery(should=content_words(query.words))
            return self._documents(hit.path for hit in await ask(self.indexed.index, words, query.text))

        return rank

    def _mode(self, mode: SearchMode) -> System:
        async def rank(question: Question) -> Ranking:
            answer = await search(self.sources(), SearchRequest(question.text, limit=DEPTH, mode=mode))
            return self._documents(hit.path for hit in answer.hits)

        return rank

    def _documents(self, paths: Iterable[VaultPath]) -> Ranking:
        """Return the documents of notes, each once."""
        return list(dict.fromkeys(self.indexed.document_of[path] for path in paths))[:DEPTH]
