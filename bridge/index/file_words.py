"""The words of whole files as they are, known within seconds of a first start, before any note is read closely."""

from collections.abc import Sequence

from bridge.index.documents import Document, Vocabularies, build_segments
from bridge.index.inverted_index import InvertedIndex, TextQuery, exact_query
from bridge.index.segment import Segment
from bridge.types import VaultPath

NAME_WEIGHT = 4
"""Times that the name of a file counts among its words."""


class FileWords:
    """Tells which files of a vault a query probably asks for; not which passages, and not by their properties."""

    def __init__(self, paths: Sequence[VaultPath]) -> None:
        """Begin without words."""
        self._paths = paths
        self._index = InvertedIndex()

    def add(self, segments: Sequence[Segment]) -> None:
        """Add the words of some files, as `index_file_words` returns them."""
        for segment in segments:
            self._index.add(segment)

    def find(self, words: Sequence[str], limit: int) -> list[VaultPath]:
        """Return the files that say the words, the best match first."""
        query = exact_query(TextQuery(should=tuple(words)))
        hits = [] if query is None else self._index.search(query, limit, None)
        return [self._paths[number] for number, *_ in hits[:limit]]


def index_file_words(texts: Sequence[tuple[int, str, str]], vocabularies: Vocabularies) -> list[Segment]:
    """Index the words of files, each given by its number, path and text."""
    documents = [
        Document(number, 0, 0, "\n".join((*[path.rpartition("/")[2]] * NAME_WEIGHT, text)))
        for number, path, text in texts
    ]
    return list(build_segments(documents, vocabularies.words))
