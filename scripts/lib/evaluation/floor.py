"""The floor: plain BM25 by SQLite's FTS5."""

import re
import sqlite3

from scripts.lib.evaluation.sets import JudgedSet, Question

_WORD = re.compile(r"\w+")


class Fts5Baseline:
    """Titles and texts in one FTS5 table."""

    def __init__(self, judged: JudgedSet) -> None:
        self._database = sqlite3.connect(":memory:")
        self._database.execute("CREATE VIRTUAL TABLE documents USING fts5(id UNINDEXED, title, text)")
        self._database.executemany("INSERT INTO documents VALUES (?, ?, ?)", judged.documents)

    def rank(self, question: Question, limit: int) -> list[str]:
        """Return the best documents that contain any word of the query."""
        words = dict.fromkeys(_WORD.findall(question.text))
        if not words:
            return []
        asked = " OR ".join(f'"{word}"' for word in words)
        rows = self._database.execute(
            "SELECT id FROM documents WHERE documents MATCH ? ORDER BY rank LIMIT ?", (asked, limit)
        )
        return [str(row[0]) for row in rows]
