"""Counts the notes that contain each name, updated note by note."""

from collections import Counter
from collections.abc import Iterable, Mapping

from bridge.features.links.mentions import NameFinder
from bridge.types import VaultPath


class Corpus:
    """The names that each note of a vault contains."""

    def __init__(self, names: NameFinder | None = None) -> None:
        self._names = names or NameFinder()
        self._forms: dict[VaultPath, frozenset[str]] = {}
        self._notes: Counter[str] = Counter()

    @classmethod
    def of(cls, names: NameFinder, texts: Mapping[VaultPath, str]) -> "Corpus":
        """Build the corpus from all notes of a vault."""
        corpus = cls(names)
        corpus.read(texts)
        return corpus

    def copy(self) -> "Corpus":
        other = Corpus(self._names)
        other._forms, other._notes = dict(self._forms), Counter(self._notes)
        return other

    def __len__(self) -> int:
        """Count the notes."""
        return len(self._forms)

    @property
    def names(self) -> NameFinder:
        return self._names

    def read(self, texts: Mapping[VaultPath, str]) -> None:
        """Add or update notes."""
        self.forget(texts)
        for path, text in texts.items():
            self._add(path, self._names.forms(text))

    def forget(self, paths: Iterable[VaultPath]) -> None:
        for path in paths:
            self._notes.subtract(self._forms.pop(path, ()))

    def rename(self, names: NameFinder, texts: Mapping[VaultPath, str]) -> None:
        """Change the counted names; only new ones are searched for."""
        lost = [form for form in self._names if form not in names]
        fresh = names.only(form for form in names if form not in self._names)
        self._names = names
        for form in lost:
            del self._notes[form]
        if lost:
            gone = frozenset(lost)
            self._forms = {path: forms - gone for path, forms in self._forms.items()}
        if len(fresh):
            for path, text in texts.items():
                self._add(path, fresh.forms(text))

    def notes(self, form: str) -> int:
        """Count the notes that contain a folded name."""
        return self._notes[form]

    def forms_in(self, path: VaultPath) -> frozenset[str]:
        """Return the folded names that a note contains."""
        return self._forms.get(path, frozenset())

    def notes_with(self, forms: Iterable[str]) -> list[VaultPath]:
        """Return the notes that contain any of some folded names, in order."""
        names = frozenset(forms)
        return sorted(path for path, forms in self._forms.items() if not names.isdisjoint(forms))

    def _add(self, path: VaultPath, forms: frozenset[str]) -> None:
        self._forms[path] = self._forms.get(path, frozenset()) | forms
        self._notes.update(forms)
