"""Measures how well answerable questions are told from others, and fits the weights by which they are."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bridge.models.embedder import Embedder
from bridge.search.answerability import ABSENT_CONFIDENCE, Features, measure, question_terms
from bridge.search.coverage import ASSUMED_NOTES
from bridge.search.model import SearchRequest
from bridge.search.pipeline import best_passages_of, retrieve_and_rank
from bridge.search.query import parse_query
from bridge.text.content_terms import terms_of
from bridge.text.function_words import content_words
from bridge.text.stems import language_of
from bridge.types import VaultPath
from scripts.lib.evaluation.indexing import open_index
from scripts.lib.evaluation.packed import read_notes
from scripts.lib.evaluation.sets import read_set
from scripts.lib.evaluation.systems import Bench


@dataclass(frozen=True, slots=True)
class Judged:
    """The features of one question, and whether it could be answered."""

    features: Features
    answerable: bool


async def collect(folder: Path, limit: int | None, cache: Path, embedder: Embedder | None) -> list[Judged]:
    """Ask each question twice: as it is, and with the notes that answer it masked."""
    judged = read_set(folder, limit)
    notes = read_notes(judged)
    indexed = await open_index(judged, cache, embedder)
    sources = Bench(judged, indexed, embedder).sources()
    path_of = {document: path for path, document in indexed.document_of.items()}
    terms = {path: frozenset(terms_of(note.text, language_of(note.text))) for path, note in notes.items()}
    found: list[Judged] = []
    try:
        total = len(notes)
        for question in judged.questions:
            query = parse_query(question.text)
            asked = question_terms(content_words(query.words))
            gold = {path_of[one] for one in question.relevant if one in path_of}
            for masked in (frozenset[VaultPath](), frozenset(gold)):

                def worth(word: str, masked: frozenset[VaultPath] = masked) -> float:
                    own = sum(terms[path].issuperset(terms_of(word, "english")) for path in masked)
                    count = max(0, indexed.index.document_frequency(word) - own)
                    return math.log(1 + (total + ASSUMED_NOTES - count + 0.5) / (count + 0.5))

                within = frozenset(notes) - masked if masked else None
                ranked = await retrieve_and_rank(sources, SearchRequest(question.text), query, within)
                found.append(Judged(measure(asked, best_passages_of(ranked), worth), not masked))
    finally:
        await indexed.index.close()
    return found


def fit(judged: Sequence[Judged], penalty: float = 0.3) -> NDArray[np.float64]:
    """Return the weights of a logistic regression, the constant last (iteratively reweighted least squares)."""
    x, y = _matrix(judged)
    w = np.zeros(x.shape[1])
    ridge = penalty * np.eye(len(w))
    ridge[-1, -1] = 1e-6
    for _ in range(50):
        p = 1 / (1 + np.exp(-x @ w))
        step = np.linalg.solve((x.T * (p * (1 - p) + 1e-9)) @ x + ridge, x.T @ (y - p) - ridge @ w)
        w += step
        if np.abs(step).max() < 1e-6:
            break
    return w


def auroc(scores: NDArray[np.float64], answerable: NDArray[np.bool_]) -> float:
    """Return the probability that an answerable question scores higher than another."""
    order = np.argsort(np.argsort(scores))
    count = int(answerable.sum())
    others = len(answerable) - count
    return float((order[answerable].sum() - count * (count - 1) / 2) / (count * others))


async def print_answerable(folders: Sequence[Path], limit: int | None, cache: Path, embedder: Embedder | None) -> None:
    """Print for each set how well weights fitted on the other sets tell its questions apart, then those of all.

    Args:
        folders: The judged sets.
        limit: Most questions of each.
        cache: The folder of indexes.
        embedder: The model, if there is one.
    """
    sets = {folder.name: await collect(folder, limit, cache, embedder) for folder in folders}
    for name, own in sets.items():
        others = [one for other, rows in sets.items() if other != name for one in rows]
        x, y = _matrix(own)
        confidence = 1 / (1 + np.exp(-x @ fit(others or own)))
        false, found = (float((confidence[rows] < ABSENT_CONFIDENCE).mean()) for rows in (y, ~y))
        print(f"{name:22} {len(own):5} rows  AUROC {auroc(confidence, y):.3f}", end="")
        print(f"  called absent: {false:.3f} of those answered, {found:.3f} of the others")
    weights = fit([one for rows in sets.values() for one in rows])
    print("weights of all", ", ".join(f"{weight:.2f}" for weight in weights))


def _matrix(judged: Sequence[Judged]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the features with a constant, a row each, and whether each row could be answered."""
    return (
        np.array([[*one.features, 1.0] for one in judged]),
        np.array([one.answerable for one in judged]),
    )
