"""Prints what following links adds to search, for several weights, on questions withheld from linked vaults."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast
from unittest.mock import patch

from bridge.models.embedder import Embedder
from bridge.search.fuse import WEIGHTS
from bridge.search.model import SearchRequest
from bridge.search.pipeline import search
from scripts.lib.evaluation.indexing import Write, open_index
from scripts.lib.evaluation.linked import SAMPLE, VAULTS
from scripts.lib.evaluation.metrics import bootstrap, scores
from scripts.lib.evaluation.sets import JudgedSet, read_set, write_vault
from scripts.lib.evaluation.systems import DEPTH, Bench
from scripts.lib.evaluation.withheld import KINDS, make_judged_set, write_notes

TRIED: Final = (0.0, 0.05, 0.1, 0.15, 0.3)
SHOWN: Final = ("nDCG@10", "R@10")
HELP: Final = "obsidian-help-golden"

MIN_QUESTIONS: Final = 10
"""A vault is not asked questions of a kind that has fewer of them."""

READABLE: Final = (HELP, "DawnVespero__TheBlackSunLodge", SAMPLE.name)
"""Sets in languages that the default model reads; the others use keyword search."""

Values = Mapping[str, Sequence[Sequence[float]]]
"""The scores of each question by metric and weight."""


async def print_walks(data: Path, cache: Path, embedder: Embedder | None) -> None:
    """Print each set with the gain of each weight over none, then all of them by kind, by vault and together."""
    every: dict[str, list[Values]] = {}
    print(f"{'':36}{'':14}{'no links':>9}" + "".join(f"{weight:>26}" for weight in TRIED[1:]))
    with tempfile.TemporaryDirectory() as folder:
        for judged, write in _sets(data, Path(folder)):
            readable = judged.folder.name in READABLE
            values = await _measure(judged, cache, embedder if readable else None, write)
            _print(judged.name, [values])
            vault, _, kind = judged.name.partition(" ")
            for group in (f"all {kind or 'judged'}", f"all of {vault}", "everything"):
                every.setdefault(group, []).append(values)
    for group in sorted(every, reverse=True):
        _print(group, every[group])


def _sets(data: Path, folder: Path) -> Iterator[tuple[JudgedSet, Write]]:
    """Yield the one set of linked notes that people judged, and the sets withheld from vaults."""
    judged = read_set(data / "retrieval" / HELP)
    yield judged, write_vault
    write_vault(judged, folder / HELP)
    for root in (folder / HELP, *(data / vault for vault in VAULTS), SAMPLE):
        for kind in KINDS if root.is_dir() else ():
            made = make_judged_set(root, kind)
            if len(made.questions) >= MIN_QUESTIONS:
                yield made, write_notes


async def _measure(judged: JudgedSet, cache: Path, embedder: Embedder | None, write: Write) -> Values:
    indexed = await open_index(judged, cache, embedder, write)
    sources = Bench(judged, indexed, embedder).sources()
    values: dict[str, list[list[float]]] = {metric: [[] for _ in TRIED] for metric in SHOWN}
    weights = cast("dict[str, Any]", WEIGHTS)
    try:
        for question in judged.questions:
            for at, weight in enumerate(TRIED):
                with patch.dict(weights, links=weight):
                    answer = await search(sources, SearchRequest(question.text, limit=DEPTH))
                found = scores([indexed.document_of[hit.path] for hit in answer.hits], question.relevant)
                for metric in SHOWN:
                    values[metric][at].append(found[metric])
    finally:
        await indexed.index.close()
    return values


def _print(name: str, some: Sequence[Values]) -> None:
    """Print a line for each metric: the mean without links, and each weight's gain with its 95 % interval."""
    for metric in SHOWN:
        none, *others = ([x for values in some for x in values[metric][at]] for at in range(len(TRIED)))
        gains = [bootstrap([more - less for more, less in zip(other, none, strict=True)]) for other in others]
        cells = "".join(f"  {gain.mean:+.4f} ({gain.low:+.4f}…{gain.high:+.4f})" for gain in gains)
        print(f"{name[-35:]:36}{len(none):5} {metric:8}{sum(none) / len(none):9.4f}{cells}", flush=True)
