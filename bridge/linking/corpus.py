"""How many notes say each name, kept up note by note."""

from collections import Counter
from collections.abc import Iterable, Mapping

from bridge.linking.mentions import Names
from bridge.types import VaultPath


class Corpus:
    """What each note of a vault mentions, by name."""

    def __init__(self, names: Names) -> None:
        """Start with no note."""
        self._names = names
        self._said: dict[VaultPath, frozenset[str]] = {}
        self._notes: Counter[str] = Counter()

    def __len__(self) -> int:
        """Count the notes."""
        return len(self._said)

    @property
    def names(self) -> Names:
        """The names that are counted."""
        return self._names

    def read(self, path: VaultPath, text: str) -> None:
        """Take in what a note says now."""
        self.forget(path)
        said = self._names.forms(text)
        self._said[path] = said
        self._notes.update(said)

    def forget(self, path: VaultPath) -> None:
        """Leave a note out."""
        for form in self._said.pop(path, ()):
            self._notes[form] -= 1

    def notes(self, form: str) -> int:
        """Count the notes that say a folded name."""
        return self._notes[form]

    def saying(self, forms: Iterable[str]) -> list[VaultPath]:
        """Return the notes that say any of some folded names, in order."""
        wanted = frozenset(forms)
        return sorted(path for path, said in self._said.items() if not wanted.isdisjoint(said))

    @classmethod
    def of(cls, names: Names, texts: Mapping[VaultPath, str]) -> "Corpus":
        """Read all notes of a vault."""
        corpus = cls(names)
        for path, text in texts.items():
            corpus.read(path, text)
        return corpus
