"""Links to no file, where one note is meant."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Final

from bridge.features.gardener.edits import replace_span
from bridge.features.gardener.finding import GardenFinding
from bridge.features.gardener.garden import Garden
from bridge.index.note import IndexedNote
from bridge.linking.apply import find_tables, write_link
from bridge.markdown.kinds import title_of
from bridge.markdown.link_targets import fold_name, is_attachment_name, target_file, target_subpath
from bridge.markdown.names import note_name
from bridge.markdown.note import Link
from bridge.notebook.plan_note import plain_words, plan_link
from bridge.records import dataclass
from bridge.text.fold import fold_letters
from bridge.types import VaultPath

ALIKE: Final = 90.0
"""Similarity (0-100) of a misspelt name and the one that is meant."""

AHEAD: Final = 8.0
"""How much less similar the next name must be."""

SHORTEST: Final = 6


@dataclass(frozen=True, slots=True)
class MeantNote:
    """The note that a link means, and the evidence."""

    path: VaultPath
    why: str
    confidence: float
    keeps_words: bool
    """Whether the reader should still see the words of the link."""


class BrokenLinks:
    """Finds links to no file that mean a note by its alias, another spelling, or a place that it left."""

    name = "broken_links"
    sentence = "Links to no note, where one note is meant."

    def look(self, garden: Garden) -> Iterator[GardenFinding]:
        """Yield each link that can be mended."""
        names = _MeantNames(garden)
        for note in garden.fresh():
            broken = [
                link
                for link in note.links
                if link.kind == "wiki"
                and not link.embed
                and not target_subpath(link.target)
                and (file := target_file(link.target, link.kind))
                and not is_attachment_name(file)
                and garden.vault.names.resolve(link.target, note.path, link.kind).path is None
            ]
            if not broken:
                continue
            seen: set[str] = set()
            for link in broken:
                meant = names.find(link.target, note.path)
                if meant is None or link.target in seen:
                    continue
                seen.add(link.target)
                if (finding := self._mend(garden, note, link, meant)) is not None:
                    yield finding

    def _mend(self, garden: Garden, note: IndexedNote, link: Link, meant: MeantNote) -> GardenFinding | None:
        """Return the finding that makes a link lead to a note; None where it cannot be rewritten."""
        read = garden.read(note)
        if read is None:
            return None
        first, last = link.span
        table = any(start <= first < end for start, end in find_tables(read))
        shown = link.shown or (link.target if meant.keeps_words else title_of(meant.path))
        new = write_link(shown, meant.path, note.path, garden.vault.names, garden.style, table=table)
        edit = None if new is None else replace_span(note, read.text, (first, last), new)
        if edit is None:
            return None
        return GardenFinding(
            check=self.name,
            notes=(note.path, meant.path),
            text=f"In {plan_link(note.path)}, let “{plain_words(link.target)}” lead to {plan_link(meant.path)}",
            why=meant.why,
            confidence=meant.confidence,
            request=edit,
            key=link.target,
        )


class _MeantNames:
    """Finds the one note that a name may mean."""

    def __init__(self, garden: Garden) -> None:
        self._garden = garden
        aliases: defaultdict[str, set[VaultPath]] = defaultdict(set)
        folded: defaultdict[str, set[VaultPath]] = defaultdict(set)
        for path, note in garden.notes.items():
            folded[fold_letters(title_of(path))].add(path)
            for alias in note.aliases:
                aliases[fold_name(alias)].add(path)
        self._aliases: Mapping[str, set[VaultPath]] = aliases
        self._folded: Mapping[str, set[VaultPath]] = folded
        self._found: dict[str, MeantNote | None] = {}

    def find(self, target: str, source: VaultPath) -> MeantNote | None:
        """Return the note that a link means; None if none or several could be."""
        if target not in self._found:
            self._found[target] = self._search(target)
        found = self._found[target]
        return None if found is None or found.path == source else found

    def _search(self, target: str) -> MeantNote | None:
        name = note_name(target).strip()
        if len(owners := self._aliases.get(fold_name(target), set())) == 1:
            return MeantNote(next(iter(owners)), "it is an alias of that note", 0.95, keeps_words=True)
        same = [path for path in self._garden.vault.names.with_name(f"{name}.md") if path in self._garden.notes]
        if "/" in target and len(same) == 1:
            return MeantNote(same[0], "the only note of this name is in another folder", 0.93, keeps_words=False)
        if (moved := self._moved(target)) is not None:
            return MeantNote(moved, "the note was renamed", 0.95, keeps_words=False)
        key = fold_letters(name)
        if len(key) >= 3 and len(owners := self._folded.get(key, set())) == 1:
            return MeantNote(next(iter(owners)), "only spaces, signs or accents differ", 0.92, keeps_words=False)
        return self._similar(key)

    def _moved(self, target: str) -> VaultPath | None:
        """Return where the journal says that a note of this path is now."""
        vault = self._garden.vault
        old = VaultPath(f"{target.removesuffix('.md')}.md")
        if "/" not in old:
            return None
        moved = vault.store.journal.moved_to(old, vault.names.__contains__)
        return moved if moved in self._garden.notes else None

    def _similar(self, key: str) -> MeantNote | None:
        """Return the note whose name differs by a slip of the pen."""
        from rapidfuzz import fuzz, process

        if len(key) < SHORTEST:
            return None
        self._garden.budget.pause()
        near = process.extract(key, self._folded.keys(), scorer=fuzz.ratio, limit=2, score_cutoff=ALIKE - AHEAD)
        if not near or near[0][1] < ALIKE or (len(near) > 1 and near[0][1] - near[1][1] < AHEAD):
            return None
        name, score, _ = near[0]
        owners = self._folded[name]
        if len(owners) != 1 or _digits(name) != _digits(key) or not _is_slip(name, key):
            return None
        return MeantNote(
            next(iter(owners)), "a slip of the pen apart", round(0.8 + (score - ALIKE) / 100, 2), keeps_words=False
        )


def _digits(name: str) -> str:
    return "".join(filter(str.isdigit, name))


def _is_slip(one: str, other: str) -> bool:
    """Return whether two names differ inside: endings make other words."""
    from rapidfuzz.distance import OSA

    return OSA.distance(one, other) <= 1 and one[:1] == other[:1] and one[-2:] == other[-2:]
