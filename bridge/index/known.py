"""What is known of all notes together: their names, and the languages they are written in."""

from collections import Counter

from bridge.index.names import NameIndex
from bridge.index.note import IndexedNote

LEAST_LANGUAGE = 0.01
"""Share of the notes in a language before queries are stemmed in it."""


class Known:
    """Names and languages of the notes that are there."""

    def __init__(self) -> None:
        self.names = NameIndex()
        self._languages: Counter[str] = Counter()

    def learn(self, note: IndexedNote) -> None:
        """Take a note's names and language."""
        self.names.put(note.path, note.title, note.aliases, note.heading_texts)
        if note.language:
            self._languages[note.language] += 1

    def forget(self, note: IndexedNote) -> None:
        """Forget a note's names and language."""
        self.names.drop(note.path)
        if note.language:
            self._languages[note.language] -= 1

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages in Latin letters that the vault is written in, the most frequent first."""
        least = LEAST_LANGUAGE * self._languages.total()
        return tuple(language for language, count in self._languages.most_common() if count > 0 and count >= least)
