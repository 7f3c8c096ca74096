"""Measures embedding itself, and invents vectors for sizes that would take too long to embed."""

import asyncio
from pathlib import Path

import numpy as np

from bridge.data_folder import default_models_dir
from bridge.engine.model_pool import model_key
from bridge.index.index import Index
from bridge.models.catalogue import DEFAULT_MODEL
from bridge.models.folder import find_model
from scripts.lib.benchmarks.models import measure
from scripts.lib.benchmarks.rows import Measurements, Row

AT_ONCE = 2000


def measure_models(folder: Path | None, found: Measurements) -> None:
    """Measure the embedding against `Llama.embed` with its defaults."""
    facts = measure(find_model(folder or default_models_dir(), DEFAULT_MODEL))
    found.facts["models"] = facts
    rate, ratio, two = (
        float(str(facts[k])) for k in ("tokens_per_cpu_second", "ratio_to_defaults", "two_workers_to_one")
    )
    found.add(
        Row("embedding: tokens a CPU second", rate, "1/s"),
        Row("embedding: times Llama.embed with its defaults", ratio, "×", 1.8, at_least=True),
        Row("embedding: two workers, times one", two, "×", 1.8, at_least=True),
    )


def invent_vectors(data: Path, folder: Path | None) -> None:
    """Give every passage a random vector."""
    model = find_model(folder or default_models_dir(), DEFAULT_MODEL)
    (index,) = (data / "vaults").glob("*/index")
    asyncio.run(fill_vectors(index, model_key(model), model.spec.dimensions))


async def fill_vectors(folder: Path, key: str, dimensions: int) -> None:
    """Fill the index's vectors."""
    index = Index.open(folder)
    random = np.random.default_rng(1)
    try:
        index.use_model(key, dimensions)
        while missing := await index.find_missing_vectors(AT_ONCE):
            vectors = random.normal(size=(len(missing), dimensions)).astype(np.float32)
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
            await index.add_vectors([text.digest for text in missing], vectors)
        await index.optimise()
    finally:
        await index.close()
