"""`scripts/eval --memory`: the sessions of long conversations that hold what a question asks for."""

from pathlib import Path

from bridge.models.embedder import Embedder
from scripts.lib.evaluation.comparison import print_comparison
from scripts.lib.evaluation.indexing import open_index
from scripts.lib.evaluation.metrics import scores
from scripts.lib.evaluation.sets import read_set
from scripts.lib.evaluation.systems import DEPTH, Bench


async def print_sessions(folder: Path, limit: int | None, cache: Path, embedder: Embedder | None) -> None:
    """Print the share of the sessions with evidence among the first ten, by category.

    Args:
        folder: The judged set, LoCoMo.
        limit: Most questions.
        cache: The folder of indexes.
        embedder: The model, if there is one.
    """
    judged = read_set(folder, limit)
    indexed = await open_index(judged, cache, embedder)
    try:
        systems = Bench(judged, indexed, embedder).systems(retrievers=False)
        shares = {
            name: [scores(await rank(question), question.relevant)[f"R@{DEPTH}"] for question in judged.questions]
            for name, rank in systems.items()
        }
    finally:
        await indexed.index.close()
    print(f"\n{judged.name}: {len(judged.documents):,} sessions, {len(judged.questions):,} questions")
    print_comparison([question.category for question in judged.questions], shares)
