"""Forecasts what a change makes of a vault's counts, and measures whether it did."""

from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Self

from msgspec.structs import asdict

from bridge.changes.draft import Draft, follow_step, path_after_move
from bridge.errors import NoteNotFound, NoteUnreadable, TooLarge
from bridge.index.note import IndexedNote, pack_note
from bridge.index.prepare import shorten_note
from bridge.markdown.decode import digest_of
from bridge.markdown.documents import read_document
from bridge.markdown.kinds import is_document, kind_of
from bridge.markdown.links import can_name_note, target_file
from bridge.markdown.names import Names
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
    """A vault at one moment, with its counts."""

    notes: Mapping[VaultPath, IndexedNote]
    """The notes that count."""
    names: Names
    """All files; a copy if they can change meanwhile."""
    includes: Callable[[VaultPath], bool]
    """Whether a file of this path counts as a note."""
    total: VaultCounts
    tags: Counter[str]
    properties: Counter[str]

    @classmethod
    def over(
        cls, notes: Mapping[VaultPath, IndexedNote], names: Names, includes: Callable[[VaultPath], bool] = is_document
    ) -> Self:
        links = dangling = 0
        joined: set[VaultPath] = set()
        for path, note in notes.items():
            for target, kind in note.targets:
                if not (file := target_file(target, kind)):
                    continue
                found = names.resolve(target, path, kind).path
                if found is None:
                    dangling += 1
                    joined.update([path] if can_name_note(file) else ())
                    continue
                links += 1
                joined.update((path, found) if found != path and found in notes else ())
        tags = Counter(tag for note in notes.values() for tag in note.tags)
        properties = Counter(name for note in notes.values() for name in note.properties)
        total = VaultCounts(len(notes), links, len(notes) - len(joined), dangling, len(tags), len(properties))
        return cls(notes, names, includes, total, tags, properties)


class AffectedFiles(Record):
    """The paths whose file a change makes, removes or gives other content, and the vault before and after it."""

    paths: frozenset[VaultPath]
    before: CountedVault
    after: CountedVault


def affected_by(draft: Draft, vault: CountedVault) -> AffectedFiles:
    names, paths, written = vault.names.copy(), set[VaultPath](), set[VaultPath]()
    for step in draft.plan.steps:
        paths.update(follow_step(names, step))
        if step.kind == "put":
            written.add(step.path)
        elif step.kind == "move" and step.to is not None:
            written = {path_after_move(path, step.path, step.to) or path for path in written}
    stale: dict[VaultPath, IndexedNote] = {}
    after = {path: note for path, note in vault.notes.items() if path not in paths}
    for path in paths:
        if path not in names or not vault.includes(path):
            continue
        origin = draft.origin(path)
        known = None if origin is None else vault.notes.get(origin)
        with suppress(NoteNotFound, NoteUnreadable, TooLarge):
            if known is not None and origin is not None and path not in written and kind_of(origin) == kind_of(path):
                # It only moves, and its text stays.
                after[path] = known
                continue
            if known is not None and origin is not None and digest_of(data := draft.as_read(origin)) != known.digest:
                stale[origin] = _read_note(origin, data)
            after[path] = _read_note(path, draft.read(path))
    before = CountedVault.over({**vault.notes, **stale}, vault.names, vault.includes) if stale else vault
    return AffectedFiles(frozenset(paths), before, CountedVault.over(after, names, vault.includes))


def _read_note(path: VaultPath, data: bytes) -> IndexedNote:
    note = shorten_note(read_document(path, data))
    return pack_note(note, mtime_ns=0, size=len(data), passages=0, left_out=(), language=None, recipe="")


def measure_files(
    files: AffectedFiles,
    notes: Mapping[VaultPath, IndexedNote],
    read: Callable[[VaultPath], bytes],
    has: Callable[[VaultPath], bool],
) -> Forecast:
    """Measure what became of a vault's counts once a change was written."""
    before = files.before
    names = before.names.copy()
    after = {path: note for path, note in before.notes.items() if path not in files.paths}
    for path in files.paths:
        if not has(path):
            names.discard(path)
            continue
        names.add(path)
        with suppress(NoteNotFound, NoteUnreadable, TooLarge):
            if before.includes(path):
                data, known = read(path), notes.get(path)
                is_known = known is not None and known.digest == digest_of(data)
                after[path] = known if known is not None and is_known else _read_note(path, data)
    return compare_counts(before, CountedVault.over(after, names, before.includes))


def compare_counts(before: CountedVault, after: CountedVault) -> Forecast:
    tags = _differing_counts("tag", before.tags, after.tags)
    return Forecast(before.total, after.total, tags, _differing_counts("property", before.properties, after.properties))


def _differing_counts(kind: str, before: Counter[str], after: Counter[str]) -> tuple[CountForecast, ...]:
    differing = sorted(name for name in {**before, **after} if before[name] != after[name])
    return tuple(CountForecast(f"{kind} {name}", before[name], after[name]) for name in differing)
