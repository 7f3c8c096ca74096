"""Keeps track of which names each note mentions, from the first query on."""

import asyncio
from collections.abc import Collection, Mapping

from bridge.engine.open_vault import OpenVault
from bridge.features.links.corpus import Corpus
from bridge.features.links.mentions import Name, NameFinder
from bridge.index.boilerplate import is_template
from bridge.index.index import Index
from bridge.index.note import IndexedNote
from bridge.records import dataclass
from bridge.types import VaultPath
from bridge.vault.obsidian_settings import read_obsidian_settings

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


@dataclass(frozen=True, slots=True)
class NoteChanges:
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
