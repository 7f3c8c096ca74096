"""Measures questions as people type them, about the English notes of obsidian-help, and their ranks in each mode."""

import json
import shutil
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from bridge.models.embedder import Embedder
from bridge.search.model import SearchRequest
from bridge.search.pipeline import search
from bridge.types import SearchMode, VaultPath
from scripts.lib.evaluation.indexing import open_index
from scripts.lib.evaluation.metrics import scores
from scripts.lib.evaluation.sets import JudgedSet, Question
from scripts.lib.evaluation.systems import Bench

QUESTIONS: Final = Path(__file__).with_name("plain-questions.jsonl")
"""The questions, the notes that answer them, and the half to which each question belongs."""


MODES: Final[tuple[SearchMode, ...]] = ("keyword", "semantic", "hybrid")
DEPTH: Final = 60
"""Hits that are examined; a note that is not among them has the rank after the last."""


async def print_plain(data: Path, cache: Path, embedder: Embedder | None) -> None:
    """Print the rank of the first right note in each mode, and how often hybrid is as good as the better of its parts.

    Args:
        data: The folder of the development data.
        cache: The folder of indexes.
        embedder: The model; without one there is only keyword search.
    """
    judged = read_plain(data)
    indexed = await open_index(judged, cache, embedder, copy_notes)
    sources = Bench(judged, indexed, embedder).sources()
    modes = MODES if embedder is not None else MODES[:1]
    gains: defaultdict[str, list[list[float]]] = defaultdict(list)
    level: defaultdict[str, list[bool]] = defaultdict(list)
    try:
        for question in judged.questions:
            ranks, gain = [], []
            for mode in modes:
                answer = await search(sources, SearchRequest(question.text, limit=DEPTH, mode=mode))
                found = [indexed.document_of[hit.path] for hit in answer.hits]
                places = (place for place, path in enumerate(found, 1) if path in question.relevant)
                ranks.append(next(places, DEPTH + 1))
                gain.append(scores(found[:10], question.relevant)["nDCG@10"])
            shown = "".join(f"{rank if rank <= DEPTH else '-':>5}" for rank in ranks)
            print(f"{shown}  {question.category:15} {question.text}")
            for group in (question.category, question.category.split()[0]):
                gains[group].append(gain)
                level[group].append(ranks[-1] <= min(ranks) + 1)
    finally:
        await indexed.index.close()
    print(f"{'nDCG@10':15}" + "".join(f"{mode:>10}" for mode in modes) + "   the last at most one rank below the best")
    for group, rows in gains.items():
        means = "".join(f"{sum(row[at] for row in rows) / len(rows):10.3f}" for at in range(len(modes)))
        print(f"{group:15}{means}   {sum(level[group])} of {len(rows)}")


def read_plain(data: Path, half: str | None = None) -> JudgedSet:
    """Read the questions and the notes that they are about.

    Args:
        data: The folder of the development data.
        half: `dev`, for tuning, or `held`, kept aside; None gives both.
    """
    folder = data / "vaults" / "obsidian-help" / "en"
    rows = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    questions = tuple(
        Question(row["id"], row["text"], f"{row['half']} {row['kind']}", dict.fromkeys(row["notes"], 1.0))
        for row in rows
        if half in (None, row["half"])
    )
    documents = tuple(
        (path.relative_to(folder).as_posix(), path.stem, path.read_text(encoding="utf-8"))
        for path in sorted(folder.rglob("*.md"))
    )
    return JudgedSet("obsidian-help-plain", folder, questions, documents)


def copy_notes(judged: JudgedSet, out: Path) -> Mapping[VaultPath, str]:
    """Copy the notes; return the document of each, which is its path."""
    shutil.copytree(judged.folder, out, dirs_exist_ok=True)
    return {VaultPath(document): document for document, _, _ in judged.documents}
