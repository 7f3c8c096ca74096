"""Counts the notes that contain each name, updated note by note."""

import asyncio
from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from bridge.engine.open_vault import OpenVault
from bridge.features.links.mentions import Name, NameFinder
from bridge.index.boilerplate import is_template
from bridge.index.index import Index
from bridge.index.note import IndexedNote
from bridge.records import Record
from bridge.types import VaultPath
from bridge.vault.obsidian_settings import read_obsidian_settings


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


MANY = 500
"""Number of changed notes above which all notes are read: one pass is faster than picking them."""


class MentionIndex:
    """The names that the notes of a vault mention; updated when queried."""

    def __init__(self) -> None:
        """Create an empty index of mentions."""
        self._turn = asyncio.Lock()
        self._corpus = Corpus()
        self._notes: Mapping[VaultPath, IndexedNote] = {}

    async def read(self, index: Index, templates: Collection[str]) -> Corpus:
        async with self._turn:
            if (notes := index.notes) is not self._notes:
                news = await asyncio.to_thread(compare_notes, self._notes, notes, self._corpus, templates)
                texts = await index.wholes(None if news.everything else news.changed)
                self._corpus = await asyncio.to_thread(update_corpus, self._corpus, news, texts)
                self._notes = notes
            return self._corpus


async def read_corpus(vault: OpenVault) -> Corpus:
    """Return which names the notes mention, as they are indexed now; the first call reads all notes."""
    templates = read_obsidian_settings(vault.root).template_folders
    return await vault.part(MentionIndex).read(vault.index.view("notes"), templates)


class NoteChanges(Record):
    """What changed in the notes since the last query."""

    changed: list[VaultPath]
    gone: set[VaultPath]
    names: NameFinder | None
    """The current names; None when unchanged."""
    everything: bool
    """Whether all notes must be read: many changed, or there is a new name that any of them may mention."""


def compare_notes(
    before: Mapping[VaultPath, IndexedNote],
    notes: Mapping[VaultPath, IndexedNote],
    corpus: Corpus,
    templates: Collection[str],
) -> NoteChanges:
    """Compare the notes with the earlier ones; call in a thread, since it takes 50 ms for 100,000 notes."""
    changed = [path for path, note in notes.items() if path not in before or before[path].digest != note.digest]
    gone = before.keys() - notes.keys()
    names = None
    if gone or any(path not in before or names_of(notes[path]) != names_of(before[path]) for path in changed):
        names = collect_names(notes, templates)
    fresh = names is not None and not set(names).issubset(corpus.names)
    return NoteChanges(changed, gone, names, everything=fresh or len(changed) > MANY)


def update_corpus(corpus: Corpus, news: NoteChanges, texts: Mapping[VaultPath, str]) -> Corpus:
    """Return an updated copy, so that readers of the current corpus are not affected."""
    corpus = corpus.copy()
    corpus.forget(news.gone)
    corpus.forget(news.changed)
    if news.names is not None:
        fresh = set(news.changed)
        corpus.rename(news.names, {path: text for path, text in texts.items() if path not in fresh})
    corpus.read({path: texts[path] for path in news.changed if path in texts})
    return corpus


def collect_names(notes: Mapping[VaultPath, IndexedNote], templates: Collection[str]) -> NameFinder:
    return NameFinder(
        name
        for path, note in notes.items()
        if note.kind == "note" and not is_template(note, templates)
        for name in (Name(path, note.title), *(Name(path, alias, alias=True) for alias in note.aliases))
    )


def names_of(note: IndexedNote) -> tuple[str, tuple[str, ...]]:
    """Return a note's title and aliases."""
    return note.title, note.aliases
