"""Forecasts what a change makes of a vault's counts, and measures whether it did; only affected notes are looked at."""

import operator
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from functools import cache
from typing import Self

from msgspec.structs import asdict, astuple, replace

from bridge.changes.draft import Draft, follow_step, path_after_move
from bridge.errors import NoteNotFound, NoteUnreadable, TooLarge
from bridge.index.note import IndexedNote
from bridge.index.prepare import shorten_note
from bridge.markdown.decode import digest_of
from bridge.markdown.documents import read_document
from bridge.markdown.kinds import is_document, kind_of
from bridge.markdown.links import can_name_note, name_key, target_file
from bridge.markdown.names import Names
from bridge.markdown.note import LinkKind
from bridge.records import Record
from bridge.types import VaultPath


class VaultCounts(Record):
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
        return type(self)(*map(operator.add, astuple(self), astuple(other)))


class CountedNote(Record):
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


class ResolvedTargets(Record):
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
                wants_note = wants_note or can_name_note(file)
            else:
                links += 1
                linked.add(found)
        return cls(links, dangling, frozenset(linked - {path}), wants_note)


class LinkLookup(Record):
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
            for key in (name_key(file) for link in note.targets if (file := target_file(*link))):
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


class CountForecast(Record):
    """A count of the vault before and after a change.

    Attributes:
        name: What is counted: `notes`, `links`, `orphans`, `dangling` links, `tags`, `properties`, or the notes of one
            `tag …` or `property …`.
        before: Before it.
        after: After it.
    """

    name: str
    before: int
    after: int


class Forecast(Record):
    """The counts of a vault before and after a change.

    Attributes:
        before: Before it.
        after: After it.
        tags: The tags of which the number of notes differs.
        properties: The properties of which the number of notes differs.
    """

    before: VaultCounts
    after: VaultCounts
    tags: tuple[CountForecast, ...] = ()
    properties: tuple[CountForecast, ...] = ()

    @property
    def difference(self) -> Mapping[str, int]:
        """By how much each count differs, by name; counts that stay are left out."""
        before, after = asdict(self.before), asdict(self.after)
        found = {name: after[name] - before[name] for name in before}
        found |= {one.name: one.after - one.before for one in (*self.tags, *self.properties)}
        return {name: number for name, number in found.items() if number}


def explain_difference(expected: Mapping[str, int], found: Mapping[str, int]) -> str:
    """Return the counts in which two differences disagree, in words; empty if they agree."""
    wrong = [name for name in {**expected, **found} if expected.get(name, 0) != found.get(name, 0)]
    return ", ".join(f"{name} {found.get(name, 0):+,} instead of {expected.get(name, 0):+,}" for name in wrong)


class CountedVault(Record):
    """A vault at one moment, as far as it is counted."""

    notes: Mapping[VaultPath, IndexedNote]
    """The notes that count."""
    names: Names
    """All files; a copy if they can change meanwhile."""
    lookup: LinkLookup
    counts: Callable[[VaultPath], bool]
    """Whether a file of this path counts as a note."""
    total: VaultCounts
    """Its counts."""

    @classmethod
    def over(cls, notes: Mapping[VaultPath, IndexedNote], names: Names) -> Self:
        """Count every document, with a lookup built from all links."""
        return cls(notes, names, LinkLookup.over(notes, names), is_document, count_vault(notes, names))


class AffectedFiles(Record):
    """The files that a change affects, before and after it.

    Attributes:
        paths: Every path whose file appears, vanishes or gets other content.
        before: What the notes among them had before, where the index did not know it.
        after: What they have after; absent for what is gone or does not count.
        names: All files after the change.
    """

    paths: frozenset[VaultPath]
    before: Mapping[VaultPath, CountedNote]
    after: Mapping[VaultPath, CountedNote]
    names: Names


def affected_by(draft: Draft, vault: CountedVault) -> AffectedFiles:
    names, paths, written = vault.names.copy(), set[VaultPath](), set[VaultPath]()
    for step in draft.plan.steps:
        paths.update(follow_step(names, step))
        if step.kind == "put":
            written.add(step.path)
        elif step.kind == "move" and step.to is not None:
            written = {path_after_move(path, step.path, step.to) or path for path in written}
    before: dict[VaultPath, CountedNote] = {}
    after: dict[VaultPath, CountedNote] = {}
    for path in paths:
        if path not in names or not vault.counts(path):
            continue
        origin = draft.origin(path)
        known = None if origin is None else vault.notes.get(origin)
        with suppress(NoteNotFound, NoteUnreadable, TooLarge):
            if known is not None and origin is not None and path not in written and kind_of(origin) == kind_of(path):
                # It only moves, and its text stays.
                after[path] = CountedNote.of(known)
                continue
            if known is not None and origin is not None and digest_of(data := draft.as_read(origin)) != known.digest:
                before[origin] = CountedNote.read(origin, data)
            after[path] = CountedNote.read(path, draft.read(path))
    return AffectedFiles(frozenset(paths), before, after, names)


