"""Measures the search for the nearest passages by itself, at a size that would take days to embed."""

import gc
import time
from collections.abc import Collection, Iterator, Sequence

import numpy as np
import psutil

from bridge.index.digests import TextDigests
from bridge.index.matrix import TITLE_WEIGHT, Floats, VectorMatrix
from bridge.search.retrievers import RETRIEVER_NOTES
from scripts.lib.benchmarks.rows import Measurements, Row, latency_rows

DIMENSIONS = 384
PASSAGES = 8
"""Passages per note."""

CLUSTERS = 2_000
AT_ONCE = 512
"""Notes made at a time."""

QUERIES = 100
COMPARED = 10


def measure_nearest(found: Measurements, passages: int) -> None:
    """Measure `VectorMatrix.nearest` with clustered random vectors, and compare it with exact float32 scores."""
    notes = passages // PASSAGES
    name = f"nearest of {passages:,} passages"
    empty = resident()
    matrix = invented_matrix(notes)
    gc.collect()
    filled = resident()
    found.add(Row(f"{name}: memory", filled - empty, "MB", 1_500))
    queries = invented_queries(notes)
    answers = time_searches(found, name, matrix, queries, None)
    few = range(0, notes, 200)
    time_searches(found, f"{name}, in {len(few):,} notes", matrix, queries, few)
    found.add(Row(f"{name}: memory that the searches add", resident() - filled, "MB"))
    exact = exact_answers(notes, queries)
    hits = sum(len(set(answer) & set(wanted)) for answer, wanted in zip(answers, exact, strict=True))
    recall = hits / sum(map(len, exact))
    found.add(Row(f"{name}: recall@{COMPARED} against float32", recall, "", 0.97, at_least=True))


def time_searches(
    found: Measurements, name: str, matrix: VectorMatrix, queries: Sequence[Floats], keys: Collection[int] | None
) -> list[list[int]]:
    """Measure searches one after the other, and return the keys of the best notes of each."""
    waits, seconds, cpu, answers = [], [], [], []
    for query in queries:
        began, used = time.perf_counter(), time.process_time()
        search = matrix.nearest(query, RETRIEVER_NOTES, keys)
        waits.append(time.perf_counter() - began)
        answers.append([key for key, _, _ in search()[:COMPARED]])
        seconds.append(time.perf_counter() - began)
        cpu.append(time.process_time() - used)
    found.add(*latency_rows(name, seconds, (200, 300)))
    found.add(*latency_rows(f"{name}: processor time", cpu))
    found.add(*latency_rows(f"{name}: of that, on the event loop", waits))
    return answers


def resident() -> float:
    """Return the memory of this process, in MB."""
    return float(psutil.Process().memory_info().rss) / 1e6


def invented_matrix(notes: int) -> VectorMatrix:
    """Return a matrix with the vectors of all made-up notes."""
    matrix = VectorMatrix(DIMENSIONS)
    for keys, titles, bodies in invented_notes(notes):
        texts = [TextDigests.of(digest(key, 0), [digest(key, 1 + at) for at in range(PASSAGES)]) for key in keys]
        matrix.put(dict(zip(keys, texts, strict=True)))
        matrix.fill([each.title for each in texts], titles)
        matrix.fill([each for note in texts for each in note.passages if each], bodies.reshape(-1, DIMENSIONS))
    return matrix


def digest(key: int, number: int) -> bytes:
    """Return a made-up digest of a text of a note."""
    return (key * (PASSAGES + 1) + number).to_bytes(32, "little")


def invented_notes(notes: int) -> Iterator[tuple[range, Floats, Floats]]:
    """Yield keys, title vectors and passage vectors of some notes at a time; the same ones each time."""
    centres = unit(np.random.default_rng(0).standard_normal((CLUSTERS, DIMENSIONS), np.float32))
    for first in range(0, notes, AT_ONCE):
        keys = range(first, min(notes, first + AT_ONCE))
        random = np.random.default_rng(first + 1)
        chosen = centres[random.integers(CLUSTERS, size=len(keys))]
        noise = random.standard_normal((len(keys), PASSAGES + 1, DIMENSIONS), np.float32) / DIMENSIONS**0.5
        vectors = unit(chosen[:, None] + noise)
        yield keys, vectors[:, 0], vectors[:, 1:]


def invented_queries(notes: int) -> list[Floats]:
    """Return queries near some of the passages."""
    random = np.random.default_rng(7)
    some = next(invented_notes(notes))[2].reshape(-1, DIMENSIONS)
    chosen = some[random.integers(len(some), size=QUERIES)]
    return list(unit(chosen + random.standard_normal(chosen.shape, np.float32) / DIMENSIONS**0.5))


def unit(vectors: Floats) -> Floats:
    """Scale vectors to length 1."""
    scaled: Floats = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return scaled


def exact_answers(notes: int, queries: Sequence[Floats]) -> list[list[int]]:
    """Return the keys of the nearest notes by the formula, in float32."""
    asked = np.stack(queries).T
    best = np.empty((notes, len(queries)), np.float32)
    for keys, titles, bodies in invented_notes(notes):
        whole = unit(bodies + np.float32(TITLE_WEIGHT) * titles[:, None])
        best[keys.start : keys.stop] = (whole @ asked).max(axis=1)
    return [np.argsort(-best[:, at])[:COMPARED].tolist() for at in range(len(queries))]
