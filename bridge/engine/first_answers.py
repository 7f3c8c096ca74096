"""Answers searches while a vault is read for the first time: what a query asks for is read before everything else."""

import asyncio

from bridge.engine.indexer import Indexer
from bridge.engine.parser_pool import ParserPool
from bridge.index.documents import FileWords
from bridge.search.filters import filter_notes
from bridge.search.model import SearchRequest
from bridge.search.query import parse_query

CANDIDATES = 16
"""Notes that are read for a query: more than are shown by default, because whole files are ranked less well."""


class FirstAnswers:
    """Reads notes ahead of their turn for searches, as soon as the words of all files are known."""

    def __init__(self, indexer: Indexer, readers: ParserPool) -> None:
        self._indexer = indexer
        self._readers = readers
        self._turn = asyncio.Lock()

    @property
    def ready(self) -> bool:
        return self._indexer.complete or self._file_words is not None

    @property
    def _file_words(self) -> FileWords | None:
        return self._readers.file_words(self._indexer.vault)

    async def prepare(self, request: SearchRequest) -> None:
        """Index the notes that a search is most likely about, unless all notes are indexed."""
        if self._indexer.complete:
            return
        query, known = parse_query(request.query), self._file_words
        by_words = not query.is_empty and query.condition is None and filter_notes({}, request) is None
        if known is None or not by_words or request.mode == "semantic":
            self._indexer.require_complete()
            return
        async with self._turn:
            await self._indexer.read_first(known.find((*query.words, *query.phrases), CANDIDATES))
