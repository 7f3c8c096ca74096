"""Full text search over live notes, limited to those that the caller allows."""

from collections.abc import Collection

from bridge.errors import NotReady
from bridge.index.apart import Side
from bridge.index.compact import Compaction
from bridge.index.hits import NoteHit, PassageHit, best_hits
from bridge.index.inverted_index import InvertedIndex, TermQuery
from bridge.index.open import OpenIndex
from bridge.types import VaultPath


class FullText:
    """The full-text retrievers.

    They answer from memory without giving way, so that no write comes in between.
    """

    def __init__(self, opened: OpenIndex, tidying: Compaction) -> None:
        self._opened = opened
        self._tidying = tidying

    def words(
        self, query: TermQuery | None, limit: int, within: Collection[VaultPath] | None, side: Side
    ) -> list[PassageHit]:
        return self._passages(self._opened.postings.words, query, limit, within, side)

    def forms(
        self, query: TermQuery | None, limit: int, within: Collection[VaultPath] | None, side: Side
    ) -> list[PassageHit]:
        """Return the passages with the best matching stems."""
        return self._passages(self._opened.postings.forms, query, limit, within, side)

    def whole(
        self, query: TermQuery | None, limit: int, within: Collection[VaultPath] | None, side: Side
    ) -> list[NoteHit]:
        """Return the best matching notes, each scored as a whole."""
        self._begin()
        if query is None or limit < 1:
            return []
        catalogue = self._opened.catalogue
        allowed = None if within is None else catalogue.seqs_of(within)
        hits = [
            NoteHit(note.path, score)
            for seq, _, score in self._opened.postings.whole.search(query, limit, allowed, side.hidden_seqs)
            if (note := catalogue.at_seq(seq)) is not None
        ]
        return best_hits(hits, limit)

    def _passages(
        self,
        index: InvertedIndex,
        query: TermQuery | None,
        limit: int,
        within: Collection[VaultPath] | None,
        side: Side,
    ) -> list[PassageHit]:
        self._begin()
        if query is None or limit < 1:
            return []
        catalogue = self._opened.catalogue
        allowed = None if within is None else catalogue.keys_of(within)
        hits = [
            PassageHit(note.path, ordinal, score)
            for key, ordinal, score in index.search(query, limit, allowed, side.hidden_keys)
            if (note := catalogue.at_key(key)) is not None
        ]
        return best_hits(hits, limit)

    def _begin(self) -> None:
        if not self._opened.passages.inner.is_open():
            raise NotReady("The index is being reopened.")
        # What is found is read next, more slowly while many rows are not indexed.
        self._tidying.searched()
