"""Measures how fast links are suggested for a long note of a large vault."""

import random
import statistics
import time
from collections.abc import Sequence

from bridge.features.links.evidence import LinkEvidence, Strictness
from bridge.features.links.link_candidates import SourceText, suggest
from bridge.features.links.mentions import Corpus, NameFinder, NoteName
from bridge.types import VaultPath
from scripts.lib.benchmarks.generate import SYLLABLES
from scripts.lib.benchmarks.rows import Measurements, Row

NOTES = 10_000
WORDS = 5_000
TIMES = 15
REACH_MS = 100.0


class NoContext:
    """A context without any evidence."""

    def count_linking_notes(self, _: VaultPath) -> int:
        """Count no links."""
        return 0

    def resolve(self, _: str) -> VaultPath | None:
        """Find no note."""
        return None

    def more(self, _: VaultPath, __: str) -> Sequence[LinkEvidence]:
        """Return no evidence."""
        return ()


def measure_suggestions(found: Measurements) -> None:
    """Measure a note that contains some names exactly, some approximately, and mostly other words."""
    chance = random.Random(1)
    words = ["".join(chance.choices(SYLLABLES, k=chance.randint(2, 5))) for _ in range(20_000)]
    names = [" ".join(chance.choices(words, k=chance.randint(1, 3))).title() for _ in range(NOTES)]
    said = [chance.choice(names) if chance.random() < 0.02 else chance.choice(words) for _ in range(WORDS)]
    said += [chance.choice(names)[:-1] for _ in range(100)]
    chance.shuffle(said)
    text = ". ".join(" ".join(said[at : at + 12]) for at in range(0, len(said), 12))
    paths = [VaultPath(f"{number}.md") for number in range(NOTES)]
    corpus = Corpus(NameFinder(map(NoteName, paths, names)))
    shown: tuple[Strictness, ...] = ("conservative", "balanced")
    for strictness in shown:
        source = SourceText(text)
        began = time.perf_counter()
        suggest(source, corpus, NoContext(), strictness)
        first = (time.perf_counter() - began) * 1000
        taken = []
        for _ in range(TIMES):
            began = time.perf_counter()
            suggest(source, corpus, NoContext(), strictness)
            taken.append((time.perf_counter() - began) * 1000)
        note = f"the first {first:.0f} ms"
        what = f"links suggested for {WORDS:,} words of {NOTES:,} notes, {strictness}"
        found.add(Row(what, statistics.median(taken), "ms", REACH_MS, note=note))
