"""Removes a vault's own links and scores how many are suggested again."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from bridge.features.links.evidence import THRESHOLDS, LinkEvidence, Strictness
from bridge.features.links.link_candidates import SourceText, suggest
from bridge.features.links.mentions import Corpus, NoteName, find_declining_languages
from bridge.features.links.mentions import NameFinder as Spoken
from bridge.markdown.names import Names
from bridge.markdown.note import Note
from bridge.markdown.parse import parse
from bridge.markdown.prose import protected_spans
from bridge.text.stems import language_of
from bridge.types import VaultPath
from bridge.vault.rules import Rules
from bridge.vault.vault import Vault

Pair = tuple[VaultPath, VaultPath]
"""A note and a note that its body links to."""

ALIKE: tuple[tuple[Strictness, ...], ...] = (("conservative",), ("aggressive", "balanced"))
"""Those that look for the same names, and differ in what they leave out as unlikely; the least strict first."""

EVERYTHING = Rules(exclude=(), max_file_bytes=50_000_000, ignored=())


@dataclass(frozen=True, slots=True)
class StrippedVault:
    """A vault without its links, and the removed links."""

    notes: Mapping[VaultPath, Note]
    names: Names
    links: frozenset[Pair]


@dataclass(frozen=True, slots=True)
class Score:
    """The quality of suggestions."""

    suggested: int
    right: int
    links: int

    @property
    def precision(self) -> float:
        """Share of the suggestions that were links."""
        return self.right / self.suggested if self.suggested else 0.0

    @property
    def recall(self) -> float:
        """Share of the links that were suggested."""
        return self.right / self.links if self.links else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return 2 * self.right / (self.suggested + self.links) if self.links else 0.0


@dataclass(frozen=True, slots=True)
class NamesOnly:
    """The context of a note where no note has a link: names only."""

    names: Names
    path: VaultPath

    def count_linking_notes(self, _: VaultPath) -> int:
        """Count no links."""
        return 0

    def resolve(self, said: str) -> VaultPath | None:
        """Return the note that a link with an ambiguous name would resolve to."""
        return self.names.resolve(said, self.path).path

    def more(self, _: VaultPath, __: str) -> tuple[LinkEvidence, ...]:
        """Return no evidence."""
        return ()


def strip_links(root: Path) -> StrippedVault:
    """Read a vault, replacing each wiki link of a note's body by its text."""
    vault = Vault(root, EVERYTHING)
    scan = vault.scan()
    names = Names([*scan.files, *scan.others])
    notes: dict[VaultPath, Note] = {}
    links: set[Pair] = set()
    for path in scan.files:
        note = parse(path, vault.read(path)[0])
        if not path.endswith(".md"):
            continue
        text, targets = without_links(note, names)
        links |= {(path, target) for target in targets}
        notes[path] = parse(path, text.encode("utf-8", "replace"))
    return StrippedVault(notes, names, frozenset(links))


def without_links(note: Note, names: Names) -> tuple[str, set[VaultPath]]:
    """Return a note's text with its links as plain text, and their targets."""
    kept: list[str] = []
    targets: set[VaultPath] = set()
    at = 0
    for link in note.links:
        start, end = link.span
        if link.kind != "wiki" or start < max(at, note.body):
            continue
        target = names.resolve(link.target, note.path).path
        if target is not None and target != note.path and target.endswith(".md"):
            targets.add(target)
        kept += [note.text[at:start], link.shown or link.target.partition("#")[0] or link.target]
        at = end
    return "".join([*kept, note.text[at:]]), targets


def collect_names(notes: Mapping[VaultPath, Note]) -> Spoken:
    """Collect the names of all notes."""
    said = (
        name
        for path, note in notes.items()
        for name in (NoteName(path, note.title), *(NoteName(path, alias, alias=True) for alias in note.aliases))
    )
    return Spoken(said, find_declining_languages(language_of(note.text[note.body :]) for note in notes.values()))


def rediscover(vault: StrippedVault) -> Iterator[tuple[str, Score]]:
    """Score plain matching of names and each strictness, on pairs of notes."""
    names = collect_names(vault.notes)
    corpus = Corpus.of(names, {path: note.text for path, note in vault.notes.items()})
    plain: set[Pair] = set()
    found: dict[Strictness, set[Pair]] = {strictness: set() for strictness in THRESHOLDS}
    for path, note in vault.notes.items():
        around = NamesOnly(vault.names, path)
        source = SourceText(note.text, protected_spans(note), path)
        mentions = names.mentions(source.text, source.protected)
        plain |= {(path, name.path) for mention in mentions for name in mention.names if name.path != path}
        for alike in ALIKE:
            likely = suggest(source, corpus, around, alike[0])
            for strictness in alike:
                found[strictness] |= {(path, one.target) for one in likely if one.score >= THRESHOLDS[strictness]}
    yield "exact names", score_pairs(plain, vault.links)
    for strictness, pairs in found.items():
        yield strictness, score_pairs(pairs, vault.links)


def score_pairs(pairs: set[Pair], links: frozenset[Pair]) -> Score:
    """Compare suggestions with links."""
    return Score(len(pairs), len(pairs & links), len(links))
