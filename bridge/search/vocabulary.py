"""The names and tags of notes, kept between searches."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from bridge.index.index import Index
from bridge.index.note import IndexedNote
from bridge.search.vault_words import VaultWords
from bridge.text.fold import fold_word, fold_words
from bridge.text.words import TOKEN, words_of
from bridge.types import VaultPath

LONGEST_NAME = 7
"""Words of the longest name that is searched in running text."""

COMMON = 3
"""Maximum number of notes that may share a name for it to identify them."""

_ASIDE = re.compile(r"\s*\([^)]*\)")
_SHORTEST_NAME = 4


class Vocabulary:
    """Names and tags of the notes; detects changes of the index by itself."""

    def __init__(self) -> None:
        self._seen: dict[VaultPath, IndexedNote] = {}
        self._called: dict[tuple[str, ...], set[VaultPath]] = {}
        self._begun: dict[str, Counter[int]] = {}
        """By the first word of names: how many have each length. Most words of a text start none."""
        self._tagged: dict[str, set[VaultPath]] = {}
        self._files: Counter[str] = Counter()
        self._notes: Mapping[VaultPath, IndexedNote] | None = None
        self.words = VaultWords()

    def load(self, index: Index) -> None:
        """Take in the notes of an index and their stored words; for any thread, before the first search."""
        self.follow(index.notes)
        self.words.load(index)

    def follow(self, notes: Mapping[VaultPath, IndexedNote]) -> None:
        """Update to new, changed and removed notes; a mapping seen before is skipped, because it never changes."""
        if notes is self._notes:
            return
        self._notes = notes
        seen = self._seen
        changed = [path for path, note in notes.items() if seen.get(path) is not note]
        added = sum(path not in seen for path in changed)
        if len(notes) != len(seen) + added:
            for path in [path for path in seen if path not in notes]:
                self._forget(seen.pop(path))
        for path in changed:
            if (old := seen.get(path)) is not None:
                self._forget(old)
            seen[path] = notes[path]
            self._learn(notes[path])

    def label(self, path: VaultPath) -> str:
        """Return the name of a note's file; its path where others have the same name."""
        name = _file_name(path)
        return name if self._files[name] < 2 else path

    def tagged(self, word: str) -> frozenset[VaultPath]:
        """Return the notes with a tag that equals the word or has it as a nested part."""
        return frozenset(self._tagged.get(word, ()))

    def named_in(self, text: str) -> frozenset[VaultPath]:
        """Return the notes whose title or alias occurs in a text.

        A name of one word counts only with a capital; otherwise "ideas" would mean every note called "Ideas".
        """
        written = TOKEN.findall(text)
        plain = fold_words(written)
        found: set[VaultPath] = set()
        begun = self._begun
        for at in [at for at, word in enumerate(plain) if word in begun]:
            for length in begun[plain[at]]:
                paths = self._called.get(tuple(plain[at : at + length])) if at + length <= len(plain) else None
                if paths and len(paths) <= COMMON and (length > 1 or not written[at][0].islower()):
                    found |= paths
        return frozenset(found)

    def _learn(self, note: IndexedNote) -> None:
        self._files[_file_name(note.path)] += 1
        for name in _name_words(note):
            self._called.setdefault(name, set()).add(note.path)
            self._begun.setdefault(name[0], Counter())[len(name)] += 1
        for tag in _tags(note.tags):
            self._tagged.setdefault(tag, set()).add(note.path)

    def _forget(self, note: IndexedNote) -> None:
        self._files[_file_name(note.path)] -= 1
        for name in _name_words(note):
            _drop(self._called, name, note.path)
            lengths = self._begun[name[0]]
            lengths[len(name)] -= 1
            if not lengths[len(name)]:
                del lengths[len(name)]
            if not lengths:
                del self._begun[name[0]]
        for tag in _tags(note.tags):
            _drop(self._tagged, tag, note.path)


def _name_words(note: IndexedNote) -> set[tuple[str, ...]]:
    """Return the note's names as words; a part in brackets ("Kiss (film)") is optional."""
    written = {note.title, _ASIDE.sub("", note.title), *note.aliases}
    names = {tuple(words_of(name)) for name in written}
    return {
        name
        for name in names
        if len(name) <= LONGEST_NAME and (sum(map(len, name)) >= _SHORTEST_NAME or (name and not name[0].isascii()))
    }


def _file_name(path: VaultPath) -> str:
    return path.rpartition("/")[2].rpartition(".")[0] or path


def _tags(tags: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for tag in tags:
        plain = fold_word(tag)
        found.add(plain)
        found.update(part for part in plain.split("/") if part)
    return found


def _drop(
    mapping: dict[str, set[VaultPath]] | dict[tuple[str, ...], set[VaultPath]], key: object, path: VaultPath
) -> None:
    paths_of: dict[object, set[VaultPath]] = mapping  # type: ignore[assignment]
    paths = paths_of.get(key)
    if paths is not None:
        paths.discard(path)
        if not paths:
            del paths_of[key]


def coverage(name: Sequence[str], query_words: frozenset[str]) -> float:
    """Return the share of a name's words that are in the query, longer words weighing more."""
    whole = sum(map(len, name))
    return sum(len(word) for word in name if word in query_words) / whole if whole else 0.0