def measure_files(
    vault: CountedVault,
    files: AffectedFiles,
    notes: Mapping[VaultPath, IndexedNote],
    read: Callable[[VaultPath], bytes],
    has: Callable[[VaultPath], bool],
) -> Forecast:
    """Measure what became of a vault's counts once a change was written."""
    names = vault.names.copy()
    after: dict[VaultPath, CountedNote] = {}
    for path in files.paths:
        if not has(path):
            names.discard(path)
            continue
        names.add(path)
        if not vault.counts(path):
            continue
        try:
            data = read(path)
        except (NoteNotFound, NoteUnreadable, TooLarge):
            continue
        known = notes.get(path)
        indexed = known is not None and known.digest == digest_of(data)
        after[path] = CountedNote.of(known) if known is not None and indexed else CountedNote.read(path, data)
    return compare_counts(vault, replace(files, after=after, names=names))


def compare_counts(vault: CountedVault, files: AffectedFiles) -> Forecast:
    sides = _Sides(vault, files)
    change = VaultCounts(
        notes=sum(path in sides.after for path in sides.changed) - sum(path in sides.before for path in sides.changed),
        links=sides.sum_after("links") - sides.sum_before("links"),
        dangling=sides.sum_after("dangling") - sides.sum_before("dangling"),
        orphans=sides.orphan_change(),
    )
    old, new = [sides.before[path] for path in sides.before], [sides.after[path] for path in sides.after]
    tags = _name_counts(
        "tag",
        Counter(tag for one in old for tag in one.tags),
        Counter(tag for one in new for tag in one.tags),
        lambda: count_tags(vault.notes.values()),
        _corrections(vault, files, lambda note: note.tags),
    )
    properties = _name_counts(
        "property",
        Counter(name for one in old for name in one.properties),
        Counter(name for one in new for name in one.properties),
        lambda: count_property_names(vault.notes.values()),
        _corrections(vault, files, lambda note: note.properties),
    )
    change = replace(change, tags=_net_new(tags), properties=_net_new(properties))
    return Forecast(vault.total, vault.total.plus(change), tags, properties)


class _Sides:
    """The affected notes before and after a change, with where their links lead."""

    def __init__(self, vault: CountedVault, files: AffectedFiles) -> None:
        self._vault = vault
        self._files = files
        names = {path for path in files.paths if (path in vault.names) != (path in files.names)}
        naming = {path for path in vault.lookup.naming({name_key(path) for path in names}) if path in vault.notes}
        self.changed = frozenset(files.paths | naming)
        """The notes whose facts or links can change."""
        self.before = {
            path: files.before.get(path) or CountedNote.of(vault.notes[path])
            for path in sorted(self.changed)
            if path in vault.notes
        }
        self.after = {path: note for path, note in self.before.items() if path not in files.paths} | dict(files.after)
        self._old = {path: ResolvedTargets.of(note, path, vault.names) for path, note in self.before.items()}
        self._new = {path: ResolvedTargets.of(note, path, files.names) for path, note in self.after.items()}
        self._resolve = cache(lambda path: ResolvedTargets.of(CountedNote.of(vault.notes[path]), path, vault.names))

    def sum_before(self, name: str) -> int:
        return sum(getattr(one, name) for one in self._old.values())

    def sum_after(self, name: str) -> int:
        return sum(getattr(one, name) for one in self._new.values())

    def orphan_change(self) -> int:
        concerned = set(self.changed)
        for one in (*self._old.values(), *self._new.values()):
            concerned |= one.linked
        notes = self._vault.notes
        was = {path for path in concerned if path in notes}
        will_be = {path for path in was if path not in self.changed} | self.after.keys()
        linked_before = {path for one in self._old.values() for path in one.linked}
        linked_after = {path for one in self._new.values() for path in one.linked}
        orphans_before = sum(self._is_orphan(path, self._old, linked_before, notes.__contains__) for path in was)
        orphans_after = sum(self._is_orphan(path, self._new, linked_after, self._is_after) for path in will_be)
        return orphans_after - orphans_before

    def _is_after(self, path: VaultPath) -> bool:
        return path in self.after if path in self.changed else path in self._vault.notes

    def _is_orphan(
        self,
        path: VaultPath,
        resolved: Mapping[VaultPath, ResolvedTargets],
        linked: Collection[VaultPath],
        is_note: Callable[[VaultPath], bool],
    ) -> bool:
        own = resolved[path] if path in self.changed else self._resolve(path)
        if own.wants_note or path in linked or any(map(is_note, own.linked)):
            return False
        others = (source for source in self._vault.lookup.sources(path) if source not in self.changed)
        return not any(source in self._vault.notes for source in others)


def _corrections(
    vault: CountedVault, files: AffectedFiles, names: Callable[[CountedNote], Iterable[str]]
) -> Counter[str]:
    """Return by how much the notes that the index does not know as they were differ from what it knows."""
    found: Counter[str] = Counter()
    for path, note in files.before.items():
        found.update(names(note))
        found.subtract(names(CountedNote.of(vault.notes[path])))
    return found


def _name_counts(
    kind: str, old: Counter[str], new: Counter[str], count: Callable[[], Counter[str]], corrections: Counter[str]
) -> tuple[CountForecast, ...]:
    differing = sorted(name for name in {**old, **new} if old[name] != new[name])
    if not differing:
        return ()
    total = count()
    before = {name: total[name] + corrections[name] for name in differing}
    return tuple(
        CountForecast(f"{kind} {name}", before[name], before[name] + new[name] - old[name]) for name in differing
    )


def _net_new(counts: Iterable[CountForecast]) -> int:
    return sum((one.after > 0) - (one.before > 0) for one in counts)
