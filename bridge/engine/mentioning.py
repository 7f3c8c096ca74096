"""Keeps, from the first question on, which names each note says."""

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING

from bridge.index import IndexedNote
from bridge.linking import Corpus, Name, Names
from bridge.types import Digest, VaultPath

if TYPE_CHECKING:
    from bridge.index import Index

MANY = 500
"""Changed notes from which on all are read: one pass is faster than picking them."""


class Mentioning:
    """What the notes of a vault mention; brought up to date when it is asked for."""

    def __init__(self, index: "Index", templates: str | None = None) -> None:
        """Read nothing yet.

        Args:
            index: Holds the notes.
            templates: The folder of templates, whose names nobody means.
        """
        self._index = index
        self._templates = templates
        self._turn = asyncio.Lock()
        self._corpus = Corpus()
        self._notes: Mapping[VaultPath, IndexedNote] = {}

    async def corpus(self) -> Corpus:
        """Return what the notes mention as the index holds them now; the first time, all of them are read."""
        async with self._turn:
            notes = self._index.notes
            if notes is not self._notes:
                await self._follow(notes)
            return self._corpus

    async def _follow(self, notes: Mapping[VaultPath, IndexedNote]) -> None:
        before = {path: said(note) for path, note in self._notes.items()}
        changed = [path for path, note in notes.items() if before.get(path) != said(note)]
        gone = before.keys() - notes.keys()
        names = None
        if gone or any(path not in before or called(notes[path]) != called(self._notes[path]) for path in changed):
            names = await asyncio.to_thread(gathered, notes, self._templates)
        everything = len(changed) > MANY or (names is not None and not set(names).issubset(self._corpus.names))
        texts = await self._index.wholes(None if everything else changed)
        self._corpus = await asyncio.to_thread(followed, self._corpus, names, texts, changed, gone)
        self._notes = notes


def followed(
    corpus: Corpus,
    names: Names | None,
    texts: Mapping[VaultPath, str],
    changed: list[VaultPath],
    gone: set[VaultPath],
) -> Corpus:
    """Bring a copy up to date, so that whoever holds the corpus now is not disturbed."""
    corpus = corpus.copy()
    corpus.forget(gone)
    corpus.forget(changed)
    if names is not None:
        fresh = set(changed)
        corpus.rename(names, {path: text for path, text in texts.items() if path not in fresh})
    corpus.read({path: texts[path] for path in changed if path in texts})
    return corpus


def gathered(notes: Mapping[VaultPath, IndexedNote], templates: str | None) -> Names:
    """Gather the titles and aliases that a link can name, but those of templates."""
    return Names(
        name
        for path, note in notes.items()
        if note.kind == "note" and not (templates and path.startswith(f"{templates}/"))
        for name in (Name(path, note.title), *(Name(path, alias, alias=True) for alias in note.aliases))
    )


def called(note: IndexedNote) -> tuple[str, tuple[str, ...]]:
    """Return a note's names."""
    return note.title, note.aliases


def said(note: IndexedNote) -> Digest:
    """Return what tells whether a note says something else now."""
    return note.digest
