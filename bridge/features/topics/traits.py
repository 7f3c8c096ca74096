"""What notes have in common besides their topics: a folder, the value of a property, a link."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

from bridge.features.topics.assignments import Assignments
from bridge.features.topics.evidence import rarity_by_count
from bridge.features.topics.topic_tree import TopicTree
from bridge.index.boilerplate import is_template
from bridge.index.note import IndexedNote, Notes
from bridge.markdown.frontmatter import link_in_value
from bridge.markdown.names import note_name
from bridge.markdown.note import texts_of
from bridge.text.fold import fold_case
from bridge.text.scripts import MARK
from bridge.text.words import words_of
from bridge.types import VaultPath

MAX_VALUE_CHARS: Final = 60
"""Longer values of properties are texts, which notes do not share."""

_WORD: Final = re.compile(rf"[^\W\d_]{MARK}*[^\W\d_]")


class Traits:
    """What the notes of a vault have in common."""

    def __init__(self, notes: Notes, topic_property: str, tree: TopicTree, assignments: Assignments) -> None:
        """Collect which notes with topics have what."""
        self._notes = notes
        self._property = fold_case(topic_property)
        self._tree = tree
        self._words = {path: words_of(topic.name) for path, topic in tree.topics.items()}
        self._meant: dict[str, VaultPath | None] = {}
        self._names = frozenset(f"[[{fold_case(note_name(topic))}]]" for topic in tree.topics)
        self._having: dict[str, list[VaultPath]] = defaultdict(list)
        for path in sorted(assignments.by_note):
            for trait in self.of(path):
                self._having[trait].append(path)

    def notes_with(self, trait: str) -> Sequence[VaultPath]:
        """Return the notes with topics that have a trait."""
        return self._having.get(trait, ())

    def of(self, path: VaultPath) -> tuple[str, ...]:
        """Return a note's folder, its values of properties and its links, as they are told."""
        note = self._notes.get(path)
        if note is None or self._tree.holds(path):
            return ()
        folder = path.rpartition("/")[0]
        values = [
            f"[[{note_name(link.target)}]]" if (link := link_in_value(text)) else f"{name}: {text}"
            for name, text in self._values(note)
            if _WORD.search(text)
        ]
        links = [f"[[{note_name(target.partition('#')[0])}]]" for target, kind in note.targets if kind == "wiki"]
        told = dict.fromkeys([*([f"{folder}/"] if folder else []), *values, *links])
        return tuple(trait for trait in told if fold_case(trait) not in self._names)

    @cached_property
    def _sizes(self) -> Mapping[str, int]:
        own = (path for path, note in self._notes.items() if not is_template(note, ()))
        return Counter(trait for path in own for trait in self.of(path))

    @cached_property
    def _rarity(self) -> Callable[[str], float]:
        counts = Counter(fold_case(name) for note in self._notes.values() for name in self._places(note))
        return rarity_by_count(counts.__getitem__, len(self._notes))

    def size(self, trait: str) -> int:
        """Return how many notes have a trait, with topics or without."""
        return self._sizes.get(trait, 1)

    def find_places(self, path: VaultPath) -> Mapping[str, float]:
        """Return what a note is filed under, as it is named, and how few notes are, 0-1."""
        note = self._notes.get(path)
        return {} if note is None else {name: self._rarity(fold_case(name)) for name in self._places(note)}

    def _places(self, note: IndexedNote) -> set[str]:
        values = (text if (link := link_in_value(text)) is None else link.target for _, text in self._values(note))
        tags = (part for tag in note.tags for part in tag.split("/"))
        names = (*note.path.split("/")[:-1], *tags, *(note_name(value.partition("#")[0]) for value in values))
        return {name for name in names if _WORD.search(name)}

    def topics(self, path: VaultPath, linked: Mapping[VaultPath, object] | frozenset[VaultPath]) -> Iterator[VaultPath]:
        """Yield the topics that a note links to outside its topic property, or names as the value of another."""
        if (note := self._notes.get(path)) is None or self._tree.holds(path):
            return
        for target, kind in note.targets:
            topic = self._tree.find_topic(note_name(target.partition("#")[0])) if kind != "property" else None
            if topic is not None and topic in linked:
                yield topic
        for _, text in self._values(note):
            link = link_in_value(text)
            name = text if link is None else note_name(link.target.partition("#")[0])
            topic = self._tree.find_topic(name) or (self._find_abbreviation(name) if link else None)
            if topic is not None:
                yield topic

    def _values(self, note: IndexedNote) -> Iterator[tuple[str, str]]:
        for name, value in note.properties.items():
            if fold_case(name) not in {self._property, "aliases", "alias"}:
                yield from ((name, text) for text in texts_of(value) if len(text) <= MAX_VALUE_CHARS)

    def _find_abbreviation(self, name: str) -> VaultPath | None:
        """Return the topic whose words begin with those of a name, as those of *Science fiction* with `Sci-fi`."""
        if name not in self._meant:
            words = words_of(name)
            several = self._words.items() if len(words) > 1 else ()
            found = [path for path, whole in several if _abbreviates(words, whole)]
            self._meant[name] = found[0] if len(found) == 1 else None
        return self._meant[name]


def _abbreviates(words: Sequence[str], whole: Sequence[str]) -> bool:
    same = len(words) == len(whole)
    return same and all(len(part) > 1 and word.startswith(part) for part, word in zip(words, whole, strict=True))
