"""Counts of a vault: its notes, links, orphans, tags and properties."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Self

from bridge.index.note import IndexedNote
from bridge.index.prepare import shorten_note
from bridge.markdown.documents import read_document
from bridge.markdown.link_targets import is_attachment_name, name_key, target_file
from bridge.markdown.names import Names
from bridge.markdown.note import LinkKind
from bridge.records import dataclass
from bridge.types import VaultPath


@dataclass(frozen=True, slots=True)
class VaultCounts:
    """What a vault has.

    Attributes:
        notes: Notes.
        links: Links as written that lead to a file.
        orphans: Notes without links in either direction.
        dangling: Links as written that lead to no file.
        tags: Different tags, as written.
        properties: Different properties, as written.
    """

    notes: int = 0
    links: int = 0
    orphans: int = 0
    dangling: int = 0
    tags: int = 0
    properties: int = 0

    def plus(self, other: Self) -> Self:
        """Add other counts, which may be negative."""
        return type(self)(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))


@dataclass(frozen=True, slots=True)
class CountedNote:
    """The facts of a note that are counted."""

    targets: tuple[tuple[str, LinkKind], ...]
    tags: frozenset[str]
    properties: frozenset[str]

    @classmethod
    def of(cls, note: IndexedNote) -> Self:
        return cls(note.targets, frozenset(note.tags), frozenset(note.properties))

    @classmethod
    def read(cls, path: VaultPath, data: bytes) -> Self:
        note = shorten_note(read_document(path, data))
        targets = tuple((link.target, link.kind) for link in note.links)
        return cls(targets, frozenset(tag.name for tag in note.tags), frozenset(note.properties))


@dataclass(frozen=True, slots=True)
class ResolvedTargets:
    """Where the links of one note lead."""

    links: int
    dangling: int
    linked: frozenset[VaultPath]
    """The other files that it links to."""
    wants_note: bool
    """Whether it links to the name of a note that does not exist."""

    @classmethod
    def of(cls, note: CountedNote, path: VaultPath, names: Names) -> Self:
        links = dangling = 0
        linked: set[VaultPath] = set()
        wants_note = False
        for target, kind in note.targets:
            if not (file := target_file(target, kind)):
                continue
            found = names.resolve(target, path, kind).path
            if found is None:
                dangling += 1
                wants_note = wants_note or not is_attachment_name(file)
            else:
                links += 1
                linked.add(found)
        return cls(links, dangling, frozenset(linked - {path}), wants_note)


@dataclass(frozen=True, slots=True)
class LinkLookup:
    """Finds notes by what their links name or lead to."""

    naming: Callable[[Collection[str]], Collection[VaultPath]]
    """Returns the notes with links to any of some names, given as by `name_key`."""
    sources: Callable[[VaultPath], Collection[VaultPath]]
    """Returns the notes that link to a file."""

    @classmethod
    def over(cls, notes: Mapping[VaultPath, IndexedNote], names: Names) -> Self:
        by_name: dict[str, set[VaultPath]] = {}
        by_file: dict[VaultPath, set[VaultPath]] = {}
        for path, note in notes.items():
            for key in _keys(note):
                by_name.setdefault(key, set()).add(path)
            for linked in ResolvedTargets.of(CountedNote.of(note), path, names).linked:
                by_file.setdefault(linked, set()).add(path)
        return cls(
            lambda keys: {path for key in keys for path in by_name.get(key, ())},
            lambda path: by_file.get(path, ()),
        )


def count_vault(notes: Mapping[VaultPath, IndexedNote], names: Names) -> VaultCounts:
    links = dangling = 0
    joined: set[VaultPath] = set()
    for path, note in notes.items():
        resolved = ResolvedTargets.of(CountedNote.of(note), path, names)
        links += resolved.links
        dangling += resolved.dangling
        linked = {other for other in resolved.linked if other in notes}
        joined |= linked
        if linked or resolved.wants_note:
            joined.add(path)
    tags, properties = count_tags(notes.values()), count_property_names(notes.values())
    return VaultCounts(len(notes), links, len(notes) - len(joined), dangling, len(tags), len(properties))


def count_tags(notes: Iterable[IndexedNote]) -> Counter[str]:
    return Counter(tag for note in notes for tag in note.tags)


def count_property_names(notes: Iterable[IndexedNote]) -> Counter[str]:
    return Counter(name for note in notes for name in note.properties)


def _keys(note: IndexedNote) -> Iterator[str]:
    return (name_key(file) for link in note.targets if (file := target_file(*link)))
