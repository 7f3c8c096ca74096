"""The floor: plain BM25 by SQLite's FTS5."""

import sqlite3
import unicodedata

from bridge.text.function_words import content_words
from scripts.lib.evaluation.sets import JudgedSet, Question


class Fts5Baseline:
    """Titles and texts in one FTS5 table.

    Args:
        judged: The documents.
        stems: Whether to compare English stems of content words, which FTS5 does when told to.
    """

    def __init__(self, judged: JudgedSet, *, stems: bool = False) -> None:
        self._stems = stems
        self._database = sqlite3.connect(":memory:")
        tokenizer = "porter" if stems else "unicode61"
        self._database.execute(
            f"CREATE VIRTUAL TABLE documents USING fts5(id UNINDEXED, title, text, tokenize={tokenizer})"
        )
        self._database.executemany("INSERT INTO documents VALUES (?, ?, ?)", judged.documents)

    def rank(self, question: Question, limit: int) -> list[str]:
        """Return the best documents that contain any word of the query."""
        words = tuple(dict.fromkeys(_letters(question.text).split()))
        words = content_words(words) if self._stems else words
        if not words:
            return []
        asked = " OR ".join(f'"{word}"' for word in words)
        rows = self._database.execute(
            "SELECT id FROM documents WHERE documents MATCH ? ORDER BY rank LIMIT ?", (asked, limit)
        )
        return [str(row[0]) for row in rows]


def _letters(text: str) -> str:
    """Return a text with a space for all that is no letter, digit or combining mark."""
    return "".join(one if one.isalnum() or unicodedata.category(one)[0] == "M" else " " for one in text)
