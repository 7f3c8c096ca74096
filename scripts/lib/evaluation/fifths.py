"""Removes a vault's own links a fifth at a time, and scores how many are suggested again."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bridge.features.links.evidence import LinkEvidence, graph_evidence
from bridge.features.links.link_candidates import SourceText, suggest
from bridge.features.links.mentions import Corpus
from bridge.graph.graph import Graph
from bridge.markdown.names import Names
from bridge.markdown.prose import protected_spans
from bridge.types import VaultPath
from scripts.lib.evaluation.graphs import Edge, build_graph
from scripts.lib.evaluation.rediscovery import Pair, Score, StrippedVault, collect_names

FIFTHS = 5


@dataclass(frozen=True, slots=True)
class LinkedContext:
    """The context of a note, from the remaining links."""

    names: Names
    path: VaultPath
    graph: Graph
    nearness: bool
    """Whether it counts that both notes are linked with a third."""

    def count_linking_notes(self, target: VaultPath) -> int:
        """Count the notes that link to a note."""
        return len(self.graph.linked_from(target))

    def resolve(self, said: str) -> VaultPath | None:
        """Return the note that a link with an ambiguous name would resolve to."""
        return self.names.resolve(said, self.path).path

    def more(self, target: VaultPath, _: str) -> Sequence[LinkEvidence]:
        """Return evidence from notes that both are linked with."""
        shared = self.nearness and not self.graph.neighbours(self.path).isdisjoint(self.graph.neighbours(target))
        return (graph_evidence(),) if shared else ()


def score_by_fifths(vault: StrippedVault) -> Iterator[tuple[str, Score]]:
    """Score balanced suggestions without and with graph proximity, on pairs of notes."""
    chance = random.Random(0)
    fifth = {pair: chance.randrange(FIFTHS) for pair in sorted(vault.links)}
    names = collect_names(vault.notes)
    corpus = Corpus.of(names, {path: note.text for path, note in vault.notes.items()})
    sources = {path: SourceText(note.text, protected_spans(note), path) for path, note in vault.notes.items()}
    others = [
        Edge(path, target)
        for path, note in vault.notes.items()
        for link in note.links
        if (target := vault.names.resolve(link.target, path, link.kind).path) is not None
        and (path, target) not in vault.links
    ]
    for name, nearness in (("and habit", False), ("and graph", True)):
        right = wrong = 0
        for missing in range(FIFTHS):
            left = [Edge(*pair) for pair in vault.links if fifth[pair] != missing]
            graph = build_graph(vault.notes, [*left, *others])
            found: set[Pair] = set()
            for path, source in sources.items():
                around = LinkedContext(vault.names, path, graph, nearness)
                known = SourceText(source.text, source.protected, path, graph.links_to(path))
                found |= {(path, one.target) for one in suggest(known, corpus, around, "balanced")}
            hit = len(found & vault.links)
            right, wrong = right + hit, wrong + len(found) - hit
        # Wrong suggestions recur in every round.
        yield name, Score(right + round(wrong / FIFTHS), right, len(vault.links))
